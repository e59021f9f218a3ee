"""Erases what was said before a time from the log. Never: a memory; an exchange that is still to be formed."""

from datetime import datetime

from recollect.model import Actor
from recollect.store.jobs.queue import enqueue
from recollect.store.log.index import delete_chunks, unindex
from recollect.store.memories.transaction import Transaction
from recollect.store.pool import Connection
from recollect.store.sql import SQL

_AT_ONCE = 100
"""So many exchanges are erased in one transaction, which answers to a person's next message wait for."""


async def erase_old(connection: Connection, user_id: str, before: datetime, *, at: datetime) -> int:
    """Delete a user's oldest formed exchanges from before a time, 100 at most, with their messages; return how many.

    Memories stay, with the words that they quote. Blocks of prompts that name a deleted message go, and messages next to one
    are to be indexed again, as they may be found by its words.
    """
    rows = await connection.fetch(SQL["old_exchanges"], user_id, before, _AT_ONCE)
    if not rows:
        return 0
    exchanges, chats = [row["id"] for row in rows], list({row["session_id"] for row in rows})
    said = await connection.fetch(SQL["messages_of_exchanges"], user_id, exchanges)
    messages = [row["id"] for row in said]
    beside = [row["id"] for row in await connection.fetch(SQL["beside_messages"], user_id, messages)]
    await unindex(connection, user_id, beside)
    await delete_chunks(connection, user_id, messages)
    await Transaction(connection, user_id, Actor.PRUNE, at).forget_injections(messages)
    for table in ("injections", "chat_requests"):
        await connection.execute(SQL[f"erase_{table}_of_exchanges"], user_id, exchanges)
    for table in ("vectors", "quarantine"):
        await connection.execute(SQL[f"let_go_of_messages_in_{table}"], user_id, messages)
    await connection.execute(SQL["erase_old_exchanges"], user_id, exchanges)
    await connection.execute(SQL["erase_old_messages"], user_id, messages)
    await connection.execute(SQL["erase_empty_sessions"], user_id, chats)
    if beside:
        await enqueue(connection, [user_id])
    return len(exchanges)
