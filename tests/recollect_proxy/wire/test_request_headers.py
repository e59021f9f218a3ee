"""Of a request's headers all arrive that are meant for the LLM, as they were sent, and no other."""

import asyncio

from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import WITH_MEMORY, Route, on_every_route
from tests.scripted.upstream import LAST_CHUNK, Received, ScriptedUpstream, chunk
from tests.servers.running_proxy import KEY, RunningProxy, User
from tests.support.raw_client import RawConnection, request_bytes


def beside_the_frame(request: Received) -> list[tuple[bytes, bytes]]:
    """Return what came beside ``Host`` in front and the body's length behind, names in lower case."""
    headers = [(name.lower(), value) for name, value in request.headers]
    assert [name for name, _ in headers].count(b"host") == 1
    assert headers[0][0] == b"host"
    assert headers[-1] == (b"content-length", b"%d" % len(request.body))
    return headers[1:-1]


AS_SENT: dict[str, list[tuple[bytes, bytes]]] = {
    "none": [],
    "duplicates, in order": [
        (b"x-dup", b"1"),
        (b"cookie", b"a=1"),
        (b"authorization", KEY),
        (b"x-dup", b"2"),
        (b"x-dup", b"1"),
        (b"cookie", b"b=2"),
        (b"accept", b"*/*;q=0.5"),
        (b"accept", b"text/event-stream"),
        (b"content-type", b"application/json"),
        (b"user-agent", b"OpenAI/Python 1.0"),
        (b"openai-beta", b"assistants=v2"),
        (b"x-empty", b""),
        (b"x-spaced", b'a  b,\tc="d, e"'),
        (b"x_under_score", b"1"),
    ],
    "who forwarded": [
        (b"x-forwarded-for", b"192.0.2.1, 10.0.0.1"),
        (b"x-forwarded-proto", b"https"),
        (b"x-forwarded-host", b"chat.example"),
        (b"x-real-ip", b"192.0.2.1"),
        (b"forwarded", b"for=192.0.2.1;proto=https"),
        (b"via", b"1.1 front"),
    ],
    **{
        f"a credential, {value!r}": [(name, value)]
        for name, value in (
            (b"authorization", KEY),
            (b"authorization", b"Basic dXNlcjpwYXNz"),
            (b"authorization", b"bearer   two  spaces"),
            (b"api-key", b"0123"),
            (b"x-api-key", b"sk-ant-0123"),
            (b"x-goog-api-key", b"0123"),
        )
    },
    **{f"{kilobytes} kB": [(b"x-long", b"0123456789abcdef" * 64 * kilobytes)] for kilobytes in (20, 60)},
    "UTF-8": [(b"x-name", "J\u00fcrgen \u4f60 \U0001f600".encode())],
    "Latin-1": [(b"x-name", b"J\xfcrgen")],
}
LEFT_BEHIND: list[tuple[bytes, bytes]] = [
    (b"X-Mixed-CASE", b"Value"),
    (b"Connection", b"keep-alive,X-One ,, x-two"),
    (b"X-One", b"1"),
    (b"Keep-Alive", b"timeout=5"),
    (b"Proxy-Connection", b"keep-alive"),
    (b"Proxy-Authorization", b"Basic x"),
    (b"Proxy-Authenticate", b"Basic"),
    (b"TE", b"trailers, gzip"),  # trailers are not relayed, so none are asked for
    (b"Trailer", b"X-T"),
    (b"Upgrade", b"example/1"),
    (b"x-kept", b"1"),
    (b"X-Two", b"2"),
    (b"CONNECTION", b"X-THREE"),
    (b"x-three", b"3"),
]
LEFT: list[tuple[bytes, bytes]] = [(b"x-mixed-case", b"Value"), (b"x-kept", b"1")]


@on_every_route
@in_turn(("sent", "arrive"), [*((each, each) for each in AS_SENT.values()), (LEFT_BEHIND, LEFT)])
async def test_headers_for_the_llm_arrive_as_they_were_sent_and_no_other(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    route: Route,
    sent: list[tuple[bytes, bytes]],
    arrive: list[tuple[bytes, bytes]],
) -> None:
    answer = await route.ask(proxy, user, sent)

    assert answer.status == 200
    assert beside_the_frame(upstream.last) == arrive
    assert upstream.last.body == route.body
    assert upstream.last.values(b"host") == [b"127.0.0.1:%d" % upstream.port]


@in_turn("route", WITH_MEMORY.values())
async def test_a_trailer_is_no_header_and_says_of_nobody_who_they_are(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route
) -> None:
    trailers = b"".join(name + b": " + value + b"\r\n" for name, value in route.headers(user))
    framed = chunk(route.body) + b"0\r\nX-T: 1\r\n" + trailers + b"\r\n"
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", route.path, [(b"Transfer-Encoding", b"chunked")]) + framed)
        answer = await client.read_response()

    assert answer.header(b"x-recollect-skipped") == b"no-identity"
    assert upstream.last.body == route.body
    assert [name.lower() for name, _ in upstream.last.headers] == [b"host", b"transfer-encoding"]


@on_every_route
async def test_an_expectation_is_answered_by_us_and_not_sent_on(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route
) -> None:
    fields = route.headers(user, [(b"Expect", b"100-continue"), (b"Content-Length", b"%d" % len(route.body))])
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", route.path, fields))
        assert await client.read_head() == 100
        await client.send(route.body)
        answer = await client.read_response()

    assert answer.status == 200
    assert upstream.last.values(b"expect") == []
    assert upstream.last.body == route.body


H2C = [
    (b"Connection", b"Upgrade, HTTP2-Settings"),
    (b"Upgrade", b"h2c"),
    (b"HTTP2-Settings", b"AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA"),
]


@on_every_route
@in_turn("chunked", [False, True])
async def test_a_body_survives_an_upgrade_that_is_declined(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, *, chunked: bool
) -> None:
    framing = (b"Transfer-Encoding", b"chunked") if chunked else (b"Content-Length", b"%d" % len(route.body))
    body = chunk(route.body[:5]) + chunk(route.body[5:]) + LAST_CHUNK if chunked else route.body
    request = request_bytes(b"POST", route.path, route.headers(user, [*H2C, framing]))
    async with RawConnection(proxy.port) as client:
        for pieces in ([request + body], [request[:70], request[70:] + body[:9], body[9:]]):
            for piece in pieces:
                await client.send(piece)
                await asyncio.sleep(0.01)  # most likely a read of its own then
            answer = await client.read_response()

            assert answer.status == 200
            assert upstream.received.pop().body == route.body


async def test_a_tunnel_that_asks_for_an_upgrade_too_is_refused(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    answer = await proxy.fetch(b"CONNECT", b"/v1/models", H2C)

    assert answer.status == 501
    assert upstream.begun == []
