"""Shared memories, and global ones, in Postgres. Never: permissions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.audit.replay import addition_details
from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import COMMONS, STATEMENTS, Action, Memory, Reason, Source
from recollect.store.memories.transaction import Transaction, insert_vector
from recollect.store.pool import Connection
from recollect.store.rows import memory_of
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash, storable_text


async def share_memory(transaction: Transaction, memory_id: UUID) -> Memory:
    """Move a memory of the user's own to the commons, without the words it was said in, and return it.

    Raises:
        MemoryNotFoundError: The user has no such statement, own or shared.
    """
    memory = await transaction.seen(memory_id)
    if memory.owner == COMMONS:
        return memory
    if memory.kind not in STATEMENTS:
        raise MemoryNotFoundError
    await transaction.connection.execute(SQL["lock_user"], COMMONS)
    for query in ("copy_to_commons", "delete_own_vector", "link_to_commons"):
        await transaction.connection.execute(SQL[query], transaction.user_id, memory_id)
    await transaction.audit(
        Action.EDIT,
        Reason.SHARED,
        memory_id,
        before=memory.content,
        after=memory.content,
        details=addition_details(memory),
    )
    return await transaction.seen(memory_id)


async def read_globals(connection: Connection) -> list[Memory]:
    """Return the global memories, newest first; they serve users who have few of their own."""
    rows = await connection.fetch(SQL["global_memories"], COMMONS)
    return [replace(memory_of(row), second_model=row["second_model"]) for row in rows]


async def write_globals(
    connection: Connection, added: Sequence[Memory], removed: Sequence[UUID], *, at: datetime
) -> None:
    """Add and remove memories that serve everybody; in a transaction over all users.

    Raises:
        StoreError: One is not of the commons or no global one, or its id is used.
    """
    await connection.execute(SQL["lock_user"], COMMONS)
    ended = await connection.fetch(SQL["end_globals"], COMMONS, list(removed), at)
    if ended:
        await connection.execute(SQL["delete_injections_of_all"], [row["id"] for row in ended])
    for memory in added:
        if (memory.owner, memory.source) != (COMMONS, Source.GLOBAL):
            raise StoreError("What serves everybody belongs to the commons, and is global.")
        known = await connection.fetchval(
            SQL["global_with_content"], COMMONS, content_hash(storable_text(memory.content))
        )
        if known is None and not await insert_vector(connection, memory):
            raise StoreError("There is a memory with this id already.")
