"""Recall for a turn ends within the deadline, and never raises."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import kept
from tests.scripted.models import BrokenEmbedder, SlowEmbedder, WordEmbedder
from tests.support.notes import note_block, note_placed
from tests.support.recollections import injection, standing
from tests.support.stores import NOON, Store
from tests.support.tables import table
from tests.support.waiting import until
from tests.support.watched_stores import Before, Outage, Through, breakable, with_parts

from recollect.composition import Placed
from recollect.engine import Engine, Policy, Prepared, RecallOptions
from recollect.engine.exchange_recorder import ended, new_exchange
from recollect.engine.turns.equal_questions import EqualQuestions
from recollect.errors import EmbedderError, StoreUnavailableError
from recollect.index import Snapshot, SnapshotCache
from recollect.index.memories import IMPORTANT
from recollect.model import (
    LISTED,
    NOTHING_TOLD,
    Actor,
    Add,
    Drop,
    Message,
    Place,
    Placement,
    Provenance,
    Role,
    Scope,
    Skip,
    Stage,
    Turn,
    Use,
    Vector,
)
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.recall import Gate, NeedThresholds
from recollect.runtime import deadline

TEA = "I drink green tea"
WHICH = "What tea do I drink"
BY_MEANING_ALONE = replace(PATIENT, reach=replace(PATIENT.reach, lexical=False))


async def with_tea(store: Store, subject: Engine) -> Engine:
    await subject.add(store.anna, TEA)
    return subject


async def test_what_was_written_is_recalled(store: Store) -> None:
    subject = engine_over(store, PATIENT)
    written = await subject.add(store.anna, TEA)

    recall = await subject.recall(store.turn(WHICH))

    assert [each.item.id for each in recall.recollections] == [written.id]
    assert (recall.ranked, recall.skipped, recall.degraded) == (recall.recollections, None, ())
    assert recall.milliseconds > 0
    assert set(recall.stages) == {Stage.CHAT, Stage.EMBEDDING, Stage.SEARCH}


async def test_a_turn_that_nothing_answers_recalls_nothing_but_says_what_was_ranked(store: Store) -> None:
    subject = await with_tea(store, engine_over(store, PATIENT))

    recall = await subject.recall(store.turn("bicycle"))

    assert recall.recollections == ()
    assert [each.dropped for each in recall.ranked] == [Drop.IRRELEVANT]
    assert recall.skipped is Skip.NOTHING_RELEVANT


async def test_several_models_that_are_asked_at_once_share_one_choice(store: Store) -> None:
    embedder = WordEmbedder()
    subject = await with_tea(store, engine_over(store, PATIENT, embedder=embedder))
    embedder.embedded.clear()
    asked = store.turn(WHICH)

    one, other = await asyncio.gather(subject.prepare(asked), subject.prepare(replace(asked, model="other")))

    assert one.placed.block is not None
    assert other.placed.block is one.placed.block
    assert embedder.embedded == [WHICH]


@pytest.mark.parametrize(
    ("prompt", "options"),
    [((TEA,), RecallOptions()), ((), RecallOptions(limit=0)), ((), RecallOptions(memory_tokens=1))],
)
async def test_a_choice_is_not_shared_with_another_prompt_or_other_options(
    store: Store, prompt: tuple[str, ...], options: RecallOptions
) -> None:
    subject = await with_tea(store, engine_over(store, PATIENT))
    asked = store.turn(WHICH)

    first = await subject.prepare(asked)
    second = await subject.prepare(replace(asked, prompt=prompt), options)

    assert first.placed.block is not None
    assert second.placed.block is None


@pytest.mark.parametrize(
    ("options", "skipped"),
    [
        (RecallOptions(recall=False), Skip.OFF),
        (RecallOptions(placement=Placement.OFF), Skip.OFF),
        (RecallOptions(disclosure=NOTHING_TOLD), Skip.UPSTREAM_POLICY),
    ],
)
async def test_a_request_that_gets_no_memories_has_nothing_embedded(
    store: Store, options: RecallOptions, skipped: Skip
) -> None:
    embedder = WordEmbedder()
    subject = await with_tea(store, engine_over(store, PATIENT, embedder=embedder))
    embedder.embedded.clear()

    prepared = await subject.prepare(store.turn(WHICH), options)

    assert (prepared.recall.skipped, prepared.placed.block, embedder.embedded) == (skipped, None, [])


async def test_a_request_that_asks_for_few_tokens_loses_the_chat_none_of_its_blocks(store: Store) -> None:
    subject = engine_over(store, PATIENT)
    for n in range(6):
        await note_block(store.log, store.anna.scope, injection(f"anchor {n}", f"BLOCK {n}", tokens=200), ())
    history = tuple(
        message
        for n in range(6)
        for message in (Message(Role.USER, f"said {n}"), Message(Role.ASSISTANT, "."))
    )
    said = store.turn("now", history=history, anchors=tuple((2 * n, f"anchor {n}") for n in range(7)))

    few = await subject.prepare(said, RecallOptions(memory_tokens=100))
    await note_placed(subject, said, few.placed)
    later = await subject.prepare(said, RecallOptions())

    assert list(few.placed.beside.values()) == ["BLOCK 3", "BLOCK 4", "BLOCK 5"]
    assert few.placed.detached == ()
    assert list(later.placed.beside.values()) == [f"BLOCK {n}" for n in range(6)]


async def test_a_chat_with_memories_is_given_fewer_at_most_with_each_turn(store: Store) -> None:
    policy = replace(
        PATIENT, gate=Gate(threshold=0.0), selecting=replace(PATIENT.selecting, limit=12, cliff=0.0)
    )  # so that nothing but the limits counts
    subject = engine_over(store, policy)
    for number in range(20):
        await subject.add(store.anna, f"{number} tea {'abcdefghijklmnopqrst'[number]} blend {number * 7}")
    first = store.turn(WHICH, anchors=((0, "a:1"),))
    given = await subject.prepare(first)
    await note_placed(subject, first, given.placed)

    later = await subject.prepare(
        store.turn(WHICH, anchors=((2, "a:2"),), history=(Message(Role.USER, WHICH),))
    )
    limited = await subject.prepare(
        store.turn(WHICH, anchors=((2, "a:3"),), history=(Message(Role.USER, WHICH),)), RecallOptions(limit=5)
    )

    assert (len(given.recall.recollections), len(later.recall.recollections)) == (12, 6)
    assert sum(each.dropped is Drop.GIVEN for each in later.recall.ranked) == 12
    assert len(limited.recall.recollections) == 5  # who asks for a number gets that


@table(
    ("kept", "place", "is_given_again"),
    [
        ({"is_kept": True}, Place.BESIDE, False),
        ({"is_kept": True}, Place.SYSTEM, True),  # the server keeps no instructions
        ({"is_kept": True, "follows": "resp_1"}, Place.BESIDE, True),  # the block may be in another branch
        ({}, Place.BESIDE, True),
    ],
)
async def test_a_chat_that_the_server_keeps_under_its_id_is_given_a_statement_once(
    store: Store, kept: dict[str, Any], place: Place, *, is_given_again: bool
) -> None:
    subject, scope = engine_over(store, PATIENT), Scope(f"user-{uuid4().hex}", "conv-1")
    written = await subject.add(scope.user_id, TEA)
    before = injection("an earlier message", "BLOCK", items=(written.id,), place=place)
    await note_block(store.log, scope, before, ())

    options = RecallOptions(placement=Placement.SYSTEM if place is Place.SYSTEM else None)
    prepared = await subject.prepare(store.turn(WHICH, scope=scope, **kept), options)

    assert [each.dropped for each in prepared.recall.ranked] == [None if is_given_again else Drop.GIVEN]


async def test_the_same_turn_once_more_is_given_the_same_and_nothing_is_recalled(store: Store) -> None:
    subject, said = await with_tea(store, engine_over(store, PATIENT)), store.turn(WHICH)
    first = await subject.prepare(said)
    await note_placed(subject, said, first.placed)
    await subject.add(store.anna, "I drink white tea on Sundays")

    again = await subject.prepare(said)

    assert again.placed.system == first.placed.system
    assert (again.placed.block, again.flags, again.recall.skipped) == (None, ("reattached",), None)


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_what_the_chat_was_given_before_stays_when_nothing_new_can_be_found(
    store: Store, embedder: BrokenEmbedder | SlowEmbedder
) -> None:
    said = store.turn(WHICH)
    whole = await with_tea(store, engine_over(store, BY_MEANING_ALONE))
    first = await whole.prepare(said)
    await note_placed(whole, said, first.placed)

    hurried = replace(BY_MEANING_ALONE, deadline=1.0)
    later = await engine_over(store, hurried, embedder=embedder).prepare(store.turn(WHICH))

    assert later.recall.skipped in {Skip.EMBEDDER, Skip.DEADLINE}
    assert later.placed.system == first.placed.system != ""
    assert later.included == ()


class HeldEmbedder(WordEmbedder):
    """Embeds questions about harbours only after `let`."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Wait, then embed."""
        vectors = await super().embed(texts)
        if any("harbour" in text for text in texts):
            await self.let.wait()
        return vectors


async def test_who_asks_much_at_once_keeps_nobody_else_waiting(store: Store) -> None:
    embedder = HeldEmbedder()
    subject = engine_over(store, PATIENT, embedder=embedder)
    asked = [f"harbour number {n}?" for n in range(5)]
    many = [asyncio.create_task(subject.recall(store.turn(each))) for each in asked]
    await until(lambda: bool(embedder.embedded))

    others = await subject.recall(store.turn("What do I drink?", store.ben.scope))

    assert others.skipped is Skip.NOTHING_RELEVANT
    embedder.let.set()
    assert {each.skipped for each in await asyncio.gather(*many)} == {Skip.NOTHING_RELEVANT}
    assert sorted(embedder.embedded[:3]) == ["What do I drink?", *asked[:2]]
    assert embedder.embedded[3:] == asked[2:]


async def test_a_turn_that_waited_long_for_its_persons_others_is_ranked_by_words(store: Store) -> None:
    embedder = HeldEmbedder()
    subject = engine_over(
        store, replace(PATIENT, reach=replace(PATIENT.reach, embedding_seconds=1.0)), embedder=embedder
    )

    recalls = await asyncio.gather(*(subject.recall(store.turn(f"harbour number {n}?")) for n in range(3)))

    assert ({each.degraded for each in recalls}, len(embedder.embedded)) == ({(Stage.EMBEDDING,)}, 2)


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_a_broken_or_late_embedder_leaves_the_words_to_search_by(
    store: Store, embedder: BrokenEmbedder | SlowEmbedder
) -> None:
    await with_tea(store, engine_over(store))
    hurried = replace(
        PATIENT, reach=replace(PATIENT.reach, embedding_seconds=0.01, log_embedding_seconds=0.01)
    )

    with capture_logs() as logs:
        recall = await engine_over(store, hurried, embedder=embedder).recall(store.turn("green tea"))

    assert recall.degraded == (Stage.EMBEDDING,)
    assert [each.item.content for each in recall.recollections] == [TEA]
    assert [line["event"] for line in logs if line["event"].startswith("recall")] == ["recall_degraded"]
    assert "tea" not in str(logs)


async def test_without_words_to_search_by_a_broken_embedder_costs_the_memories_alone(store: Store) -> None:
    subject = engine_over(store, BY_MEANING_ALONE, embedder=BrokenEmbedder())

    recall = await subject.recall(store.turn())

    assert (recall.skipped, recall.error_stage) == (Skip.EMBEDDER, Stage.EMBEDDING)
    assert recall.recollections == recall.ranked == ()


@table("part, method, stage", [("snapshots", "get", Stage.SEARCH), ("chats", "chat", Stage.CHAT)])
async def test_the_stage_that_ended_a_recall_is_told(
    store: Store, part: str, method: str, stage: Stage
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailableError

    faulty = with_parts(store, **{part: Before(getattr(store, part), **{method: fail})})

    recall = await engine_over(faulty, PATIENT).recall(store.turn())

    assert (recall.skipped, recall.error_stage) == (Skip.STORE, stage)


async def test_a_first_turn_waits_for_no_large_log(store: Store) -> None:
    await with_tea(store, engine_over(store, PATIENT))

    async def read(*_: object, most_bytes: int, **__: object) -> None:
        if most_bytes > 10_000_000:
            await asyncio.Event().wait()

    snapshots = SnapshotCache(Before(store.snapshots._store, load=read), most_bytes=100_000_000)
    subject = engine_over(with_parts(store, snapshots=snapshots), replace(PATIENT, deadline=3))

    recall = await subject.recall(store.turn(WHICH))

    assert [each.item.content for each in recall.recollections] == [TEA]


class _Deaf(Through):
    """Snapshots of a store that stopped answering, and can't be cancelled."""

    def __init__(self, snapshots: SnapshotCache) -> None:
        super().__init__(snapshots)
        self.answers = asyncio.Event()
        self.asked = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def get(self, *_: object, **__: object) -> Snapshot:
        self.asked.set()
        try:
            await self.answers.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            await self.answers.wait()
        raise LookupError


async def test_a_recall_does_not_wait_for_a_store_that_will_not_be_cancelled(store: Store) -> None:
    deaf = _Deaf(store.snapshots)
    soon = replace(BY_MEANING_ALONE, deadline=0.1)  # nothing real is asked before it is
    others = {*deadline._running}  # of tests before

    async with asyncio.timeout(20):
        recall = await engine_over(with_parts(store, snapshots=deaf), soon).recall(store.turn())
        await deaf.cancelled.wait()

    assert recall.skipped is Skip.DEADLINE
    deaf.answers.set()
    await until(lambda: deadline._running <= others)


async def test_who_leaves_a_recall_ends_its_question_too(store: Store) -> None:
    deaf = _Deaf(store.snapshots)
    subject = engine_over(with_parts(store, snapshots=deaf), replace(PATIENT, deadline=3600))
    recalling = asyncio.create_task(subject.recall(store.turn()))
    await deaf.asked.wait()

    recalling.cancel()
    await asyncio.wait({recalling})

    assert recalling.cancelled()
    async with asyncio.timeout(20):
        await deaf.cancelled.wait()
    deaf.answers.set()


async def test_a_bug_costs_the_memories_alone_and_is_logged_by_its_place_alone(store: Store) -> None:
    faulty = breakable(store, Outage(LookupError("a bug")))

    with capture_logs() as logs:
        recall = await engine_over(faulty, PATIENT).recall(store.turn())

    assert recall.skipped is Skip.FAILED
    [line] = [each for each in logs if each["event"] == "recall_failed"]
    assert (line["log_level"], line["error"]) == ("error", "LookupError")
    assert ".py:" in line["raised_at"]
    assert "exc_info" not in line


async def test_a_search_tells_how_often_a_memory_was_used_by_now(store: Store) -> None:
    subject = engine_over(store, PATIENT)
    written = await subject.add(store.anna, TEA)
    await subject.search(store.anna, TEA, limit=5)

    await store.memories.touch(store.anna, [written.id], at=NOON)

    found = await subject.search(store.anna, TEA, limit=5)
    assert [(each.recall_count, each.last_recalled_at) for each, *_ in found.memories] == [(1, NOON)]


async def test_to_rank_fails_openly(store: Store) -> None:
    with pytest.raises(EmbedderError):
        await engine_over(store, BY_MEANING_ALONE, embedder=BrokenEmbedder()).rank(store.turn())


class Counted:
    def __init__(self) -> None:
        self.times = 0
        self.may_end = asyncio.Event()

    async def work(self) -> int:
        self.times += 1
        number = self.times
        await self.may_end.wait()
        if number == 1 and self.fails:
            raise ValueError("once")
        return number

    fails = False


async def test_equal_work_at_the_same_time_is_done_once() -> None:
    equal, counted = EqualQuestions[int](), Counted()
    asked = [asyncio.create_task(equal.once("same", counted.work)) for _ in range(100)]
    other = asyncio.create_task(equal.once("other", counted.work))
    await asyncio.sleep(0)
    counted.may_end.set()

    assert (await asyncio.gather(*asked), await other) == ([1] * 100, 2)


async def test_one_who_gives_up_does_not_take_the_result_from_others() -> None:
    equal, counted = EqualQuestions[int](), Counted()
    first, second = (asyncio.create_task(equal.once("same", counted.work)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    counted.may_end.set()

    assert await second == 1


async def test_a_result_is_shared_for_two_seconds_unless_it_failed_lacks_something_or_is_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    equal, counted = EqualQuestions[int](lambda number: number > 2), Counted()
    counted.fails = True
    counted.may_end.set()

    with pytest.raises(ValueError, match="once"):
        await equal.once("same", counted.work)
    assert [await equal.once("same", counted.work) for _ in range(3)] == [2, 3, 3]
    monkeypatch.setattr("recollect.engine.turns.equal_questions._SHARED_SECONDS", 0.01)
    equal.clear()
    assert await equal.once("same", counted.work) == 4
    await asyncio.sleep(0.1)
    assert await equal.once("same", counted.work) == 5


# -- Standing memories are given to every chat once, for any question and after any failure; a question for all of them gets a list --


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
    assert (len(first.placed.injection.items), first.recall.skipped) == (len(FACTS), Skip.NOTHING_RELEVANT)
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
    await store.memories.apply(store.anna.scope, [Add(said_here)], actor=Actor.FORMATION, at=NOON)

    assert standing(await subject.prepare(said(store, UNRELATED, 1))) == set()
    assert standing(await subject.prepare(said(store, UNRELATED, chat="chat-10"))) == {"Keeps bees"}


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


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_it_stands_where_no_search_works(store: Store, embedder: BrokenEmbedder | SlowEmbedder) -> None:
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


async def test_how_many_more_there_are_is_told(store: Store, e5: MultilingualE5Embedder) -> None:
    prepared = await asked(store, await somebody_with_many(store, e5), "What do you know about me?")

    block = prepared.placed.system
    [more] = re.findall(r"\((\d+) more are remembered but not listed\.\)\n</", block)
    assert block.count("\u2022 Collects") + int(more) == ALL
    assert block.count("\u2022 Collects") > ASKED_FOR_ALL.reach.limit


async def test_what_a_chat_was_told_is_listed_and_not_more(store: Store, e5: MultilingualE5Embedder) -> None:
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


async def test_a_list_has_numbers_that_are_kept(store: Store, e5: MultilingualE5Embedder) -> None:
    subject = engine_over(store, ASKED_FOR_ALL, embedder=e5)
    for content in ("Lives in Lisbon", "Dog called Fips", "Works as a nurse"):
        await subject.add(store.anna, content)
    turn = store.turn("What do you know about me?", store.anna.chat("chat-9"))

    prepared = await subject.prepare(turn)
    await note_placed(subject, turn, prepared.placed)

    numbered = re.findall(r"^\u2022 (.+) \(number (\d)\)$", prepared.placed.system, re.MULTILINE)
    assert [number for _, number in numbered] == ["1", "2", "3"]
    [listed] = (await store.asked.pointed_at(store.turn("Hello", turn.scope))).requests
    assert (listed.anchor, listed.asking) == (turn.anchor, LISTED)
    assert [(await subject.get(store.anna, each)).content for each in listed.items] == [
        content for content, _ in numbered
    ]
