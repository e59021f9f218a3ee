"""How often a step was begun for a user and not ended, in Postgres (the table `tries`). Never: the work of a step."""

from datetime import datetime

from recollect.store.pool import Database
from recollect.store.sql import SQL
from recollect.text.normalization import storable_text


class Attempts:
    """Counts how often a step was begun for a user and not ended, so that a step that kills its worker is counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unended(self, user_id: str, step: str, subject: str) -> int:
        """Return how often a step on this subject was begun and did not end."""
        async with self._database.for_user(user_id) as connection:
            attempts: int | None = await connection.fetchval(
                SQL["unended_attempts"], user_id, step, storable_text(subject)
            )
        return attempts or 0

    async def count_attempt(
        self, user_id: str, step: str, subject: str, *, at: datetime, afresh: bool
    ) -> int:
        """Count an attempt before it begins.

        Args:
            user_id: The user.
            step: The step; a user has one of each at a time.
            subject: The subject of the step; another one is begun afresh.
            at: Now.
            afresh: Whether the attempts before are known to have ended, though no one could note it.

        Returns:
            How often it was begun since it last ended, this attempt included.
        """
        async with self._database.for_user(user_id) as connection:
            attempts: int = await connection.fetchval(
                SQL["begin_attempt"], user_id, step, storable_text(subject), at, afresh
            )
        return attempts

    async def count_end(self, user_id: str, step: str) -> None:
        """Note that it ended, well or not."""
        async with self._database.for_user(user_id) as connection:
            await connection.execute(SQL["end_attempt"], user_id, step)
