"""Compares the addresses of servers, and finds whether one is near. Never: asks one, nor a name server."""

from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from recollect.settings import ChatsFirst, EngineSettings
from recollect.settings.internals import ExtractionSdk

_NEAR_NAMES = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa")
"""RFC 6761, 6762, 8375, ICANN's .internal, and names that routers use."""

MISTRAL = "https://api.mistral.ai"
"""Mistral's own server."""

_PORTS = {"http": 80, "https": 443}
_LOOPBACK = "localhost"


def is_one_server(base_url: str, other: str | None) -> bool:
    """Return whether two base URLs are one API's; Mistral's may stand without its version."""
    if other is None:
        return False
    one, another = (url.rstrip("/").removesuffix("/v1") for url in (base_url, other))
    return one == another


def speaks_mistral(settings: EngineSettings) -> bool:
    """Return whether the extraction model is asked by Mistral's own SDK: where its server is Mistral's own."""
    if settings.extraction_sdk is not None:
        return settings.extraction_sdk is ExtractionSdk.MISTRAL
    return is_one_server(MISTRAL, settings.extraction_base_url)


def yields_to_chats(settings: EngineSettings, upstream: str | None) -> bool:
    """Return whether background calls yield to chats, as they go to the same LLM.

    If the LLM of the chats is unknown, as within Open WebUI, one that is near may be it.
    """
    asked = settings.extraction_base_url
    if asked is None and not speaks_mistral(settings):
        asked = upstream
    if asked is None or settings.formation_yields is ChatsFirst.NEVER:
        return False
    if upstream is not None and _place(asked) != _place(upstream):
        return False
    return settings.formation_yields is ChatsFirst.ALWAYS or is_near(asked)


def is_near(base_url: str) -> bool:
    """Return whether a server is on this machine or its network, by its address or its name."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_NEAR_NAMES)


def _place(base_url: str) -> tuple[str, str, int | None]:
    """Return where a server is: scheme, host and port; this machine by one name."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    with suppress(ValueError):  # it is a name
        host = _LOOPBACK if ip_address(host).is_loopback else host
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme)
