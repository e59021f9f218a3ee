"""Ends exchanges whose answer was under way, in Postgres. Never: keeps a reply."""

from collections.abc import Sequence

from asyncpg import Record

from recollect.model import Actor, Reason, Scope
from recollect.postgres.abandoning import Version, abandon_other_versions
from recollect.postgres.changing import Changing
from recollect.postgres.hiding import hide_messages
from recollect.postgres.pool import Connection
from recollect.postgres.queue import enqueue
from recollect.postgres.sql import SQL


async def end_exchange(connection: Connection, scope: Scope, row: Record) -> None:
    """End an open exchange: it is to be formed, and what it is another version of is abandoned.

    Args:
        connection: In a transaction under the user's lock.
        scope: In which chat it is.
        row: What the log has of it.
    """
    is_late = await abandon_others(connection, scope, row)
    state = "abandoned" if is_late else "pending"
    await connection.execute(SQL["end_exchange"], scope.user_id, row["id"], state)
    if is_late:
        changing = Changing(connection, scope.user_id, Actor.FORMATION, row["said_at"], scope.session_id)
        await hide_messages(changing, Reason.ABANDONED, [row["message_id"]])


async def abandon_others(connection: Connection, scope: Scope, row: Record) -> bool:
    """Abandon the other versions of an exchange that has an answer now; return whether it is itself too late to replace them.

    Args:
        connection: In a transaction under the user's lock.
        scope: In which chat it is.
        row: What the log has of it.
    """
    version = Version(scope, row["key"], row["parent"], row["anchor"] or row["key"], row["said_at"])
    return row["parent"] is not None and await abandon_other_versions(connection, version)


async def end_without_reply(connection: Connection, user_id: str, rows: Sequence[Record]) -> None:
    """End open exchanges of a user whose answers nobody waits for any more, in order; a late one is still kept.

    What they are other versions of stays: an edit that was never answered costs nothing.
    """
    for row in rows:
        await connection.execute(SQL["end_exchange"], user_id, row["id"], "pending")
        await connection.execute(SQL["note_unanswered"], user_id, row["id"])
    if rows:
        await enqueue(connection, [user_id])
