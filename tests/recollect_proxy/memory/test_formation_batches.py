"""Turns that come fast are understood together, by one call; each memory still knows its own message."""

from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.frontends import Frontend
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import Lesson, Pupil, messages_shown
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

FACTS = ("I brew my own cider.", "My brother Tom lives in Leeds.", "I am allergic to walnuts.")


@pytest.fixture
async def patient(own_proxies: OwnProxies, upstream: ScriptedUpstream) -> AsyncIterator[RunningProxy]:
    """A proxy that waits for three turns, or for ten minutes without one."""
    async with own_proxies.serve(formation_quiet_seconds=600, formation_batch_turns=3) as proxy:
        assert upstream.base_url == proxy.settings.upstream
        yield proxy


async def test_three_turns_in_a_row_are_one_call_and_each_memory_names_its_own_message(
    patient: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pupil.lessons += [Lesson(fact) for fact in FACTS]
    chat = Frontend(patient, upstream, user)

    for fact in FACTS[:2]:
        await chat.says(fact)
    waiting = await patient.engine.backlog()
    await chat.says(FACTS[2])

    assert waiting.pending == 2
    assert await patient.statements(user) == sorted(FACTS)
    [asked] = pupil.extractions(FACTS[0])  # another test's failed turn may be formed meanwhile
    assert messages_shown(asked) == list(FACTS)
    said = await patient.rows("SELECT id, content FROM recollect.messages WHERE user_id = $1", user.id)
    contents = {row["id"]: row["content"] for row in said}
    for memory in await patient.memories(user):
        assert [contents[each] for each in memory.provenance.message_ids] == [memory.content]
