"""What a chat asks of the engine, over stand-ins: it never raises, and loses nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import QUICK, engine_over
from tests.recollections import NOON, recollection, turn
from tests.waiting import until

from recollect import deadline
from recollect import engine as engine_module
from recollect.engine import Policy, system_clock
from recollect.errors import (
    EmbedderError,
    ExtractorError,
    StoreUnavailableError,
)
from recollect.model import Candidate, Kind, Recollection, Scope, Skip, Vector
from recollect.testing import (
    BrokenEmbedder,
    BrokenStore,
    InMemoryStore,
    ScriptedExtractor,
    SlowEmbedder,
    WordEmbedder,
)

DELAYS = engine_module._APPEND_DELAYS


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a store that is away again at once, five times."""
    monkeypatch.setattr(engine_module, "_APPEND_DELAYS", (0.0,) * 5)


def events(logs: Sequence[object]) -> list[str]:
    return [line["event"] for line in logs if isinstance(line, dict)]


def test_the_system_clock_knows_its_zone() -> None:
    assert system_clock().utcoffset() == timedelta(0)


# -- recall ----------------------------------------------------------------------------------------


async def test_what_was_written_is_recalled() -> None:
    subject = engine_over()
    written = await subject.add("anna", "I drink green tea")

    recall = await subject.recall(turn("What tea do I drink"))

    assert [each.memory.id for each in recall.recollections] == [written.id]
    assert recall.ranked == recall.recollections
    assert recall.skipped is None
    assert recall.milliseconds > 0


async def test_a_turn_that_nothing_answers_recalls_nothing_but_says_what_was_ranked() -> None:
    subject = engine_over()
    await subject.add("anna", "I drink green tea")

    recall = await subject.recall(turn("bicycle"))

    assert recall.recollections == ()
    assert len(recall.ranked) == 1
    assert recall.skipped is Skip.NOTHING_RELEVANT


@pytest.mark.parametrize(("gate", "count"), [(None, 0), (-1.0, 1)])
async def test_the_policys_gate_goes_before_the_embedders_own(gate: float | None, count: int) -> None:
    subject = engine_over(policy=replace(QUICK, gate=gate))
    await subject.add("anna", "I drink green tea")

    assert len((await subject.recall(turn("bicycle"))).recollections) == count


async def test_a_recall_that_is_late_is_given_up() -> None:
    subject = engine_over(
        embedder=SlowEmbedder(WordEmbedder(), seconds=3600), policy=replace(QUICK, deadline=0.01)
    )

    assert (await subject.recall(turn())).skipped is Skip.DEADLINE


async def test_a_broken_embedder_costs_the_memories_alone() -> None:
    recall = await engine_over(embedder=BrokenEmbedder()).recall(turn())

    assert recall.skipped is Skip.EMBEDDER
    assert recall.recollections == recall.ranked == ()


async def test_a_broken_store_costs_the_memories_alone() -> None:
    assert (await engine_over(BrokenStore()).recall(turn())).skipped is Skip.STORE


class _DeafStore(InMemoryStore):
    """A store that stopped answering, and can't be told to stop asking."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = asyncio.Event()
        self.asked = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def nearest(self, scope: Scope, vector: Vector, model: str, *, limit: int) -> list[Recollection]:  # noqa: ARG002 -- the port's
        self.asked.set()
        try:
            await self.answers.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            await self.answers.wait()
        raise LookupError


async def test_a_recall_does_not_wait_for_a_store_that_will_not_be_cancelled() -> None:
    store = _DeafStore()

    async with asyncio.timeout(20):
        recall = await engine_over(store, replace(QUICK, deadline=0.01)).recall(turn())

    assert recall.skipped is Skip.DEADLINE
    await store.cancelled.wait()
    store.answers.set()
    await until(lambda: not deadline._running)


async def test_who_leaves_a_recall_ends_its_question_too() -> None:
    store = _DeafStore()
    recalling = asyncio.create_task(engine_over(store, replace(QUICK, deadline=3600)).recall(turn()))
    await store.asked.wait()

    recalling.cancel()
    await asyncio.wait({recalling})

    assert recalling.cancelled()
    async with asyncio.timeout(20):
        await store.cancelled.wait()
    store.answers.set()


async def test_a_bug_costs_the_memories_alone_and_is_logged_by_its_place_alone() -> None:
    store = InMemoryStore()
    store.failure = LookupError("a bug")  # type: ignore[assignment]  # that is the bug

    with capture_logs() as logs:
        recall = await engine_over(store).recall(turn())

    assert recall.skipped is Skip.FAILED
    [line] = logs
    assert line["event"] == "recall_failed"
    assert line["log_level"] == "error"
    assert line["error"] == "LookupError"
    assert ".py:" in line["place"]
    assert "exc_info" not in line


async def test_to_rank_fails_openly() -> None:
    with pytest.raises(EmbedderError):
        await engine_over(embedder=BrokenEmbedder()).rank(turn())


# -- remember --------------------------------------------------------------------------------------


async def test_an_exchange_is_remembered_once() -> None:
    subject, said = engine_over(), turn("I drink tea")

    assert await subject.remember(said, "Good.") is True
    assert await subject.remember(said, "Good!") is False
    assert (await subject.backlog()).pending == 1


async def test_without_formation_nothing_is_even_logged() -> None:
    subject = engine_over(policy=replace(QUICK, strategy=None))

    assert await subject.remember(turn(), "Good.") is False
    assert (await subject.backlog()).pending == 0


async def test_an_exchange_waits_for_a_store_that_is_away() -> None:
    store = BrokenStore()
    remembering = asyncio.create_task(engine_over(store).remember(turn("I drink tea"), "Good."))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    store.failure = None

    assert await remembering is True
    assert (await store.backlog()).pending == 1


async def test_an_exchange_is_given_up_when_the_store_stays_away() -> None:
    with capture_logs() as logs:
        assert await engine_over(BrokenStore()).remember(turn(), "Good.") is False

    assert events(logs) == ["remember_failed"] * 6 + ["exchange_lost"]


async def test_a_bug_in_remembering_is_not_tried_again() -> None:
    store = InMemoryStore()
    store.failure = LookupError("a bug")  # type: ignore[assignment]  # that is the bug

    with capture_logs() as logs:
        assert await engine_over(store).remember(turn(), "Good.") is False

    assert events(logs) == ["remember_failed", "exchange_lost"]
    assert logs[0]["error"] == "LookupError"
    assert "exc_info" not in logs[0]


def test_no_gap_between_tries_is_longer_than_a_shutdown_can_bear() -> None:
    assert max(DELAYS) <= 15
    assert 540 <= sum(DELAYS) <= 660


async def test_an_exchange_said_before_its_users_erasure_is_not_logged_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_module, "_APPEND_DELAYS", (0.0,) * 1000)
    store = BrokenStore()
    subject = engine_over(store)
    remembering = asyncio.create_task(subject.remember(turn("I drink tea"), "Good."))
    await asyncio.sleep(0)
    store.failure = None
    await subject.erase("anna")

    with capture_logs() as logs:
        assert await remembering is False

    assert "tea" not in str(logs)
    assert (await store.backlog()).pending == 0
    later = turn("I drink coffee", at=NOON + timedelta(seconds=1))
    assert await subject.remember(later, "Good.") is True
    assert await subject.remember(turn(scope=Scope("bert", "chat-2")), "Good.") is True


class _Untouchable(InMemoryStore):
    """A store that can't count."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.touched = 0

    async def touch(self, user_id: str, memory_ids: Sequence[UUID], *, at: datetime) -> None:  # noqa: ARG002 -- the port's
        self.touched += 1
        raise self.error


@pytest.mark.parametrize("error", [StoreUnavailableError(), LookupError("a bug")])
async def test_an_exchange_is_not_lost_because_its_memories_could_not_be_counted(error: Exception) -> None:
    store = _Untouchable(error)

    with capture_logs() as logs:
        remembered = await engine_over(store).remember(turn(), "Good.", recollections=[recollection("tea")])

    assert remembered is True
    assert store.touched == 1
    assert "exchange_lost" not in events(logs)


async def test_the_memories_in_the_prompt_are_counted() -> None:
    subject = engine_over()
    written = await subject.add("anna", "I drink tea")

    await subject.remember(turn(), "Tea.", recollections=[Recollection(written, 0.9)])

    memory = await subject.get("anna", written.id)
    assert memory.recall_count == 1
    assert memory.last_recalled_at == NOON


# -- in the background -----------------------------------------------------------------------------


async def test_what_was_remembered_is_formed_while_it_runs() -> None:
    subject = engine_over()
    await subject.remember(turn("I drink tea"), "Good.")
    running = asyncio.create_task(subject.run())

    async def all_formed() -> bool:
        return (await subject.backlog()).pending == 0

    await until(all_formed)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    [memory] = (await subject.page("anna", limit=10)).memories
    assert memory.kind is Kind.QA_TURN
    assert memory.content == "Q: I drink tea\nA: Good."


async def test_an_extractor_is_given_the_requests_own_credential() -> None:
    tea = Candidate("Drinks tea.", Kind.FACT, 0.7, "I drink tea")
    extractor = ScriptedExtractor([tea])
    subject = engine_over(policy=Policy(), extractor=extractor)
    await subject.remember(turn("I drink tea"), "Good.", credential="Bearer k")

    assert await subject.drain("anna") is None

    [(asked, _)] = extractor.asked
    assert asked.credential == "Bearer k"
    assert asked.authorized
    [memory] = (await subject.page("anna", limit=10)).memories
    assert memory.content == "Drinks tea."


async def test_what_was_logged_before_formation_was_switched_off_is_kept_as_it_is() -> None:
    store = InMemoryStore()
    await engine_over(store).remember(turn("I drink tea"), "Good.")

    await engine_over(store, replace(QUICK, strategy=None)).drain("anna")

    [memory] = (await store.page("anna", limit=10)).memories
    assert memory.kind is Kind.QA_TURN


async def test_what_failed_can_be_tried_once_more() -> None:
    extractor = ScriptedExtractor()
    store = InMemoryStore()
    subject = engine_over(store, Policy(tries=1), extractor=extractor, embedder=BrokenEmbedder())
    await subject.remember(turn("I drink tea"), "Good.")
    await subject.drain("anna")
    assert (await subject.backlog()).failed == 1

    healed = engine_over(store, Policy(tries=1), extractor=ScriptedExtractor(ExtractorError()))
    assert await healed.retry_failed() == 1
    await healed.drain("anna")

    backlog = await healed.backlog()
    assert (backlog.failed, backlog.formed, backlog.fallbacks) == (0, 1, 1)
