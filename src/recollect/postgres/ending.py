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
    version = Version(scope, row["key"], row["parent"], row["anchor"] or row["key"], row["said_at"])
    is_late = row["parent"] is not None and await abandon_other_versions(connection, version)
    state = "abandoned" if is_late else "pending"
    await connection.execute(SQL["end_exchange"], scope.user_id, row["id"], state)
    if is_late:
        changing = Changing(connection, scope.user_id, Actor.FORMATION, version.at, scope.session_id)
        await hide_messages(changing, Reason.ABANDONED, [row["message_id"]])


async def end_without_reply(connection: Connection, user_id: str, rows: Sequence[Record]) -> None:
    """End open exchanges of a user whose answers nobody waits for any more, in order; a late one is still kept."""
    for row in rows:
        await end_exchange(connection, Scope(user_id, row["session_id"]), row)
    if rows:
        await enqueue(connection, [user_id])
