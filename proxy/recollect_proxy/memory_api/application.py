"""Puts the Memory API together: routes, token, limits, errors. Never: SQL."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast

import msgspec
from litestar import Litestar, Request, Router
from litestar.di import Provide

from recollect.engine.live import LiveEngine
from recollect.model import Skip
from recollect_proxy.access import Authentication, Permission, TooManyAttemptsError
from recollect_proxy.asgi import Event, Receive, Scope, Send, leaving, respond
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.memory_api.admin_reads import AdminReads
from recollect_proxy.memory_api.audit import Audit
from recollect_proxy.memory_api.authorization import (
    asking_for,
    authorization,
    operations_without_permission,
    who_asks,
)
from recollect_proxy.memory_api.bodies import read_body
from recollect_proxy.memory_api.bulk import change_memories
from recollect_proxy.memory_api.debug import inspect_retrieval, read_stats
from recollect_proxy.memory_api.documentation import describe, documentation
from recollect_proxy.memory_api.embeddings import read_embeddings
from recollect_proxy.memory_api.errors import (
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    PROBLEM,
    Failure,
    RefusedError,
    answer_error,
    failure_of,
)
from recollect_proxy.memory_api.explain import explain_request, explain_users_request
from recollect_proxy.memory_api.export import export_user, import_user
from recollect_proxy.memory_api.memories import Memories, erase_user
from recollect_proxy.memory_api.once import once_of
from recollect_proxy.memory_api.operation import (
    check_health,
    read_metrics,
    read_metrics_as_json,
    retry_formation,
)
from recollect_proxy.memory_api.parameters import engine_of, refuse_unknown_parameters
from recollect_proxy.memory_api.profiles import ProfileOfUser
from recollect_proxy.memory_api.quarantine import QuarantineOfUser
from recollect_proxy.memory_api.recalls import list_recalls
from recollect_proxy.memory_api.report import read_report
from recollect_proxy.memory_api.searching import search_memories
from recollect_proxy.memory_api.session_alias import unaliased
from recollect_proxy.memory_api.session_log import LogOfSession
from recollect_proxy.memory_api.session_memories import MemoriesOfSession
from recollect_proxy.memory_api.sessions import SessionsOfUser
from recollect_proxy.memory_api.settings import Settings, UserSettings
from recollect_proxy.memory_api.shared import Global, share_memory
from recollect_proxy.memory_api.todos import list_todos
from recollect_proxy.memory_api.tokens import make_page_link, make_token
from recollect_proxy.memory_api.usage import read_usage
from recollect_proxy.metrics import Metrics

_LONGEST_BODY = 64 * 1024
_ASKED_AS = {
    "HEAD": "GET",  # the server leaves the body out
    "OPTIONS": "WHICH",  # a method that no path knows
}

Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
_OPERATIONS = {
    Permission.OWN: (
        Memories,
        search_memories,
        change_memories,
        Audit,
        AdminReads,
        list_todos,
        list_recalls,
        explain_users_request,
        QuarantineOfUser,
        ProfileOfUser,
        erase_user,
        export_user,
        SessionsOfUser,
        LogOfSession,
        MemoriesOfSession,
        UserSettings,
        read_usage,
        make_token,
        make_page_link,
    ),
    Permission.OWN_REQUEST: (explain_request,),
    Permission.ADMIN: (
        import_user,
        share_memory,
        Global,
        Settings,
        retry_formation,
        inspect_retrieval,
        read_stats,
        read_embeddings,
        read_report,
    ),
    Permission.PUBLIC: (check_health,),
}


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
    authentication: Authentication,
    skipped: Mapping[Skip, int] | None = None,
    metrics_public: bool = False,
    public_url: str | None = None,
) -> Application:
    """Return the Memory API as an ASGI application for paths under `/memory`.

    It reads ``raw_path`` alone, so that a user id may hold any character, percent-encoded.

    Args:
        engine: The engine with the memories; it may not be open yet.
        authentication: Knows the tokens.
        skipped: How many requests had no memory, by reason, as it is counted elsewhere.
        metrics_public: Whether the metrics need no token.
        public_url: Under which address people's browsers reach us; None: as the request that asks for a link.
    """
    counts = skipped if skipped is not None else {}
    of_metrics = Permission.PUBLIC if metrics_public else Permission.ADMIN
    application = Litestar(
        [
            *(
                Router("/memory", route_handlers=endpoints, **asking_for(permission))
                for permission, endpoints in _OPERATIONS.items()
            ),
            Router("/memory", route_handlers=[read_metrics, read_metrics_as_json], **asking_for(of_metrics)),
        ],
        before_request=refuse_unknown_parameters,
        debug=False,
        guards=[authorization(authentication, engine)],
        dependencies=_dependencies(engine, counts)
        | {
            "person_tokens": Provide(lambda: authentication.person_tokens, sync_to_thread=False),
            "public_url": Provide(lambda: public_url, sync_to_thread=False),
        },
        exception_handlers={Exception: answer_error},
        logging_config=None,
        openapi_config=describe(),
        request_class=StrictRequest,
        request_max_body_size=_LONGEST_BODY,
    )
    application.register(documentation(application.openapi_schema))
    if undeclared := list(operations_without_permission(application)):
        raise RuntimeError(f"These operations declare no permission: {undeclared}.")
    return _on_raw_path(application, authentication)


def _dependencies(engine: LiveEngine, skipped: Mapping[Skip, int]) -> dict[str, Provide]:
    """Return what the endpoints are handed, by the names they ask for it."""
    check, metrics = HealthCheck(engine), Metrics(engine, skipped)
    return {
        "engine": engine_of(engine),
        "principal": Provide(who_asks),
        "live": Provide(lambda: engine, sync_to_thread=False),
        "once": Provide(once_of),
        "check": Provide(lambda: check, sync_to_thread=False),
        "metrics": Provide(lambda: metrics, sync_to_thread=False),
        "skipped": Provide(lambda: skipped, sync_to_thread=False),
    }


def _on_raw_path(application: Litestar, authentication: Authentication) -> Application:
    """Return ``application``, given the path as it was sent, or what that is an alias of.

    Litestar passes over empty segments: `DELETE /memory/users//memories` would erase the user called
    "memories". So a path with one is refused here.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        receive_or_leave, answering = leaving(receive, send)

        async def send_uncached(event: Event) -> None:
            if event["type"] == "http.response.start":
                event = {**event, "headers": [*event["headers"], (b"cache-control", b"no-store")]}
            await answering(event)

        try:
            path = unaliased(scope, authentication)
        except (RefusedError, TooManyAttemptsError) as error:
            await _refuse(send_uncached, failure_of(error))
            return
        if b"" in path.split(b"/")[1:]:
            await _refuse(send_uncached, NOT_FOUND)
            return
        method = _ASKED_AS.get(scope["method"], scope["method"])
        raw = {**scope, "method": method, "path": path.decode("latin-1"), "root_path": ""}
        told = _allowing(send_uncached) if scope["method"] == "OPTIONS" else send_uncached
        await cast(Application, application)(raw, receive_or_leave, told)

    return answer


async def _refuse(send: Send, failure: Failure) -> None:
    headers = [(name.encode(), value.encode()) for name, value in failure.headers.items()]
    body = msgspec.json.encode(failure.body)
    await respond(send, failure.status, body, content_type=PROBLEM.encode(), headers=headers)


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
