"""The user for whom an agent's request acts, and whether it may change anything."""

from dataclasses import dataclass

from recollect.api.failures import FORBIDDEN, TOO_MANY_ATTEMPTS, UNAUTHORIZED, Failure
from recollect.api.queries import PROJECT
from recollect.model import LONGEST_PROJECT, project_scope, project_within
from recollect_proxy.access import Authentication, Permission, Principal, Role, TooManyAttemptsError
from recollect_proxy.identity import readable_id, readable_project
from recollect_proxy.web.asgi import Headers, values

USER_HEADER = b"x-recollect-user"
"""The header that names the user if the token belongs to none."""


NOT_NAMED = Failure(400, "user_not_named", "This token is nobody's own: name the user in `X-Recollect-User`.")
NAMED_TWICE = Failure(
    400,
    "user_named_twice",
    "The headers name two users, or one that can't be: 1 to 256 characters, not `*`, and no unfilled template.",
)


BAD_PROJECT = Failure(
    400,
    "bad_project",
    f"`{PROJECT}` must be given once: 1 to {LONGEST_PROJECT} characters in one line, percent-encoded.",
    PROJECT,
)


def project_in(headers: Headers, bound: str) -> str | Failure:
    """Return the project that a request's headers name, or the one that its token is for; "" for none."""
    found = values(headers, PROJECT.lower().encode())
    named = readable_project(found) if found else ""
    if named is None:
        return BAD_PROJECT
    project = project_within(bound, named)
    return FORBIDDEN if project is None else project


@dataclass(frozen=True, slots=True)
class Granted:
    """A request that is let in.

    Attributes:
        principal: The owner of its token.
        user_id: The user for whom it acts, or the id of the project of theirs that it names.
        may_write: Whether it may change their memories.
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

    def grant(self, headers: Headers, peer: str | None) -> Granted | Failure:
        """Return for whom a request acts, or why it may not.

        Args:
            headers: The request's.
            peer: The address it came from; None if unknown.
        """
        try:
            principal = self._authentication.admitted(headers, peer)
        except TooManyAttemptsError:
            return TOO_MANY_ATTEMPTS
        if principal is None:
            return UNAUTHORIZED
        user_id = self._user_of(principal, headers)
        if isinstance(user_id, Failure):
            return user_id
        if not principal.may(Permission.OWN, user_id, reads=True):
            return FORBIDDEN
        project = project_in(headers, principal.project)
        if isinstance(project, Failure):
            return project
        may_write = principal.may(Permission.OWN, user_id, reads=False)
        return Granted(principal, project_scope(user_id, project), may_write)

    def _user_of(self, principal: Principal, headers: Headers) -> str | Failure:
        names = (USER_HEADER, self._user_header) if principal.role is Role.ACTING else (USER_HEADER,)
        sent = [found for name in dict.fromkeys(names) if (found := values(headers, name))]
        named = {readable_id(each) for each in sent}
        if principal.user_id is not None:
            return principal.user_id if named <= {principal.user_id} else FORBIDDEN
        if not named:
            return NOT_NAMED
        only = named.pop()
        return NAMED_TWICE if named or only is None else only
