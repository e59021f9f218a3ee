"""Method, path and query arrive as they were sent, whatever the path, or the request is refused by us and goes nowhere."""

import asyncio
import json
from hashlib import sha256

from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import WITH_MEMORY, Route, on_every_route
from tests.scripted.upstream import LAST_CHUNK, Received, ScriptedUpstream, chunk, head, whole
from tests.servers.running_proxy import CHAT, KEY, RunningProxy, User, chat_body
from tests.support.raw_client import RawConnection, request_bytes

ANONYMOUS = [(b"Content-Type", b"application/json"), (b"Authorization", KEY)]
TARGETS = [
    b"",
    b"/",
    b"/models",
    b"/models/",
    b"//a%2Fb/%7Efoo/x;y=1?q=%20a+b&&x=%zz&u=%C3%A9",
    b"/a/../b/./c",
    b"/models/?",
    b"/models??x=1?y",
    b"/models?a=b=c&=&;d",
    b"/chat/completions/",
    b"/chat//completions",
    b"/chat/completions?api-version=1",
    b"/files/file-%E2%82%AC/content",
    b"/%00%2e%2E/a:b@c,d!$'()*",
    b'/a|b?c=<">{}^`\\',
]


@in_turn("target", TARGETS)
async def test_path_and_query_below_the_base_arrive_verbatim(
    proxy: RunningProxy, upstream: ScriptedUpstream, target: bytes
) -> None:
    await proxy.fetch(b"POST", b"/v1" + target, ANONYMOUS, b"{}")

    expected = b"/v1" + target
    assert upstream.last.target == expected.removesuffix(b"?")  # an empty query can't be told from none


@in_turn("path", [CHAT, b"/v1/responses", b"/v1/messages"])
@in_turn("query", [b"", b"?api-version=1&x=%zz&&y=%C3%A9+a%20b", b"??x=1?y"])
async def test_the_query_of_a_chat_arrives_verbatim(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, path: bytes, query: bytes
) -> None:
    body = b'{"input":"Is it morning?","messages":[{"role":"user","content":"Is it morning?"}]}'

    answer = await proxy.fetch(b"POST", path + query, user.headers(), body)

    assert answer.header(b"x-recollect-skipped") == b"nothing-relevant"
    assert upstream.last.target == path + query


async def test_a_fragment_is_no_part_of_what_is_asked_for(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    await proxy.fetch(b"GET", b"/v1/models?a=1#b")

    assert upstream.last.target == b"/v1/models?a=1"


@in_turn("target", [b"http://127.0.0.1:9/v1/models?a=1", b"https://evil.invalid:443/v1/models?a=1"])
async def test_an_absolute_target_does_not_change_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream, target: bytes
) -> None:
    answer = await proxy.fetch(b"GET", target)

    assert answer.status == 200
    assert upstream.last.target == b"/v1/models?a=1"
    assert upstream.last.values(b"host") == [b"127.0.0.1:%d" % upstream.port]


@in_turn(
    ("method", "target", "status", "code"),
    [
        *(
            (b"GET", each, 404, "not_found")
            for each in (b"/", b"/v2/models", b"/v1models", b"/memoryx", b"/favicon.ico")
        ),
        (b"OPTIONS", b"*", 404, "not_found"),
        *(
            (b"TRACE", each, 501, "method_not_supported")
            for each in (b"/v1", b"/v1/models", b"/v1/chat/completions", b"/x")
        ),
        *(
            (b"CONNECT", each, 501, "method_not_supported")
            for each in (b"/v1/models", b"http://127.0.0.1:9/v1/models")
        ),
    ],
)
async def test_what_we_refuse_goes_nowhere_and_says_so_in_openais_shape(
    proxy: RunningProxy, upstream: ScriptedUpstream, method: bytes, target: bytes, status: int, code: str
) -> None:
    answer = await proxy.fetch(method, target, [(b"authorization", KEY)])

    assert answer.status == status
    assert answer.header(b"x-recollect-error") == b"proxy"
    assert answer.header(b"content-type") == b"application/json"
    error = answer.json["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["type"], error["param"]) == (code, "proxy_error", None)
    assert ("base URL" in error["message"]) == (status == 404)
    assert KEY not in answer.body
    assert upstream.begun == []


@in_turn("body", [None, b"", bytes(range(256)) * 1000])
@in_turn(
    "method", [b"GET", b"POST", b"DELETE", b"OPTIONS", b"PUT", b"PATCH", b"QUERY", b"PROPFIND", b"REPORT"]
)
async def test_any_method_passes_with_any_body_or_none(
    proxy: RunningProxy, upstream: ScriptedUpstream, method: bytes, body: bytes | None
) -> None:
    kind = [] if body is None else [(b"content-type", b"x/y")]

    answer = await proxy.fetch(method, b"/v1/responses/r1/parts", kind, body)

    assert answer.status == 200
    assert upstream.last.method == method
    assert sha256(upstream.last.body).digest() == sha256(body or b"").digest()
    assert upstream.last.values(b"content-length") == ([] if body is None else [b"%d" % len(body)])
    assert upstream.last.values(b"content-type") == [value for _, value in kind]
    assert upstream.last.values(b"transfer-encoding") == []


@in_turn("method", [b"GET", b"PUT", b"DELETE"])
async def test_only_a_post_is_a_chat(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, method: bytes
) -> None:
    answer = await proxy.fetch(method, CHAT, user.headers(), chat_body("I play the cello."))

    assert answer.header(b"x-recollect-memories") is None
    assert upstream.last.method == method
    assert upstream.last.body == chat_body("I play the cello.")
    assert await proxy.logged(user) == []


async def test_a_head_keeps_the_length_it_tells_of(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    upstream.answers.append((head(200, [(b"Content-Length", b"1234")]),))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"HEAD", b"/v1/models/m"))
        answer = await client.read_response(method=b"HEAD")
        await client.send(request_bytes(b"GET", b"/v1/models/m"))
        second = await client.read_response()  # the connection is still in step

    assert answer.status == 200
    assert answer.header(b"content-length") == b"1234"
    assert second.status == 200


BODY = chat_body(WHICH_TEA, input=WHICH_TEA, prompt=WHICH_TEA)

OTHERS = [
    (b"GET", b"/v1/responses/resp_1"),
    (b"GET", b"/v1/responses/resp_1/input_items?limit=2"),
    (b"DELETE", b"/v1/responses/resp_1"),
    (b"POST", b"/v1/responses/resp_1/cancel"),
    (b"POST", b"/v1/responses/input_tokens"),
    (b"POST", b"/v1/responses/compact"),
    (b"GET", b"/v1/responses"),
    (b"POST", b"/v1/messages/count_tokens"),
    (b"POST", b"/v1/messages/batches"),
    (b"GET", b"/v1/messages/batches/b/results"),
    (b"PUT", b"/v1/messages"),
    (b"GET", b"/v1/chat/completions/c_1/messages"),
    (b"POST", b"/v1/chat/completions/c_1"),
    (b"POST", b"/v1/conversations"),
    (b"POST", b"/v1/completions"),
    (b"POST", b"/v1/embeddings"),
    (b"POST", b"/v1/images/generations"),
    (b"POST", b"/v1/audio/speech"),
    (b"POST", b"/v1/files"),
    (b"POST", b"/v1/batches"),
    (b"POST", b"/v1/vector_stores"),
    (b"POST", b"/v1/assistants"),
    (b"POST", b"/v1/realtime/client_secrets"),
    (b"POST", b"/v1/a/path/of/next/year"),
]


@in_turn(("method", "target"), OTHERS)
async def test_another_path_is_relayed_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, method: bytes, target: bytes
) -> None:
    await given_memory(proxy, user)
    answered = json.dumps({"object": "whatever", "data": [1.0]}).encode()
    upstream.answers.append(whole(answered, status=202))
    body = BODY if method in {b"POST", b"PUT"} else None

    answer = await proxy.fetch(method, target, user.headers(), body)

    assert (answer.status, answer.body) == (202, answered)
    assert not [name for name, _ in answer.headers if name.startswith(b"x-recollect-")]
    assert (upstream.last.method, upstream.last.target) == (method, target)
    assert upstream.last.body == (body or b"")
    assert await proxy.logged(user) == []


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
