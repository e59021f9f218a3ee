"""Clients of HTTP/1.0, as nginx is by default, get no chunks (RFC 9112, sections 6.1 and 6.3)."""

from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import named
from tests.scripted.upstream import (
    Answer,
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

proxy = named("session_listening")


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


MODELS = {"method": b"GET", "target": b"/v1/models"}


@in_turn(
    ("scripted", "request", "body"),
    [
        (completion_stream("Lapsang", " Souchong."), {}, b"".join(events("Lapsang", " Souchong."))),
        (completion("Lapsang Souchong."), {}, completion_body("Lapsang Souchong.")),
        (until_close(b"a" * 300_000), MODELS, b"a" * 300_000),
        # broken off
        (streamed(*list(events("Lapsang"))[:2], End.CLOSE), {}, b"".join(list(events("Lapsang"))[:2])),
        (
            (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",),
            {"method": b"HEAD", "target": b"/v1/models"},
            b"",
        ),
    ],
)
async def test_an_answer_comes_without_chunks_and_ends_with_the_connection(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    scripted: Answer,
    request: dict[str, bytes],
    body: bytes,
) -> None:
    upstream.answers.append(scripted)

    response = await ask(proxy, user, **request)

    assert (response.status, response.body) == (200, body)
    assert response.values(b"transfer-encoding") == []
    assert response.header(b"connection") == b"close"
    assert response.values(b"content-length") == (
        [b"%d" % len(body)] if scripted == completion("Lapsang Souchong.") else []
    )
    assert upstream.last.line.endswith(b" HTTP/1.1")
