"""What was changed while the engine runs, and what models took, in Postgres. Never: what a flag means."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from recollect.model import COMMONS, Flags, Placement, Strategy, Usage
from recollect.normalization import storable_user
from recollect.postgres.pool import Connection, Database
from recollect.postgres.sql import SQL


class PostgresFlags:
    """Implements ``FlagStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def flags(self, user_id: str | None) -> Flags:
        """Return what was changed for everybody; with a user, for them over that."""
        if user_id is None:
            async with self._database.over_all_users() as connection:
                return (await read_flags(connection, COMMONS)).get(COMMONS, Flags())
        async with self._database.for_user(user_id) as connection:
            found = await read_flags(connection, user_id)
        return found.get(user_id, Flags()).over(found.get(COMMONS, Flags()))

    async def own_flags(self, user_id: str) -> Flags:
        """Return what was changed for this user alone."""
        async with self._database.for_user(user_id) as connection:
            return (await read_flags(connection, user_id)).get(user_id, Flags())

    async def set_flags(self, user_id: str | None, flags: Flags, *, at: datetime) -> None:
        """Keep what is changed for a user, or for everybody, in place of what was."""
        written = json.dumps(asdict(flags))
        if user_id is None:
            async with self._database.over_all_users() as connection:
                await connection.execute(SQL["set_flags"], COMMONS, written, at)
            return
        async with self._database.changing(storable_user(user_id)) as connection:
            await connection.execute(SQL["set_flags"], user_id, written, at)


async def read_flags(connection: Connection, user_id: str) -> Mapping[str, Flags]:
    """Return what was changed for the user, and for everybody, each under its name."""
    rows = await connection.fetch(SQL["flags_of"], user_id)
    return {row["user_id"]: _flags_of(json.loads(row["flags"])) for row in rows}


class PostgresUsage:
    """Implements ``UsageLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def used(self, user_id: str, day: date) -> Usage:
        """Return what was taken on a day."""
        async with self._database.for_user(user_id) as connection:
            user = await connection.fetchval(SQL["usage_of_user"], user_id, day)
        async with self._database.over_all_users() as connection:
            everybody = await connection.fetchval(SQL["usage_of_everybody"], day)
        return Usage(user or 0, everybody or 0)

    async def use(self, user_id: str, day: date, tokens: int) -> None:
        """Count tokens taken for a user on a day."""
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["use_tokens"], user_id, day, tokens)


def _flags_of(kept: Mapping[str, Any]) -> Flags:
    """Return the flags; what an older or newer version kept and this one does not know is left out."""
    formation, placement = kept.get("formation"), kept.get("placement")
    plain = ("recall", "summaries", "minimum_importance", "session_cap", "user_cap")
    return Flags(
        formation=Strategy(formation) if formation in list(Strategy) else None,
        placement=Placement(placement) if placement in list(Placement) else None,
        **{name: kept.get(name) for name in plain},
    )
