"""Standing memories are given to every chat once, for any question and after any failure; a question for all of them gets a list."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import kept
from tests.scripted.models import BrokenEmbedder, SlowEmbedder, WordEmbedder
from tests.support.notes import note_placed
from tests.support.stores import NOON, Store

from recollect.composition import Placed
from recollect.engine import Engine, Policy, Prepared, RecallOptions
from recollect.engine.recording.exchanges import ended, new_exchange
from recollect.index.memories import IMPORTANT
from recollect.model import (
    LISTED,
    Actor,
    Add,
    Drop,
    Flags,
    Message,
    Place,
    Placement,
    Provenance,
    Role,
    Skip,
    Turn,
    Use,
)
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import NeedThresholds

FACTS = ("Lives in Lisbon", "Works as a nurse", "Dog called Fips", "Allergic to nuts", "Wants short answers")
POLICY = replace(PATIENT, stands=True)
UNRELATED = "integral arctangent"


async def somebody(store: Store, policy: Policy = POLICY, **given: Any) -> Engine:
    subject = engine_over(store, policy, **given)
    for content in FACTS:
        await engine_over(store, policy).add(store.anna, content)
    return subject


def said(store: Store, text: str, number: int = 0, chat: str = "chat-9") -> Turn:
    history = tuple(
        message
        for n in range(number)
        for message in (Message(Role.USER, f"said {n}"), Message(Role.ASSISTANT, "."))
    )
    anchors = tuple((2 * n, f"a:{n}") for n in range(number + 1))
    return store.turn(text, store.anna.chat(chat), history=history, anchors=anchors, key=f"k{number}")


async def given(subject: Engine, turn: Turn, **options: Any) -> Prepared:
    prepared = await subject.prepare(turn, RecallOptions(**options))
    await note_placed(subject, turn, prepared.placed)
    return prepared


def standing(prepared: Prepared) -> set[str]:
    return {each.item.content for each in prepared.included if each.standing}


def text_of(placed: Placed) -> str:
    return "\n".join([placed.system, *placed.beside.values()])


async def test_of_who_said_little_all_stands_in_every_chat_once(store: Store) -> None:
    subject = await somebody(store)

    first = await given(subject, said(store, UNRELATED))
    second = await given(subject, said(store, "What is my dog called", 1))
    elsewhere = await given(subject, said(store, "cosine", chat="chat-10"))

    assert standing(first) == standing(elsewhere) == set(FACTS)
    assert first.placed.injection is not None
    assert (first.placed.injection.place, first.placed.injection.standing) == (Place.SYSTEM, True)
    assert len(first.placed.injection.items) == len(FACTS)
    assert first.recall.skipped is Skip.NOTHING_RELEVANT
    assert (second.included, second.placed.system) == ((), first.placed.system)
    assert [each.dropped for each in second.recall.ranked if each.item.content == "Dog called Fips"] == [
        Drop.GIVEN
    ]
    assert text_of(second.placed).count("Fips") == 1


async def test_what_the_question_finds_too_stands_once_and_bears_its_score(store: Store) -> None:
    prepared = await given(await somebody(store), said(store, "What is my dog called"))

    scores = {each.item.content: each.score for each in prepared.included}
    assert set(scores) == set(FACTS)
    assert {content for content, score in scores.items() if score > 0} == {"Dog called Fips"}
    assert [each.item.content for each in prepared.found] == ["Dog called Fips"]
    assert prepared.recall.skipped is None
    assert all(each.standing and each.dropped is None for each in prepared.recall.ranked)


async def test_only_what_was_found_for_the_turn_counts_as_recalled(store: Store) -> None:
    turn = said(store, "What is my dog called")
    prepared = await given(await somebody(store), turn)

    entry = ended(new_exchange(turn, credential=None), "Fips.", prepared.included)

    [fips] = [each.item.id for each in prepared.included if each.item.content == "Dog called Fips"]
    assert entry.recalled == (fips,)


@pytest.mark.parametrize("placement", [Placement.SYSTEM, Placement.USER])
async def test_where_each_turn_has_its_block_anew_it_stands_in_each(
    store: Store, placement: Placement
) -> None:
    subject = await somebody(store)

    for number in range(3):
        assert standing(await given(subject, said(store, UNRELATED, number), placement=placement)) == set(
            FACTS
        )


async def test_a_chat_that_memory_was_switched_on_in_has_it_with_its_first_block(store: Store) -> None:
    subject = await somebody(store)

    late = await given(subject, said(store, UNRELATED, 3))
    later = await given(subject, said(store, UNRELATED, 4))

    assert late.placed.injection is not None
    assert (late.placed.injection.place, standing(late)) == (Place.BESIDE, set(FACTS))
    assert list(later.placed.beside.values()) == [late.placed.injection.block]
    assert later.included == ()


async def test_what_was_said_in_this_chat_is_not_told_to_it_again(store: Store) -> None:
    subject = engine_over(store, POLICY)
    said_here = store.memory("Keeps bees", provenance=Provenance("chat-9"))
    await store.memories.apply(
        store.anna.scope, [Add(said_here)], actor=Actor.FORMATION, at=said_here.created_at
    )

    assert standing(await subject.prepare(said(store, UNRELATED, 1))) == set()
    assert standing(await subject.prepare(said(store, UNRELATED, chat="chat-10"))) == {"Keeps bees"}


# -- switched off, and less of it ------------------------------------------------------------------


@pytest.mark.parametrize("of_everybody", [True, False])
async def test_it_can_be_switched_off_and_on_while_the_engine_runs(
    own_store: Store, *, of_everybody: bool
) -> None:
    subject = await somebody(own_store)
    who = None if of_everybody else own_store.anna

    await subject.change_flags(Flags(standing=False), ("standing",), who)
    off = await subject.prepare(said(own_store, UNRELATED))
    await subject.change_flags(Flags(standing=True), ("standing",), own_store.anna)

    assert standing(off) == set()
    assert standing(await subject.prepare(said(own_store, UNRELATED))) == set(FACTS)


async def test_a_request_that_wants_few_memories_is_given_no_more(store: Store) -> None:
    subject = await somebody(store)

    two = await subject.prepare(said(store, "What is my dog called"), RecallOptions(limit=2))

    assert len(two.included) == 2
    assert "Dog called Fips" in {each.item.content for each in two.included}
    assert (await subject.prepare(said(store, UNRELATED), RecallOptions(limit=0))).included == ()


async def test_it_takes_half_of_what_a_request_wants_at_most(store: Store) -> None:
    prepared = await (await somebody(store)).prepare(said(store, UNRELATED), RecallOptions(memory_tokens=60))

    assert prepared.placed.block is not None
    assert 0 < len(prepared.included) < len(FACTS)
    assert prepared.placed.block.standing_tokens <= 30


# -- failing open ----------------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_it_stands_though_nothing_can_be_looked_for(
    store: Store, embedder: BrokenEmbedder | SlowEmbedder
) -> None:
    policy = replace(POLICY, deadline=2.0, reach=replace(PATIENT.reach, lexical=False))

    prepared = await (await somebody(store, policy, embedder=embedder)).prepare(said(store, UNRELATED))

    assert prepared.recall.skipped in {Skip.EMBEDDER, Skip.DEADLINE}
    assert standing(prepared) == set(FACTS)


async def test_a_pinned_statement_stands_in_every_chat_however_many_matter_more(store: Store) -> None:
    engine = engine_over(store, POLICY)
    for number in range(IMPORTANT + 5):
        await engine.add(store.anna, f"Owns boat number {number}", importance=0.8)
    pinned = await engine.add(store.anna, "Writes in metric units", importance=0.1)
    await engine.revise(store.anna, pinned.id, use=Use.ALWAYS)

    prepared = await engine.prepare(store.turn(UNRELATED, store.anna.chat("new")))

    assert pinned.id in {each.item.id for each in prepared.included if each.standing}
    await engine.revise(store.anna, pinned.id, use=Use.ASKED)
    again = await engine.prepare(store.turn(UNRELATED, store.anna.chat("newer")))
    assert pinned.id not in {each.item.id for each in again.included}


# -- A person who asks for their memories gets the most important ones, and the number of the others. The embedder is the real one --


ALL = 30
ASKED_FOR_ALL = replace(
    PATIENT, stands=True, reach=replace(PATIENT.reach, limit=5), bar=NeedThresholds(most_in_overview=10)
)


async def asked(store: Store, subject: Engine, text: str) -> Prepared:
    return await subject.prepare(store.turn(text, store.anna.chat("chat-9")))


async def somebody_with_many(store: Store, e5: MultilingualE5Embedder) -> Engine:
    """Return an engine with many different memories of Anna."""
    subject = engine_over(store, ASKED_FOR_ALL, embedder=e5)
    for number in range(ALL):
        await subject.add(store.anna, f"Collects {chr(97 + number % 26) * 5}{number} from town {number * 7}")
    return subject


@pytest.mark.parametrize("text", ["What do you know about me?", "关于我你都知道什么？"])
async def test_the_most_important_is_told_and_how_much_more_there_is(
    store: Store, e5: MultilingualE5Embedder, text: str
) -> None:
    prepared = await asked(store, await somebody_with_many(store, e5), text)

    block = prepared.placed.system
    [more] = re.findall(r"\((\d+) more are remembered but not listed\.\)\n</", block)
    assert block.count("\u2022 Collects") + int(more) == ALL
    assert block.count("\u2022 Collects") > ASKED_FOR_ALL.reach.limit


async def test_who_asks_for_one_thing_is_not_told_how_much_more_there_is(
    store: Store, e5: MultilingualE5Embedder
) -> None:
    prepared = await asked(store, await somebody_with_many(store, e5), "What did I collect in town 49?")

    assert prepared.placed.system
    assert "remembered but not listed" not in prepared.placed.system
    assert "(number " not in prepared.placed.system


async def test_what_the_chat_was_told_already_is_in_the_list_and_is_no_more(
    store: Store, e5: MultilingualE5Embedder
) -> None:
    subject = engine_over(store, ASKED_FOR_ALL, embedder=e5)
    for content in ("Lives in Lisbon", "Dog called Fips", "Works as a nurse"):
        await subject.add(store.anna, content)
    first = store.turn("integral arctangent", store.anna.chat("chat-9"))
    prepared = await subject.prepare(first)
    await note_placed(subject, first, prepared.placed)
    assert prepared.placed.system.count("\u2022") == 3

    again = store.turn(
        "What do you know about me?",
        store.anna.chat("chat-9"),
        history=(Message(Role.USER, first.text), Message(Role.ASSISTANT, ".")),
        anchors=((0, first.anchor), (2, "a:1")),
        key="k1",
    )

    later = await subject.prepare(again)

    assert later.recall.ranked
    assert later.placed.beside[2].count("(number ") == 3
    assert "remembered but not listed" not in "".join([later.placed.system, *later.placed.beside.values()])


async def test_what_is_over_is_no_more(store: Store, e5: MultilingualE5Embedder) -> None:
    subject = engine_over(store, ASKED_FOR_ALL, embedder=e5)
    await subject.add(store.anna, "Lives in Lisbon")
    await kept(store, "Stayed in Rome", holds_until=NOON - timedelta(days=9))

    prepared = await asked(store, subject, "What do you know about me?")

    assert "Lisbon" in prepared.placed.system
    assert "remembered but not listed" not in prepared.placed.system


@pytest.mark.parametrize("text", ["What do you know about me?", "Benim hakkımda neler biliyorsun?"])
async def test_the_list_is_numbered_and_its_numbers_are_kept(
    store: Store, e5: MultilingualE5Embedder, text: str
) -> None:
    subject = engine_over(store, ASKED_FOR_ALL, embedder=e5)
    for content in ("Lives in Lisbon", "Dog called Fips", "Works as a nurse"):
        await subject.add(store.anna, content)
    turn = store.turn(text, store.anna.chat("chat-9"))

    prepared = await subject.prepare(turn)
    await note_placed(subject, turn, prepared.placed)

    numbered = re.findall(r"^\u2022 (.+) \(number (\d)\)$", prepared.placed.system, re.MULTILINE)
    assert [number for _, number in numbered] == ["1", "2", "3"]
    [listed] = (await store.asked.pointed_at(store.turn("Hello", turn.scope))).requests
    assert (listed.anchor, listed.asking) == (turn.anchor, LISTED)
    assert [(await subject.get(store.anna, each)).content for each in listed.items] == [
        content for content, _ in numbered
    ]
