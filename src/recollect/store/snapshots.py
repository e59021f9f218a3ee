"""Reads what a snapshot of a person's memory holds. Never: ranks, decides."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from asyncpg import Record
from numpy.typing import NDArray

from recollect.index import Document, Embedded, Loaded, StoredMemory, StoredPassage
from recollect.model import Vector, Versions
from recollect.store.log.terms import read_terms, written_terms
from recollect.store.pool import Connection, Database
from recollect.store.rows import memory_of, passage_of
from recollect.store.sql import SQL
from recollect.store.users.profiles import confirmed_entries
from recollect.text.lexical import document_terms

_BYTES_OF_PASSAGE = 5_000
"""What a passage takes in memory on average, with its embeddings and its terms."""

_NOTHING_KEPT = UUID(int=0)
"""The epoch of a person of whom nothing is kept."""

_HEADER = 4
"""Bytes in front of the numbers of a vector as Postgres sends it: its dimensions, and two that are unused."""


class PostgresSnapshots:
    """Implements ``SnapshotStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
                memories = await connection.fetch(SQL["snapshot_memories"], user_id, since_memories)
            passages: list[Record] | None = []
            if have is None or have.log < now.log or log_anew:
                passages = await _passages(connection, user_id, since_log, most_bytes // _BYTES_OF_PASSAGE)
            profile = await confirmed_entries(connection, user_id)
        return Loaded(
            now,
            stored_memories(memories),
            None if passages is None else stored_passages(passages),
            profile,
            has_all_memories=since_memories < 0,
            has_all_passages=since_log < 0,
        )

    async def versions(self, users: Sequence[str]) -> Mapping[str, Versions]:
        """Return the current versions of some people."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["versions_of_users"], list(users))
        return {row["user_id"]: versions_of(row) for row in rows}

    async def nearest_passages(
        self, user_id: str, vector: Vector, model: str, *, limit: int
    ) -> list[StoredPassage]:
        """Return the person's passages that are nearest to a vector, nearest first; exact."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["nearest_passages"], user_id, vector, model, len(vector), limit)
        return stored_passages(rows)


async def read_versions(connection: Connection, user_id: str) -> Versions:
    """Return the versions of what a user has."""
    row = await connection.fetchrow(SQL["versions_of_user"], user_id)
    assert row is not None  # noqa: S101 -- one row always
    return versions_of(row)


def versions_of(row: Record) -> Versions:
    """Return the versions of a row; of a person of whom nothing is kept all are 0."""
    return Versions(row["epoch"] or _NOTHING_KEPT, *(row[name] or 0 for name in Versions._fields[1:]))


def _since(have: Versions | None, now: Versions) -> tuple[int, int]:
    """Return the versions after which memories and passages are read; -1: all of them."""
    if have is None:
        return -1, -1
    is_shared = have.commons < now.commons  # what is shared has no version of this person's
    memories = -1 if is_shared or have.statements < now.statements_floor else have.statements
    return memories, -1 if have.log < now.log_floor else have.log


async def _passages(connection: Connection, user_id: str, since: int, most: int) -> list[Record] | None:
    """Return the passages that changed; None if the person has more than ``most``."""
    if await connection.fetchval(SQL["size_of_log"], user_id, most + 1) > most:
        return None
    return await connection.fetch(SQL["snapshot_passages"], user_id, since)


def stored_memories(rows: Sequence[Record]) -> list[StoredMemory]:
    """Return memories with their terms and embeddings."""
    return [
        StoredMemory(
            memory_of(row),
            document_of(row["content"]),
            _embedded(row["embedding_model"], row["first"]),
            _embedded(row["second_model"], row["second"]),
        )
        for row in rows
    ]


def document_of(content: str) -> Document:
    """Return the terms of a text without context."""
    return read_terms(*written_terms(document_terms(content), {}))


def stored_passages(rows: Sequence[Record]) -> list[StoredPassage]:
    """Return passages with their terms and embeddings."""
    return [
        StoredPassage(
            row["document"],
            passage_of(row),
            read_terms(row["terms"], row["counts"], row["length"], row["own_length"]),
            _embedded(row["embedding_model"], row["vectors"]),
        )
        for row in rows
    ]


def _embedded(model: str | None, sent: bytes | None) -> Embedded | None:
    """Return the embeddings that Postgres sent: for each its dimensions, and two-byte floats, highest byte first."""
    if model is None or not sent:
        return None
    width = _HEADER + 2 * int.from_bytes(sent[:2], "big")
    rows: NDArray[Any] = np.frombuffer(sent, np.uint8).reshape(-1, width)[:, _HEADER:]
    return Embedded(model, np.ascontiguousarray(rows).view(">f2"))
