"""The block that `recollect serve` prints at its start: URLs, tokens, settings. A secret is printed once."""

from collections.abc import Callable

from recollect import __version__
from recollect.model import Strategy
from recollect.settings.engine_settings import WorkerPlace
from recollect.settings.upstream_policies import UpstreamSettings
from recollect_proxy.app import App
from recollect_proxy.build_destinations import default_base
from recollect_proxy.identity.user_and_chat import OPENWEBUI_JWT_HEADER, SECRET_HEADER
from recollect_proxy.settings.admin_token import AdminToken
from recollect_proxy.settings.proxy_settings import IdentityMode, ProxySettings
from recollect_proxy.settings.shown_urls import without_credentials


def banner(settings: ProxySettings, app: App, port: int, token: AdminToken) -> str:
    """Return the block for a proxy that is served on ``port``; the token is in it only if it is new."""
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::"} else settings.host  # noqa: S104 -- compared, not bound
    origin = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    seen = settings.public_url or origin  # by people's browsers
    rows = [
        ("base URL", f"{origin}{default_base(settings)}  (put this into your frontend)"),
        *(
            [("ollama URL", f"{origin}  (the same for an Ollama connection)")]
            if settings.is_whole_server
            else []
        ),
        ("upstream", settings.upstream),
        *(("", _further(each)) for each in settings.further_upstreams),
        ("store", _store(settings, app)),
        ("embedder", _embedder(settings)),
        ("formation", _formation(settings)),
        ("identity", ", else ".join(_WHO[mode](settings) for mode in settings.identity)),
        ("pages", f"{seen}/memory/ui  (what is remembered, to see and correct; the token lets you in)"),
        ("docs", f"{seen}/memory/docs"),
    ]
    if token.is_new:
        kept = "gone with this process" if token.file is None else f"shown once, kept in {token.file}"
        rows.append(("token", f"{token.value}  (of the memory API; {kept})"))
    return "\n".join([f"Recollect {__version__}", *(f"  {name:<10} {text}" for name, text in rows)])


def _further(upstream: UpstreamSettings) -> str:
    asked_by = [*upstream.models, *([f"below {upstream.path}"] if upstream.path else [])]
    return f"{upstream.url} is {upstream.name}: {', '.join(asked_by)}"


def _plain_header(settings: ProxySettings) -> str:
    networks = f" from {', '.join(settings.trusted_networks)}" if settings.trusted_networks else ""
    secret = f" with {SECRET_HEADER}" if settings.shared_secret else ""
    return f"{settings.user_header}{networks or (' from whoever reaches this' if not secret else '')}{secret}"


_WHO: dict[IdentityMode, Callable[[ProxySettings], str]] = {
    IdentityMode.HEADER: _plain_header,
    IdentityMode.OPENWEBUI_JWT: lambda _: f"{OPENWEBUI_JWT_HEADER}, signed",
    IdentityMode.API_KEY: lambda settings: f"API keys of {settings.api_key_file}",
    IdentityMode.OIDC: lambda settings: f"tokens of {settings.oidc_issuer}",
}


def _store(settings: ProxySettings, app: App) -> str:
    if settings.in_memory:
        place = "in memory: an embedded Postgres that is gone with this process"
    elif settings.database_url:
        place = "Postgres at RECOLLECT_DATABASE_URL"
    else:
        place = f"embedded Postgres in {settings.data_dir}"
    if app.engine.failure is not None:
        return f"{place}: NOT REACHABLE, chats pass without memory until it is"
    if app.engine.is_late:
        return f"{place}: SLOW, OR ITS TABLES ARE BEING CHANGED; chats pass without memory until it is there"
    return place


def _embedder(settings: ProxySettings) -> str:
    return ", and for messages ".join(
        dict.fromkeys((type(settings).model_fields["embedder"].default, settings.embedder))
    )


def _formation(settings: ProxySettings) -> str:
    if not settings.record:
        return "off: nothing is recorded (RECOLLECT_RECORD)"
    if settings.formation is Strategy.OFF:
        return "off: what is said is logged, and nothing else (RECOLLECT_RECORD=false: not even that)"
    if settings.formation is Strategy.QA_TURN:
        return "without a model: each question and its answer is kept"
    model = settings.extraction_model or "the chat's own model"
    where = (
        without_credentials(settings.extraction_base_url) if settings.extraction_base_url else "the upstream"
    )
    return f"{model} at {where}, with {_key_of_formation(settings)}"


def _key_of_formation(settings: ProxySettings) -> str:
    if settings.worker is WorkerPlace.ELSEWHERE:
        return "the key of the worker's own settings; a request's is lent to none elsewhere"
    if settings.extraction_api_key or (settings.upstream_api_key and not settings.extraction_base_url):
        return "the configured key"
    return "no key" if settings.extraction_base_url else "the request's own key"
