"""Reads the lists of people's pages from Postgres, page by page, and memories that a filter takes."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from uuid import UUID

from asyncpg import Record

from recollect.audit_rows import as_of
from recollect.model import (
    ChatSeen,
    FailedAt,
    Failure,
    KeptCounts,
    Kind,
    Memory,
    MemoryFilter,
    MessageSeen,
    Page,
    Role,
    Scope,
    State,
    Unsettled,
    Update,
)
from recollect.store.pool import Connection, StorePart
from recollect.store.row_mapping import label_columns, memory_of, update_of
from recollect.store.sql import SQL

NEWEST = UUID(int=2**128 - 1)
"""Every id is smaller: the first page starts after it."""

_LATEST = datetime.max.replace(tzinfo=UTC)
_OLDEST = UUID(int=0)
_BEFORE_ALL_TURNS = -1


class Browsing(StorePart):
    """Reads lists page by page. Each method sees one user's rows alone."""

    async def to_review(
        self,
        user_id: str,
        kinds: Collection[Kind],
        *,
        before: datetime,
        due_before: datetime,
        importance: float,
        limit: int,
    ) -> list[Memory]:
        """Return memories of some kinds to confirm with the user, overdue to-dos first, then the most important.

        They are older than ``before`` and not confirmed by hand since; and to-dos that were due by ``due_before``, of which the user
        has said nothing by hand since.
        """
        rows = await self._database.rows(
            user_id, "memories_to_review", list(kinds), before, importance, limit, due_before
        )
        return [memory_of(row) for row in rows]

    async def confirmed(self, user_id: str, memories: Collection[UUID], since: datetime) -> set[UUID]:
        """Return which of these memories the user confirmed by hand since a time."""
        rows = await self._database.rows(user_id, "confirmed_since", list(memories), since)
        return {row["id"] for row in rows}

    async def changes(self, user_id: str, *, limit: int, after: UUID | None = None) -> list[Update]:
        """Return the audit of the user's memories, newest first, behind the row ``after``."""
        rows = await self._database.rows(user_id, "browsed_updates", after or NEWEST, limit)
        return [update_of(row) for row in rows]

    async def said_at(self, user_id: str, memory_id: UUID) -> datetime | None:
        """Return when a memory was said, also one that the user no longer has; None if there is none."""
        at: datetime | None = await self._database.value(user_id, "said_at", memory_id)
        return at

    async def said_last(
        self, user_id: str, *, limit: int, behind: tuple[datetime, UUID] | None = None, taken: MemoryFilter
    ) -> Page:
        """Return the user's current memories, the one that was said last first, behind a time and an id.

        Of ``taken``, kinds, chat, words and tags count.
        """
        kinds, words = sorted(taken.kinds or Kind), list(taken.words)
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(
                SQL["memories_said_last"],
                *(
                    user_id,
                    *(behind or (_LATEST, NEWEST)),
                    kinds,
                    limit + 1,
                    taken.session_id,
                    words,
                    list(taken.tags),
                ),
            )
        memories = tuple(memory_of(row) for row in rows[:limit])
        return Page(memories, memories[-1].id if len(rows) > limit else None)

    async def first_words(self, user_id: str, chats: Collection[str]) -> dict[str, str]:
        """Return the beginning of each chat by its id; of a chat whose messages are gone or hidden, nothing."""
        rows = await self._database.rows(user_id, "first_words_of_chats", list(chats))
        return {row["id"]: row["words"] for row in rows}

    async def chats(self, user_id: str, *, limit: int, skipped: int = 0) -> list[ChatSeen]:
        """Return the user's chats, the one where something was said last first, behind so many ``skipped``."""
        rows = await self._database.rows(user_id, "browsed_chats", limit, skipped)
        return [ChatSeen(**row) for row in rows]

    async def knows_chat(self, scope: Scope) -> bool:
        """Return whether messages of a chat are kept."""
        known: bool = await self._database.value(scope.user_id, "knows_chat", scope.session_id)
        return known

    async def messages(
        self, scope: Scope, *, limit: int, after: UUID | None = None
    ) -> list[MessageSeen] | None:
        """Return a chat's messages, in order, after the message ``after``; None if it has no such message."""
        chat = (scope.user_id, scope.session_id)
        async with self._database.for_user(scope.user_id) as connection:
            turn: int | None = _BEFORE_ALL_TURNS
            if after is not None:
                turn = await connection.fetchval(SQL["turn_of_listed"], *chat, after)
            if turn is None:
                return None
            rows = await connection.fetch(SQL["browsed_messages"], *chat, turn, after or _OLDEST, limit)
        return [_message_seen(row) for row in rows]

    async def count_kept(self, user_id: str) -> KeptCounts:
        """Count the user's kept data."""
        row = await self._database.row(user_id, "count_kept_of_user")
        return KeptCounts(**row) if row is not None else KeptCounts()

    async def count_unsettled(self, user_id: str) -> Unsettled:
        """Count the memories that wait for the user, and the exchanges that wait for a model."""
        row = await self._database.row(user_id, "count_unsettled_of_user")
        return Unsettled(*(row or (0, 0)))


def _message_seen(row: Record) -> MessageSeen:
    failed_at = row["failed_at"]
    return MessageSeen(
        row["id"],
        Role(row["role"]),
        row["speaker"],
        row["content"],
        row["tokens"],
        row["said_at"],
        row["alternate"],
        row["marked"],
        row["hidden"],
        None if failed_at is None else Failure(FailedAt(failed_at), row["failed_status"]),
    )


_READ_AT_ONCE = 500
"""The memories read at once by filters that SQL can't apply."""


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
