"""Lets each request do what its token allows, and keeps what administrators read of people. Never: a token's bytes.

Every operation declares its ``Permission`` in its options; an application with one that does not can't be made.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from litestar import Litestar, Request
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers.base import BaseRouteHandler
from litestar.params import SkipValidation

from recollect.engine.live import LiveEngine
from recollect.errors import StoreUnavailableError
from recollect_proxy.access import Authentication, Permission, Principal
from recollect_proxy.memory_api.errors import FORBIDDEN, UNAUTHORIZED, RefusedError
from recollect_proxy.memory_api.parameters import user_named

_READING = frozenset({"GET", "HEAD"})
_PERMISSION = "permission"
_PRINCIPAL = "principal"

Guard: TypeAlias = Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], Awaitable[None]]
WhoAsks: TypeAlias = NamedDependency[SkipValidation[Principal]]
"""Whom the request's token stands for."""


def asking_for(permission: Permission) -> dict[str, Any]:
    """Return the options of operations that ask for ``permission``, and how the document says so."""
    if permission is Permission.PUBLIC:
        return {"opt": {_PERMISSION: permission}, "security": [{}]}
    return {"opt": {_PERMISSION: permission}, "security": [{"bearer": []}]}


def authorization(authentication: Authentication, engine: LiveEngine) -> Guard:
    """Return what lets a request through, or refuses it.

    It raises RefusedError: 401 without a known token, 403 where the token does not allow it; TooManyAttemptsError where
    too many wrong ones came from the same address; and StoreUnavailableError where an administrator would read what is a user's, and that can't be kept.
    """

    async def authorize(connection: ASGIConnection[Any, Any, Any, Any], operation: BaseRouteHandler) -> None:
        permission: Permission = operation.opt.get(_PERMISSION, Permission.ADMIN)
        if permission is Permission.PUBLIC:
            return
        client = connection.scope.get("client")
        principal = authentication.admitted(list(connection.scope["headers"]), client[0] if client else None)
        if principal is None:
            raise RefusedError(UNAUTHORIZED)
        reads = connection.scope.get("method") in _READING
        user_id = (
            user_named(connection.path_params["user_id"]) if "user_id" in connection.path_params else None
        )
        if not principal.may(permission, user_id, reads=reads):
            raise RefusedError(FORBIDDEN)
        connection.state[_PRINCIPAL] = principal
        if reads and user_id is not None:
            await note_read(engine, principal, user_id, operation)

    return authorize


async def note_read(
    engine: LiveEngine, principal: Principal, user_id: str, operation: BaseRouteHandler
) -> None:
    """Keep that an administrator reads what is kept of a user, before they do.

    Raises:
        StoreError: It can't be kept.
    """
    if not principal.is_administrator:
        return
    if engine.engine is None:
        raise StoreUnavailableError
    await engine.engine.note_admin_read(user_id, reader=principal.name, operation=operation.handler_name)


async def who_asks(request: Request[Any, Any, Any]) -> Principal:
    """Return whom the request's token stands for, as ``authorization`` found it."""
    principal: Principal = request.state[_PRINCIPAL]
    return principal


def operations_without_permission(application: Litestar) -> Iterable[str]:
    """Yield the operations that declare no permission, but for Litestar's own, which nobody reaches."""
    for route in application.routes:
        for operation in getattr(route, "route_handlers", ()):
            if route.path.startswith("/memory") and _PERMISSION not in operation.opt:
                yield f"{operation.handler_name} {route.path}"
