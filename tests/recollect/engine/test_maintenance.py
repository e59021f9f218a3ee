"""The engine indexes, deletes old requests and counts without being asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import httpx
import numpy as np
import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.recollect.store.keeping import apply
from tests.scripted.models import BrokenEmbedder, ScriptedExtractor
from tests.servers.databases import administrator
from tests.support.notes import note_request
from tests.support.recollections import turn
from tests.support.stores import NOON, Store, store_over
from tests.support.tables import table
from tests.support.waiting import until
from tests.support.watched_stores import Before, Through, with_parts
from uuid_utils.compat import uuid7

from recollect.assembly.earlier_embedders import LiveGenerations, TodaysEmbedder
from recollect.engine import Backends, Engine
from recollect.engine.background import maintenance
from recollect.engine.background.maintenance import Reembedding, Standing, embedding_state
from recollect.engine.counters import LAG_SECONDS, FormationCounts
from recollect.errors import StoreUnavailableError
from recollect.index import SnapshotCache
from recollect.index_run import Indexer
from recollect.model import (
    Actor,
    Add,
    Change,
    Doubt,
    EmbedderInUse,
    EmbedderPlace,
    EmbeddingScope,
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
    Scope,
    Source,
    Strategy,
)
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder, committed_means
from recollect.models.memory_embedding import embedded
from recollect.ports import Embedder
from recollect.store import Postgres
from recollect.webhook import Webhook


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tidy again at once, where a real engine waits for an hour."""
    monkeypatch.setattr(maintenance, "_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(maintenance, "_RETRY_SECONDS", 0.01)


class Tidied:
    """How often a store enqueued messages without an index and pruned old requests; ``breaks`` makes both fail."""

    def __init__(self, store: Store, breaks: Exception | None = None) -> None:
        self.enqueued = self.pruned = 0
        self.breaks = breaks
        index = Before(store.index, enqueue_unindexed=self._enqueue)
        self.store = with_parts(store, index=index, retention=Before(store.retention, prune=self._prune))

    async def _enqueue(self) -> None:
        self.enqueued += 1
        if self.breaks is not None:
            raise self.breaks

    async def _prune(self, _before: datetime) -> None:
        self.pruned += 1
        if self.breaks is not None:
            raise self.breaks

    async def again(self, times: int = 2) -> None:
        """Wait until it is tidied so often again."""
        wanted = self.pruned + times
        await until(lambda: self.pruned >= wanted)


@asynccontextmanager
async def running(engine: Engine) -> AsyncIterator[None]:
    task = asyncio.create_task(engine.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
    assert task.cancelled()


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
async def test_erasures_are_forgotten_unless_a_webhook_is_told(own_store: Store, *, is_told: bool) -> None:
    class Watched(Through):
        pruned = 0

        async def prune_erasures(self, _before: datetime) -> int:
            self.pruned += 1
            return 0

    tidied, events = Tidied(own_store), Watched(own_store.events)
    engine = engine_over(with_parts(tidied.store, events=events))
    webhook = Webhook("http://127.0.0.1", f"whsec_{'A' * 32}", httpx.AsyncClient(), with_text=False)
    backends = replace(engine._backends, webhook=webhook if is_told else None)
    maintaining = asyncio.create_task(maintenance.maintain(backends, PATIENT, lambda: NOON))
    await tidied.again()
    maintaining.cancel()

    assert bool(events.pruned) is not is_told


async def test_old_requests_are_forgotten_once_a_store_that_was_away_is_back(own_store: Store) -> None:
    tidied = Tidied(own_store, StoreUnavailableError())
    engine = engine_over(tidied.store, replace(PATIENT, keep_requests_days=7))
    old, young = (request_at(own_store, NOON - timedelta(days=days)) for days in (8, 6))
    for told in (old, young):
        await note_request(own_store.log, told)

    with capture_logs() as logs:
        async with running(engine):
            await tidied.again()
            tidied.breaks = None
            await tidied.again()

    assert {line["event"] for line in logs} >= {"enqueue_unindexed_failed", "prune_requests_failed"}
    assert (await engine.request(old.id), await engine.request(young.id)) == (None, young)


async def test_a_fault_in_tidying_ends_no_formation_and_quotes_nobody(own_store: Store) -> None:
    tidied = Tidied(own_store, ValueError("I drink tea"))
    engine = engine_over(tidied.store, PATIENT)

    async def all_formed() -> bool:
        return (await engine.backlog()).pending == 0

    with capture_logs() as logs:
        async with running(engine):
            await tidied.again()
            await engine.remember(own_store.turn("I drink tea"), "Good.")
            await until(all_formed)

    failed = [line for line in logs if line["event"].endswith("_failed")]
    assert {line["error"] for line in failed} == {"ValueError"}
    assert all(line["raised_at"] for line in failed)
    assert "tea" not in str(failed)


async def test_what_has_no_index_is_enqueued_until_that_has_succeeded_once(own_store: Store) -> None:
    tidied = Tidied(own_store, ValueError())

    async with running(engine_over(tidied.store, PATIENT)):
        await until(lambda: tidied.enqueued >= 3)
        tidied.breaks = None
        await tidied.again()
        enqueued = tidied.enqueued
        await tidied.again(3)

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
    assert (counts.quarantined, counts.marks, counts.successes, counts.extracted) == (1, 1, 1, 5)


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


# -- The embedder is replaced by another: nothing that was found before is missed meanwhile. With real embedders --


SAID = {
    "Anna is allergic to peanuts.": "Which snack should I avoid at the fair?",
    "Her sister lives in Lisbon.": "Where could I visit family abroad?",
    "Anna plays the cello in an orchestra.": "Which musical instrument did I learn?",
}
"""Messages, each with a question that shares no word with it."""


class Kept:
    """An embedder that the test closes, since several of its processes share it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.gate = embedder.name, embedder.gate
        self.embed, self.embed_question = embedder.embed, embedder.embed_question

    async def aclose(self) -> None:
        """Let go of nothing."""


@pytest.fixture(scope="module")
async def before() -> AsyncIterator[Kept]:
    made = MultilingualE5Embedder(means=committed_means() * np.float32(0.97))
    yield Kept(made)
    await made.aclose()


class Process:
    """One process's engine over a shared store, which embeds the log by an embedder of its own."""

    def __init__(self, postgres: Postgres, local: Embedder, of_log: Embedder, *others: Embedder) -> None:
        own = {EmbedderPlace.LOG: TodaysEmbedder(of_log.name, {"embedder": of_log.name})}
        own[EmbedderPlace.STATEMENTS] = TodaysEmbedder(local.name, {})
        made = {each.name: each for each in others}
        self.generations = LiveGenerations(
            postgres.generations, own, local, lambda made_by: made.get(made_by["embedder"])
        )
        store = store_over(postgres)
        self.backends = Backends(
            store,
            embedder=local,
            log_embedder=of_log,
            generations=self.generations,
        )
        self.engine = Engine(self.backends, PATIENT, clock=lambda: NOON)
        indexer = Indexer(store.index, local, of_log, PATIENT.embedded, generations=self.generations)
        self.reembedding = Reembedding(self.backends, indexer, sleep=self._rest)
        self.rested = 0

    async def _rest(self, _seconds: float) -> None:
        self.rested += 1
        await asyncio.sleep(0)

    async def reembed(self) -> bool:
        return await self.reembedding.go_on()


ALL = {text: text for text in SAID}


@dataclass
class World:
    """A store that several processes share, and two embedders."""

    postgres: Postgres
    store: Store
    dsn: str
    before: Kept
    today: Kept

    async def begins(self, local: Embedder, of_log: Embedder, *others: Embedder) -> Process:
        process = Process(self.postgres, local, of_log, *others)
        await process.generations.look()
        return process

    async def knows(self, embedder: Embedder, *users: str) -> None:
        """Say the messages, Anna or the users, and index them by an embedder."""
        for user_id in users or (self.store.anna,):
            for text in SAID:
                await self.store.log.append(self.store.exchange(text, Scope(user_id, "chat-1"), reply=""))
            await Indexer(self.store.index, embedder, embedder, EmbeddingScope.ALL).index_user(user_id)

    async def ages(self) -> None:
        """Age all rows by two minutes, as if the processes that wrote them had ended since."""
        ago = timedelta(minutes=2)
        async with administrator(self.dsn) as connection:
            await connection.execute(
                "UPDATE recollect.embedders SET seen_at = seen_at - $1::interval, chosen_at = chosen_at - $1::interval",
                ago,
            )
            await connection.execute(
                "UPDATE recollect.users SET embedded_at = embedded_at - $1::interval", ago
            )

    async def knew(self, *users: str) -> None:
        """Have the messages embedded by a process that has ended since, with the embedder of before."""
        await self.begins(self.today, self.before)
        await self.knows(self.before, *users)
        await self.ages()

    async def found(self, engine: Engine, user_id: str | None = None) -> dict[str, str | None]:
        """Return what each question is answered by first."""
        best: dict[str, str | None] = {}
        for text, question in SAID.items():
            turn = self.store.turn(question, Scope(user_id or self.store.anna, "chat-1"))
            ranked = (await engine.rank(turn)).ranked
            best[text] = ranked[0].item.content if ranked else None
        return best


@pytest.fixture
def world(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, e5: MultilingualE5Embedder
) -> World:
    return World(own_postgres, own_store, own_dsn, before, Kept(e5))


async def test_the_first_question_after_a_switch_finds_what_the_other_embedder_embedded(world: World) -> None:
    await (await world.begins(world.today, world.before)).engine.size()
    await world.knows(world.before)
    process = await world.begins(world.today, world.today, world.before)

    assert await world.found(process.engine) == ALL
    small = SnapshotCache(process.backends.store.snapshots._store, most_bytes=1)
    assert (await small.get(world.store.anna)).passages is None, "the log is too large for a process's memory"
    store = replace(process.backends.store, snapshots=small)
    engine = Engine(replace(process.backends, store=store), PATIENT, clock=lambda: NOON)
    assert await world.found(engine) == ALL


async def test_all_is_embedded_anew_and_the_embedder_before_is_let_go(world: World) -> None:
    await world.knew(world.store.anna, world.store.ben)
    process = await world.begins(world.today, world.today, world.before)
    begun = await embedding_state(process.backends)

    assert await process.reembed()
    await process.generations.look()
    ended = await embedding_state(process.backends)

    assert (begun.is_complete, begun.counts.users, begun.counts.users_done) == (False, 2, 0)
    assert (ended.is_complete, ended.counts.users_done, ended.counts.texts_done) == (True, 2, 6)
    assert {each.model for each in ended.embedders} == {world.today.name}
    assert list(process.generations.earlier) == []
    assert process.rested >= 2
    assert await process.engine.unembedded(world.store.anna) == 0
    assert await world.found(process.engine) == ALL


def test_what_is_embedded_counts_from_when_the_last_of_the_others_was_seen() -> None:
    earlier, later = (
        EmbedderInUse(EmbedderPlace.LOG, f"model of {at}", {}, NOON, at, NOON, is_used=False)
        for at in (NOON, NOON + timedelta(days=1))
    )

    standing = Standing.from_embedders([later, earlier], {EmbedderPlace.LOG: "today's"})

    assert (standing.since, standing.waits, standing.is_complete) == (later.seen_at, False, False)


async def test_what_was_done_is_not_done_again_where_another_process_goes_on(world: World) -> None:
    await world.knew(world.store.anna, world.store.ben)
    killed, store = await world.begins(world.today, world.today, world.before), world.postgres.generations
    await killed.reembedding.indexer.embed_missing(world.store.anna)
    await store.mark(world.store.anna)
    next_one = await world.begins(world.today, world.today, world.before)

    state = await embedding_state(next_one.backends)
    since = max(each.seen_at for each in state.embedders if each.model == world.before.name)
    left = await store.users(since, without=(), limit=9)

    assert (state.counts.users, state.counts.users_done, left) == (2, 1, [world.store.ben])
    assert await next_one.reembed()
    assert await world.found(next_one.engine, world.store.ben) == ALL


async def test_questions_that_are_asked_while_all_is_embedded_anew_miss_nothing(world: World) -> None:
    users = [f"user {number}" for number in range(4)]
    await world.knew(*users)
    worker = await world.begins(world.today, world.today, world.before)
    relay = await world.begins(world.today, world.today, world.before)
    working = asyncio.create_task(worker.reembed())

    async def ask(user: str) -> int:
        asked = 0
        while not working.done() or not asked:
            assert await world.found(relay.engine, user) == ALL
            asked += 1
        return asked

    rounds = await asyncio.gather(*(ask(user) for user in users[::2]))

    assert await working
    assert min(rounds) >= 1
    assert await world.found(relay.engine, users[0]) == ALL


async def test_while_old_replicas_write_nothing_is_embedded_twice_and_both_find_all(world: World) -> None:
    old = await world.begins(world.today, world.before, world.today)
    await world.knows(world.before)
    new = await world.begins(world.today, world.today, world.before)
    await world.knows(world.today, world.store.ben)
    await old.generations.look()

    assert await new.reembed()  # it waits

    assert (old.generations.is_today, new.generations.is_today) == (False, True)
    assert await new.engine.unembedded(world.store.anna) == len(SAID)
    for user in (world.store.anna, world.store.ben):
        assert (await world.found(old.engine, user), await world.found(new.engine, user)) == (ALL, ALL)


async def test_a_switch_that_is_taken_back_embeds_again_what_was_embedded_meanwhile(world: World) -> None:
    first = await world.begins(world.today, world.before, world.today)
    await world.knows(world.before)
    assert await first.reembed()
    await world.ages()
    second = await world.begins(world.today, world.today, world.before)
    await second.reembedding.indexer.embed_missing(world.store.anna)
    await world.ages()
    again = await world.begins(world.today, world.before, world.today)

    assert again.generations.is_today
    assert await again.reembed()
    assert (await again.engine.unembedded(world.store.anna), await world.found(again.engine)) == (0, ALL)


async def test_the_local_embedder_serves_the_log_on_as_the_one_before(world: World) -> None:
    await world.begins(world.today, world.today)
    await world.knows(world.today)
    await world.ages()
    process = await world.begins(world.today, world.before)

    assert (list(process.generations.earlier), await world.found(process.engine)) == ([world.today], ALL)
    await process.generations.aclose()
    assert len(await world.today.embed(["It is open."])) == 1


async def test_statements_of_other_weights_are_embedded_anew(world: World) -> None:
    await world.begins(world.before, world.today)
    [told] = await embedded([world.store.memory(next(iter(SAID)))], world.before)
    await apply(world.store, Add(told))
    await world.ages()
    process = await world.begins(world.today, world.today)
    state = await embedding_state(process.backends)

    assert (process.generations.changing, state.is_complete) == (True, False)
    assert await process.reembed()
    assert (await world.store.memories.get(world.store.anna, told.id)).embedding_model == world.today.name


async def test_an_embedder_that_is_gone_for_good_keeps_nobody_from_asking(world: World) -> None:
    await world.knew()
    process = await world.begins(world.today, world.today)

    assert process.generations.changing
    ranked = (await process.engine.rank(world.store.turn("What about peanuts?"))).ranked
    assert [each.item.content for each in ranked][:1] == ["Anna is allergic to peanuts."]
    assert await process.reembed()
    assert await world.found(process.engine) == ALL


async def test_an_embedder_that_is_away_leaves_what_there_is(world: World) -> None:
    await world.knew()
    process = await world.begins(world.today, BrokenEmbedder(), world.before)

    assert not await process.reembed()
    assert await world.found(process.engine) == ALL
