"""What two servers could read in two ways is refused, and nobody is taken for another."""

import asyncio

from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import CHUNKED, GET, HOST, POST, ask
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import RawConnection

AMBIGUOUS = {
    "a length and chunks": POST + b"Content-Length: 5\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "chunks and a length": POST + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length twice": POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "a length with a plus": POST + b"Content-Length: +2\r\n\r\n{}",
    "a length with a minus": POST + b"Content-Length: -2\r\n\r\n{}",
    "a length in hexadecimal": POST + b"Content-Length: 0x2\r\n\r\n{}",
    "a length past all numbers": POST + b"Content-Length: 99999999999999999999999\r\n\r\n{}",
    "an unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a coding behind chunks": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "chunks twice": POST + CHUNKED * 2 + b"\r\n0\r\n\r\n",
    "chunks of HTTP/1.0": POST.replace(b"/1.1", b"/1.0") + CHUNKED + b"\r\n0\r\n\r\n",
    "chunks behind a space": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "chunks on a folded line": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a chunk of size 0x2": POST + CHUNKED + b"\r\n0x2\r\n{}\r\n0\r\n\r\n",
    "a chunk of size -2": POST + CHUNKED + b"\r\n-2\r\n{}\r\n0\r\n\r\n",
    "chunks with bare LF": POST + CHUNKED + b"\r\n2\n{}\n0\n\n",
    "no host": GET + b"\r\n",
    "two hosts": GET + HOST + b"Host: evil.test\r\n\r\n",
    "the same host twice": GET + HOST * 2 + b"\r\n",
    "bare LF": b"GET /v1/models HTTP/1.1\nHost: a\n\n",
    "a bare LF within": GET + b"Host: a\nX: b\r\n\r\n",
    "a bare CR within": GET + HOST + b"X: b\rY: c\r\n\r\n",
    "a NUL in a header": GET + HOST + b"X: b\0c\r\n\r\n",
    "a NUL in the path": b"GET /v1/mo\0dels HTTP/1.1\r\n" + HOST + b"\r\n",
    "a folded line": GET + HOST + b"X: b\r\n c\r\n\r\n",
    "a space before the first header": GET + b" " + HOST + b"\r\n",
    "a space before a colon": GET + HOST + b"X-OpenWebUI-User-Id : anna\r\n\r\n",
    "a header without a colon": GET + HOST + b"nonsense\r\n\r\n",
    "a header without a name": GET + HOST + b": b\r\n\r\n",
    "an unencoded letter in the path": b"GET /v1/m\xc3\xa9 HTTP/1.1\r\n" + HOST + b"\r\n",
    "HTTP/1.9": b"GET /v1/models HTTP/1.9\r\n" + HOST + b"\r\n",
    "HTTP/0.9": b"GET /v1/models\r\n\r\n",
    "HTTP/2 with prior knowledge": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "an unknown method": b"FETCH /v1/models HTTP/1.1\r\n" + HOST + b"\r\n",
    "a method in small letters": b"get /v1/models HTTP/1.1\r\n" + HOST + b"\r\n",
    "a tunnel": b"CONNECT 127.0.0.1:9 HTTP/1.1\r\n" + HOST + b"\r\n",
    "a method with a sign": b"G@T /v1/models HTTP/1.1\r\n" + HOST + b"\r\n",
}


@in_turn("request_bytes", AMBIGUOUS.values())
async def test_what_can_be_read_in_two_ways_is_refused_and_goes_nowhere(
    proxy: RunningProxy, upstream: ScriptedUpstream, request_bytes: bytes
) -> None:
    answer = await ask(proxy, request_bytes)

    assert answer.status == 400
    assert upstream.begun == []


async def test_what_is_hidden_behind_a_refused_request_is_no_request(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    hidden = b"DELETE /v1/files/f HTTP/1.1\r\n" + HOST + b"\r\n"

    async with asyncio.timeout(30), RawConnection(proxy.port) as connection:
        await connection.send(
            POST + b"Content-Length: %d\r\n" % (5 + len(hidden)) + CHUNKED + b"\r\n0\r\n\r\n" + hidden
        )
        came = await connection.read_rest()

    assert came.startswith(b"HTTP/1.1 400 ")
    assert came.count(b"HTTP/1.1") == 1
    assert upstream.begun == []


# -- who speaks ------------------------------------------------------------------------------------


OWN, THEIRS, OTHERS = b"X-OpenWebUI-User-Id", b"<theirs>", b"<another's>"
CLAIMS = [
    *(
        ([(name, THEIRS)], b"no-identity")
        for name in (
            b"X_OpenWebUI_User_Id",
            b"x-openwebui_user-id",
            b"X-OpenWebUI-User_Id",
            b"X_Recollect_Task",
        )
    ),
    ([(OWN, OTHERS), (b"X_OpenWebUI_User_Id", THEIRS)], b"nothing-relevant"),
    (
        [(OWN, OTHERS), (b"Connection", b"keep-alive, X-OpenWebUI-User-Id, Authorization")],
        b"nothing-relevant",
    ),
    *(
        ([(OWN, first), (OWN, second)], b"bad-identity")
        for first, second in ((THEIRS, OTHERS), (OTHERS, THEIRS), (b"", THEIRS))
    ),
]
"""With the reason why there is no memory: a twin with underscores counts for nothing, and two identities are none."""


@in_turn(("claimed", "skipped"), CLAIMS)
async def test_no_header_makes_somebody_another_and_none_is_sent_on(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    other_user: User,
    claimed: list[tuple[bytes, bytes]],
    skipped: bytes,
) -> None:
    await given_memory(proxy, user)
    ids = {THEIRS: user.id.encode(), OTHERS: other_user.id.encode()}

    headers = [(name, ids.get(value, value)) for name, value in claimed]
    answer = await proxy.fetch(b"POST", CHAT, headers, chat_body(WHICH_TEA))

    assert answer.header(b"x-recollect-skipped") == skipped
    assert upstream.last.body == chat_body(WHICH_TEA)
    assert not [each for each in ids.values() if each in upstream.last.head]
    assert upstream.last.values(b"connection") == []


async def test_a_body_and_a_query_say_of_nobody_who_they_are(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    body = chat_body(WHICH_TEA, user=user.id, metadata={"user_id": user.id}, user_id=user.id)

    answer = await proxy.fetch(b"POST", CHAT + b"?user=%s" % user.id.encode(), [], body)

    assert answer.header(b"x-recollect-skipped") == b"no-identity"
    assert upstream.last.body == body


# -- where it goes ---------------------------------------------------------------------------------


async def test_nothing_in_a_request_changes_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    async with asyncio.timeout(30), ScriptedUpstream() as evil:
        there = f"http://127.0.0.1:{evil.port}/v1"
        host = f"127.0.0.1:{evil.port}".encode()
        body = chat_body("Hello.", api_base=there, base_url=there, api_key="x", user_config={"url": there})
        headers = [
            (b"X-Forwarded-Host", host),
            (b"X-Host", host),
            (b"Forwarded", b"host=" + host),
            (b"X-Original-URL", there.encode()),
            (b"X-Rewrite-URL", there.encode()),
            (b"X-Upstream", there.encode()),
            (b"X-Prefiller-Url", there.encode()),
        ]
        target = CHAT + b"?api_base=" + there.encode()
        told = await proxy.fetch(b"POST", target, [*user.headers(), *headers], body)
        moved = await ask(
            proxy, b"GET " + there.encode() + b"/models HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
        )

        assert told.status == moved.status == 200
        assert evil.connections == 0
    at_chat, at_models = upstream.received
    assert (at_chat.body, at_chat.target) == (body, target)
    for name, value in headers:
        assert at_chat.values(name) == [value]
    assert at_models.target == b"/v1/models"
    assert at_models.values(b"host") == [f"127.0.0.1:{upstream.port}".encode()]


@in_turn("host", [b"", b"evil.test", b"evil.test/memory?x", b"proxy.test@evil.test", b"[::1]:0"])
async def test_whatever_the_host_says_is_replaced_by_the_upstreams(
    proxy: RunningProxy, upstream: ScriptedUpstream, host: bytes
) -> None:
    answer = await ask(proxy, GET + b"Host: " + host + b"\r\n\r\n")

    assert answer.status == 200
    assert upstream.last.values(b"host") == [f"127.0.0.1:{upstream.port}".encode()]
    assert upstream.last.target == b"/v1/models"


@in_turn(
    "target",
    [
        b"/v1/../memory/users/%s/memories",
        b"/v1/%%2e%%2e/memory/users/%s/memories",
        b"/v1//memory/users/%s/memories",
        b"/v1/..;/memory/users/%s/memories",
        b"/v1/models/../../memory/users/%s/memories",
        b"/memory/users/%s/memories",
        b"/memory/./users/%s/memories",
        b"/memory//users/%s/memories",
        b"//memory/users/%s/memories",
        b"/MEMORY/users/%s/memories",
        b"/%%6demory/users/%s/memories",
        b"/memory%%2Fusers%%2F%s%%2Fmemories",
        b"/memory;v1/users/%s/memories",
        b"/memory/../memory/users/%s/memories",
        b"/memory/health/../users/%s/memories",
        b"http://proxy.test/memory/users/%s/memories",
        b"http://proxy.test/v1/../memory/users/%s/memories",
    ],
)
async def test_no_path_leads_to_memories_without_the_token(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, target: bytes
) -> None:
    await given_memory(proxy, user)
    filled = target % user.id.encode()

    for method in (b"GET", b"DELETE"):
        upstream.forget()
        answer = await ask(proxy, method + b" " + filled + b" HTTP/1.1\r\n" + HOST + b"\r\n")

        below_the_base = filled.removeprefix(b"http://proxy.test").startswith(b"/v1/")
        assert answer.status in ({200} if below_the_base else {401, 404, 405})
        assert b"Souchong" not in answer.body
        assert len(upstream.begun) == (1 if below_the_base else 0)
    assert await proxy.memories(user)
