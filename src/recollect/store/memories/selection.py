"""Reads the memories of a user that a filter takes, now or at an earlier time. Never: ranks."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recollect.audit.replay import as_of
from recollect.model import Memory, MemoryFilter, State, Update
from recollect.store.pool import Connection
from recollect.store.rows import label_columns, memory_of, update_of
from recollect.store.sql import SQL

NEWEST = UUID(int=2**128 - 1)
"""Every id is smaller: the first page starts after it."""

_READ_AT_ONCE = 500
"""So many are read where only reading tells which are wanted."""


async def read_some(
    connection: Connection, user_id: str, taken: MemoryFilter, *, limit: int, after: UUID | None
) -> list[Memory]:
    """Return at most ``limit`` of the user's memories that are ``taken``, newest first, behind ``after``."""
    is_read_first = taken.text is not None or taken.as_of is not None or taken.valid_at is not None
    size = max(limit, _READ_AT_ONCE) if is_read_first else limit
    found: list[Memory] = []
    last = after or NEWEST
    while True:
        read = await _read_page(connection, user_id, taken, size, last)
        found += [memory for memory in read if taken.takes(memory)]
        if len(found) >= limit or len(read) < size:
            return found[:limit]
        last = read[-1].id


async def _read_page(
    connection: Connection, user_id: str, taken: MemoryFilter, size: int, before: UUID
) -> list[Memory]:
    state = taken.state if taken.valid_at is None else State.ALL
    current, past = state is not State.PAST, state is not State.CURRENT
    if taken.as_of is not None:
        rows = await connection.fetch(
            SQL["memories_as_of"], user_id, before, size, taken.as_of, current, past
        )
        return await _as_they_were(connection, user_id, [memory_of(row) for row in rows], taken.as_of)
    wanted = (
        *(list(taken.kinds), list(taken.sources), taken.session_id),
        *(taken.observed_from, taken.observed_until, taken.doubt, list(taken.words)),
        *label_columns(taken),
    )
    if state is State.CURRENT:
        rows = await connection.fetch(SQL["current_memories"], user_id, before, size, *wanted)
    else:
        rows = await connection.fetch(SQL["some_memories"], user_id, before, size, current, past, *wanted)
    return [memory_of(row) for row in rows]


async def _as_they_were(
    connection: Connection, user_id: str, memories: Sequence[Memory], at: datetime
) -> list[Memory]:
    rows = await connection.fetch(SQL["updates_of_memories"], user_id, [each.id for each in memories])
    updates: defaultdict[UUID, list[Update]] = defaultdict(list)
    for row in rows:
        updates[row["memory_id"]].append(update_of(row))
    return [as_of(memory, updates[memory.id], at) for memory in memories]
