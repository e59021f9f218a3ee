"""Puts the application together: the only file that knows all the others."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import partial
from traceback import extract_tb

import structlog

from recollect.assembly import live_engine
from recollect.chat import COMPLETIONS, MESSAGES, RESPONSES, Dialect
from recollect.engine import system_clock
from recollect.engine.live import LiveEngine
from recollect.errors import RecollectError
from recollect.ports import Clock
from recollect_proxy.access import Authentication, make_authentication
from recollect_proxy.answer_relay import AnswerRelay
from recollect_proxy.asgi import Application, ClientLeftError, Event, Receive, Scope, Send, is_unambiguous
from recollect_proxy.conversation import Conversation
from recollect_proxy.errors import (
    AMBIGUOUS,
    INTERNAL,
    METHOD_NOT_SUPPORTED,
    NOT_FOUND,
    UPSTREAM_BROKE_OFF,
    send_failure,
)
from recollect_proxy.fair_executor import FairExecutor
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.identity import Identity, is_loopback, make_identity, require_strong
from recollect_proxy.lazy_application import LazyApplication
from recollect_proxy.mcp import PATH as MCP_PATH
from recollect_proxy.passthrough import Passthrough
from recollect_proxy.probes import PROBES, Probes
from recollect_proxy.recall_report import RecallReports
from recollect_proxy.request_composer import RequestComposer
from recollect_proxy.request_preparer import RequestPreparer
from recollect_proxy.request_reader import RequestReader
from recollect_proxy.settings import ProxySettings
from recollect_proxy.status import Status
from recollect_proxy.tracing import traces_from_environment
from recollect_proxy.upstream import TruncatedError, Upstream, UpstreamError
from recollect_proxy.websockets import WebSocketRelay

_WITH_MEMORY = {
    b"/chat/completions": COMPLETIONS,
    b"/responses": RESPONSES,
    b"/messages": MESSAGES,
}
_UNSUPPORTED = frozenset(
    {
        "CONNECT",  # no tunnels
        "TRACE",  # answers with what it was sent, credentials included (RFC 9110, section 9.3.8)
    }
)

_PAGES = b"/memory/ui"
_SESSIONS = b"/api/sessions/"
_PROBE_PATIENCE_SECONDS = 0.25  # who probes waits for a second, as a rule

log = structlog.get_logger(__name__)


class App:
    """The ASGI application: sends each request where it belongs."""

    def __init__(self, settings: ProxySettings, *, admin_token: str, clock: Clock = system_clock) -> None:
        """Build the application; nothing is opened before its lifespan begins."""
        self._settings = settings
        self.engine = live_engine(with_upstream_key(settings), upstream=settings.upstream, clock=clock)
        self.upstream = upstream_of(settings)
        identity = make_identity(settings)
        if not is_loopback(settings.host):
            require_strong(admin_token, "RECOLLECT_ADMIN_TOKEN")  # it opens everybody's memories
        self._base = settings.base_path.encode()
        strip = identity.is_secret if settings.forward_identity else identity.is_ours
        self._passthrough = Passthrough(self.upstream, base_path=self._base, strip=strip)
        self._websockets = WebSocketRelay(
            self.upstream,
            base_path=self._base,
            strip=strip,
            connect_timeout=settings.connect_timeout_seconds,
        )
        reports = RecallReports()
        self._executor = FairExecutor()
        self._traces = traces_from_environment()
        self._conversations = self._make_conversations(identity, reports, clock)
        self.probes = Probes(HealthCheck(self.engine, patience=_PROBE_PATIENCE_SECONDS))
        authentication = make_authentication(settings, admin_token, clock)
        self._pages = LazyApplication(partial(_build_pages, self.engine, authentication, settings))
        self._memory_api = LazyApplication(
            partial(_build_memory_api, self.engine, authentication, reports, settings)
        )
        self._mcp = LazyApplication(partial(_build_mcp, self.engine, authentication, settings))

    def _make_conversations(
        self, identity: Identity, reports: RecallReports, clock: Clock
    ) -> dict[bytes, Application]:
        return {
            self._base + path: self._make_conversation(dialect, identity, reports, clock)
            for path, dialect in _WITH_MEMORY.items()
        }

    def _make_conversation(
        self, dialect: Dialect, identity: Identity, reports: RecallReports, clock: Clock
    ) -> Conversation:
        settings = self._settings
        shows_status = settings.openwebui_status and dialect is COMPLETIONS
        return Conversation(
            identity=identity,
            reader=RequestReader(
                dialect,
                limit=settings.memory_body_limit,
                recall_in_temporary=settings.recall_in_temporary,
                clock=clock,
                executor=self._executor,
            ),
            preparer=RequestPreparer(
                self.engine,
                RequestComposer(dialect, settings.system_styles),
                self._executor,
                Status(self.engine) if shows_status else None,
            ),
            relay=AnswerRelay(self.upstream, self._passthrough, reports),
            passthrough=self._passthrough,
            reports=reports,
            traces=self._traces,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or live through the lifespan."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["raw_path"].startswith(self._base + b"/") and is_unambiguous(scope):
            await self._websockets(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close"})  # before it was accepted: refused with 403

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        def noting(event: Event) -> Awaitable[None]:
            nonlocal started
            started = True
            return send(event)

        try:
            with self._chat_priority(scope):
                await self._route(scope)(scope, receive, noting)
        except ClientLeftError:
            log.debug("client_left")
        except UpstreamError as error:
            log.warning("upstream_failed", code=error.failure.code)
            await send_failure(send, error.failure)
        except TruncatedError:
            log.warning("upstream_broke_off", answer_begun=started)
            if not started:
                await send_failure(send, UPSTREAM_BROKE_OFF)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the client is told in its own words
            # Its name and its place, not its text, which may hold the user's. An answer begun is cut.
            where = _place_of(error)
            log.error("internal_error", error=type(error).__name__, where=where, answer_begun=started)  # noqa: TRY400 -- no text
            if not started:
                await send_failure(send, INTERNAL)

    def _chat_priority(self, scope: Scope) -> AbstractContextManager[None]:
        """Let formation yield to whatever may ask the upstream's model something, as long as that lasts."""
        is_for_upstream = scope["method"] == "POST" and scope["raw_path"].startswith(self._base + b"/")
        return self.engine.chat() if is_for_upstream else nullcontext()

    def _route(self, scope: Scope) -> Application:
        path: bytes = scope["raw_path"]
        if not is_unambiguous(scope):
            return _ambiguous
        if path == b"/memory" or path.startswith(b"/memory/"):
            return self._route_memory(path)
        if scope["method"] in _UNSUPPORTED:
            return _unsupported
        if scope["method"] == "POST" and path in self._conversations:
            return self._conversations[path]
        if path == self._base or path.startswith(self._base + b"/"):
            return self._passthrough
        return self._memory_api if path.startswith(_SESSIONS) else _not_found

    def _route_memory(self, path: bytes) -> Application:
        if path == MCP_PATH:
            return self._mcp
        if path in PROBES:
            return self.probes
        return self._pages if path == _PAGES or path.startswith(_PAGES + b"/") else self._memory_api

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with self._open():
                await send({"type": "lifespan.startup.complete"})
                self.probes.begin()
                self._memory_api.start()
                await receive()
        except RecollectError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
        else:
            await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[None]:
        try:
            await self.engine.start()
            yield
        finally:
            await self.engine.aclose()
            await self.upstream.aclose()


def _place_of(error: Exception) -> str:
    frame = extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}:{frame.lineno}"


def upstream_of(settings: ProxySettings) -> Upstream:
    """Return the upstream that the settings name; no connection is opened yet."""
    return Upstream(
        settings.upstream,
        connect_timeout=settings.connect_timeout_seconds,
        read_timeout=settings.read_timeout_seconds,
        api_key=settings.upstream_api_key.get_secret_value() if settings.upstream_api_key else None,
    )


async def _ambiguous(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send_failure(send, AMBIGUOUS)


async def _unsupported(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send_failure(send, METHOD_NOT_SUPPORTED)


def _build_memory_api(
    engine: LiveEngine, authentication: Authentication, reports: RecallReports, settings: ProxySettings
) -> Application:
    from recollect_proxy.memory_api import memory_api  # noqa: PLC0415 -- its framework is a sixth of a start

    return memory_api(
        engine,
        authentication=authentication,
        skipped=reports.skipped,
        metrics_public=settings.metrics_public,
        public_url=settings.public_url,
    )


def _build_pages(engine: LiveEngine, authentication: Authentication, settings: ProxySettings) -> Application:
    from recollect_proxy.pages import pages  # noqa: PLC0415 -- as above, and templates with it

    return pages(engine, authentication=authentication, public_url=settings.public_url)


def _build_mcp(engine: LiveEngine, authentication: Authentication, settings: ProxySettings) -> Application:
    from recollect_proxy.mcp.application import mcp_application  # noqa: PLC0415 -- its SDK takes a second
    from recollect_proxy.mcp.rebinding import KnownHosts  # noqa: PLC0415

    return mcp_application(
        engine,
        authentication=authentication,
        user_header=settings.user_header,
        hosts=KnownHosts(
            is_local=is_loopback(settings.host),
            names=settings.allowed_hosts,
            public_url=settings.public_url,
        ),
    )


async def _not_found(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send_failure(send, NOT_FOUND)


def with_upstream_key(settings: ProxySettings) -> ProxySettings:
    """Let the upstream's own key extract too, where the upstream is who extracts."""
    if settings.extraction_api_key or settings.extraction_base_url or not settings.upstream_api_key:
        return settings
    return settings.model_copy(update={"extraction_api_key": settings.upstream_api_key})
