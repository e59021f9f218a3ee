"""How often a step was begun for a user and not ended, in Postgres. Never: what the step does."""

from datetime import datetime

from recollect.postgres.pool import Database
from recollect.postgres.sql import SQL
from recollect.text.normalization import storable_text


class PostgresTries:
    """Implements ``Tries``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unended(self, user_id: str, step: str, subject: str) -> int:
        """Return how often a step on this subject was begun and did not end."""
        async with self._database.for_user(user_id) as connection:
            tries: int | None = await connection.fetchval(
                SQL["unended_tries"], user_id, step, storable_text(subject)
            )
        return tries or 0

    async def begin(self, user_id: str, step: str, subject: str, *, at: datetime, afresh: bool) -> int:
        """Count a try before it begins; return how often it was begun since it last ended, this one included."""
        async with self._database.for_user(user_id) as connection:
            tries: int = await connection.fetchval(
                SQL["begin_try"], user_id, step, storable_text(subject), at, afresh
            )
        return tries

    async def end(self, user_id: str, step: str) -> None:
        """Note that it ended, well or not."""
        async with self._database.for_user(user_id) as connection:
            await connection.execute(SQL["end_try"], user_id, step)
