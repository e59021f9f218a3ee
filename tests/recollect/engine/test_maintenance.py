"""The engine indexes, deletes old requests and counts without being asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import httpx
import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import ScriptedExtractor
from tests.servers.databases import administrator
from tests.support.notes import note_request
from tests.support.recollections import turn
from tests.support.stores import NOON, Store
from tests.support.tables import table
from tests.support.waiting import until
from tests.support.watched_stores import Through, with_parts
from uuid_utils.compat import uuid7

from recollect.engine import Engine
from recollect.engine.background import maintenance
from recollect.engine.background.counts import LAG_SECONDS, FormationCounts
from recollect.errors import StoreUnavailableError
from recollect.model import (
    Actor,
    Add,
    Change,
    Doubt,
    Exchange,
    Formed,
    Hide,
    Ignore,
    Kind,
    Lifetimes,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    RequestRecord,
    Retire,
    Source,
    Strategy,
)
from recollect.webhook import Webhook


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tidy again at once, where a real engine waits for an hour."""
    monkeypatch.setattr(maintenance, "_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(maintenance, "_RETRY_SECONDS", 0.01)


@dataclass
class Tidied:
    """How often a store enqueued messages without an index and pruned old requests; ``breaks`` makes both fail."""

    enqueued: int = 0
    pruned: int = 0
    breaks: Exception | None = None


class Watched(Through):
    """A part that notes when it is tidied, and may break at it."""

    def __init__(self, part: object, tidied: Tidied) -> None:
        super().__init__(part)
        self._tidied = tidied

    def _break(self) -> None:
        if self._tidied.breaks is not None:
            raise self._tidied.breaks

    async def enqueue_unindexed(self) -> None:
        self._tidied.enqueued += 1
        self._break()
        await self._part.enqueue_unindexed()

    async def prune(self, before: datetime) -> None:
        self._tidied.pruned += 1
        self._break()
        await self._part.prune(before)


def watched(store: Store, tidied: Tidied) -> Store:
    return with_parts(store, index=Watched(store.index, tidied), retention=Watched(store.retention, tidied))


@asynccontextmanager
async def running(engine: Engine) -> AsyncIterator[None]:
    task = asyncio.create_task(engine.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
    assert task.cancelled()


async def tidied_again(tidied: Tidied, times: int = 2) -> None:
    wanted = tidied.pruned + times
    await until(lambda: tidied.pruned >= wanted)


def request_at(store: Store, at: datetime) -> RequestRecord:
    return RequestRecord(uuid7(), at, store.anna.scope, "completions/stable", "scripted")


async def test_memories_are_forgotten_on_their_day_and_by_the_operators_days(own_store: Store) -> None:
    old = NOON - timedelta(days=10)
    for memory in (
        own_store.memory("Has a desk", expires_at=old),
        own_store.memory("Buys a lamp", kind=Kind.TODO, created_at=old),
        own_store.memory("Likes tea", created_at=old),
    ):
        await own_store.memories.apply(own_store.anna.scope, [Add(memory)], actor=Actor.USER, at=NOON)
    engine = engine_over(own_store, replace(PATIENT, lifetimes=Lifetimes.from_texts(["todo:9"])))

    async def left() -> list[str]:
        return [each.content for each in (await engine.page(own_store.anna, limit=9)).memories]

    async def are_gone() -> bool:
        return await left() == ["Likes tea"]

    async with running(engine):
        await until(are_gone)


async def test_messages_older_than_the_operator_keeps_go_without_being_asked_for(own_store: Store) -> None:
    engine = engine_over(own_store, replace(PATIENT, log_days=9))
    for days in (9, 8):
        said = own_store.turn(f"I drink tea {days}", key=f"{days}", at=NOON - timedelta(days=days, seconds=1))
        await engine.remember(said, "Good.")
    await engine.drain(own_store.anna)

    async def left() -> bool:
        kept = await engine.messages(own_store.anna.scope, limit=9)
        return [each.content for each in kept] == ["I drink tea 8", "Good."]

    async with running(engine):
        await until(left)
    assert len((await engine.page(own_store.anna, limit=9)).memories) == 2


@table("extractor, told", [(None, None), (ScriptedExtractor(), Strategy.EXTRACT)])
async def test_the_log_is_told_whether_a_model_reads_what_none_has_read(
    own_store: Store, extractor: ScriptedExtractor | None, told: Strategy | None
) -> None:
    strategies: set[Strategy | None] = set()

    class Watched(Through):
        async def erase_old(self, *_: object, strategy: Strategy | None, **__: object) -> int:
            strategies.add(strategy)
            return 0

    watched = with_parts(own_store, log=Watched(own_store.log))
    policy = replace(PATIENT, log_days=9, strategy=Strategy.EXTRACT)
    async with running(engine_over(watched, policy, extractor=extractor)):
        await until(lambda: bool(strategies))
    assert strategies == {told}


async def test_a_rule_comes_back_within_the_minute_to_whoever_was_busy(
    own_store: Store, own_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_EVERY_SECONDS", 3600.0)
    lamp = own_store.memory("Buys a lamp", kind=Kind.TODO, created_at=NOON - timedelta(days=9))
    await own_store.memories.apply(own_store.anna.scope, [Add(lamp)], actor=Actor.USER, at=NOON)
    engine = engine_over(own_store, replace(PATIENT, lifetimes=Lifetimes.from_texts(["todo:9"])))

    async def is_gone() -> bool:
        return not (await engine.page(own_store.anna, limit=9)).memories

    with capture_logs() as logs:
        async with administrator(own_dsn) as connection, connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", own_store.anna)
            async with running(engine):
                await until(lambda: "expiry_failed" in {line["event"] for line in logs})
                await connection.execute("ROLLBACK AND CHAIN")
                await until(is_gone)


@pytest.mark.parametrize("is_told", [False, True])
async def test_erasures_are_forgotten_unless_a_webhook_is_to_be_told_of_them(
    own_store: Store, *, is_told: bool
) -> None:
    class Watched(Through):
        pruned = 0

        async def prune_erasures(self, _before: datetime) -> int:
            self.pruned += 1
            return 0

    tidied, events = Tidied(), Watched(own_store.events)
    engine = engine_over(with_parts(watched(own_store, tidied), events=events))
    webhook = Webhook("http://127.0.0.1", f"whsec_{'A' * 32}", httpx.AsyncClient(), with_text=False)
    backends = replace(engine._backends, webhook=webhook if is_told else None)
    maintaining = asyncio.create_task(maintenance.maintain(backends, PATIENT, lambda: NOON))
    await tidied_again(tidied)
    maintaining.cancel()

    assert bool(events.pruned) is not is_told


async def test_old_requests_are_forgotten_and_others_stay_once_a_store_that_is_away_is_back(
    own_store: Store,
) -> None:
    tidied = Tidied(breaks=StoreUnavailableError())
    engine = engine_over(watched(own_store, tidied), replace(PATIENT, keep_requests_days=7))
    old, young = (request_at(own_store, NOON - timedelta(days=days)) for days in (8, 6))
    for told in (old, young):
        await note_request(own_store.log, told)

    with capture_logs() as logs:
        async with running(engine):
            await tidied_again(tidied)
            tidied.breaks = None
            await tidied_again(tidied)

    assert {line["event"] for line in logs} >= {"enqueue_unindexed_failed", "prune_requests_failed"}
    assert await engine.request(old.id) is None
    assert await engine.request(young.id) == young


async def test_a_fault_in_tidying_ends_no_formation_and_quotes_nobody(own_store: Store) -> None:
    tidied = Tidied(breaks=ValueError("I drink tea"))
    engine = engine_over(watched(own_store, tidied), PATIENT)

    async def all_formed() -> bool:
        return (await engine.backlog()).pending == 0

    with capture_logs() as logs:
        async with running(engine):
            await tidied_again(tidied)
            await engine.remember(own_store.turn("I drink tea"), "Good.")
            await until(all_formed)

    failed = [line for line in logs if line["event"].endswith("_failed")]
    assert {line["error"] for line in failed} == {"ValueError"}
    assert all(line["raised_at"] for line in failed)
    assert "tea" not in str(failed)


async def test_what_has_no_index_is_enqueued_until_that_has_succeeded_once(own_store: Store) -> None:
    tidied = Tidied(breaks=ValueError())

    async with running(engine_over(watched(own_store, tidied), PATIENT)):
        await until(lambda: tidied.enqueued >= 3)
        tidied.breaks = None
        await tidied_again(tidied)
        enqueued = tidied.enqueued
        await tidied_again(tidied, 3)

    assert tidied.enqueued == enqueued


EXCHANGE = Exchange(UUID(int=1), turn("I drink tea"), "Good.", UUID(int=2), UUID(int=3))
MEMORY = Memory(UUID(int=9), "anna", Kind.FACT, Source.EXTRACTED, "Drinks tea", 0.5, NOON, NOON)
CHANGES: list[Change] = [
    Add(MEMORY),
    Replace(UUID(int=8), MEMORY, Reason.CONTRADICTS),
    Reinforce(UUID(int=7)),
    Ignore(Reason.EQUAL_CONTENT),
    Ignore(Reason.NO_EVIDENCE),
    Retire(UUID(int=6), Reason.CAP),
    Mark(UUID(int=5), Doubt.SUSPECT, Reason.SUSPECT),
    Quarantine(MEMORY, Reason.INSTRUCTION),
    Hide((UUID(int=4),), Reason.CONFIDENTIAL),
]


def counted(seconds: float = 3) -> FormationCounts:
    counts = FormationCounts()
    formed = Formed(EXCHANGE, tuple(CHANGES), 5)
    counts.formed(formed, CHANGES, at=EXCHANGE.turn.at + timedelta(seconds=seconds))
    return counts


def test_each_change_is_counted_once() -> None:
    counts = counted()

    assert (counts.adds, counts.replaces, counts.merges, counts.duplicates) == (1, 1, 1, 2)
    assert counts.rejects == {"equal_content": 1, "no_evidence": 1}
    assert (counts.retired, counts.hidden) == ({"cap": 1}, {"confidential": 1})
    assert (counts.quarantined, counts.marks) == (1, 1)
    assert (counts.successes, counts.extracted) == (1, 5)


def test_the_rates_are_shares_and_nothing_before_the_first() -> None:
    assert (FormationCounts().replacement_rate, FormationCounts().dedup_rate) == (0, 0)
    assert (counted().replacement_rate, counted().dedup_rate) == (1 / 2, 2 / 4)


def test_how_late_it_was_is_told_by_upper_edges() -> None:
    for seconds, place in ((0, 0), (1, 0), (3, 2), (99_999, len(LAG_SECONDS)), (-5, 0)):
        counts = counted(seconds)
        assert counts.lag.counts[place] == sum(counts.lag.counts) == 1
        assert counts.lag.total == max(seconds, 0), "a clock that is behind makes nothing early"


def test_what_two_processes_counted_is_told_together() -> None:
    both = counted(3).plus(counted(99_999))

    assert (both.adds, both.rejects["equal_content"], both.lag.total) == (2, 2, 3 + 99_999)
    assert (both.lag.counts[2], both.lag.counts[-1], sum(both.lag.counts)) == (1, 1, 2)


def test_a_summary_counts_only_where_one_was_kept() -> None:
    counts = FormationCounts()
    counts.summarized([])
    counts.summarized([Add(MEMORY, Reason.SUMMARIZED)])

    assert counts.summaries == 1
