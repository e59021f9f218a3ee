"""Puts the Memory API together: routes, token, limits, errors. Never: SQL, a chat."""

import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast

import msgspec
from litestar import Litestar, Request, Router
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.handlers.base import BaseRouteHandler

from recollect.engine.live import LiveEngine
from recollect.errors import ConfigurationError
from recollect.model import Skip
from recollect_proxy.asgi import ClientLeftError, Event, Receive, Scope, Send, respond, values
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.memory_api.audit import Audit
from recollect_proxy.memory_api.bodies import read_body
from recollect_proxy.memory_api.documentation import describe, documentation
from recollect_proxy.memory_api.errors import (
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    UNAUTHORIZED,
    RefusedError,
    answer_error,
)
from recollect_proxy.memory_api.memories import Memories, erase_user
from recollect_proxy.memory_api.operation import check_health, read_metrics, retry_formation
from recollect_proxy.memory_api.parameters import engine_of
from recollect_proxy.memory_api.quarantine import QuarantineOfUser
from recollect_proxy.memory_api.sessions import SessionsOfUser
from recollect_proxy.memory_api.settings import Settings
from recollect_proxy.memory_api.shared import Global, share_memory
from recollect_proxy.memory_api.stories import explain_request
from recollect_proxy.memory_api.todos import list_todos
from recollect_proxy.memory_api.usage import read_usage
from recollect_proxy.metrics import Metrics

_LONGEST_BODY = 64 * 1024
_ASKED_AS = {
    "HEAD": "GET",  # the server leaves the body out
    "OPTIONS": "WHICH",  # a method that no path knows
}

Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
_OF_USERS = (
    Memories,
    Audit,
    list_todos,
    QuarantineOfUser,
    share_memory,
    Global,
    erase_user,
    SessionsOfUser,
    Settings,
    read_usage,
    retry_formation,
    explain_request,
)

Guard: TypeAlias = Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], None]


class StrictRequest(Request[Any, Any, Any]):
    """A request whose JSON is read as the endpoint declares it: nothing coerced, nothing overlooked."""

    async def json(self) -> Any:
        """Return the body as the endpoint's ``data``."""
        return read_body(
            await self.body(), self.route_handler.parsed_fn_signature.parameters["data"].annotation
        )


def memory_api(
    engine: LiveEngine,
    *,
    admin_token: str,
    skipped: Mapping[Skip, int] | None = None,
    metrics_public: bool = False,
) -> Application:
    """Return the Memory API as an ASGI application for paths under `/memory`.

    It reads ``raw_path`` alone, so that a user id may hold any character, percent-encoded.

    Args:
        engine: Where the memories are; it may be not open yet.
        admin_token: What must be sent as a bearer token, everywhere but for health and documentation.
        skipped: How many requests had no memory, by reason, as it is counted elsewhere.
        metrics_public: Whether the metrics need no token either.

    Raises:
        ConfigurationError: The token is empty.
    """
    if not admin_token.strip():
        raise ConfigurationError("The admin token is empty: anybody could read and erase memories.")
    counts = skipped if skipped is not None else {}
    guarded: dict[str, Any] = {
        "guards": [_guard(admin_token.encode())],
        "security": [{"admin_token": []}],
    }
    application = Litestar(
        [
            Router("/memory", route_handlers=_OF_USERS, **guarded),
            Router("/memory", route_handlers=[check_health]),
            Router(
                "/memory",
                route_handlers=[read_metrics],
                **({"security": [{}]} if metrics_public else guarded),
            ),
        ],
        debug=False,
        dependencies=_dependencies(engine, counts),
        exception_handlers={Exception: answer_error},
        logging_config=None,
        openapi_config=describe(),
        request_class=StrictRequest,
        request_max_body_size=_LONGEST_BODY,
    )
    application.register(documentation(application.openapi_schema))
    return _on_raw_path(application)


def _dependencies(engine: LiveEngine, skipped: Mapping[Skip, int]) -> dict[str, Provide]:
    """Return what the endpoints are handed, by the names they ask for it."""
    check, metrics = HealthCheck(engine), Metrics(engine, skipped)
    return {
        "engine": engine_of(engine),
        "check": Provide(lambda: check, sync_to_thread=False),
        "metrics": Provide(lambda: metrics, sync_to_thread=False),
        "skipped": Provide(lambda: skipped, sync_to_thread=False),
    }


def _guard(token: bytes) -> Guard:
    def demand_token(connection: ASGIConnection[Any, Any, Any, Any], _endpoint: BaseRouteHandler) -> None:
        sent = values(connection.scope["headers"], b"authorization")
        scheme, _, given = sent[0].strip().partition(b" ") if len(sent) == 1 else (b"", b"", b"")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), token):
            raise RefusedError(UNAUTHORIZED)

    return demand_token


def _on_raw_path(application: Litestar) -> Application:
    """Return ``application``, given the path as it was sent.

    Litestar passes over empty segments: `DELETE /memory/users//memories` would erase the user called
    "memories". So a path with one is refused here.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_or_leave() -> Event:
            event = await receive()
            if event["type"] == "http.disconnect":
                raise ClientLeftError
            return event

        async def send_uncached(event: Event) -> None:
            if event["type"] == "http.response.start":
                event = {**event, "headers": [*event["headers"], (b"cache-control", b"no-store")]}
            await send(event)

        path: bytes = scope["raw_path"]
        if b"" in path.split(b"/")[1:]:
            body = msgspec.json.encode(NOT_FOUND.body)
            await respond(send_uncached, NOT_FOUND.status, body, content_type=b"application/json")
            return
        method = _ASKED_AS.get(scope["method"], scope["method"])
        raw = {**scope, "method": method, "path": path.decode("latin-1"), "root_path": ""}
        answering = _allowing(send_uncached) if scope["method"] == "OPTIONS" else send_uncached
        await cast(Application, application)(raw, receive_or_leave, answering)

    return answer


def _allowing(send: Send) -> Send:
    """Return a ``send`` that makes of a method's refusal the answer to OPTIONS: what the path allows.

    Litestar's own answer names the methods of only one of a path's endpoints.
    """
    refused = False

    async def answer(event: Event) -> None:
        nonlocal refused
        if event["type"] == "http.response.start" and event["status"] == METHOD_NOT_ALLOWED.status:
            refused = True
            kept = [(name, value) for name, value in event["headers"] if name.lower() == b"allow"]
            event = {**event, "status": 204, "headers": kept}
        elif refused:
            event = {**event, "body": b""}
        await send(event)

    return answer
