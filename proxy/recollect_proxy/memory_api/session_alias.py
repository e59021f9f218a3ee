"""A chat's memories at `/api/sessions/{chat}/memories`, where the path names no user."""

from typing import Any
from urllib.parse import quote

from recollect.api.failures import NOT_FOUND, UNAUTHORIZED
from recollect_proxy.access import Authentication
from recollect_proxy.identity import readable_id
from recollect_proxy.memory_api.errors import RefusedError, invalid_parameter
from recollect_proxy.web.asgi import Scope, peer_of, values

PREFIX = b"/api/sessions/"

_USER_HEADER = "X-Recollect-User"
_OF_ALL = 3
_OF_ONE = 4


def unaliased(scope: Scope, authentication: Authentication) -> bytes:
    """Return the path of the Memory API that a request's stands for; one that is no alias stands for itself.

    The user is whom the header names, else whom the token belongs to. Whether the token may do that is decided by the
    path that is returned, as for any request.

    Raises:
        TooManyAttemptsError: Too many wrong tokens came from the same address.
        RefusedError: No chat's memories stand at the path, no token is known, or no user is named.
    """
    path: bytes = scope["raw_path"]
    if not path.startswith(PREFIX):
        return path
    parts = path.removeprefix(b"/api/").split(b"/")
    if len(parts) not in {_OF_ALL, _OF_ONE} or b"" in parts or parts[2] != b"memories":
        raise RefusedError(NOT_FOUND)
    headers: Any = list(scope["headers"])
    principal = authentication.admitted(headers, peer_of(scope))
    if principal is None:
        raise RefusedError(UNAUTHORIZED)
    named = values(headers, _USER_HEADER.lower().encode())
    user_id = readable_id(named) if named else principal.user_id
    if user_id is None:
        raise invalid_parameter(
            _USER_HEADER, "given once, as the percent-encoded id of a user, with a token that is nobody's own"
        )
    return b"/memory/users/" + quote(user_id, safe="").encode() + b"/" + b"/".join(parts)
