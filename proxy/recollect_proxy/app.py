"""Puts the application together: the only file that knows all the others."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from urllib.parse import urlsplit

import structlog

from recollect.assembly.host_engine import live_engine
from recollect.engine import system_clock
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import ConfigurationError, RecollectError, raised_at
from recollect.ports import Clock
from recollect_proxy.access.authentication import Authentication, make_authentication
from recollect_proxy.build_destinations import Destinations
from recollect_proxy.chat.recall_headers import RecallReports
from recollect_proxy.identity.caller import require_strong
from recollect_proxy.identity.user_and_chat import is_loopback, make_identity
from recollect_proxy.mcp import PATH as MCP_PATH
from recollect_proxy.metrics import PROBES, Probes
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.upstream.upstream import TruncatedError, UpstreamError
from recollect_proxy.web.asgi import Application, ClientLeftError, Event, Receive, Scope, Send, is_unambiguous
from recollect_proxy.web.error_answers import (
    AMBIGUOUS,
    INTERNAL,
    METHOD_NOT_SUPPORTED,
    NOT_FOUND,
    UPSTREAM_BROKE_OFF,
    Refusing,
    send_failure,
)
from recollect_proxy.web.paths import changes_models


class LazyApplication:
    """Builds an application in a thread, once: at ``start``, or else at the first request."""

    def __init__(self, build: Callable[[], Application]) -> None:
        self._build = build
        self._building: asyncio.Task[Application] | None = None

    def start(self) -> asyncio.Task[Application]:
        """Start to build it; requests wait for the returned task."""
        if self._building is None:
            self._building = asyncio.create_task(asyncio.to_thread(self._build))
        return self._building

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        application = await asyncio.shield(self.start())
        await application(scope, receive, send)


_UNSUPPORTED = frozenset(
    {
        "CONNECT",  # no tunnels
        "TRACE",  # answers with the whole request, credentials included (RFC 9110, section 9.3.8)
    }
)

_MEMORY = b"/memory"
_PAGES = b"/memory/ui"
_SESSIONS = b"/api/sessions/"
_PROBE_PATIENCE_SECONDS = 0.25  # most probes wait for a second

log = structlog.get_logger(__name__)


class App:
    """The ASGI application: dispatches each request to the application for its path."""

    def __init__(self, settings: ProxySettings, *, admin_token: str, clock: Clock = system_clock) -> None:
        """Build the application; nothing is opened before its lifespan begins."""
        _expect_another_server(settings)
        self.engine = live_engine(settings.for_engine, upstream=settings.upstream_api, clock=clock)
        identity = make_identity(settings)
        if not is_loopback(settings.host):
            require_strong(admin_token, "RECOLLECT_ADMIN_TOKEN")  # it opens everybody's memories
        reports = RecallReports()
        destinations = Destinations(settings, self.engine, identity, reports, clock)
        self._router = destinations.router()
        self.upstreams = tuple(destinations.upstreams)
        self.upstream = self.upstreams[0]
        self.probes = Probes(self.engine, patience=_PROBE_PATIENCE_SECONDS)
        authentication = make_authentication(settings, admin_token, clock)
        self._pages = LazyApplication(partial(_build_pages, self.engine, authentication, settings))
        self._memory_api = LazyApplication(
            partial(_build_memory_api, self.engine, authentication, reports, settings, self.probes)
        )
        self._mcp = LazyApplication(partial(_build_mcp, self.engine, authentication, settings))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or live through the lifespan."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            is_relayed = is_unambiguous(scope) and self._is_for_upstream(scope)
            relay = self._router.application(scope) if is_relayed else None
            await (relay or Refusing(NOT_FOUND))(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        def noting(event: Event) -> Awaitable[None]:
            nonlocal started
            started = True
            return send(event)

        try:
            application = self._route(scope)
            refused = isinstance(application, Refusing)
            with nullcontext() if refused else self._chat_priority(scope):
                await application(scope, receive, noting)
        except ClientLeftError:
            log.debug("client_left")
        except UpstreamError as error:
            log.warning("upstream_failed", server=error.server, code=error.failure.code)
            await send_failure(scope, send, error.failure)
        except TruncatedError as error:
            log.warning("upstream_disconnected", server=error.server, answer_begun=started)
            if not started:
                await send_failure(scope, send, UPSTREAM_BROKE_OFF)
        except Exception as error:  # noqa: BLE001 -- the client gets an error in its own API's form
            # Its name and its place, not its text, which may hold the user's. An answer begun is cut.
            where = raised_at(error)
            log.error("request_failed", error=type(error).__name__, raised_at=where, answer_begun=started)  # noqa: TRY400 -- no text
            if not started:
                await send_failure(scope, send, INTERNAL)

    def _chat_priority(self, scope: Scope) -> AbstractContextManager[None]:
        """Let formation yield to whatever may ask the upstream's model something, as long as that lasts."""
        asks = (
            scope["method"] == "POST"
            and self._is_for_upstream(scope)
            and not changes_models(scope["raw_path"])
        )
        return self.engine.chat() if asks else nullcontext()

    def _is_for_upstream(self, scope: Scope) -> bool:
        path: bytes = scope["raw_path"]
        is_ours = path == _MEMORY or path.startswith((_MEMORY + b"/", _SESSIONS))
        return not is_ours and self._router.serves(path)

    def _route(self, scope: Scope) -> Application:
        path: bytes = scope["raw_path"]
        if not is_unambiguous(scope):
            return Refusing(AMBIGUOUS)
        if path == _MEMORY or path.startswith(_MEMORY + b"/"):
            return self._route_memory(path)
        if scope["method"] in _UNSUPPORTED:
            return Refusing(METHOD_NOT_SUPPORTED)
        if path.startswith(_SESSIONS):
            return self._memory_api
        return self._router.application(scope) or Refusing(NOT_FOUND)

    def _route_memory(self, path: bytes) -> Application:
        if path == MCP_PATH:
            return self._mcp
        if path in PROBES:
            return self.probes
        return self._pages if path == _PAGES or path.startswith(_PAGES + b"/") else self._memory_api

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            try:
                await self.engine.start()
                await send({"type": "lifespan.startup.complete"})
                self.probes.is_started = True
                self._memory_api.start()
                await receive()
            finally:
                await self.engine.aclose()
                for upstream in self.upstreams:
                    await upstream.aclose()
        except RecollectError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
        else:
            await send({"type": "lifespan.shutdown.complete"})


def _expect_another_server(settings: ProxySettings) -> None:
    """Raise ConfigurationError if an upstream is this proxy: each request would be sent on to itself without end."""
    own = settings.host
    hears_itself = is_loopback(own) or own in {"0.0.0.0", "::"}  # noqa: S104 -- compared, not bound
    urls = [("RECOLLECT_UPSTREAM", settings.upstream)]
    urls += [(f"RECOLLECT_UPSTREAMS, {each.name}:", each.url or "") for each in settings.further_upstreams]
    for name, url in urls:
        upstream = urlsplit(url)
        host = upstream.hostname or ""
        if upstream.port == settings.port and (host == own or (hears_itself and is_loopback(host))):
            raise ConfigurationError(f"{name} is Recollect's own address: name your LLM's server.")


def _build_memory_api(
    engine: LiveEngine,
    authentication: Authentication,
    reports: RecallReports,
    settings: ProxySettings,
    probes: Probes,
) -> Application:
    from recollect_proxy.memory_api import MemoryApi  # noqa: PLC0415 -- its framework is a sixth of a start

    return MemoryApi(
        engine,
        authentication=authentication,
        skipped=reports.skipped,
        metrics_public=settings.metrics_public,
        public_url=settings.public_url,
        ends=lambda: probes.draining,
    )


def _build_pages(engine: LiveEngine, authentication: Authentication, settings: ProxySettings) -> Application:
    from recollect_proxy.pages.application import pages  # noqa: PLC0415 -- as above, and templates with it
    from recollect_proxy.pages.page_request import PageParts  # noqa: PLC0415 -- as above

    return pages(PageParts(engine, authentication, settings.public_url, settings.chat_link))


def _build_mcp(engine: LiveEngine, authentication: Authentication, settings: ProxySettings) -> Application:
    from recollect_proxy.mcp.streamable_http import KnownHosts, McpApplication  # noqa: PLC0415 -- its SDK takes a second

    return McpApplication(
        engine,
        authentication=authentication,
        user_header=settings.user_header,
        hosts=KnownHosts(
            is_local=is_loopback(settings.host),
            names=settings.allowed_hosts,
            public_url=settings.public_url,
        ),
    )
