"""A body to which a memory is added is sent plain and as it came, but for the text that was spliced in."""

import json
from dataclasses import dataclass
from uuid import uuid4

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import MESSAGES, RESPONSES
from tests.scripted.upstream import ScriptedUpstream, compressed
from tests.servers.running_proxy import CHAT, KEY, RunningProxy, User, somebody
from tests.support.raw_client import Response


@pytest.fixture(scope="module")
async def drinker(session_listening: RunningProxy) -> User:
    """Someone whose favourite tea we know."""
    return await given_memory(session_listening, somebody())


@dataclass(frozen=True)
class Spoken:
    """An API that a chat is spoken in."""

    path: bytes
    before: bytes
    behind: bytes

    def body(self, rest: bytes) -> bytes:
        return self.before + self.behind + rest

    def added(self, sent: bytes, rest: bytes) -> bytes:
        """Return what was added to ``body(rest)``, all else being equal."""
        assert sent.startswith(self.before)
        assert sent.endswith(self.behind + rest)
        assert json.loads(sent, parse_constant=float, parse_int=str, parse_float=str)
        return sent[len(self.before) : len(sent) - len(self.behind + rest)]


ASKED = b'{"role": "user",  "content": "' + WHICH_TEA.encode() + b'"}'
APIS = {
    "completions": Spoken(CHAT, b'{"model": "m", "messages" : [', b" " + ASKED + b"]"),
    "completions with a system message": Spoken(
        CHAT, b'{"messages":[ {"content":"Be brief.', b'", "role":"system"},' + ASKED + b"]"
    ),
    "completions with parts": Spoken(
        CHAT,
        b'{"messages":[{"role":"system","content":[{"type":"text","text":"\\u0042e brief."} ',
        b"]}," + ASKED + b"]",
    ),
    "completions with no content": Spoken(
        CHAT, b'{"messages":[{"role":"system","content":"', b'"},' + ASKED + b"]"
    ),
    "responses": Spoken(RESPONSES, b" {", b'"input": "' + WHICH_TEA.encode() + b'"'),
    "responses with instructions": Spoken(
        RESPONSES, b'{"instructions" : "Be brief.', b'",\n"input": [' + ASKED + b"]"
    ),
    "messages": Spoken(MESSAGES, b"{", b'"messages":[' + ASKED + b"]"),
    "messages with a system text": Spoken(
        MESSAGES, b'{"max_tokens":1.0, "system":"Be\\n brief.', b'","messages":[' + ASKED + b"]"
    ),
}
REST = {
    "nothing": b"}",
    "big numbers": b', "seed": 12345678901234567890123, "n":-0, "m":18446744073709551616}',
    "numbers as written": b',"a":1.0,"b":1e400,"c":1.50,"d":0.10000000000000000001,"e":1E+2,"f":-0.0}',
    "escapes": b', "\\u00e9\\/":"\\u00E9 \\/ \\ud83d\\ude00 \xf0\x9f\x98\x80 \\u0000","~":"\x7f"}',
    "nulls and empties": b',"user":null,"tools":[],"stop":"","x":{}, "y":[null,false,{"z":null}]}',
    "unknown fields in their order": b',"z":1,"a":{"c":1,"b":[2,1]},"Z":3,"":4,"x-own":{"a":{"a":{}}}}',
    "an unknown field twice": b',"x":1,"x":2}',
    "white space": b' \t\r\n,\n\t"x" :\r 1 \n}\r\n \t',
}

of_every_api = in_turn("api", APIS.values())


async def ask(
    proxy: RunningProxy, drinker: User, path: bytes, body: bytes, *headers: tuple[bytes, bytes]
) -> Response:
    chat = f"asked-{uuid4()}"  # a new one: in the same chat the same turn has its block already
    answer = await proxy.fetch(b"POST", path, drinker.headers(chat=chat, extra=headers), body)

    assert answer.status == 200
    assert answer.header(b"x-recollect-memories") == b"1"
    return answer


@of_every_api
@in_turn("rest", REST.values())
async def test_every_byte_beside_the_added_text_is_as_it_came(
    proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User, api: Spoken, rest: bytes
) -> None:
    await ask(proxy, drinker, api.path, api.body(rest))

    assert TEA.encode() in api.added(upstream.last.body, rest)
    assert upstream.last.values(b"content-length") == [b"%d" % len(upstream.last.body)]
    assert upstream.last.values(b"transfer-encoding") == []


@of_every_api
@in_turn("encoding", ["gzip", "deflate", "br", "zstd", "identity", "gzip, zstd"])
async def test_a_packed_body_is_unpacked_to_add_to_it_and_sent_plain(
    proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User, api: Spoken, encoding: str
) -> None:
    rest = b', "seed": 12345678901234567890123 }\n'
    packed = api.body(rest)
    for name in encoding.split(", "):
        packed = packed if name == "identity" else compressed(packed, name)

    await ask(proxy, drinker, api.path, packed, (b"Content-Encoding", encoding.encode()))

    assert TEA.encode() in api.added(upstream.last.body, rest)
    assert upstream.last.values(b"content-encoding") == []
    assert upstream.last.values(b"content-length") == [b"%d" % len(upstream.last.body)]


@of_every_api
async def test_headers_pass_as_ever_but_for_what_vouches_for_the_body_as_it_was(
    proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User, api: Spoken
) -> None:
    vouching = [
        (b"content-md5", b"x"),
        (b"content-digest", b"sha-256=:x:"),
        (b"repr-digest", b"sha-256=:x:"),
        (b"digest", b"x"),
        (b"signature", b"x"),
        (b"signature-input", b"x"),
    ]
    kept = [
        (b"x-dup", b"1"),
        (b"cookie", b"a=1"),
        (b"x-dup", b"2"),
        (b"cookie", b"b=2"),
        (b"accept-encoding", b"gzip;q=0.5, *"),
        (b"via", b"1.1 front"),
        (b"x-long", b"x" * 60_000),
    ]
    gone = [(b"Connection", b"X-Gone"), (b"x-gone", b"1")]

    await ask(proxy, drinker, api.path, api.body(b"}"), *gone, *vouching, *kept)

    sent = [(name.lower(), value) for name, value in upstream.last.headers]
    assert sent[1:-1] == [(b"content-type", b"application/json"), (b"authorization", KEY), *kept]


@in_turn(
    ("path", "body"),
    [
        (CHAT, b'{"messages":[{"role":"system","content":"a","content":"b"},' + ASKED + b"]}"),
        (CHAT, b'{"messages":[{"role":"system","content":7},' + ASKED + b"]}"),
        (RESPONSES, b'{"instructions":"a","instructions":"b","input":[' + ASKED + b"]}"),
        (RESPONSES, b'{"instructions":{"a":1},"input":[' + ASKED + b"]}"),
        (MESSAGES, b'{"system":"a","messages":[' + ASKED + b'],"system":"b"}'),
    ],
)
async def test_a_body_with_no_certain_place_for_a_memory_goes_on_as_it_came(
    proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User, path: bytes, body: bytes
) -> None:
    answer = await proxy.fetch(b"POST", path, drinker.headers(chat="asked"), body)

    assert answer.header(b"x-recollect-memories") == b"0"
    assert upstream.last.body == body
    assert upstream.last.values(b"content-length") == [b"%d" % len(body)]
