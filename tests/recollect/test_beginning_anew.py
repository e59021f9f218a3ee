"""A chat without an id is known by its first words; later ones that begin with the same are others."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import NOON, turn

from recollect.composition import Placed
from recollect.engine import Engine, Policy, Prepared, Wishes
from recollect.model import Message, Role, Scope, Skip, Turn
from recollect.ports import Embedder
from recollect.recalling import UNNAMED
from recollect.retrieval import Gate
from recollect.testing import BrokenEmbedder, InMemoryStore

WHICH = "What tea do I drink"
FIRST = turn(WHICH, scope=Scope("anna", f"{UNNAMED}0"), anchors=((0, "a:1"),))
ANEW = replace(FIRST, at=NOON + timedelta(hours=5))
BEHIND = replace(
    ANEW,
    text="And at noon?",
    anchors=((0, "a:1"), (2, "a:2")),
    history=(Message(Role.USER, WHICH), Message(Role.ASSISTANT, "Tea.")),
)
BY_MEANING_ALONE = replace(PATIENT, reach=replace(PATIENT.reach, lexical=False))
NEVER = replace(PATIENT, gate=Gate(threshold=2.0))


async def begun(subject: Engine, said: Turn) -> str:
    prepared = await subject.prepare(said, Wishes())
    await subject.inject(said, prepared.placed)
    return prepared.placed.system


@pytest.mark.parametrize(("session", "is_known_again"), [(f"{UNNAMED}0", False), ("chat-1", True)])
async def test_only_a_named_chat_is_known_again_after_hours(session: str, is_known_again: bool) -> None:  # noqa: FBT001 -- a case
    subject = engine_over(InMemoryStore(), policy=PATIENT)
    await subject.add("anna", "I drink green tea")
    first = turn(WHICH, scope=Scope("anna", session), anchors=((0, "a:1"),), at=NOON)
    told = await begun(subject, first)
    await subject.add("anna", "What tea I drink is oolong")

    soon = await begun(subject, replace(first, at=NOON + timedelta(minutes=5)))
    later = await begun(subject, replace(first, at=NOON + timedelta(hours=5)))
    again = await begun(subject, replace(first, at=NOON + timedelta(hours=5, minutes=1)))

    assert "green tea" in told
    assert soon == told
    assert (later == told) is is_known_again
    assert ("oolong" in later) is not is_known_again
    if is_known_again:
        assert again == told


async def chat_that_is_over() -> InMemoryStore:
    """Return a store with a chat that began hours ago with the words of the new one, and was given a block."""
    store = InMemoryStore()
    subject = engine_over(store, PATIENT)
    await subject.add("anna", "I drink green tea")
    assert "green tea" in await begun(subject, FIRST)
    return store


async def blocks(store: InMemoryStore) -> list[str]:
    return [each.block for each in (await store.chat(FIRST.scope, exchanges=0)).injections]


async def test_a_wish_for_fewer_tokens_leaves_the_old_block_to_the_old_chat() -> None:
    store = await chat_that_is_over()
    subject = engine_over(store, PATIENT)
    await subject.add("anna", "What tea I drink is oolong")

    prepared = await subject.prepare(ANEW, Wishes(memory_tokens=500))
    await subject.inject(ANEW, prepared.placed)

    assert prepared.placed.detached == ("a:1",)
    assert "oolong" in prepared.placed.system
    assert await blocks(store) == [prepared.placed.system]


@pytest.mark.parametrize(
    ("wishes", "policy", "embedder", "skip"),
    [
        (Wishes(recall=False), PATIENT, None, Skip.OFF),
        (Wishes(), NEVER, None, Skip.NOTHING_RELEVANT),
        (Wishes(memory_tokens=1), PATIENT, None, None),
        (Wishes(), BY_MEANING_ALONE, BrokenEmbedder(), Skip.EMBEDDER),
    ],
    ids=["recall off", "nothing relevant", "no room", "failed"],
)
async def test_the_old_block_goes_also_where_nothing_comes_in_its_place(
    wishes: Wishes, policy: Policy, embedder: Embedder | None, skip: Skip | None
) -> None:
    store = await chat_that_is_over()
    subject = engine_over(store, policy, embedder=embedder)

    prepared = await subject.prepare(ANEW, wishes)
    await subject.inject(ANEW, prepared.placed)

    assert prepared.recall.skipped is skip
    assert prepared.placed.detached == ("a:1",)
    assert prepared.placed == Placed()  # nothing is added: a request without a place is told apart by that
    assert await blocks(store) == []
    assert (await subject.prepare(BEHIND, Wishes(recall=False))).placed.system == ""


async def test_the_old_block_goes_also_where_a_bug_costs_the_memories() -> None:
    store = await chat_that_is_over()
    subject = engine_over(store, PATIENT)

    def broken(text: str) -> int:
        raise LookupError(text)

    prepared: Prepared = await subject.prepare(ANEW, Wishes(), count=broken)
    await subject.inject(ANEW, prepared.placed)

    assert prepared.recall.skipped is Skip.FAILED
    assert await blocks(store) == []


async def test_what_goes_on_or_is_sent_again_soon_keeps_its_block_whatever_is_wished() -> None:
    store = await chat_that_is_over()
    subject = engine_over(store, PATIENT)
    told = await blocks(store)

    for said in (replace(FIRST, at=NOON + timedelta(minutes=5)), BEHIND):
        prepared = await subject.prepare(said, Wishes(recall=False, memory_tokens=1000))
        await subject.inject(said, prepared.placed)

        assert prepared.placed.detached == ()
        assert [prepared.placed.system] == told == await blocks(store)
