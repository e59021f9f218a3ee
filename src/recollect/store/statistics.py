"""Counts the stored data of all users in Postgres. It reads no text."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from recollect.model import (
    Activity,
    DayOfActivity,
    DayOfUsage,
    FormedExchanges,
    ModelTokens,
    Questions,
    StoreSize,
    TableSize,
)
from recollect.store.pool import Connection, StorePart
from recollect.store.sql import SQL


class Statistics(StorePart):
    """Counts over all users."""

    async def size(self) -> StoreSize:
        """Return how much is stored; it takes a scan."""
        async with self._database.over_all_users() as connection:
            counted = await connection.fetchrow(SQL["count_everything"])
            tables = await connection.fetch(SQL["table_sizes"])
        sizes = tuple(
            TableSize(row["name"], row["rows"], row["bytes"], json.loads(row["indexes"])) for row in tables
        )
        return StoreSize(**dict(counted or {}), tables=sizes)

    async def usage(self, since: date) -> list[DayOfUsage]:
        """Return the tokens that each user's memory took on each day since ``since``, the last day first."""
        rows = await self._database.rows_of_all("usage_by_user_and_day", since)
        return [DayOfUsage(**dict(row)) for row in rows]

    async def activity(self, since: datetime, midnights: Sequence[datetime]) -> Activity:
        """Return the questions, recalls and formations since then, also by day; this takes a scan.

        The days begin at ``midnights``, the first of them at ``since`` or before.
        """
        async with self._database.over_all_users() as connection:
            questions = await connection.fetchrow(SQL["questions_since"], since)
            formed = await connection.fetchrow(SQL["formed_since"], since)
            tokens = await connection.fetchrow(SQL["model_tokens_since"], since.date())
            formation = FormedExchanges(
                **_numbers(dict(formed or {})), made=await _counts(connection, "made_since", since)
            )
            return Activity(
                Questions(
                    **dict(questions or {}),
                    not_helpful=await connection.fetchval(SQL["not_helpful_since"], since),
                ),
                await _counts(connection, "skips_since", since),
                await _counts(connection, "paths_since", since),
                await _counts(connection, "given_since", since),
                formation,
                ModelTokens(**dict(tokens or {})),
                await _by_day(connection, since, midnights),
            )


async def _counts(connection: Connection, query: str, since: datetime) -> dict[str, int]:
    return {row["name"]: row["count"] for row in await connection.fetch(SQL[query], since)}


async def _by_day(
    connection: Connection, since: datetime, midnights: Sequence[datetime]
) -> tuple[DayOfActivity, ...]:
    days: defaultdict[date, dict[str, Any]] = defaultdict(dict)
    for query in ("questions_by_day", "formed_by_day"):
        for row in await connection.fetch(SQL[query], since, midnights):
            day = midnights[row["number"] - 1].date()
            days[day].update(_numbers({name: value for name, value in row.items() if name != "number"}))
    return tuple(DayOfActivity(day, **days[day]) for day in sorted(days))


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its times as numbers; where the clock of who wrote them was behind, none is below 0."""
    return {
        name: max(float(value), 0.0) if name.endswith("_lag") and value is not None else value
        for name, value in row.items()
    }
