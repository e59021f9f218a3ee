"""Where a server is, read from its base URL (RFC 3986). Never: a socket."""

import ssl
from dataclasses import dataclass
from functools import cache
from typing import Self
from urllib.parse import quote, urlsplit

_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=~"
"""What stays as it is in a path; so does what is percent-encoded."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server, and the path on it below which it is asked.

    Attributes:
        host: A name or an address, as a resolver takes it.
        port: Its port.
        encrypted: Whether it is spoken to over TLS.
        authority: What it is called in ``Host``.
        path: What stands before every target; no slash at its end.
    """

    host: str
    port: int
    encrypted: bool
    authority: bytes
    path: bytes

    @classmethod
    def of(cls, url: str) -> Self:
        """Read a base URL, which has a scheme, http or https, and a host."""
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
        port = parts.port or _PORTS[parts.scheme]
        named = f"[{host}]" if ":" in host else host
        authority = named if port == _PORTS[parts.scheme] else f"{named}:{port}"
        path = quote(parts.path.rstrip("/"), safe=_IN_PATHS).encode()
        return cls(host, port, parts.scheme == "https", authority.encode(), path)


@cache
def tls() -> ssl.SSLContext:
    """Return how servers are trusted: by the system's certificates."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
