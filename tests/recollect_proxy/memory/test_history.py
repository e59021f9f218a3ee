"""The conversation is restored for a client that sends only its last message."""

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
