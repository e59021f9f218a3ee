"""The embedder is replaced by another: nothing that was found before is missed meanwhile. With real embedders."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from tests.recollect.engines import PATIENT
from tests.recollect.store.keeping import apply
from tests.scripted.models import BrokenEmbedder
from tests.servers.databases import administrator
from tests.support.recollections import NOON
from tests.support.stores import Store, store_over

from recollect.assembly.generations import LiveGenerations, TodaysEmbedder
from recollect.engine import Backends, Engine
from recollect.engine.background.maintenance import Indexer, Reembedding, Standing, embedding_state
from recollect.index import SnapshotCache
from recollect.indexing import EmbeddingScope, index_user
from recollect.model import Add, EmbedderInUse, EmbedderPlace
from recollect.models.attempts import Steps
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder, committed_means
from recollect.models.memory_embedding import embedded
from recollect.ports import Embedder
from recollect.store import Postgres

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


@pytest.fixture
def today(e5: MultilingualE5Embedder) -> Kept:
    return Kept(e5)


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
            **store.parts,
            embedder=local,
            log_embedder=of_log,
            generations=self.generations,
            generation_store=postgres.generations,
        )
        self.engine = Engine(self.backends, PATIENT, clock=lambda: NOON)
        indexer = Indexer(self.backends, PATIENT, Steps(self.backends.attempts, lambda: NOON))
        self.reembedding = Reembedding(self.backends, indexer, sleep=self._rest)
        self.rested = 0

    async def _rest(self, _seconds: float) -> None:
        self.rested += 1
        await asyncio.sleep(0)

    async def begin(self) -> "Process":
        await self.generations.look()
        return self

    async def reembed(self) -> bool:
        assert self.backends.generation_store is not None
        return await self.reembedding.go_on(self.backends.generation_store)


async def known(store: Store, embedder: Embedder, user_id: str | None = None) -> None:
    """Say the messages, and index them by an embedder."""
    scope = replace(store.anna.scope, user_id=user_id or store.anna)
    for text in SAID:
        await store.log.append(store.exchange(text, scope, reply=""))
    everything = EmbeddingScope.ALL
    await index_user(
        scope.user_id, index=store.index, embedder=embedder, log_embedder=embedder, embedded=everything
    )


async def found(engine: Engine, store: Store, user_id: str | None = None) -> dict[str, str | None]:
    """Return what each question is answered by first."""
    best: dict[str, str | None] = {}
    for text, question in SAID.items():
        turn = store.turn(question, replace(store.anna.scope, user_id=user_id or store.anna))
        ranked = (await engine.rank(turn)).ranked
        best[text] = ranked[0].item.content if ranked else None
    return best


ALL = {text: text for text in SAID}


async def left_by(dsn: str, ago: timedelta) -> None:
    """Age all rows, as if the processes that wrote them had ended since."""
    async with administrator(dsn) as connection:
        await connection.execute(
            "UPDATE recollect.embedders SET seen_at = seen_at - $1::interval, chosen_at = chosen_at - $1::interval",
            ago,
        )
        await connection.execute("UPDATE recollect.users SET embedded_at = embedded_at - $1::interval", ago)


GONE = timedelta(minutes=2)


async def test_the_first_question_after_a_switch_finds_what_the_other_embedder_embedded(
    own_postgres: Postgres, own_store: Store, before: Kept, today: Kept
) -> None:
    await (await Process(own_postgres, today, before).begin()).engine.size()
    await known(own_store, before)
    process = await Process(own_postgres, today, today, before).begin()

    assert await found(process.engine, own_store) == ALL
    small = SnapshotCache(process.backends.snapshots._store, most_bytes=1)
    assert (await small.get(own_store.anna)).passages is None, "the log is too large for a process's memory"
    engine = Engine(replace(process.backends, snapshots=small), PATIENT, clock=lambda: NOON)
    assert await found(engine, own_store) == ALL


async def test_all_is_embedded_anew_and_the_embedder_before_is_let_go(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, today, before).begin()
    for user in (own_store.anna, own_store.ben):
        await known(own_store, before, user)
    await left_by(own_dsn, GONE)
    process = await Process(own_postgres, today, today, before).begin()
    assert process.backends.generation_store is not None
    begun = await embedding_state(process.backends, process.backends.generation_store)

    assert await process.reembed()
    await process.generations.look()
    ended = await embedding_state(process.backends, process.backends.generation_store)

    assert (begun.is_complete, begun.counts.users, begun.counts.users_done) == (False, 2, 0)
    assert (ended.is_complete, ended.counts.users_done, ended.counts.texts_done) == (True, 2, 6)
    assert {each.model for each in ended.embedders} == {today.name}
    assert list(process.generations.earlier) == []
    assert process.rested >= 2
    assert await process.engine.unembedded(own_store.anna) == 0
    assert await found(process.engine, own_store) == ALL


def test_what_is_embedded_counts_from_when_the_last_of_the_others_was_seen() -> None:
    earlier, later = (
        EmbedderInUse(EmbedderPlace.LOG, f"model of {at}", {}, NOON, at, NOON, is_used=False)
        for at in (NOON, NOON + timedelta(days=1))
    )

    standing = Standing.from_embedders([later, earlier], {EmbedderPlace.LOG: "today's"})

    assert (standing.since, standing.waits, standing.is_complete) == (later.seen_at, False, False)


async def test_what_was_done_is_not_done_again_where_another_process_goes_on(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, today, before).begin()
    for user in (own_store.anna, own_store.ben):
        await known(own_store, before, user)
    await left_by(own_dsn, GONE)
    killed, store = await Process(own_postgres, today, today, before).begin(), own_postgres.generations
    await killed.reembedding.indexer.embed_missing(own_store.anna)
    await store.mark(own_store.anna)
    next_one = await Process(own_postgres, today, today, before).begin()
    assert next_one.backends.generation_store is not None

    state = await embedding_state(next_one.backends, next_one.backends.generation_store)
    since = max(each.seen_at for each in state.embedders if each.model == before.name)
    left = await store.users(since, without=(), limit=9)

    assert (state.counts.users, state.counts.users_done) == (2, 1)
    assert left == [own_store.ben]
    assert await next_one.reembed()
    assert await found(next_one.engine, own_store, own_store.ben) == ALL


async def test_questions_that_are_asked_while_all_is_embedded_anew_miss_nothing(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, today, before).begin()
    users = [f"user {number}" for number in range(4)]
    for user in users:
        await known(own_store, before, user)
    await left_by(own_dsn, GONE)
    worker = await Process(own_postgres, today, today, before).begin()
    relay = await Process(own_postgres, today, today, before).begin()
    working = asyncio.create_task(worker.reembed())

    async def ask(user: str) -> int:
        asked = 0
        while not working.done() or not asked:
            assert await found(relay.engine, own_store, user) == ALL
            asked += 1
        return asked

    rounds = await asyncio.gather(*(ask(user) for user in users[::2]))

    assert await working
    assert min(rounds) >= 1
    assert await found(relay.engine, own_store, users[0]) == ALL


async def test_while_old_replicas_still_write_nothing_is_embedded_twice_and_both_find_all(
    own_postgres: Postgres, own_store: Store, before: Kept, today: Kept
) -> None:
    old = await Process(own_postgres, today, before, today).begin()
    await known(own_store, before)
    new = await Process(own_postgres, today, today, before).begin()
    await known(own_store, today, own_store.ben)
    await old.generations.look()

    assert await new.reembed()  # it waits

    assert (old.generations.is_today, new.generations.is_today) == (False, True)
    assert await new.engine.unembedded(own_store.anna) == len(SAID)
    for user in (own_store.anna, own_store.ben):
        assert await found(old.engine, own_store, user) == ALL
        assert await found(new.engine, own_store, user) == ALL


async def test_a_switch_that_is_taken_back_embeds_again_what_was_embedded_meanwhile(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    first = await Process(own_postgres, today, before, today).begin()
    await known(own_store, before)
    assert await first.reembed()
    await left_by(own_dsn, GONE)
    second = await Process(own_postgres, today, today, before).begin()
    await second.reembedding.indexer.embed_missing(own_store.anna)
    await left_by(own_dsn, GONE)
    again = await Process(own_postgres, today, before, today).begin()

    assert again.generations.is_today
    assert await again.reembed()
    assert await again.engine.unembedded(own_store.anna) == 0
    assert await found(again.engine, own_store) == ALL


async def test_the_local_embedder_serves_the_log_on_as_the_one_before(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, today, today).begin()
    await known(own_store, today)
    await left_by(own_dsn, GONE)
    process = await Process(own_postgres, today, before).begin()

    assert list(process.generations.earlier) == [today]
    assert await found(process.engine, own_store) == ALL
    await process.generations.aclose()
    assert len(await today.embed(["It is open."])) == 1


async def test_statements_of_other_weights_are_embedded_anew(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, before, today).begin()
    [told] = await embedded([own_store.memory(next(iter(SAID)))], before)
    await apply(own_store, Add(told))
    await left_by(own_dsn, GONE)
    process = await Process(own_postgres, today, today).begin()
    state = await embedding_state(process.backends, own_postgres.generations)

    assert (process.generations.changing, state.is_complete) == (True, False)
    assert await process.reembed()
    assert (await own_store.memories.get(own_store.anna, told.id)).embedding_model == today.name


async def test_an_embedder_that_is_gone_for_good_keeps_nobody_from_asking(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, today, before).begin()
    await known(own_store, before)
    await left_by(own_dsn, GONE)
    process = await Process(own_postgres, today, today).begin()

    assert process.generations.changing
    ranked = (await process.engine.rank(own_store.turn("What about peanuts?"))).ranked
    assert [each.item.content for each in ranked][:1] == ["Anna is allergic to peanuts."]
    assert await process.reembed()
    assert await found(process.engine, own_store) == ALL


async def test_an_embedder_that_is_away_leaves_what_there_is(
    own_postgres: Postgres, own_store: Store, own_dsn: str, before: Kept, today: Kept
) -> None:
    await Process(own_postgres, today, before).begin()
    await known(own_store, before)
    await left_by(own_dsn, GONE)
    process = await Process(own_postgres, today, BrokenEmbedder(), before).begin()

    assert not await process.reembed()
    assert await found(process.engine, own_store) == ALL
