"""Which embedders have embeddings in the store, and whose are of today's, in Postgres. Never: embeds anything."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from uuid import uuid4

from recollect.model import EmbedderInUse, EmbedderPlace, EmbeddingCounts
from recollect.store.pool import Database
from recollect.store.sql import SQL

_USED = timedelta(minutes=1)
"""How long after it was seen last a process is taken to run still: four times as long as it takes to be seen again."""


class EmbedderGenerations:
    """Knows which embedders have embeddings in the store. Every method raises StoreError when the store fails.

    Processes of several replicas share it, and not all of them need use the same embedders.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = uuid4()

    async def note_in_use(self, place: EmbedderPlace, model: str, made_by: Mapping[str, str]) -> None:
        """Note that this process uses an embedder now."""
        async with self._database.over_all_users() as connection:
            await connection.execute(SQL["note_embedder"], place, model, json.dumps(dict(made_by)), _USED)

    async def known(self) -> list[EmbedderInUse]:
        """Return the embedders that are used, or were and have embeddings in the store, the last one chosen first."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["known_embedders"], _USED)
        return [
            EmbedderInUse(
                EmbedderPlace(row["place"]),
                row["model"],
                json.loads(row["made_by"]),
                row["chosen_at"],
                row["seen_at"],
                row["completed_at"],
                row["is_used"],
            )
            for row in rows
        ]

    async def hold(self, model: str, length: timedelta) -> bool:
        """Take, or renew, the right to go from user to user; False where another process has it."""
        async with self._database.over_all_users() as connection:
            held = await connection.fetchval(SQL["hold_reembedding"], model, self._holder, length)
        return held is not None

    async def users(self, since: datetime, *, without: Collection[str], limit: int) -> list[str]:
        """Return users of whom it was not seen since then that all is embedded, but for some."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["users_to_embed"], since, list(without), limit)
        return [row["user_id"] for row in rows]

    async def counts(self, since: datetime) -> EmbeddingCounts:
        """Count whose texts are all embedded, as was seen since then."""
        async with self._database.over_all_users() as connection:
            row = await connection.fetchrow(SQL["count_users_to_embed"], since)
        return EmbeddingCounts(**dict(row or {}))

    async def mark(self, user_id: str) -> None:
        """Note that all of a user's is embedded by those in use."""
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["mark_all_embedded"], user_id)

    async def complete(self, place: EmbedderPlace, model: str) -> None:
        """Note that an embedder has embedded the texts of all users; unused others are forgotten."""
        async with self._database.over_all_users() as connection:
            await connection.execute(SQL["complete_embedders"], place, model)
            await connection.execute(SQL["drop_embedders"], place, model, _USED)
