"""Reads a person's data for a snapshot."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from asyncpg import Record

from recollect.index import Document, Embedded, Loaded, StoredMemory, StoredPassage
from recollect.model import Vector, Versions
from recollect.store.pool import Connection, StorePart
from recollect.store.row_mapping import memory_of, passage_of, read_terms_of_memory
from recollect.store.sql import SQL, of_everything
from recollect.store.users.settings_and_profiles import confirmed_entries

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
            # It was erased since, or the server started again: the numbers began again.
            if have is not None and have.epoch != now.epoch:
                have = None
            since_memories, since_log = _since(have, now)
            if log_anew:
                since_log = -1
            memories: list[Record] = []
            if have is None or have.statements < now.statements or have.commons < now.commons:
                memories = await connection.fetch(
                    _changed("snapshot_memories", since_memories), user_id, since_memories, _MOST_PAST
                )
            # The memories are decoded while the database sends the log.
            reading = asyncio.create_task(in_slices(stored_memories, memories))
            passages: _LogRows | None = _LogRows([], {})
            if have is None or have.log < now.log or log_anew:
                passages = await _passages(connection, user_id, since_log, most_bytes // _BYTES_OF_PASSAGE)
            profile = await confirmed_entries(connection, user_id)
        return Loaded(
            now,
            await reading,
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

    async def passages_of_chats(
        self, user_id: str, chats: Sequence[str], periods: Sequence[tuple[float, float]]
    ) -> list[StoredPassage]:
        """Return passages of the person's newest chats, of named chats, and of the chats of some periods."""
        starts, ends = [each[0] for each in periods], [each[1] for each in periods]
        rows = await self._database.rows(user_id, "passages_of_chats", chats, starts, ends)
        return await _LogRows(rows, {}).stored()


class _LogRows(NamedTuple):
    """Rows of passages as Postgres sent them, and those of the embeddings of each that has any, by the number of its document."""

    rows: list[Record]
    vectors: dict[int, Record]

    async def stored(self) -> list[StoredPassage]:
        """Return the passages with their terms and embeddings."""
        return await in_slices(self._stored, self.rows)

    def _stored(self, rows: Sequence[Record]) -> list[StoredPassage]:
        sent = [self.vectors.pop(row["document"], None) for row in rows]
        return [
            StoredPassage(
                row["document"],
                passage_of(row),
                Document(row["terms"], row["counts"], row["length"]),
                None if embedded is None else Embedded(*embedded[1:]),
            )
            for row, embedded in zip(rows, sent, strict=True)
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
            await asyncio.sleep(0)  # the loop's chats go first
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


def _changed(name: str, since: int) -> str:
    """Return the text of a query of what changed after a version; -1: of everything."""
    return of_everything(name) if since < 0 else SQL[name]


async def _passages(connection: Connection, user_id: str, since: int, most: int) -> _LogRows | None:
    """Return the passages that changed; None if the person has more than ``most``."""
    if await connection.fetchval(SQL["size_of_log"], user_id, most + 1) > most:
        return None
    rows = await connection.fetch(_changed("snapshot_passages", since), user_id, since)
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
    return [
        StoredMemory(
            memory_of(row),
            read_terms_of_memory(row["content"], row["terms"], row["counts"], row["terms_by"]),
            *_embedded(row["embedding_model"], row["pieces"], row["vectors"], row["not_helpful"]),
        )
        for row in rows
    ]


def _embedded(
    model: str | None, pieces: int, sent: bytes | None, not_helpful: bytes | None
) -> tuple[Embedded | None, Embedded | None]:
    """Return the embeddings that recall compares, and those of the questions for which a memory was not helpful.

    With hints the first are those behind the content's. None: there are none, or they can't be so many.
    """
    if model is None or not sent or len(sent) % (_HALF * pieces):
        return None, None
    width = len(sent) // pieces
    own = Embedded(model, pieces, sent) if pieces == 1 else Embedded(model, pieces - 1, sent[width:])
    if not not_helpful or len(not_helpful) % width:
        return own, None
    return own, Embedded(model, len(not_helpful) // width, not_helpful)
