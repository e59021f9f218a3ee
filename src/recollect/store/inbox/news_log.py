"""Which changes were shown to their users, and with which answer."""

from datetime import datetime
from uuid import UUID

from recollect.model import News, Scope
from recollect.store.log.keys import storable_key
from recollect.store.pool import Database
from recollect.store.rows import update_of
from recollect.store.sql import SQL
from recollect.text.normalization import storable_id


class NewsLog:
    """The changes that users were shown. Every method raises StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def tell(self, scope: Scope, key: str, *, since: datetime | None = None) -> News:
        """Take the changes that a user was not shown yet, to show them with a turn's answer.

        Each is taken once, however many callers ask at a time. Imported memories are no news.

        Args:
            scope: The chat of the turn.
            key: The turn with whose answer they are shown.
            since: The changes of the whole chat, and of all chats since then; None: those of that turn alone.
        """
        user_id, first = scope.user_id, None if since is None else _first_id(since)
        which = (user_id, storable_id(scope.session_id), storable_key(key), first)
        async with self._database.for_user(user_id) as connection:
            told = await connection.fetch(SQL["tell_news"], *which)
            ids = tuple(row["id"] for row in told)
            updates = await connection.fetch(SQL["updates_of_exchanges"], user_id, ids) if ids else ()
        return News(user_id, ids, tuple(map(update_of, updates)))

    async def requeue_news(self, news: News) -> None:
        """Give back news that were not shown after all."""
        async with self._database.for_user(news.user_id) as connection:
            await connection.execute(SQL["untell_news"], news.user_id, news.exchanges)

    async def told_with(self, scope: Scope, key: str) -> list[tuple[Scope, str]]:
        """Return the other turns, by chat and key, whose news came with this one's answer, the newest first."""
        which = (scope.user_id, storable_id(scope.session_id), storable_key(key))
        async with self._database.for_user(scope.user_id) as connection:
            rows = await connection.fetch(SQL["turns_told_with"], *which)
        return [(Scope(scope.user_id, row["session_id"]), row["key"]) for row in rows]


def _first_id(since: datetime) -> UUID:
    """Return the least UUID of version 7 of a moment: ids of exchanges are in order of time."""
    return UUID(int=int(since.timestamp() * 1000) << 80)
