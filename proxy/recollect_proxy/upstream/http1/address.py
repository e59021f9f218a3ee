"""Parses a server's base URL (RFC 3986). Never: a socket."""

import ssl
from dataclasses import dataclass
from functools import cache
from typing import Self
from urllib.parse import quote, urlsplit

_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=~"
"""The characters that a path keeps unescaped. It includes the percent sign, so that nothing is escaped twice."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server and the base path on it.

    Attributes:
        host: A host name or an IP address, without brackets, as ``getaddrinfo`` takes it.
        port: The TCP port.
        encrypted: Whether to use TLS.
        authority: The value of the ``Host`` header.
        path: The prefix of every request target, percent-encoded, without a trailing slash.
    """

    host: str
    port: int
    encrypted: bool
    authority: bytes
    path: bytes

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse a base URL. Its scheme is http or https, and it has a host.

        Raises:
            KeyError: The scheme is neither http nor https.
            ValueError: The host or the port is invalid.
        """
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
        port = parts.port or _PORTS[parts.scheme]
        named = f"[{host}]" if ":" in host else host
        authority = named if port == _PORTS[parts.scheme] else f"{named}:{port}"
        path = quote(parts.path.rstrip("/"), safe=_IN_PATHS).encode()
        return cls(host, port, parts.scheme == "https", authority.encode(), path)

    @property
    def origin(self) -> str:
        """The server, for a log: without the path and the query, in which a key may stand."""
        return f"{'https' if self.encrypted else 'http'}://{self.authority.decode()}"


@cache
def tls() -> ssl.SSLContext:
    """Return the shared TLS context: it trusts the system's certificate authorities and offers HTTP/1.1 only (ALPN)."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
