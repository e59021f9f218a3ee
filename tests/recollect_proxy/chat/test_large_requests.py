"""A request of any size and shape reaches the upstream byte for byte; what is too much to read has no memory, and says so."""

import json

from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User
from tests.support.tables import table

from recollect.wire import reading_limits

ASKED = {"role": "user", "content": "Which tea is my favourite?"}


def with_before(*messages: object) -> bytes:
    return json.dumps({"model": "scripted", "messages": [*messages, ASKED]}).encode()


LONG = with_before(*({"role": ("user", "assistant")[n % 2], "content": f"number {n}"} for n in range(20_000)))


async def test_a_very_long_chat_has_memory_and_nothing_but_that_is_changed(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await proxy.say(user, "My favourite tea is Lapsang Souchong.")
    await proxy.memories(user)

    answer = await proxy.fetch(b"POST", CHAT, user.headers(chat="chat-2"), LONG)

    assert answer.header(b"x-recollect-memories") == b"1"
    sent, came = json.loads(upstream.last.body)["messages"], json.loads(LONG)["messages"]
    assert sent[:-1] == came[:-1]
    assert "Lapsang" in sent[-1]["content"]


@table(
    "body",
    [
        with_before({"role": "user", "content": "x" * reading_limits.LONGEST_TEXT}),
        with_before({"role": "user", "content": [{"type": "text", "text": "a"}] * reading_limits.MOST_PARTS}),
        with_before()[:-1] + b',"x":[' + b"1," * reading_limits.MOST_COMMAS + b"1]}",
        with_before()[:-1] + b',"image":"' + b"x" * (33 * 1024 * 1024) + b'"}',
    ],
)
async def test_what_is_too_much_to_read_passes_byte_for_byte_and_says_so(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, body: bytes
) -> None:
    answer = await listening_proxy.fetch(b"POST", CHAT, user.headers(chat="chat-1"), body)

    assert answer.status == 200
    assert answer.header(b"x-recollect-skipped") == b"too-large"
    assert upstream.last.body == body
    assert await listening_proxy.logged(user) == []
