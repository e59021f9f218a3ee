"""How much is kept: caps, summaries of long chats, and what serves those who have little."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.recollect_proxy.given import TEA, given_memory
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import Lesson, Pupil, asked_for, shown
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.waiting import until

from recollect.model import Kind, Memory

# -- caps ------------------------------------------------------------------------------------------

WEIGHTS = {
    "I whistle while I cook.": 0.4,
    "My name is Leonie.": 0.9,
    "I own a red umbrella.": 0.35,
    "My son Jan has asthma.": 0.95,
    "I run a bookshop in Ghent.": 0.7,
}


async def tell_all(proxy: RunningProxy, pupil: Pupil, user: User) -> None:
    pupil.lessons += [Lesson(text, importance=weight) for text, weight in WEIGHTS.items()]
    for number, text in enumerate(WEIGHTS):
        await proxy.say(user, text, chat=f"chat-{number}")
        await proxy.formed(user)


async def test_of_more_memories_than_a_user_may_have_the_least_important_go(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    await proxy.api(b"PATCH", f"/users/{user.id}/settings", {"user_cap": 3})

    await tell_all(proxy, pupil, user)

    assert await proxy.statements(user) == sorted(
        text for text, weight in WEIGHTS.items() if weight not in (0.4, 0.35)
    )
    sent = await Frontend(proxy, upstream, user, chat="asked").says("What colour is my umbrella?")
    retired = [each for each in await proxy.engine.history(user.known_as) if each.action == "retire"]
    assert [(each.actor, each.reason) for each in retired] == [("prune", "cap")] * 2
    assert "- I own a red umbrella." not in sent.text


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


# -- those who have little -------------------------------------------------------------------------

HOUSE = "The library of our school opens at eight."
WHEN = "When does the library of our school open?"


@pytest.fixture(scope="module")
async def school(
    own_proxies: OwnProxies, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RunningProxy]:
    """A proxy with a file of memories for all users."""
    path = tmp_path_factory.mktemp("school") / "everybody.txt"
    path.write_text(f"# what everybody may know\n\n{HOUSE}\n")
    async with own_proxies.serve(global_memories=path) as proxy:
        yield proxy


async def test_what_serves_everybody_is_told_to_those_who_have_fewer_than_five_memories(
    school: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    for content in (TEA, *list(WEIGHTS)[:3]):
        await given_memory(school, other_user, content)

    none = await Frontend(school, upstream, user).says(WHEN)
    four = await Frontend(school, upstream, other_user).says(WHEN)
    await given_memory(school, other_user, list(WEIGHTS)[3])
    five = await Frontend(school, upstream, other_user, chat="with five").says(WHEN)

    assert HOUSE in none.text
    assert HOUSE in four.text
    assert HOUSE not in five.text
