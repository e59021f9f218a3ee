"""The hosts and origins that the SDK lets in."""

import pytest
from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.requests import Request

from recollect_proxy.mcp.application import KnownHosts

NETWORK = KnownHosts(is_local=False, names=("memory.lan",), public_url="https://memory.example.org")
LOCAL = KnownHosts(is_local=True)


async def status(known: KnownHosts, host: str, origin: str | None = None) -> int:
    headers = [(b"host", host.encode()), (b"content-type", b"application/json")]
    headers += [(b"origin", origin.encode())] if origin else []
    request = Request({"type": "http", "headers": headers})
    refused = await TransportSecurityMiddleware(known.settings(host)).validate_request(request, is_post=True)
    return 200 if refused is None else refused.status_code


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("host.docker.internal:8787", None, 200),
        ("recollect", None, 200),
        ("memory.lan:8787", "http://memory.lan:8787", 200),
        ("memory.example.org", "https://memory.example.org", 200),
        ("memory.lan:8787", "https://memory.example.org", 200),
        ("evil.example", "http://evil.example", 403),
        ("127.0.0.1:8787", "https://memory.example.org.evil.example", 403),
    ],
)
async def test_served_to_a_network(host: str, origin: str | None, expected: int) -> None:
    assert await status(NETWORK, host, origin) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8787", 200),
        ("localhost", 200),
        ("[::1]:8787", 200),
        ("evil.example", 421),
        ("memory.lan", 421),
    ],
)
async def test_served_to_this_machine(host: str, expected: int) -> None:
    assert await status(LOCAL, host) == expected
