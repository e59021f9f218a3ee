"""`recollect reindex`: an index is rebuilt while it is searched, and the next worker goes on after a killed one."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scripted.models import WordEmbedder
from tests.servers.databases import administrator
from tests.servers.served_process import RECOLLECT, environment
from tests.support.searching import Lexicon, lexicon_of
from tests.support.stores import NOON, Store, store_over
from tests.support.watched_stores import Through, with_parts

from recollect.indexing import EmbeddingScope, index_run, index_user
from recollect.model import Actor, Add, IndexedMessage, Reason
from recollect.store import open_postgres
from recollect.store.log import LogIndex
from recollect.text.lexical import query_terms

_MESSAGES, _MEMORIES = 70, 12
_SAID = [f"quokka{number}" for number in range(_MESSAGES)]
_KEPT = [f"wombat{number}" for number in range(_MEMORIES)]


class KilledAtAWrite(Through):
    """An index of which a write never ends: its worker is killed in it.

    Attributes:
        reached: Set once that write has begun.
    """

    def __init__(self, index: LogIndex, writes: int) -> None:
        super().__init__(index)
        self.reached = asyncio.Event()
        self._left = writes

    async def index(self, user_id: str, message: IndexedMessage) -> bool:
        if self._left == 0:
            self.reached.set()
            await asyncio.Event().wait()
        self._left -= 1
        is_new: bool = await self._part.index(user_id, message)
        return is_new


@asynccontextmanager
async def worker(dsn: str, store: Store) -> AsyncIterator[Store]:
    """Open a store as another process has it, for the same people."""
    opened = await open_postgres(dsn)
    yield replace(store_over(opened), anna=store.anna, ben=store.ben)
    await opened.aclose()


async def work(store: Store) -> bool:
    """Index one run as a worker does; return whether more is left."""
    embedder = WordEmbedder()
    return (
        await index_user(
            store.anna,
            index=store.index,
            embedder=embedder,
            log_embedder=embedder,
            embedded=EmbeddingScope.ALL,
        )
    ) is not None


async def tell(store: Store) -> None:
    for word in _SAID:
        await store.log.append(store.exchange(f"I saw a {word} there", reply=""))
    for word in _KEPT:
        added = Add(store.memory(f"Anna owns a {word}", store.anna.scope), Reason.NEW)
        await store.memories.apply(store.anna.scope, [added], actor=Actor.ADMIN, at=NOON)
    while await work(store):
        pass


async def missing(store: Store, words: list[str]) -> int:
    """Count the words that find nothing."""
    terms = [term for word in words for term in query_terms(word)]
    found = await lexicon_of(store.snapshots, store.anna, terms)
    return sum(
        not len(found.occurrences[term].documents) if term in found.occurrences else 1 for term in terms
    )


async def whole(store: Store) -> tuple[int, float, dict[str, int]]:
    """Return the index's counts of all words."""
    terms = [term for word in (*_SAID, *_KEPT) for term in query_terms(word)]
    found: Lexicon = await lexicon_of(store.snapshots, store.anna, terms)
    counts = {term: len(each.documents) for term, each in found.occurrences.items()}
    return found.documents, found.mean_length, counts


async def place(dsn: str) -> tuple[int, str]:
    """Return the reading of the index, and the message up to which it is rebuilt."""
    async with administrator(dsn) as connection:
        row = await connection.fetchrow(
            "SELECT reading, coalesce(reread_to::text, '') AS up_to FROM recollect.users"
        )
    assert row is not None
    return row["reading"], row["up_to"]


@pytest.mark.process
async def test_words_are_found_meanwhile_and_killed_workers_begin_nothing_anew(
    own_dsn: str, tmp_path: Path
) -> None:
    chance, opened = random.Random(7), await open_postgres(own_dsn)
    store = store_over(opened)
    await tell(store)
    before = await whole(store)
    environ = environment(database_url=own_dsn, data_dir=tmp_path)
    options = ("--user", store.anna, "--no-wait")
    command = await asyncio.create_subprocess_exec(RECOLLECT, "reindex", *options, env=environ)
    assert await command.wait() == 0
    assert (await place(own_dsn))[0] == -1

    over, most, gone = asyncio.Event(), 0, 0
    places, killed = [await place(own_dsn)], 0

    async def look() -> None:
        nonlocal most, gone
        while not over.is_set():
            most = max(most, await missing(store, _SAID))
            gone = max(gone, await missing(store, _KEPT))

    looking = asyncio.create_task(look())
    while (await place(own_dsn))[0] == -1 or await missing(store, _SAID):
        async with worker(own_dsn, store) as other:
            index = KilledAtAWrite(other.index, chance.randrange(40))
            working = asyncio.create_task(work(with_parts(other, index=index)))
            reached = asyncio.create_task(index.reached.wait())
            await asyncio.wait({working, reached}, return_when=asyncio.FIRST_COMPLETED)
            killed += not working.done()
            for task in (working, reached):
                task.cancel()
            await asyncio.wait({working, reached})
        places.append(await place(own_dsn))
    over.set()
    await looking

    ups = [up_to for reading, up_to in places if reading == -1]
    assert ups == sorted(ups), "it never goes back"
    assert len(set(ups)) > 2
    assert killed > 2
    assert gone == 0, "memories are found all the time"
    assert 0 < most <= index_run._AT_ONCE
    assert await whole(store) == before
    await opened.aclose()
