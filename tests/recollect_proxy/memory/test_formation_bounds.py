"""How much is kept: caps, summaries of long chats, and what serves those who have little."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import Pupil, asked_for, shown
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.waiting import until

from recollect.model import Kind, Memory

# -- summaries -------------------------------------------------------------------------------------

SUMMARY = "Plans to paint the boat Albatros in blue, and looks for a new sail."
TURNS = 3


class LastOnly(Frontend):
    """A client that keeps nothing of the conversation."""

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing alone."""
        self.messages = [{"role": "user", "content": text}]
        return await self.again()


@pytest.fixture(scope="module")
async def summing_up(own_proxies: OwnProxies) -> AsyncIterator[RunningProxy]:
    async with own_proxies.serve(summary_turns=TURNS) as proxy:
        yield proxy


@pytest.fixture
async def summarizing(
    summing_up: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil
) -> AsyncIterator[RunningProxy]:
    """A proxy that summarizes a chat after every few turns."""
    pupil.summary = SUMMARY
    pupil.outline = {"todos": ["Order a sail for Albatros"], "entities": ["Albatros, a boat"]}
    assert upstream.base_url == summing_up.settings.upstream
    yield summing_up
    await summing_up.all_formed()


@pytest.fixture
def client(summarizing: RunningProxy, upstream: ScriptedUpstream, user: User) -> LastOnly:
    session = [(b"X-Recollect-Session", b"the boat")]
    return LastOnly(summarizing, upstream, user, chat=None, headers=session)


async def summaries(proxy: RunningProxy, user: User, *, but: UUID | None = None) -> list[Memory]:
    """Wait until there is a summary, another one than that, and return all of them."""
    found: list[Memory] = []

    async def is_there() -> bool:
        nonlocal found
        page = await proxy.engine.page(user.known_as, limit=200)
        found = [memory for memory in page.memories if memory.kind is Kind.SUMMARY and memory.id != but]
        return bool(found)

    await until(is_there)
    return found


async def test_a_long_chat_is_summarized_and_a_client_that_sends_its_last_message_alone_is_told_that(
    summarizing: RunningProxy, client: LastOnly, pupil: Pupil, user: User
) -> None:
    for number in range(TURNS):
        await client.says(f"Remark number {number} on my boat Albatros.")
    [summary] = await summaries(summarizing, user)

    sent = await client.says("And the sail?")

    assert summary.content == SUMMARY
    assert summary.outline is not None
    assert summary.outline.todos == ("Order a sail for Albatros",)
    assert len(summary.provenance.message_ids) == 2 * TURNS
    assert f"- Summary: {SUMMARY}" in sent.system
    [asked] = [request for request in pupil.asked if asked_for(request) == "summary"]
    assert "Remark number 0 on my boat Albatros." in shown(asked, "What was said since")[0]
