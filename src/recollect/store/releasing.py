"""Lets go of what was held back until a person approved it, or refused. Never: decides for them."""

from datetime import datetime
from uuid import UUID

from recollect.errors import MemoryNotFoundError
from recollect.model import MOST_QUARANTINED, Action, Add, Change, Ignore, Memory, Quarantined, Reason
from recollect.store.changes import apply_change
from recollect.store.changing import Changing
from recollect.store.pool import Connection
from recollect.store.rows import memory_of
from recollect.store.sql import SQL


async def read_quarantined(
    connection: Connection,
    user_id: str,
    memory_id: UUID | None = None,
    *,
    limit: int = MOST_QUARANTINED,
    after: tuple[datetime, UUID] | None = None,
) -> list[Quarantined]:
    """Return what is held back of the user, newest first, behind ``after``; with an id, that one."""
    at, last = after or (None, None)
    rows = await connection.fetch(SQL["quarantined"], user_id, memory_id, limit, at, last)
    return [Quarantined(memory_of(row), Reason(row["reason"]), row["at"]) for row in rows]


async def read_held(connection: Connection, user_id: str, memory_id: UUID) -> Quarantined:
    """Return one that is held back of the user.

    Raises:
        MemoryNotFoundError: Nothing with this id is held back.
    """
    for held in await read_quarantined(connection, user_id, memory_id):
        return held
    raise MemoryNotFoundError


async def release(changing: Changing, memory_id: UUID, memory: Memory | None) -> list[Change]:
    """Keep ``memory`` in the place of what is held back, or refuse that where it is None.

    Raises:
        MemoryNotFoundError: Nothing with this id is held back.
    """
    await read_held(changing.connection, changing.user_id, memory_id)
    if memory is not None:
        await changing.connection.execute(SQL["release_quarantined"], changing.user_id, memory_id)
        return [await apply_change(changing, Add(memory, Reason.APPROVED))]
    await changing.connection.execute(SQL["refuse_quarantined"], changing.user_id, memory_id)
    await changing.audit(Action.REFUSE, Reason.REFUSED, memory_id)
    return [Ignore(Reason.REFUSED)]
