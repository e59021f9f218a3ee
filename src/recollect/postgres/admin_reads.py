"""What administrators read of users, in Postgres. Never: what they saw."""

from recollect.model import AdminRead
from recollect.postgres.pool import Database
from recollect.postgres.sql import SQL
from recollect.text.normalization import storable_text


class PostgresAdminReads:
    """Implements ``AdminReadLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, user_id: str, read: AdminRead) -> None:
        """Keep that somebody else reads what is kept of the user."""
        async with self._database.changing(user_id) as connection:
            await connection.execute(
                SQL["insert_admin_read"],
                user_id,
                read.id,
                read.at,
                storable_text(read.reader),
                read.operation,
            )

    async def admin_reads(self, user_id: str, *, limit: int) -> list[AdminRead]:
        """Return what others read of the user, newest first."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["admin_reads_of_user"], user_id, limit)
        return [AdminRead(**row) for row in rows]
