"""The store of memories in Postgres."""

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.errors import DuplicateMemoryError, MemoryNotFoundError, NotUndoableError, TeamNotFoundError
from recollect.model import (
    COMMONS,
    EVERYTHING,
    MOST_QUARANTINED,
    Actor,
    Change,
    Erasure,
    Flags,
    Kind,
    KnownUser,
    Lifetimes,
    Memory,
    MemoryFilter,
    Neighbor,
    Page,
    Quarantined,
    Scope,
    Update,
    Vector,
    person_of,
    project_scope,
    team_of,
)
from recollect.store.browsing import NEWEST, read_some
from recollect.store.memories.changes import apply_changes, expire
from recollect.store.memories.chat_and_memory_erasure import erase_session
from recollect.store.memories.edits import Edits
from recollect.store.memories.quarantine import is_full, quarantined_of, read_held
from recollect.store.memories.transaction import Transaction
from recollect.store.memories.undo import undo_by_id
from recollect.store.pool import Connection
from recollect.store.row_mapping import as_columns, embedding_columns, memory_of, update_of
from recollect.store.sql import SQL
from recollect.store.turn_writing import write_turn
from recollect.store.users.settings_and_profiles import read_flags
from recollect.store.users.user_erasure import VACUUM_SECONDS, erase_user, left_of_user, vacuum

HINTS_ASKED = 3
"""How often a model is asked for the hints of a statement."""


class Memories(Edits):
    """Keeps memories and their links to users."""

    async def nearest(
        self, scope: Scope, vector: Vector, model: str, *, limit: int, past: bool = False
    ) -> list[Neighbor]:
        """Return the user's memories of embedding model ``model`` nearest to ``vector``, best first.

        Exact, over the user's links alone, and with ``past`` over as many past ones, too; ``score`` is the cosine.
        """
        async with self._database.for_user(scope.user_id) as connection:
            asked = (scope.user_id, vector, model, len(vector), limit)
            rows = await connection.fetch(SQL["nearest_memories"], *asked)
            if past:
                rows += await connection.fetch(SQL["nearest_past"], *asked)
                rows.sort(key=lambda row: -(row["score"] or 0.0))
        return [Neighbor(memory_of(row), row["score"]) for row in rows if row["score"] is not None]

    async def page(
        self, user_id: str, *, limit: int, after: UUID | None = None, taken: MemoryFilter = EVERYTHING
    ) -> Page:
        """Return the user's memories that are ``taken``, newest first, behind the memory ``after``.

        With ``as_of`` they are as the audit has them at that time, without erased ones.
        """
        async with self._database.for_user(user_id) as connection:
            if taken == EVERYTHING:
                rows = await connection.fetch(SQL["page_of_memories"], user_id, after or NEWEST, limit + 1)
                found = [memory_of(row) for row in rows]
            else:
                found = await read_some(connection, user_id, taken, limit=limit + 1, after=after)
        memories = tuple(found[:limit])
        return Page(memories, memories[-1].id if len(found) > limit and memories else None)

    async def get(self, user_id: str, memory_id: UUID, *, past: bool = False) -> Memory:
        """Return one memory; with ``past`` also one that is past.

        Raises:
            MemoryNotFoundError: The user has no such memory.
        """
        async with self._database.for_user(user_id) as connection:
            row = await connection.fetchrow(SQL["one_memory"], user_id, memory_id)
            if row is None and past:
                row = await connection.fetchrow(SQL["unlinked_memory"], user_id, memory_id)
                row = row if row is not None and row["ended_at"] is not None else None
        if row is None:
            raise MemoryNotFoundError
        return memory_of(row)

    async def counted(self, user_id: str, memories: Sequence[Memory]) -> list[Memory]:
        """Return memories as often used as they are by now. Use raises no version, so that snapshots may have earlier counts."""
        rows = await self._database.rows(user_id, "use_of_memories", [each.id for each in memories])
        use: dict[UUID, dict[str, Any]] = {row.pop("vector_id"): row for row in map(dict, rows)}
        return [replace(each, **use.get(each.id, {})) for each in memories]

    async def change(self, user_id: str, update_id: UUID) -> Update | None:
        """Return one row of the user's audit; None if it has no such row."""
        row = await self._database.row(user_id, "update_to_undo", update_id)
        return None if row is None else update_of(row)

    async def history(
        self, user_id: str, memory_id: UUID | None = None, *, limit: int = 100, after: UUID | None = None
    ) -> list[Update]:
        """Return the audit rows of the user, or of one memory (also as the replaced one), newest first, behind the row ``after``."""
        before = after or NEWEST
        async with self._database.for_user(user_id) as connection:
            if memory_id is None:
                rows = await connection.fetch(SQL["updates_of_user"], user_id, limit, before)
            else:
                rows = await connection.fetch(SQL["updates_of_memory"], user_id, memory_id, limit, before)
        return [update_of(row) for row in rows]

    async def apply(
        self, scope: Scope, changes: Sequence[Change], *, actor: Actor, at: datetime, by: str = ""
    ) -> list[Change]:
        """Apply ``changes`` in one transaction under the user's lock, with one audit row each.

        ``by`` names the member of a team who changes another one's part; so it does in the other methods.

        Returns:
            The changes as made, in order. An Add of content that the user already has becomes an
            Ignore (EQUAL_CONTENT). A Replace of a memory that the user no longer has is made as an
            Add.

        Raises:
            TeamNotFoundError: It is a part of a team that was erased.
        """
        async with self._database.changing(scope.user_id) as connection:
            if team_of(scope.user_id) and not await connection.fetchval(SQL["has_team"], scope.user_id):
                raise TeamNotFoundError
            return await apply_changes(connection, scope.user_id, changes, actor=actor, at=at, by=by)

    async def expire(self, lifetimes: Lifetimes | None, *, at: datetime) -> int:
        """Forget all users' memories whose day has come, by the operator's rules and people's own; return how many.

        Without ``lifetimes`` only memories with a day of their own are looked for. Raises StoreBusyError if others are changing what some of the
        users have; it was done for the rest of them.
        """
        async with self._database.over_all_users() as connection:
            of_all, of_some = bool(lifetimes and lifetimes.days), lifetimes is not None
            rows = await connection.fetch(SQL["users_who_expire"], at, of_all, of_some)

        async def expire_some(connection: Connection, user_id: str) -> int:
            rules = Lifetimes()
            if lifetimes is not None:
                own = (await read_flags(connection, person_of(user_id))).get(person_of(user_id), Flags())
                rules = lifetimes.with_own(own.lifetimes)
            return len(await expire(connection, user_id, rules, at=at))

        return await self._database.change_each([row["user_id"] for row in rows], expire_some)

    async def undo(
        self, user_id: str, update_id: UUID, *, actor: Actor, at: datetime, by: str = ""
    ) -> Update:
        """Undo one change of the audit, in one transaction, and return the row that says so.

        An added memory is retired; a replaced one takes its place again; a retired one is linked again; a
        reinforced, marked or edited one is as it was before. An edited one is then without an embedding.
        A memory that was held back no longer waits. Hidden messages stay hidden.

        Raises:
            ChangeNotFoundError: The user has no such row.
            NotUndoableError: It was undone already, changed nothing, or its result was changed since.
            DuplicateMemoryError: The user has the old content by another memory now.
        """
        async with self._database.changing(user_id) as connection:
            return await undo_by_id(Transaction(connection, user_id, actor, at, by=by), update_id)

    async def undo_all(
        self, user_id: str, updates: Sequence[UUID], *, actor: Actor, at: datetime
    ) -> list[Update]:
        """Undo changes of the audit in one transaction, as ``undo`` does; those that can't be undone stay."""
        undone = []
        async with self._database.changing(user_id) as connection:
            transaction = Transaction(connection, user_id, actor, at)
            for each in updates:
                with suppress(NotUndoableError, DuplicateMemoryError):
                    async with connection.transaction():  # a savepoint, to which one that fails goes back
                        undone.append(await undo_by_id(transaction, each))
        return undone

    async def added_since(self, user_id: str, since: datetime) -> int:
        """Count the memories that formation and agents added or put in another's place since then."""
        count: int = await self._database.value(user_id, "count_added", since)
        return count

    async def quarantined(
        self,
        user_id: str,
        *,
        limit: int = MOST_QUARANTINED,
        after: tuple[datetime, UUID] | None = None,
        session_id: str | None = None,
    ) -> list[Quarantined]:
        """Return the quarantined memories that wait for approval, newest first, behind a time and an id; or those of one chat alone."""
        asked = None, limit, *(after or (None, None)), session_id
        return [quarantined_of(row) for row in await self._database.rows(user_id, "quarantined", *asked)]

    async def is_held_full(self, user_id: str) -> bool:
        """Return whether as many memories wait for the user's approval as may."""
        async with self._database.for_user(user_id) as connection:
            return await is_full(connection, user_id)

    async def held(self, user_id: str, memory_id: UUID) -> Quarantined:
        """Return one quarantined memory.

        Raises:
            MemoryNotFoundError: Nothing with this id is held back.
        """
        async with self._database.for_user(user_id) as connection:
            return await read_held(connection, user_id, memory_id)

    async def todos(self, user_id: str, *, limit: int) -> list[Memory]:
        """Return the user's memories of kind todo, and summaries with open todos, newest first."""
        return [memory_of(row) for row in await self._database.rows(user_id, "todos", limit)]

    async def globals(self) -> list[Memory]:
        """Return the global memories, newest first; they serve users who have few of their own."""
        return [memory_of(row) for row in await self._database.rows_of_all("global_memories", COMMONS)]

    async def count(self) -> int:
        """Count the memories of all users."""
        count: int = await self._database.value_of_all("count_memories")
        return count

    async def users(
        self, characters: str = "", *, limit: int | None = None, skipped: int = 0, projects: bool = False
    ) -> list[KnownUser]:
        """Return the users who have a memory or a message, the last active first, behind so many ``skipped``.

        Their ids contain these ``characters``, in upper or lower case. With ``projects`` each project is a user of its own, and not part of its person.
        """
        rows = await self._database.rows_of_all("known_users", characters, limit, skipped, projects)
        return [KnownUser(**row) for row in rows]

    async def unhinted(self, user_id: str, kinds: Collection[Kind], *, limit: int) -> list[Memory]:
        """Return the user's own statements of these kinds that have no hints, unless a model gave none ``HINTS_ASKED`` times.

        The least often asked come first, then the newest.
        """
        rows = await self._database.rows(user_id, "unhinted_statements", sorted(kinds), HINTS_ASKED, limit)
        return [memory_of(row) for row in rows]

    async def count_hints_asked(self, user_id: str, memory_ids: Sequence[UUID]) -> None:
        """Count that a model was asked for the hints of these memories and gave none."""
        await self._database.changed(user_id, "count_hints_asked", memory_ids)

    async def give_hints(self, user_id: str, statements: Sequence[Memory]) -> None:
        """Write the hints of the user's own statements, with their embeddings; skip statements that have some, or were edited meanwhile.

        A model wrote them, so the audit doesn't list it.
        """
        written = [
            (user_id, each.id, each.content, *as_columns(each.hints), *embedding_columns(each))
            for each in statements
        ]
        async with self._database.changing(user_id) as connection:
            await connection.executemany(SQL["give_hints"], written)

    async def touch(self, user_id: str, memory_ids: Sequence[UUID], *, at: datetime) -> None:
        """Note that these memories went into a prompt."""
        written = {"recalled": memory_ids, "recalled_at": at}
        await write_turn(self._database, user_id, written)

    async def erase(self, user_id: str, *, at: datetime) -> Erasure:
        """Delete every row of the user, in every table and queue, and leave a tombstone.

        Shared memories that only they see are deleted, too; and a person's projects. Afterwards the remaining rows are counted.
        """
        erased: list[Erasure] = []
        while True:
            async with self._database.changing(user_id) as connection:  # no project begins meanwhile
                rows = await connection.fetch(SQL["projects_of"], user_id)
                if not rows:
                    erasure, traces = await erase_user(connection, user_id, at=at)
                    break
            erased += [await self.erase(project_scope(user_id, row["name"]), at=at) for row in rows]
        async with self._database.for_user(user_id) as connection:
            erasure = replace(erasure, left=await left_of_user(connection, user_id, traces))
        return _together(erasure, erased)

    async def vacuum(self) -> tuple[str, ...]:
        """Reclaim the space of deleted rows; return the tables where the database's role may."""
        async with self._database.outside(seconds=VACUUM_SECONDS) as connection:
            return await vacuum(connection)

    async def erase_session(self, scope: Scope, *, at: datetime, leaves_out: bool = False) -> Erasure:
        """Delete every row of one chat, its log and what only it taught, in one transaction; leave a tombstone.

        Its changes of other memories are undone. A memory stays, without its origin, if another chat taught it, too, or
        the user edited, approved or restored it by hand. Memories that the user asked to forget in the chat stay
        forgotten. The audit keeps no word of the deleted ones. With ``leaves_out`` the store keeps nothing of the chat from now on, until
        ``ChatRequests.take_in``.
        """
        async with self._database.changing(scope.user_id) as connection:
            return await erase_session(connection, scope, at=at, leaves_out=leaves_out)

    async def sessions(self, user_id: str, *, begun_before: datetime | None = None) -> list[str]:
        """Return the chats of the user, the one where something was said last first; with a time those that have a message before it."""
        rows = await self._database.rows(user_id, "sessions_of_user", begun_before)
        return [row["id"] for row in rows]


def _together(erasure: Erasure, further: Sequence[Erasure]) -> Erasure:
    """Return one proof of several erasures, with the sums of their rows."""
    rows, left = Counter(dict(erasure.rows)), Counter(dict(erasure.left))
    for each in further:
        rows.update(dict(each.rows))
        left.update(dict(each.left))
    return replace(erasure, rows=tuple(rows.items()), left=tuple(left.items()))
