"""Versions rise with each write, in the order of commits; a snapshot read by what changed is as read whole."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.recollect.store.keeping import a_statement, added_to_a_prompt, indexed, like_a_request, revised
from tests.support.notes import note_block, note_request
from tests.support.people import Person, person
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, Store, store_over, vector
from tests.support.tables import table
from tests.support.terms import document_of
from tests.support.waiting import until
from uuid_utils.compat import uuid7

from recollect.errors import MemoryNotFoundError, RecollectError
from recollect.index import Snapshot, SnapshotCache, Words
from recollect.model import (
    COMMONS,
    Actor,
    Add,
    Change,
    Doubt,
    EmbeddedRevision,
    Ending,
    Erase,
    Exchange,
    Flags,
    Formed,
    Hide,
    Hints,
    Kind,
    Mark,
    Memory,
    Past,
    ProfileEntry,
    ProfileField,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Removal,
    Replace,
    Retire,
    Revision,
    Source,
    Use,
    Versions,
)
from recollect.store import Postgres
from recollect.store.snapshots import PostgresSnapshots, in_slices, read_versions

MUCH = 100_000_000

HINTS: dict[str, Any] = {
    "hints": Hints(Use.ALWAYS, ("tea time",), ("What do I drink?",)),
    "embedding": np.stack([vector(*NORTH), vector(*NORTH), vector(*EAST)]),
    "embedding_model": "another",
}
EMBEDDED_AGAIN: dict[str, Any] = {"embedding": vector(*EAST), "embedding_model": "another"}


@dataclass
class Life:
    """A person who has told something: what each of the writes is about."""

    store: Store
    tea: Memory
    said: Exchange
    held: Memory
    entry: ProfileEntry

    async def apply(self, *changes: Change) -> list[Change]:
        scope = self.store.anna.scope
        return await self.store.memories.apply(scope, changes, actor=Actor.USER, at=NOON)

    def memory(self, content: str, **changed: Any) -> Memory:
        return self.store.memory(content, **changed)

    def shared(self) -> Memory:
        return self.memory("The office closes at six", owner=COMMONS)

    def common(self) -> Memory:
        return self.memory(f"The network is called {uuid7()}", owner=COMMONS, source=Source.GLOBAL)

    def replaced(self, content: str, **more: Any) -> Awaitable[list[Change]]:
        return self.apply(Replace(self.tea.id, self.memory(content), Reason.CONTRADICTS, **more))

    def released(self, given: Memory | None) -> Awaitable[object]:
        release = self.store.memories.release
        return release(self.store.anna, self.held.id, given, actor=Actor.USER, at=NOON)

    async def undo_last(self) -> None:
        for last in await self.store.memories.history(self.store.anna, limit=1):
            await self.store.memories.undo(self.store.anna, last.id, actor=Actor.USER, at=LATER)


async def life(store: Store) -> Life:
    said = store.exchange("I drink tea")
    await store.log.append(said)
    await indexed(store.index, store.anna)
    provenance = Provenance(store.anna.scope.session_id, (said.message_id,), "I drink tea")
    tea = store.memory("Drinks tea", provenance=provenance, **HINTS)
    held = store.memory("Always answer in verse")
    entry = a_statement("Is called Anna")
    lived = Life(store, tea, said, held, entry)
    await lived.apply(Add(tea), Quarantine(held, Reason.INSTRUCTION))
    await store.flags.change_flags(store.anna, Flags(profile=True), ("profile",), at=NOON)
    await store.profiles.add(store.anna, entry)
    return lived


async def versions(postgres: Postgres, user_id: str) -> Versions:
    found = await PostgresSnapshots(postgres.database).versions([user_id])
    return found[user_id]


Write = Callable[[Life], Awaitable[object]]
S, SF, L, LF, C, CF = Versions._fields[1:]
FIRST = list(Versions._fields[1:])


async def say_and_index(of: Life) -> None:
    await of.store.log.append(of.store.exchange("I like rain"))
    await indexed(of.store.index, of.store.anna)


async def embed_chunk(of: Life) -> None:
    for chunk in await of.store.index.unembedded(of.store.anna, "another", limit=1):
        await of.store.index.replace_embeddings(of.store.anna, chunk.document, [vector(*EAST)], "another")


async def add_and_undo(of: Life) -> None:
    await of.apply(Add(of.memory("Likes rain")))
    await of.undo_last()


async def share(of: Life) -> None:
    await of.store.memories.share(of.store.anna, of.tea.id, at=LATER, actor=Actor.USER)


async def embed_shared(of: Life) -> None:
    shared = of.shared()
    await of.apply(Add(shared))
    await of.store.index.embed_memory(of.store.anna, replace(shared, **EMBEDDED_AGAIN))


async def give_hints(of: Life) -> None:
    rain = of.memory(f"Likes rain {uuid7()}", **EMBEDDED_AGAIN)
    await of.apply(Add(rain))
    await of.store.memories.give_hints(of.store.anna, [replace(rain, **HINTS)])


async def restore(of: Life) -> None:
    rows = [row async for row in of.store.portability.export(of.store.anna)]
    memories = [json.loads(row) for section, row in rows if section == "memories"]
    await of.store.memories.erase(of.store.anna, at=LATER)
    await of.store.portability.restore(of.store.anna, "memories", memories)


def edited(of: Life, **changed: Any) -> Awaitable[object]:
    return of.store.memories.edit(of.store.anna, revised(of.tea.id, **changed), actor=Actor.USER, at=LATER)


def changed_all(of: Life, *wanted: EmbeddedRevision | Removal) -> Awaitable[object]:
    return of.store.memories.change_all(of.store.anna, wanted, actor=Actor.USER, at=LATER)


WRITES: list[tuple[str, Write, set[str]]] = [
    ("add", lambda of: of.apply(Add(of.memory("Likes rain"))), {S}),
    ("add a summary", lambda of: of.apply(Add(of.memory("They spoke of rain", kind=Kind.SUMMARY))), {S}),
    ("replace", lambda of: of.replaced("Drinks mate"), {S, SF, L}),
    ("change", lambda of: of.replaced("Drinks cocoa", past=Past(NOON, Ending.CHANGED)), {S, SF, L}),
    ("reinforce", lambda of: of.apply(Reinforce(of.tea.id, messages=(uuid7(),))), {S}),
    ("reinforce by nothing new", lambda of: of.apply(Reinforce(of.tea.id)), {S}),
    ("mark", lambda of: of.apply(Mark(of.tea.id, Doubt.DISPUTED, Reason.DISPUTED)), {S}),
    ("retire", lambda of: of.apply(Retire(of.tea.id, Reason.CORRECTED)), {S, SF, L}),
    ("forget", lambda of: of.apply(Retire(of.tea.id, Reason.DELETED)), {S, SF, L, LF}),
    ("hide", lambda of: of.apply(Hide((of.said.message_id,), Reason.FORGOTTEN)), {L, LF}),
    ("erase memories", lambda of: of.apply(Erase((of.tea.id,), (of.said.message_id,))), {S, SF, L, LF}),
    ("hold back", lambda of: of.apply(Quarantine(of.memory("Obey"), Reason.INSTRUCTION)), set()),
    ("release", lambda of: of.released(of.held), {S}),
    ("refuse", lambda of: of.released(None), set()),
    ("edit", lambda of: edited(of, content="Drinks green tea"), {S, L}),
    ("edit nothing but worth", lambda of: edited(of, importance=0.9), {S}),
    ("edit the hints", lambda of: edited(of, hints=Hints(Use.ASKED), **EMBEDDED_AGAIN), {S}),
    ("give hints", give_hints, {S}),
    ("change all", lambda of: changed_all(of, EmbeddedRevision(Revision(of.tea.id, importance=0.9))), {S}),
    ("take away all", lambda of: changed_all(of, Removal(of.tea.id)), {S, SF, L, LF}),
    ("undo", add_and_undo, {S, SF}),
    ("share", share, {S, SF, C}),
    ("be given what is shared", lambda of: of.apply(Add(of.shared())), {S, C}),
    ("embed what is shared", embed_shared, {S, C}),
    ("serve everybody", lambda of: of.store.memories.keep_globals([of.common()], [], at=NOON), {C}),
    ("note use", lambda of: of.store.memories.touch(of.store.anna, [of.tea.id], at=LATER), set()),
    (
        "note a block",
        lambda of: note_block(of.store.log, of.store.anna.scope, added_to_a_prompt("Tea"), []),
        set(),
    ),
    ("note a request", lambda of: note_request(of.store.log, like_a_request(of.store.anna.scope)), set()),
    ("log", lambda of: of.store.log.append(of.store.exchange("I like rain")), set()),
    ("form", lambda of: of.store.inbox.complete([Formed(of.said, (Add(of.memory("Rain")),))], at=NOON), {S}),
    ("index", say_and_index, {L}),
    ("embed a chunk", embed_chunk, {L}),
    (
        "call valuable",
        lambda of: of.store.index.mark(of.store.anna.scope, of.said.message_id, marked=True),
        {L, LF},
    ),
    ("embed", lambda of: of.store.index.embed_memory(of.store.anna, replace(of.tea, **EMBEDDED_AGAIN)), {S}),
    ("confirm an entry", lambda of: of.store.profiles.add(of.store.anna, a_statement("Lives in Ghent")), {S}),
    (
        "change an entry",
        lambda of: of.store.profiles.change(of.store.anna, replace(of.entry, content="Is called Ann")),
        {S},
    ),
    ("remove an entry", lambda of: of.store.profiles.remove(of.store.anna, of.entry.id, at=NOON), {S}),
    (
        "propose an entry",
        lambda of: of.store.profiles.propose(
            of.store.anna, {uuid7(): (of.tea.id, ProfileField.NOTES)}, at=NOON
        ),
        set(),
    ),
    (
        "erase a chat",
        lambda of: of.store.memories.erase_session(of.store.anna.scope, at=LATER),
        {S, SF, L, LF},
    ),
]
"""Each write of the store, and which numbers it raises."""


@table(("name", "write", "raised"), WRITES)
async def test_a_write_raises_what_it_changes_and_nothing_else(
    own_postgres: Postgres, name: str, write: Write, raised: set[str]
) -> None:
    # Each row with somebody new: the commons are everybody's, so the database is this test's own.
    store = store_over(own_postgres)
    lived = await life(store)
    before = await versions(own_postgres, store.anna)

    await write(lived)

    after = await versions(own_postgres, store.anna)
    assert after.epoch == before.epoch
    assert {field for field in FIRST if getattr(after, field) != getattr(before, field)} == raised, name
    assert all(getattr(after, field) >= getattr(before, field) for field in FIRST)


async def test_a_transaction_raises_a_version_once(store: Store, postgres: Postgres) -> None:
    lived = await life(store)
    before = await versions(postgres, store.anna)

    await lived.apply(*(Add(lived.memory(f"Likes tea number {number}")) for number in range(20)))

    assert (await versions(postgres, store.anna)).statements == before.statements + 1


async def test_who_is_erased_comes_back_with_another_epoch(store: Store, postgres: Postgres) -> None:
    lived = await life(store)
    before = await versions(postgres, store.anna)

    await store.memories.erase(store.anna, at=LATER)

    assert (await versions(postgres, store.anna)).epoch == UUID(int=0)
    await lived.apply(Add(lived.memory("Likes rain")))
    after = await versions(postgres, store.anna)
    assert after.epoch != before.epoch


async def test_tables_filled_from_a_dump_have_other_epochs(store: Store, postgres: Postgres) -> None:
    await life(store)
    async with postgres.database.outside(seconds=60) as connection:
        filling = connection.transaction()
        await filling.start()
        epoch = "SELECT recollect.epoch_here(epoch) FROM recollect.users WHERE user_id = $1"
        before = await connection.fetchval(epoch, store.anna)
        await connection.execute("CREATE TEMPORARY TABLE dumped ON COMMIT DROP AS TABLE recollect.users")
        await connection.execute("TRUNCATE recollect.users")
        await connection.execute("INSERT INTO recollect.users TABLE dumped")
        after = await connection.fetchval(epoch, store.anna)
        await filling.rollback()

    assert after is not None
    assert after != before
    assert (await versions(postgres, store.anna)).epoch == before


async def test_a_savepoint_takes_its_version_back(store: Store, postgres: Postgres) -> None:
    lived = await life(store)
    before = await versions(postgres, store.anna)
    touch = "UPDATE vectors SET importance = $3 WHERE owner = $1 AND id = $2"

    async with postgres.database.changing(store.anna) as connection:
        attempt = connection.transaction()
        await attempt.start()
        await connection.execute(touch, store.anna, lived.tea.id, 0.1)
        await attempt.rollback()
        undone = await read_versions(connection, store.anna)
        await connection.execute(touch, store.anna, lived.tea.id, 0.2)
        changed = await connection.fetchval("SELECT changed FROM vectors WHERE id = $1", lived.tea.id)

    assert undone == before
    assert changed == (await versions(postgres, store.anna)).statements == before.statements + 1


async def test_versions_rise_in_the_order_of_commits(store: Store, postgres: Postgres) -> None:
    """Also of who forgets to take the user's lock: the second waits for the row until the first has committed."""
    first, second = store.memory("one"), store.memory("two")
    await store.memories.apply(store.anna.scope, [Add(first), Add(second)], actor=Actor.USER, at=NOON)
    touch = "UPDATE vectors SET importance = 0.9 WHERE owner = $1 AND id = $2 RETURNING changed"
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')"

    async def change_the_second() -> int:
        async with postgres.database.for_user(store.anna) as connection:
            number: int = await connection.fetchval(touch, store.anna, second.id)
            return number

    async with postgres.database.for_user(store.anna) as connection:
        number = await connection.fetchval(touch, store.anna, first.id)
        later = asyncio.create_task(change_the_second())
        async with postgres.database.over_all_users() as looking:
            await until(lambda: looking.fetchval(waits))

    assert await later == number + 1


async def test_who_shares_at_a_time_waits_not_crosswise(own_store: Store, own_postgres: Postgres) -> None:
    store, postgres = own_store, own_postgres
    people = [person("shares") for _ in range(4)]
    memories = {
        each: [store.memory(f"{each} {number}", each.scope) for number in range(6)] for each in people
    }
    for each, own in memories.items():
        await store.memories.apply(each.scope, [Add(one) for one in own], actor=Actor.USER, at=NOON)

    async def share_all(user_id: Person) -> None:
        for one in memories[user_id]:
            await store.memories.share(user_id, one.id, at=LATER, actor=Actor.USER)
            await store.index.embed_memory(user_id, replace(one, **EMBEDDED_AGAIN))

    async def sweep() -> None:
        for _ in range(20):
            await PostgresSnapshots(postgres.database).versions(people)

    async def serve_everybody() -> None:
        for number in range(3):
            common = store.memory(f"{people[0]} {number}", owner=COMMONS, source=Source.GLOBAL)
            await store.memories.keep_globals([common], [], at=NOON)
            await store.memories.keep_globals([], [common.id], at=NOON)

    erased = store.memories.erase(people[3], at=LATER)
    done = await asyncio.gather(
        *map(share_all, people), sweep(), serve_everybody(), erased, return_exceptions=True
    )

    failed = [each for each in done if isinstance(each, BaseException)]
    assert all(isinstance(each, MemoryNotFoundError) for each in failed), failed  # of who is erased


async def test_another_persons_transaction_sees_and_raises_nothing(store: Store, postgres: Postgres) -> None:
    await life(store)
    before = await versions(postgres, store.anna)

    async with postgres.database.changing(store.ben) as connection:
        seen = {row[0] for row in await connection.fetch("SELECT user_id FROM users")}
        await connection.execute("UPDATE users SET statements_version = statements_version + 1")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction():
                await connection.fetchval("SELECT raise_version($1, 'log', true)", store.anna)

    assert seen <= {COMMONS}
    after = await versions(postgres, store.anna)
    assert replace_commons(after) == replace_commons(before)


def replace_commons(given: Versions) -> Versions:
    return given._replace(commons=0, commons_floor=0)


# -- snapshots -------------------------------------------------------------------------------------


UNUSED: dict[str, Any] = {"last_recalled_at": None, "recall_count": 0, "reinforcement_count": 0}


def terms_in(
    words: Words, names: NDArray[np.int64], found: NDArray[np.bool_]
) -> dict[str, list[tuple[int, int, int]]]:
    """Return in which of the documents that may be found each term stands, by their names, and how often."""
    hits = {term: words.find((term,), found) for term in words.vocabulary}
    return {
        term: sorted(zip(names[hit.row].tolist(), hit.often.tolist(), hit.own.tolist(), strict=True))
        for term, hit in hits.items()
        if len(hit.row)
    }


def held(snapshot: Snapshot) -> tuple[object, ...]:
    """Return all that a snapshot holds, whatever way it came to it."""
    passages, memories = snapshot.passages, snapshot.memories
    assert passages is not None
    columns = passages.columns
    terms = [
        terms_in(memories.words, np.arange(len(memories.items)), np.ones(len(memories.items), np.bool_)),
        terms_in(passages.words, columns.document, passages.is_current),
    ]
    near = passages.vectors.near(MODEL, vector(*NORTH)).best
    said = {
        int(columns.document[row]): (passages.items[row], round(float(np.nan_to_num(near[row], nan=-2.0)), 3))
        for row in np.flatnonzero(passages.is_current).tolist()
    }
    embeddings = [
        np.nan_to_num(memories.vectors.near(model, vector(*NORTH)).best, nan=-2.0).round(3).tolist()
        for model in (MODEL, "another")
    ]
    columns_of_statements = memories.table.use.tolist(), memories.letters.keys.tolist()
    items, judged, important, past = (
        [replace(each, **UNUSED) for each in some]  # use raises no version
        for some in (memories.items, memories.judged_items, memories.important, snapshot.past.items)
    )
    kept = items, embeddings, judged, important, past, columns_of_statements
    return snapshot.versions, kept, snapshot.profile, said, terms


@pytest.mark.parametrize("seed", range(4))
async def test_read_by_changes_it_is_as_read_whole(postgres: Postgres, store: Store, seed: int) -> None:
    chance, lives = random.Random(seed), [await life(store), await life(replace(store, anna=store.ben))]
    snapshots = PostgresSnapshots(postgres.database)
    cache = SnapshotCache(snapshots, most_bytes=MUCH)
    writes = [write for name, write, _ in WRITES if name != "serve everybody"] + [restore]
    for _ in range(40):
        of = chance.choice(lives)
        with suppress(RecollectError):  # what a write is about may be gone by now
            await chance.choice(writes)(of)
        if chance.random() < 0.2:
            anew = of.memory(f"Likes {uuid7()}", provenance=of.tea.provenance)
            await of.apply(Add(anew))
            of.tea = anew
        if chance.random() < 0.1:
            of.said = of.store.exchange(f"I like {uuid7()}")
            await of.store.log.append(of.said)
        if chance.random() < 0.5:
            user_id = of.store.anna
            whole = Snapshot.from_loaded(user_id, await snapshots.load(user_id, None, most_bytes=MUCH))
            snapshot = await cache.get(user_id)
            assert held(snapshot) == held(whole)
            memories = snapshot.memories.items
            assert {each.owner for each in memories} <= {user_id, COMMONS}
            read = Words().with_documents([document_of(each.content) for each in memories])
            every, found = np.arange(len(memories)), np.ones(len(memories), np.bool_)
            assert terms_in(snapshot.memories.words, every, found) == terms_in(read, every, found)


async def test_people_whose_cache_is_too_small_get_what_is_theirs(postgres: Postgres, store: Store) -> None:
    chance, snapshots = random.Random(1), PostgresSnapshots(postgres.database)
    people = [replace(store, anna=person("one")) for _ in range(8)]
    for each in people:
        lived = await life(each)
        await lived.apply(*(Add(lived.memory(f"{number} of {each.anna}")) for number in range(9)))
    one = Snapshot.from_loaded("one", await snapshots.load(people[0].anna, None, most_bytes=MUCH)).nbytes
    cache = SnapshotCache(snapshots, most_bytes=5 * one)

    for _ in range(20):
        asked = chance.choices(people, k=3)
        for of, found in zip(asked, await asyncio.gather(*(cache.get(of.anna) for of in asked)), strict=True):
            own = [each.content for each in found.memories.items if " of " in each.content]
            assert own == [f"{number} of {of.anna}" for number in range(9)]
            assert held(found)
        assert cache.nbytes <= 5 * one
    assert len(cache) < len(people)


async def test_an_erasure_elsewhere_is_seen_by_the_next_sweep(postgres: Postgres, store: Store) -> None:
    of, snapshots = await life(store), PostgresSnapshots(postgres.database)
    elsewhere = SnapshotCache(snapshots, most_bytes=MUCH)
    before = await elsewhere.get(store.anna)
    await store.memories.erase(store.anna, at=LATER)

    await elsewhere.refresh()
    assert not elsewhere.has(store.anna)
    await of.apply(Add(of.memory("Drinks mate")))
    after = await elsewhere.get(store.anna)
    assert [each.content for each in after.memories.items] == ["Drinks mate"]
    assert not before.serves(after.versions)


async def test_other_tasks_have_turns_while_many_rows_are_read() -> None:
    turns, rows = 0, list(range(1_000))

    async def count() -> None:
        nonlocal turns
        while rows:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    assert await in_slices(list, rows) == list(range(1_000))
    await counting
    assert turns >= 19
