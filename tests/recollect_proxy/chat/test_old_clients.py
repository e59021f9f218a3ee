"""Clients of HTTP/1.0, as nginx is by default, get no chunks (RFC 9112, sections 6.1 and 6.3)."""

import pytest
from tests.scripted.upstream import (
    End,
    ScriptedUpstream,
    completion,
    completion_body,
    completion_stream,
    events,
    streamed,
    until_close,
)
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import RawConnection, Response, request_bytes


@pytest.fixture
def proxy(listening_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms no memories, so only what it relays is tested."""
    return listening_proxy


async def ask(proxy: RunningProxy, user: User, *, method: bytes = b"POST", target: bytes = CHAT) -> Response:
    """Send a request as of HTTP/1.0, and return what came until the end of the connection."""
    body = chat_body("Which tea is my favourite?") if method == b"POST" else None
    request = request_bytes(method, target, user.headers(), body).replace(
        b" HTTP/1.1\r\n", b" HTTP/1.0\r\n", 1
    )
    async with RawConnection(proxy.port) as connection:
        await connection.send(request)
        response = await connection.read_response(method=method)
        assert await connection.read_rest() == b""
        return response


async def test_a_stream_ends_with_the_connection(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(completion_stream("Lapsang", " Souchong."))

    response = await ask(proxy, user)

    assert response.values(b"transfer-encoding") == response.values(b"content-length") == []
    assert response.header(b"connection") == b"close"
    assert response.body == b"".join(events("Lapsang", " Souchong."))
    assert upstream.last.line == b"POST /v1/chat/completions HTTP/1.1"


async def test_an_answer_with_a_length_keeps_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(completion("Lapsang Souchong."))

    response = await ask(proxy, user)

    body = completion_body("Lapsang Souchong.")
    assert response.header(b"content-length") == b"%d" % len(body)
    assert (response.body, response.complete) == (body, True)


async def test_an_answer_that_ends_with_the_upstreams_connection(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(until_close(b"a" * 300_000))

    response = await ask(proxy, user, method=b"GET", target=b"/v1/models")

    assert response.values(b"transfer-encoding") == []
    assert response.body == b"a" * 300_000


async def test_what_the_upstream_broke_off_ends_there(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(streamed(*list(events("Lapsang"))[:2], End.CLOSE))

    response = await ask(proxy, user)

    assert response.body == b"".join(list(events("Lapsang"))[:2])


async def test_an_answer_without_a_body(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> None:
    upstream.answers.append((b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",))

    response = await ask(proxy, user, method=b"HEAD", target=b"/v1/models")

    assert response.values(b"transfer-encoding") == []
    assert (response.status, response.body) == (200, b"")
