"""The failures of a sign-in at an OpenID provider, apart from it: it imports cryptography. Never: a text of the provider's."""

from datetime import timedelta
from enum import StrEnum

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
