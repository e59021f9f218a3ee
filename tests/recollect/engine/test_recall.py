"""Recall for a turn ends within the deadline, and never raises."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import BrokenEmbedder, SlowEmbedder, WordEmbedder
from tests.support.notes import note_block, note_placed
from tests.support.recollections import injection
from tests.support.stores import NOON, Store
from tests.support.waiting import until
from tests.support.watched_stores import Outage, Through, breakable, broken, with_parts

from recollect.engine import Engine, RecallOptions
from recollect.engine.turns.equal_questions import EqualQuestions
from recollect.errors import EmbedderError, StoreUnavailableError
from recollect.index import Snapshot, SnapshotCache
from recollect.model import Chat, Drop, Message, Placement, Role, Skip, Stage, Vector
from recollect.recall import Gate
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
    assert recall.ranked == recall.recollections
    assert (recall.skipped, recall.degraded) == (None, ())
    assert recall.milliseconds > 0
    assert set(recall.stages) == {Stage.CHAT, Stage.EMBEDDING, Stage.SEARCH}


async def test_a_turn_that_nothing_answers_recalls_nothing_but_says_what_was_ranked(store: Store) -> None:
    subject = await with_tea(store, engine_over(store, PATIENT))

    recall = await subject.recall(store.turn("bicycle"))

    assert recall.recollections == ()
    assert [each.dropped for each in recall.ranked] == [Drop.IRRELEVANT]
    assert recall.skipped is Skip.NOTHING_RELEVANT


async def test_with_placement_off_nothing_is_looked_for(store: Store) -> None:
    embedder = WordEmbedder()
    subject = engine_over(broken(store), PATIENT, embedder=embedder)

    prepared = await subject.prepare(store.turn(), RecallOptions(placement=Placement.OFF))

    assert prepared.recall.skipped is Skip.OFF
    assert embedder.embedded == []


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


# -- options of a request --------------------------------------------------------------------------


async def test_a_request_may_ask_for_no_recall(store: Store) -> None:
    embedder = WordEmbedder()
    subject = await with_tea(store, engine_over(store, PATIENT, embedder=embedder))
    embedder.embedded.clear()

    prepared = await subject.prepare(store.turn(WHICH), RecallOptions(recall=False))

    assert prepared.recall.skipped is Skip.OFF
    assert prepared.placed.block is None
    assert embedder.embedded == []


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


async def test_a_chat_that_was_given_memories_is_given_half_as_many_at_most_with_each_turn(
    store: Store,
) -> None:
    policy = replace(
        PATIENT, gate=Gate(threshold=0.0), selecting=replace(PATIENT.selecting, cliff=0.0)
    )  # so that nothing but the limits counts
    subject = engine_over(store, policy)
    for number in range(20):
        await subject.add(
            store.anna, f"{number} tea {'abcdefghijklmnopqrst'[number]} blend {number * 7 + 100}"
        )
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


# -- the chat goes on ------------------------------------------------------------------------------


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


async def test_a_turn_that_waited_long_for_others_of_its_person_is_ranked_by_words_alone(
    store: Store,
) -> None:
    embedder = HeldEmbedder()
    subject = engine_over(
        store, replace(PATIENT, reach=replace(PATIENT.reach, embedding_seconds=1.0)), embedder=embedder
    )

    recalls = await asyncio.gather(*(subject.recall(store.turn(f"harbour number {n}?")) for n in range(3)))

    assert {each.degraded for each in recalls} == {(Stage.EMBEDDING,)}
    assert len(embedder.embedded) == 2


# -- failing open ----------------------------------------------------------------------------------


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


class _WithoutSnapshots(Through):
    """Snapshots that can't be read."""

    async def get(self, *_: object) -> Snapshot:
        raise StoreUnavailableError


class _WithoutChats(Through):
    """Chats that can't be read."""

    async def chat(self, *_: object, **__: object) -> Chat:
        raise StoreUnavailableError


def without_search(store: Store) -> Store:
    return with_parts(store, snapshots=_WithoutSnapshots(store.snapshots))


def without_chats(store: Store) -> Store:
    return with_parts(store, chats=_WithoutChats(store.chats))


@pytest.mark.parametrize(("lacking", "stage"), [(without_search, Stage.SEARCH), (without_chats, Stage.CHAT)])
async def test_the_stage_that_ended_a_recall_is_told(
    store: Store, lacking: Callable[[Store], Store], stage: Stage
) -> None:
    recall = await engine_over(lacking(store), PATIENT).recall(store.turn())

    assert (recall.skipped, recall.error_stage) == (Skip.STORE, stage)


class _Deaf(Through):
    """Snapshots of a store that stopped answering, and can't be cancelled."""

    def __init__(self, snapshots: SnapshotCache) -> None:
        super().__init__(snapshots)
        self.answers = asyncio.Event()
        self.asked = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def get(self, *_: object) -> Snapshot:
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
    assert line["log_level"] == "error"
    assert line["error"] == "LookupError"
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

    assert await asyncio.gather(*asked) == [1] * 100
    assert await other == 2


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
    monkeypatch.setattr("recollect.engine.turns.equal_questions._SECONDS", 0.01)
    equal.clear()
    assert await equal.once("same", counted.work) == 4
    await asyncio.sleep(0.1)
    assert await equal.once("same", counted.work) == 5
