"""Tells for whom an agent's request acts, and whether it may change anything. Never: a tool, a memory."""

from dataclasses import dataclass

from recollect_proxy.access import Authentication, Permission, Principal, Role, TooManyAttemptsError
from recollect_proxy.identity import readable_id
from recollect_proxy.web.asgi import Headers, values

USER_HEADER = b"x-recollect-user"
"""Names the user where the token is no one's own."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in.

    Attributes:
        status: The HTTP status.
        code: Names it for a program.
        message: Says it to a person, without repeating anything that was sent.
    """

    status: int
    code: str
    message: str


UNAUTHORIZED = Refusal(
    401,
    "unauthorized",
    "Send a token in the header `Authorization: Bearer TOKEN`: your own, an access key, or the admin token.",
)
TOO_MANY_ATTEMPTS = Refusal(
    429, "too_many_attempts", "Too many wrong tokens came from this address within a minute. Wait a minute."
)
NOT_NAMED = Refusal(400, "user_not_named", "This token is nobody's own: name the user in `X-Recollect-User`.")
NAMED_TWICE = Refusal(
    400,
    "user_named_twice",
    "The headers name two users, or one that can't be: 1 to 256 characters, not `*`, and no unfilled template.",
)
FORBIDDEN = Refusal(403, "forbidden", "This token does not allow that for this user.")


@dataclass(frozen=True, slots=True)
class Granted:
    """A request that is let in.

    Attributes:
        principal: Whose token it carries.
        user_id: For whom it acts.
        may_write: Whether it may change what is theirs.
    """

    principal: Principal
    user_id: str
    may_write: bool


class AgentAccess:
    """Lets requests in.

    Args:
        authentication: Knows the tokens.
        user_header: In which header the frontend names the user, for integrations that act for its users.
    """

    def __init__(self, authentication: Authentication, *, user_header: str) -> None:
        self._authentication = authentication
        self._user_header = user_header.lower().encode("latin-1")

    def of(self, headers: Headers, peer: str | None) -> Granted | Refusal:
        """Return for whom a request acts, or why it may not.

        Args:
            headers: The request's.
            peer: The address it came from, or None where that is unknown.
        """
        try:
            principal = self._authentication.admitted(headers, peer)
        except TooManyAttemptsError:
            return TOO_MANY_ATTEMPTS
        if principal is None:
            return UNAUTHORIZED
        user_id = self._user_of(principal, headers)
        if isinstance(user_id, Refusal):
            return user_id
        if not principal.may(Permission.OWN, user_id, reads=True):
            return FORBIDDEN
        return Granted(principal, user_id, principal.may(Permission.OWN, user_id, reads=False))

    def _user_of(self, principal: Principal, headers: Headers) -> str | Refusal:
        names = (USER_HEADER, self._user_header) if principal.role is Role.ACTING else (USER_HEADER,)
        sent = [found for name in dict.fromkeys(names) if (found := values(headers, name))]
        named = {readable_id(each) for each in sent}
        if principal.user_id is not None:
            return principal.user_id if named <= {principal.user_id} else FORBIDDEN
        if not named:
            return NOT_NAMED
        only = named.pop()
        return NAMED_TWICE if named or only is None else only
