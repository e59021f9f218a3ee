"""The owner of a token of the memory API, with permissions; and the failures of a sign-in that would name one. Pure."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from recollect.api.endpoint_table import Permission
from recollect.model import Actor, Changer, Party

ADMIN_TOKEN_NAME = "admin-token"  # noqa: S105 -- a name
"""The name of the admin token in audits."""

_PERSON_OF_PROVIDER = "own-provider"
_ADMINISTRATOR_OF_PROVIDER = "oidc "
"""In audits, precedes the user id of an administrator by an OpenID provider. No key's name has a space."""


class TokenKind(StrEnum):
    """The kind of a token."""

    ADMIN = "admin"
    """May do everything with everybody's memories."""

    READER = "reader"
    """An administrator who only reads."""

    ACTING = "acting"
    """An integration, such as OpenWebUI's functions: may do for the user named in each call what that user may do."""

    PERSON = "person"
    """A user: sees and changes the own memory."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The owner of a token.

    Attributes:
        kind: The kind of the token.
        name: The token's name, as audits show it.
        user_id: The user id of a person; None for the others.
        users: The beginning of the ids of users for whom an integration may act; "": all.
        project: The one project that the token is for; "": all projects, and what concerns a person as a whole.
    """

    kind: TokenKind
    name: str
    user_id: str | None = None
    users: str = ""
    project: str = ""

    def may(self, permission: Permission, user_id: str | None, *, reads: bool) -> bool:
        """Whether they may do what asks for ``permission``.

        Args:
            permission: The permission that the operation requires.
            user_id: The user it is about; None: none, or several.
            reads: Whether it changes nothing.
        """
        match self.kind:
            case TokenKind.ADMIN:
                return True
            case TokenKind.READER:
                return reads
            case TokenKind.ACTING if permission is Permission.OWN and user_id is not None:
                return user_id.startswith(self.users)
            case TokenKind.PERSON if permission is Permission.OWN:
                return user_id is not None and user_id == self.user_id
            case TokenKind.PERSON:
                return permission is Permission.OWN_REQUEST
            case _:
                return False

    @property
    def is_by_provider(self) -> bool:
        """Whether an OpenID provider said who it is."""
        if self.kind is TokenKind.PERSON:
            return self.name == _PERSON_OF_PROVIDER
        return self.name.startswith(_ADMINISTRATOR_OF_PROVIDER)

    @property
    def is_administrator(self) -> bool:
        """Whether it reads the memory of other people, who can see that."""
        return self.kind in {TokenKind.ADMIN, TokenKind.READER}

    @property
    def actor(self) -> Actor:
        """The author in the audit of memories."""
        return Actor.ADMIN if self.is_administrator else Actor.USER

    @property
    def changer(self) -> Changer:
        """The author of a change of settings, as the person is shown it."""
        parties = {TokenKind.PERSON: Party.PERSON, TokenKind.ACTING: Party.INTEGRATION}
        return Changer(parties.get(self.kind, Party.ADMINISTRATOR), self.name)


def person_of_provider(user_id: str) -> Principal:
    """Return a person who signed in at an OpenID provider."""
    return Principal(TokenKind.PERSON, _PERSON_OF_PROVIDER, user_id)


def administrator_of_provider(user_id: str) -> Principal:
    """Return an administrator who signed in at an OpenID provider."""
    return Principal(TokenKind.ADMIN, f"{_ADMINISTRATOR_OF_PROVIDER}{user_id}")


SIGN_IN_LIFETIME = timedelta(minutes=10)
"""The most time that a person may take at the provider."""


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
