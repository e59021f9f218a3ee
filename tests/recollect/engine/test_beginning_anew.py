"""A chat without an id is known by its first words; later ones that begin with the same are others."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import BrokenEmbedder
from tests.support.notes import note_placed
from tests.support.stores import NOON, Store

from recollect.composition import Placed
from recollect.engine import Engine, Policy, Prepared, RecallOptions
from recollect.model import UNNAMED, Message, Role, Skip, Turn
from recollect.ports import Embedder
from recollect.recall import Gate

WHICH = "What tea do I drink"
BY_MEANING_ALONE = replace(PATIENT, reach=replace(PATIENT.reach, lexical=False))
NEVER = replace(PATIENT, gate=Gate(threshold=2.0))


def first(store: Store) -> Turn:
    return store.turn(WHICH, store.anna.chat(f"{UNNAMED}0"), key="m0", anchors=((0, "a:1"),))


def anew(store: Store) -> Turn:
    return replace(first(store), at=NOON + timedelta(hours=5))


def behind(store: Store) -> Turn:
    return replace(
        anew(store),
        text="And at noon?",
        anchors=((0, "a:1"), (2, "a:2")),
        history=(Message(Role.USER, WHICH), Message(Role.ASSISTANT, "Tea.")),
    )


async def begun(subject: Engine, said: Turn) -> str:
    prepared = await subject.prepare(said, RecallOptions())
    await note_placed(subject, said, prepared.placed)
    return prepared.placed.system


@pytest.mark.parametrize(("session", "is_known_again"), [(f"{UNNAMED}0", False), ("chat-1", True)])
async def test_only_a_named_chat_is_known_again_after_hours(
    store: Store,
    session: str,
    is_known_again: bool,  # noqa: FBT001 -- a case
) -> None:
    subject = engine_over(store, PATIENT)
    await subject.add(store.anna, "I drink green tea")
    said = replace(first(store), scope=store.anna.chat(session))
    told = await begun(subject, said)
    await subject.add(store.anna, "What tea I drink is oolong")

    soon = await begun(subject, replace(said, at=NOON + timedelta(minutes=5)))
    later = await begun(subject, replace(said, at=NOON + timedelta(hours=5)))
    again = await begun(subject, replace(said, at=NOON + timedelta(hours=5, minutes=1)))

    assert "green tea" in told
    assert soon == told
    assert (later == told) is is_known_again
    assert ("oolong" in later) is not is_known_again
    if is_known_again:
        assert again == told


async def begin_hours_before(store: Store) -> None:
    """Begin a chat with the words that another one begins with hours later, and give it a block."""
    subject = engine_over(store, PATIENT)
    await subject.add(store.anna, "I drink green tea")
    assert "green tea" in await begun(subject, first(store))


async def blocks(store: Store) -> list[str]:
    return [each.block for each in (await store.chats.chat(first(store).scope, exchanges=0)).injections]


async def test_a_request_for_fewer_tokens_leaves_the_old_block_to_the_old_chat(store: Store) -> None:
    await begin_hours_before(store)
    subject = engine_over(store, PATIENT)
    await subject.add(store.anna, "What tea I drink is oolong")
    said = anew(store)

    prepared = await subject.prepare(said, RecallOptions(memory_tokens=500))
    await note_placed(subject, said, prepared.placed)

    assert prepared.placed.detached == ("a:1",)
    assert "oolong" in prepared.placed.system
    assert await blocks(store) == [prepared.placed.system]


@pytest.mark.parametrize(
    ("options", "policy", "embedder", "skip"),
    [
        (RecallOptions(recall=False), PATIENT, None, Skip.OFF),
        (RecallOptions(), NEVER, None, Skip.NOTHING_RELEVANT),
        (RecallOptions(memory_tokens=1), PATIENT, None, None),
        (RecallOptions(), BY_MEANING_ALONE, BrokenEmbedder(), Skip.EMBEDDER),
    ],
    ids=["recall off", "nothing relevant", "no room", "failed"],
)
async def test_the_old_block_goes_also_where_nothing_comes_in_its_place(
    store: Store, options: RecallOptions, policy: Policy, embedder: Embedder | None, skip: Skip | None
) -> None:
    await begin_hours_before(store)
    subject, said = engine_over(store, policy, embedder=embedder), anew(store)

    prepared = await subject.prepare(said, options)
    await note_placed(subject, said, prepared.placed)

    assert prepared.recall.skipped is skip
    assert prepared.placed.detached == ("a:1",)
    assert prepared.placed == Placed()  # nothing is added: a request without a place is told apart by that
    assert await blocks(store) == []
    assert (await subject.prepare(behind(store), RecallOptions(recall=False))).placed.system == ""


async def test_the_old_block_goes_also_where_a_bug_costs_the_memories(store: Store) -> None:
    await begin_hours_before(store)
    subject, said = engine_over(store, PATIENT), anew(store)

    def broken(text: str) -> int:
        raise LookupError(text)

    prepared: Prepared = await subject.prepare(said, RecallOptions(), count=broken)
    await note_placed(subject, said, prepared.placed)

    assert prepared.recall.skipped is Skip.FAILED
    assert await blocks(store) == []


async def test_what_goes_on_or_is_sent_again_soon_keeps_its_block_whatever_the_options(store: Store) -> None:
    await begin_hours_before(store)
    subject = engine_over(store, PATIENT)
    told = await blocks(store)

    for said in (replace(first(store), at=NOON + timedelta(minutes=5)), behind(store)):
        prepared = await subject.prepare(said, RecallOptions(recall=False, memory_tokens=1000))
        await note_placed(subject, said, prepared.placed)

        assert prepared.placed.detached == ()
        assert [prepared.placed.system] == told == await blocks(store)
