"""Whom a token of the memory API stands for, and what that lets them do. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.api.operation import Permission
from recollect.model import Actor, Changer, Party

ADMIN_TOKEN_NAME = "admin-token"  # noqa: S105 -- a name
"""As audits name the admin token."""


class Role(StrEnum):
    """What kind of token it is."""

    ADMIN = "admin"
    """May do everything with everybody's memories."""

    READER = "reader"
    """An administrator who only reads."""

    ACTING = "acting"
    """An integration, as OpenWebUI's functions: does for a user, named in each call, what they may do themselves."""

    PERSON = "person"
    """A user: sees and changes what is theirs."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Whom a token stands for.

    Attributes:
        role: What kind of token it is.
        name: The token's name, as audits show it.
        user_id: Of a person: who it is; of the others None.
        users: Of an integration: how the ids of the users begin for whom it may act; "" for any.
    """

    role: Role
    name: str
    user_id: str | None = None
    users: str = ""

    def may(self, permission: Permission, user_id: str | None, *, reads: bool) -> bool:
        """Whether they may do what asks for ``permission``.

        Args:
            permission: What the operation asks for.
            user_id: Whom it is about, if it is about one user.
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
    def is_administrator(self) -> bool:
        """Whether they look at what is others': the users are told of it."""
        return self.role in {Role.ADMIN, Role.READER}

    @property
    def actor(self) -> Actor:
        """As whom the audit of memories names them."""
        return Actor.ADMIN if self.is_administrator else Actor.USER

    @property
    def changer(self) -> Changer:
        """As whom the person is told of them, when they change the person's settings."""
        parties = {Role.PERSON: Party.PERSON, Role.ACTING: Party.INTEGRATION}
        return Changer(parties.get(self.role, Party.ADMINISTRATOR), self.name)
