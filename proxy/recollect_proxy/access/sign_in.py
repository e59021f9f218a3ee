"""A sign-in at an OpenID provider as the pages know it, and its failures. Never: a token, or a text of the provider's."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from recollect_proxy.access.principal import Principal

SIGN_IN_LIFETIME = timedelta(minutes=10)
"""So long a person may take at the provider."""


class Refusal(StrEnum):
    """A failure as the person is shown it."""

    AWAY = "provider_away"
    """The provider does not answer, or answers with an error of its own."""

    CANCELLED = "sign_in_cancelled"
    """The person or the provider said no."""

    OVER = "sign_in_over"
    """It began in another browser, too long ago, or was finished before."""

    UNPROVEN = "sign_in_unproven"
    """The provider's answer does not prove who the person is."""

    NO_ADMINISTRATOR = "no_administrator"
    """The person is known, and no administrator."""


class SignInError(Exception):
    """A sign-in failed.

    Attributes:
        refusal: The cause that the person is shown.
        reason: The cause, for the log: a word of ours, of PyJWT's or of RFC 6749's.
    """

    def __init__(self, refusal: Refusal, reason: str) -> None:
        super().__init__(f"{refusal}: {reason}")
        self.refusal = refusal
        self.reason = reason


class SignIn(Protocol):
    """Begins sign-ins at a provider, and finishes them.

    Attributes:
        label: The provider's name on the page.
        begins_at: The address that begins one: the public one, where the provider leads back to with the cookie.
        names_administrators: Whether an administrator can sign in so.
    """

    label: str
    begins_at: str
    names_administrators: bool

    async def begin(self, *, administrator: bool) -> tuple[str, str]:
        """Return the cookie of a new sign-in, and the address that it leads the browser to.

        Raises:
            SignInError: The provider is away.
        """
        ...

    async def finish(self, cookie: str, answer: Mapping[str, str]) -> Principal:
        """Return who signed in.

        Args:
            cookie: The cookie of the sign-in.
            answer: The query with which the provider led the browser back.

        Raises:
            SignInError: It failed.
        """
        ...

    async def leaves_at(self) -> str | None:
        """Return where a browser ends its session at the provider; None: nowhere.

        Raises:
            SignInError: The provider is away.
        """
        ...
