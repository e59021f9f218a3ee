"""Reads the versions of what the store keeps of people. Never: raises one; triggers do (``0004_versions.sql``)."""

from collections.abc import Mapping, Sequence

from asyncpg import Record

from recollect.model import Versions
from recollect.postgres.pool import Connection, Database
from recollect.postgres.sql import SQL


class PostgresVersions:
    """Reads versions outside of a chat, whose state brings its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_user(self, user_id: str) -> Versions | None:
        """Return the current versions of a user; None if nothing is kept of them."""
        async with self._database.for_user(user_id) as connection:
            return await read_versions(connection, user_id)

    async def of_users(self, users: Sequence[str]) -> Mapping[str, Versions]:
        """Return the current versions of these users; a user of whom nothing is kept is missing."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["versions_of_users"], list(users))
        return {row["user_id"]: versions_of(row) for row in rows}


async def read_versions(connection: Connection, user_id: str) -> Versions | None:
    """Return the versions that the connection's transaction sees; None if nothing is kept of the user."""
    row = await connection.fetchrow(SQL["versions_of_user"], user_id)
    return None if row is None else versions_of(row)


def versions_of(row: Record) -> Versions:
    """Return the versions in a row that names them as the fields are."""
    return Versions(*(row[name] for name in Versions._fields))
