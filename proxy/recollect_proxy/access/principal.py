"""The owner of a token of the memory API, with permissions. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.api.operation import Permission
from recollect.model import Actor, Changer, Party

ADMIN_TOKEN_NAME = "admin-token"  # noqa: S105 -- a name
"""As audits name the admin token."""

_PERSON_OF_PROVIDER = "own-provider"
_ADMINISTRATOR_OF_PROVIDER = "oidc "
"""As audits name an administrator by an OpenID provider, with the user id behind it. No key's name has a space."""


class Role(StrEnum):
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
        role: The kind of the token.
        name: The token's name, as audits show it.
        user_id: The user id of a person; None for the others.
        users: The beginning of the ids of users for whom an integration may act; "": all.
        project: The one project that the token is for; "": all projects, and what concerns a person as a whole.
    """

    role: Role
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
        match self.role:
            case Role.ADMIN:
                return True
            case Role.READER:
                return reads
            case Role.ACTING if permission is Permission.OWN and user_id is not None:
                return user_id.startswith(self.users)
            case Role.PERSON if permission is Permission.OWN:
                return user_id is not None and user_id == self.user_id
            case Role.PERSON:
                return permission is Permission.OWN_REQUEST
            case _:
                return False

    @property
    def is_by_provider(self) -> bool:
        """Whether an OpenID provider said who it is."""
        if self.role is Role.PERSON:
            return self.name == _PERSON_OF_PROVIDER
        return self.name.startswith(_ADMINISTRATOR_OF_PROVIDER)

    @property
    def is_administrator(self) -> bool:
        """Whether it reads the memory of other people, who can see that."""
        return self.role in {Role.ADMIN, Role.READER}

    @property
    def actor(self) -> Actor:
        """The author in the audit of memories."""
        return Actor.ADMIN if self.is_administrator else Actor.USER

    @property
    def changer(self) -> Changer:
        """The author of a change of settings, as the person is shown it."""
        parties = {Role.PERSON: Party.PERSON, Role.ACTING: Party.INTEGRATION}
        return Changer(parties.get(self.role, Party.ADMINISTRATOR), self.name)


def person_of_provider(user_id: str) -> Principal:
    """Return a person who signed in at an OpenID provider."""
    return Principal(Role.PERSON, _PERSON_OF_PROVIDER, user_id)


def administrator_of_provider(user_id: str) -> Principal:
    """Return an administrator who signed in at an OpenID provider."""
    return Principal(Role.ADMIN, f"{_ADMINISTRATOR_OF_PROVIDER}{user_id}")
