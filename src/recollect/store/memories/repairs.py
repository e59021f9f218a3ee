"""Repairs memories in which something wrong was found, each in a transaction under its user's lock, and finds such changes again.

Never: decides on a fault or its repair; undoes.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recollect.errors import ChangedMeanwhileError, DuplicateMemoryError, MemoryNotFoundError
from recollect.model import Actor, Change, Embedded, Exchange, Ignore, Memory, Message, Role, Update
from recollect.store.memories.changes import apply_change
from recollect.store.memories.edits import revise
from recollect.store.memories.transaction import Transaction
from recollect.store.pool import StorePart
from recollect.store.rows import exchange_of, update_of


class Repairs(StorePart):
    """Reads the sources of memories, and repairs memories so that it can be undone."""

    async def said(self, user_id: str, messages: Sequence[UUID]) -> list[Exchange]:
        """Return the user's exchanges with these messages as turns, oldest first.

        Each comes with the message before it in its chat; unknown messages are left out.
        """
        rows = await self._database.rows(user_id, "exchanges_of_messages", list(messages))
        return [
            exchange_of(
                user_id,
                row,
                ()
                if row["role_before"] is None
                else (Message(Role(row["role_before"]), row["said_before"]),),
            )
            for row in rows
        ]

    async def repair(
        self,
        user_id: str,
        memory: Memory,
        changes: Sequence[Change | Embedded],
        *,
        run: UUID,
        actor: Actor,
        at: datetime,
    ) -> bool:
        """Apply a repair to a memory in one transaction, if it is still as found; return whether a change was made.

        Each row of the audit names the ``run`` of repairs it belongs to, by an id of version 7.
        """
        async with self._database.changing(user_id) as connection:
            transaction = Transaction(connection, user_id, actor, at, run=run)
            now = await transaction.linked(memory.id)
            if now is None or not _is_as_found(now, memory):
                return False
            # A list, so that `any` leaves out no change.
            return any([await _done(transaction, each) for each in changes])

    async def runs(self) -> list[UUID]:
        """Return the ids of all runs."""
        rows = await self._database.rows_of_all("runs_of_repair")
        return [row["run"] for row in rows]

    async def users(self, run: UUID) -> list[str]:
        """Return the users whose memories a run changed."""
        rows = await self._database.rows_of_all("users_of_repair", run)
        return [row["user_id"] for row in rows]

    async def repaired(self, user_id: str, run: UUID) -> list[Update]:
        """Return a run's changes of the user's memories that were not undone, newest first."""
        rows = await self._database.rows(user_id, "updates_of_repair", run)
        return [update_of(row) for row in rows]


def _is_as_found(now: Memory, found: Memory) -> bool:
    """Return whether a memory is as it was found, apart from uses and repetitions."""
    return (now.owner, now.content, now.kind, now.doubt, now.observed_at, now.event_at) == (
        *(found.owner, found.content, found.kind),
        *(found.doubt, found.observed_at, found.event_at),
    )


async def _done(transaction: Transaction, change: Change | Embedded) -> bool:
    if not isinstance(change, Embedded):
        return not isinstance(await apply_change(transaction, change), Ignore)
    try:
        await revise(transaction, change)
    except (MemoryNotFoundError, DuplicateMemoryError, ChangedMeanwhileError):
        return False
    return True
