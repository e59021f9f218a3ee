"""Builds the applications that answer for each LLM server in the settings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr

from recollect.engine.live.live_engine import LiveEngine
from recollect.ports import Clock
from recollect.settings.upstream_policies import UpstreamSettings
from recollect.wire import COMPLETIONS, MESSAGES, OLLAMA_CHAT, OLLAMA_COMPLETION, RESPONSES, Dialect
from recollect_proxy.chat.application import ChatApplication
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.forwarding import Forwarding
from recollect_proxy.chat.passthrough import Passthrough
from recollect_proxy.chat.recall_headers import RecallReports
from recollect_proxy.chat.reply_recorder import KeptAnswers
from recollect_proxy.chat.request_preparer import RequestPreparer
from recollect_proxy.chat.request_reader import RequestReader
from recollect_proxy.chat.tracing import Traces, traces_from_environment
from recollect_proxy.destination import (
    COMPLETIONS_PATH,
    MESSAGES_PATH,
    OLLAMA_CHAT_PATH,
    OLLAMA_COMPLETION_PATH,
    RESPONSES_PATH,
    Destination,
)
from recollect_proxy.identity.user_and_chat import Identity
from recollect_proxy.router import IdentifiedOnly, Router
from recollect_proxy.settings.proxy_settings import IdentityMode, ProxySettings
from recollect_proxy.upstream.timeouts import CONNECT_SECONDS
from recollect_proxy.upstream.upstream import Upstream
from recollect_proxy.upstream.websockets import WebSocketRelay
from recollect_proxy.web.asgi import Application
from recollect_proxy.web.headers import COOKIE, CREDENTIALS
from recollect_proxy.web.request_limits import LARGEST_CHAT

_WITH_MEMORY = {
    COMPLETIONS_PATH: COMPLETIONS,
    RESPONSES_PATH: RESPONSES,
    MESSAGES_PATH: MESSAGES,
    OLLAMA_CHAT_PATH: OLLAMA_CHAT,
    OLLAMA_COMPLETION_PATH: OLLAMA_COMPLETION,
}


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to a server: below which path of ours, and whether a client's own key and cookies are for it."""

    policy: UpstreamSettings
    upstream: Upstream
    base: str
    sends_keys: bool = True
    sends_cookies: bool = True

    @property
    def is_default(self) -> bool:
        return self.policy.url is None

    @property
    def lends(self) -> bool:
        """Whether a client's key may ask in the background; a server's own key does so instead, if it has one."""
        return self.is_default or (self.sends_keys and self.policy.api_key is None)


@dataclass(frozen=True, slots=True)
class Destinations:
    """Builds the applications of all LLM servers.

    Attributes:
        upstreams: The HTTP clients of the servers, the default's first; ``router`` fills it.
    """

    settings: ProxySettings
    engine: LiveEngine
    identity: Identity
    reports: RecallReports
    clock: Clock
    upstreams: list[Upstream] = field(default_factory=list)
    _executor: FairExecutor = field(default_factory=FairExecutor)
    _traces: Traces = field(default_factory=traces_from_environment)

    def router(self) -> Router | IdentifiedOnly:
        """Build everything, and return the router."""
        settings = self.settings
        policy = settings.default_upstream
        base = "" if settings.is_whole_server else settings.base_path if policy.base is None else policy.base
        upstream = upstream_of(settings)
        self.upstreams.append(upstream)
        by_path: list[Destination] = []
        by_model: list[Destination] = []
        default = self._destination(_Way(policy, upstream, base))
        for each in settings.further_upstreams:
            key = _secret(each.api_key)
            server = _upstream(settings, each.url or "", key)
            self.upstreams.append(server)
            if each.base is not None:
                # A provider's token proves its user to any server that has it: it is for us alone.
                sends_keys = key is not None or IdentityMode.OIDC not in settings.identity
                by_path.append(self._destination(_Way(each, server, each.base, sends_keys=sends_keys)))
            if each.models:
                # A client sends the default's key and cookies to the default's path; they go to no other server.
                # With a key of its own the client's is replaced in the same header, as servers differ in the header they read.
                way = _Way(each, server, "", sends_keys=key is not None, sends_cookies=False)
                by_model.append(self._destination(way))
        router = Router(default, by_path, by_model)
        return IdentifiedOnly(router, self.identity, self.reports) if settings.require_identity else router

    def _destination(self, way: _Way) -> Destination:
        strip, base = self._strip(way), way.base.encode()
        passthrough = Passthrough(way.upstream, base, strip)
        return Destination(
            name=way.policy.name,
            base=base,
            upstream=way.upstream,
            conversations={
                path: self._conversation(dialect, way, passthrough) for path, dialect in _WITH_MEMORY.items()
            },
            kept_answers=KeptAnswers(self.engine, self.identity, passthrough, lends=way.lends),
            passthrough=passthrough,
            websockets=WebSocketRelay(
                upstream=way.upstream,
                base_path=base,
                strip=strip,
                connect_timeout=self.settings.connect_timeout_seconds or CONNECT_SECONDS,
                sends_keys=way.sends_keys,
            ),
            strip=strip,
            takes=way.policy.takes,
            is_api_only=way.is_default and self.settings.is_whole_server,
            allows_changes=way.policy.model_changes,
            root=urlsplit(way.policy.url or self.settings.upstream).path.lower().encode(),
        )

    def _strip(self, way: _Way) -> Callable[[bytes], bool]:
        identity = self.identity
        ours = identity.is_secret if self.settings.forward_identity else identity.is_ours
        if way.sends_keys and way.sends_cookies:
            return ours
        withheld = CREDENTIALS if not way.sends_keys else {COOKIE}
        return lambda name: name in withheld or ours(name)

    def _conversation(self, dialect: Dialect, way: _Way, passthrough: Passthrough) -> Application:
        settings = self.settings
        return ChatApplication(
            identity=self.identity,
            reader=RequestReader(
                dialect,
                limit=settings.memory_body_limit or LARGEST_CHAT,
                recall_in_temporary=settings.recall_in_temporary,
                clock=self.clock,
                executor=self._executor,
            ),
            preparer=RequestPreparer(
                engine=self.engine,
                dialect=dialect,
                styles=settings.system_styles,
                executor=self._executor,
                policy=way.policy,
                is_default=way.is_default,
                is_named=bool(settings.upstreams),
                lends=way.lends,
                shows_status=settings.openwebui_status and dialect is COMPLETIONS,
            ),
            relay=Forwarding(passthrough, self.reports),
            answers=self.engine.answers,
            traces=self._traces,
        )


def default_base(settings: ProxySettings) -> str:
    """Return below which path of ours clients find the default upstream's API."""
    base = settings.default_upstream.base
    if base == "":  # all paths are the server's: its API is below /v1, unless the upstream's URL names it
        return settings.path_of_api
    return base or settings.base_path


def upstream_of(settings: ProxySettings) -> Upstream:
    """Return the default upstream; no connection is opened yet."""
    return _upstream(settings, settings.upstream, _secret(settings.upstream_api_key))


def _upstream(settings: ProxySettings, base_url: str, api_key: str | None) -> Upstream:
    return Upstream(
        base_url,
        connect_timeout=settings.connect_timeout_seconds,
        read_timeout=settings.read_timeout_seconds,
        api_key=api_key,
    )


def _secret(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
