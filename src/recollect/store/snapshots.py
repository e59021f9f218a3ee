"""Reads a person's data for a snapshot. Never: ranks, decides."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import numpy as np
from asyncpg import Record
from numpy.typing import NDArray

from recollect.index import Embedded, Loaded, StoredMemory, StoredPassage
from recollect.model import Vector, Versions
from recollect.store.pool import Connection, StorePart
from recollect.store.rows import memory_of, passage_of, read_terms, read_terms_of_memory
from recollect.store.sql import SQL
from recollect.store.users.profiles import confirmed_entries

_BYTES_OF_PASSAGE = 5_000
"""The average bytes of a passage in memory, with its embeddings and its terms."""

_MOST_PAST = 200
"""The most past statements of a person that are read: those that ended last."""

_AT_ONCE = 50
"""The rows that are read between two turns of the event loop: less than a millisecond."""

_NOTHING_KEPT = UUID(int=0)
"""The epoch of a person of whom nothing is kept."""

_HALF = 2
"""Bytes of a number of a vector."""
_HEADER = 4
"""Bytes in front of the numbers of a vector as Postgres sends it: its dimensions, and two that are unused."""

_Row = TypeVar("_Row")
_Stored = TypeVar("_Stored")


class PostgresSnapshots(StorePart):
    """Implements ``SnapshotStore``."""

    async def load(
        self, user_id: str, have: Versions | None, *, most_bytes: int, log_anew: bool = False
    ) -> Loaded:
        """Read what changed of a person's memory since some versions, in one transaction."""
        async with self._database.snapshot(user_id) as connection:
            now = await read_versions(connection, user_id)
            if have is not None and have.epoch != now.epoch:
                have = None
            since_memories, since_log = _since(have, now)
            if log_anew:
                since_log = -1
            memories: list[Record] = []
            if have is None or have.statements < now.statements or have.commons < now.commons:
                memories = await connection.fetch(
                    SQL["snapshot_memories"], user_id, since_memories, _MOST_PAST
                )
            passages: _LogRows | None = _LogRows([], {})
            if have is None or have.log < now.log or log_anew:
                passages = await _passages(connection, user_id, since_log, most_bytes // _BYTES_OF_PASSAGE)
            profile = await confirmed_entries(connection, user_id)
        return Loaded(
            now,
            await in_slices(stored_memories, memories),
            None if passages is None else await passages.stored(),
            profile,
            has_all_memories=since_memories < 0,
            has_all_passages=since_log < 0,
        )

    async def versions(self, users: Sequence[str]) -> Mapping[str, Versions]:
        """Return the current versions of some people."""
        rows = await self._database.rows_of_all("versions_of_users", list(users))
        return {row["user_id"]: versions_of(row) for row in rows}

    async def nearest_passages(
        self, user_id: str, vector: Vector, model: str, *, limit: int
    ) -> list[StoredPassage]:
        """Return the person's passages that are nearest to a vector, nearest first; exact."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["nearest_passages"], user_id, vector, model, len(vector), limit)
            found = await _with_vectors(connection, user_id, rows)
        return await found.stored()


class _LogRows(NamedTuple):
    """Rows of passages as Postgres sent them, and those of the embeddings of each that has any, by the number of its document."""

    rows: list[Record]
    vectors: dict[int, Record]

    async def stored(self) -> list[StoredPassage]:
        """Return the passages with their terms and embeddings."""
        return await in_slices(self._stored, self.rows)

    def _stored(self, rows: Sequence[Record]) -> list[StoredPassage]:
        sent = [self.vectors.pop(row["document"], None) for row in rows]
        embedded = _embedded(
            [(None, None) if row is None else (row["embedding_model"], row["vectors"]) for row in sent]
        )
        return [
            StoredPassage(
                row["document"],
                passage_of(row),
                read_terms(row["terms"], row["counts"], row["length"]),
                vectors,
            )
            for row, vectors in zip(rows, embedded, strict=True)
        ]


async def in_slices(stored: Callable[[Sequence[_Row]], list[_Stored]], rows: list[_Row]) -> list[_Stored]:
    """Return what ``stored`` makes of rows, a few at a time, and empty the list; other tasks have their turns in between."""
    found: list[_Stored] = []
    rows.reverse()  # to take from the end moves no others
    while rows:
        some = rows[: -_AT_ONCE - 1 : -1]
        del rows[-_AT_ONCE:]
        found += stored(some)
        if rows:
            await asyncio.sleep(0)
    return found


async def read_versions(connection: Connection, user_id: str) -> Versions:
    """Return the versions of a user's data."""
    row = await connection.fetchrow(SQL["versions_of_user"], user_id)
    assert row is not None  # noqa: S101 -- one row always
    return versions_of(row)


def versions_of(row: Record) -> Versions:
    """Return the versions of a row; of a person of whom nothing is kept all are 0."""
    return Versions(row["epoch"] or _NOTHING_KEPT, *(row[name] or 0 for name in Versions._fields[1:]))


def own_versions_of(row: Record) -> Versions:
    """Return the versions of the person's own data in a row of a project; the commons are the same."""
    return _around(row, row["own_epoch"], *(row[f"own_{name}"] for name in Versions._fields[1:5]))


def team_versions_of(row: Record, told: Mapping[str, Mapping[str, Any]]) -> dict[str, Versions]:
    """Return the versions of each member's part of a team, by the member; the commons are the same."""
    found = {}
    for each, member in told.items():
        epoch, *numbers = member["versions"]
        found[each] = _around(row, _NOTHING_KEPT if epoch is None else UUID(epoch), *numbers)
    return found


def _around(row: Record, epoch: UUID, *numbers: int | None) -> Versions:
    around = dict(zip(Versions._fields[1:5], (number or 0 for number in numbers), strict=True))
    return versions_of(row)._replace(epoch=epoch, **around)


def _since(have: Versions | None, now: Versions) -> tuple[int, int]:
    """Return the versions after which memories and passages are read; -1: all of them."""
    if have is None:
        return -1, -1
    is_shared = have.commons < now.commons  # shared memories have no version of this person
    memories = -1 if is_shared or have.statements < now.statements_floor else have.statements
    return memories, -1 if have.log < now.log_floor else have.log


async def _passages(connection: Connection, user_id: str, since: int, most: int) -> _LogRows | None:
    """Return the passages that changed; None if the person has more than ``most``."""
    if await connection.fetchval(SQL["size_of_log"], user_id, most + 1) > most:
        return None
    rows = await connection.fetch(SQL["snapshot_passages"], user_id, since)
    return await _with_vectors(connection, user_id, rows, is_all=since < 0)


async def _with_vectors(
    connection: Connection, user_id: str, rows: list[Record], *, is_all: bool = False
) -> _LogRows:
    """Return passages with their embeddings."""
    if is_all:  # one range of an index, and no list of thousands of numbers
        sent = await connection.fetch(SQL["vectors_of_log"], user_id)
    else:
        documents = [row["document"] for row in rows]
        sent = await connection.fetch(SQL["vectors_of_passages"], user_id, documents) if rows else []
    return _LogRows(rows, {row["document"]: row for row in sent})


def stored_memories(rows: Sequence[Record]) -> list[StoredMemory]:
    """Return memories with their terms and embeddings."""
    vectors = _embedded([(row["embedding_model"], row["vectors"]) for row in rows])
    not_helpful = _embedded([(row["embedding_model"], row["not_helpful"]) for row in rows])
    return [
        StoredMemory(
            memory_of(row),
            read_terms_of_memory(row["content"], row["terms"], row["counts"], row["terms_by"]),
            _in_pieces(joined, row["pieces"]),
            questions,
        )
        for row, joined, questions in zip(rows, vectors, not_helpful, strict=True)
    ]


def _in_pieces(joined: Embedded | None, pieces: int) -> Embedded | None:
    """Return the embeddings that recall compares: with hints those behind the content's; None if they can't be so many."""
    if joined is None or joined.pieces.size % pieces:
        return None
    return Embedded(joined.model, joined.pieces.reshape(pieces, -1)[min(pieces - 1, 1) :])


def _embedded(sent: Sequence[tuple[str | None, bytes | None]]) -> list[Embedded | None]:
    """Return the embeddings that Postgres sent: for each its dimensions, and two-byte floats, highest byte first."""
    found: list[Embedded | None] = [None] * len(sent)
    alike: dict[bytes, list[int]] = {}
    for place, (model, each) in enumerate(sent):
        if model is not None and each:
            alike.setdefault(each[:2], []).append(place)
    for dimensions, places in alike.items():  # all of one width at once
        width = _HEADER + _HALF * int.from_bytes(dimensions, "big")
        joined = np.frombuffer(b"".join([sent[place][1] or b"" for place in places]), np.uint8)
        matrix = np.ascontiguousarray(joined.reshape(-1, width)[:, _HEADER:]).view(np.uint16)
        halves: NDArray[np.float16] = matrix.byteswap().view(np.float16)
        ends = np.cumsum([len(sent[place][1] or b"") // width for place in places]).tolist()
        for place, begin, end in zip(places, [0, *ends], ends, strict=False):
            found[place] = Embedded(str(sent[place][0]), halves[begin:end])
    return found
