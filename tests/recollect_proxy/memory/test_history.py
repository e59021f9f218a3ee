"""The conversation is restored for a client that sends only its last message."""

import json
from typing import Any

import pytest
from tests.recollect_proxy.frontends import REPLY, Frontend, Sent
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

BOAT = "My boat is called Albatros."
COLOUR = "Which colour should I paint it?"
SAIL = "Does it need a new sail?"
SESSION = [(b"X-Recollect-Session", b"the boat")]


class LastOnly(Frontend):
    """A client that keeps nothing of the conversation."""

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing alone."""
        self.messages = [{"role": "user", "content": text}]
        return await self.again()


@pytest.fixture
def proxy(listening_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms no memories, so only its log is tested."""
    return listening_proxy


@pytest.fixture
def client(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> LastOnly:
    return LastOnly(proxy, upstream, user, chat=None, headers=SESSION)


def said(sent: Sent) -> list[tuple[str, str]]:
    return [(message["role"], message["content"].partition("\n\n<recollect")[0]) for message in sent.messages]


async def test_what_was_said_before_comes_back_as_messages(client: LastOnly) -> None:
    first = await client.says(BOAT)
    second = await client.says(COLOUR)
    third = await client.says(SAIL)

    assert said(first) == [("user", BOAT)]
    assert said(second) == [("user", BOAT), ("assistant", REPLY), ("user", COLOUR)]
    assert said(third) == [
        *[("user", BOAT), ("assistant", REPLY)],
        *[("user", COLOUR), ("assistant", REPLY)],
        ("user", SAIL),
    ]
    assert int(client.answer[b"x-recollect-history-tokens"]) > 0


@pytest.mark.parametrize(
    "header",
    [(b"X-Recollect-Include-History", b"off"), (b"X-Recollect-Max-History-Tokens", b"0")],
    ids=["none", "no tokens"],
)
async def test_a_request_may_ask_for_none_of_it(client: LastOnly, header: tuple[bytes, bytes]) -> None:
    await client.says(BOAT)
    client.headers = [*SESSION, header]

    sent = await client.says(COLOUR)

    assert said(sent) == [("user", COLOUR)]
    assert client.answer[b"x-recollect-history-tokens"] == b"0"


async def test_an_answer_that_shows_its_memories_says_what_the_history_takes(client: LastOnly) -> None:
    await client.says(BOAT)
    client.headers = [*SESSION, (b"X-Recollect-Include", b"memories")]
    body = json.dumps({"model": "scripted", "messages": [{"role": "user", "content": COLOUR}]}).encode()
    own = [each for each in client.user.headers() if each[0] != b"X-OpenWebUI-Chat-Id"]

    answer = await client.proxy.fetch(b"POST", client.api.path, [*own, *client.headers], body)

    assert answer.json["used_history_tokens"] == int(answer.header(b"x-recollect-history-tokens") or b"") > 0
