"""Settings changed at run time, records of changes and of administrators' reads, and tokens of background models. Never: the meaning of a setting."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeVar

from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.model import (
    COMMONS,
    INSTRUCTIONS,
    NOT_SAID,
    OF_SETTINGS,
    AdminRead,
    Changer,
    Flags,
    Party,
    Placement,
    SettingsChange,
    Strategy,
    Usage,
    person_of,
)
from recollect.store.pool import Connection, Database
from recollect.store.sql import SQL
from recollect.store.users.profiles import clear_unless_allowed
from recollect.text.normalization import storable_text, storable_user

T = TypeVar("T")
W = TypeVar("W", bound=StrEnum)


class UserSettings:
    """Keeps the settings that were changed while the engine runs. A person's settings hold in all of their projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def flags(self, user_id: str | None) -> Flags:
        """Return the flags set for everybody; with a user, overridden by the user's own."""
        if user_id is None:
            async with self._database.over_all_users() as connection:
                return (await read_flags(connection, COMMONS)).get(COMMONS, Flags())
        user_id = person_of(user_id)
        async with self._database.for_user(user_id) as connection:
            found = await read_flags(connection, user_id)
        return found.get(user_id, Flags()).over(found.get(COMMONS, Flags()))

    async def own_flags(self, user_id: str) -> Flags:
        """Return the user's own flags."""
        user_id = person_of(user_id)
        async with self._database.for_user(user_id) as connection:
            return (await read_flags(connection, user_id)).get(user_id, Flags())

    async def change_flags(
        self,
        user_id: str | None,
        flags: Flags,
        named: Collection[str],
        *,
        at: datetime,
        by: Changer = NOT_SAID,
    ) -> Flags:
        """Change those that are named, and leave the others; None takes one back. One statement, whichever replica it comes from.

        The profile of a user who does not allow one is deleted in the same transaction.
        """
        given = asdict(flags)
        written = _written({name: given[name] for name in named})
        if user_id is None:
            async with self._database.over_all_users() as connection:
                return flags_of(await connection.fetchval(SQL["change_flags"], COMMONS, written, at))
        user_id = person_of(user_id)
        async with self._database.changing(storable_user(user_id)) as connection:
            before = (await read_flags(connection, user_id)).get(user_id, Flags())
            changed = flags_of(await connection.fetchval(SQL["change_flags"], user_id, written, at))
            await note_settings_change(connection, user_id, before, changed, by=by, at=at)
            await clear_unless_allowed(connection, user_id)
        return changed

    async def learn_flags(self, user_id: str, flags: Flags, *, at: datetime) -> None:
        """Keep the flags that a request told of a user (``_LEARNED``); not of one without a chat, who was erased meanwhile."""
        told = {name: value for name, value in asdict(flags).items() if value is not None}
        user_id = person_of(user_id)
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["learn_flags"], user_id, json.dumps(told), at)


async def read_flags(connection: Connection, user_id: str) -> Mapping[str, Flags]:
    """Return the flags of the user and of everybody, each by name."""
    rows = await connection.fetch(SQL["flags_of"], user_id)
    return {row["user_id"]: flags_of(row["flags"]) for row in rows}


class UsageLog:
    """Counts the tokens of background calls of models; a project's are its person's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def used(self, user_id: str, day: date) -> Usage:
        """Return the tokens used on a day."""
        user_id = person_of(user_id)
        async with self._database.for_user(user_id) as connection:
            user = await connection.fetchval(SQL["usage_of_user"], user_id, day)
        return Usage(user or 0, await self.used_by_all(day))

    async def used_by_all(self, day: date) -> int:
        """Return the tokens used on a day by all users."""
        async with self._database.over_all_users() as connection:
            return await connection.fetchval(SQL["usage_of_everybody"], day) or 0

    async def use(self, user_id: str, day: date, tokens: int, *, for_summary: bool = False) -> None:
        """Count tokens for a user on a day; not if they have neither a chat nor a memory: they were erased meanwhile."""
        user_id = person_of(user_id)
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["use_tokens"], user_id, day, tokens, tokens if for_summary else 0)


def flags_of(written: str | None) -> Flags:
    """Return the flags in a JSON text; unknown names and values are ignored."""
    kept: object = None if written is None else json.loads(written)
    if not isinstance(kept, dict):
        return Flags()
    return Flags(
        record=_as(bool, kept.get("record")),
        recall=_as(bool, kept.get("recall")),
        standing=_as(bool, kept.get("standing")),
        formation=_word(Strategy, kept.get("formation")),
        placement=_word(Placement, kept.get("placement")),
        summaries=_as(bool, kept.get("summaries")),
        queries=_as(bool, kept.get("queries")),
        profile=_as(bool, kept.get("profile")),
        lexical=_as(bool, kept.get("lexical")),
        history=_as(bool, kept.get("history")),
        max_memory_tokens=_as(int, kept.get("max_memory_tokens")),
        max_history_tokens=_as(int, kept.get("max_history_tokens")),
        summary_turns=_as(int, kept.get("summary_turns")),
        minimum_importance=_number(kept.get("minimum_importance")),
        session_cap=_as(int, kept.get("session_cap")),
        user_cap=_as(int, kept.get("user_cap")),
        approve_first=_as(bool, kept.get("approve_first")),
        time_zone=_as(str, kept.get("time_zone")),
        operator_instructions=_as(str, kept.get("operator_instructions")),
        instructions=_as(str, kept.get("instructions")),
        lifetimes=_as(str, kept.get("lifetimes")),
        told_zone=_as(str, kept.get("told_zone")),
        told_name=_as(str, kept.get("told_name")),
    )


def _written(flags: Mapping[str, Any]) -> str:
    """Return flags as JSON that Postgres can hold."""
    texts = INSTRUCTIONS & flags.keys()
    return json.dumps({**flags, **{name: flags[name] and storable_text(flags[name]) for name in texts}})


def _as(kind: type[T], kept: object) -> T | None:
    return kept if type(kept) is kind else None  # a bool is no number of memories


def _number(kept: object) -> float | None:
    return float(kept) if isinstance(kept, int | float) and not isinstance(kept, bool) else None


def _word(words: type[W], kept: object) -> W | None:
    return next((word for word in words if word == kept), None)


_LEARNED = frozenset({"told_zone", "told_name"})
"""The settings that no one changes: they are learned from requests."""


class AdminReadLog:
    """Keeps records of administrators' reads, for the users to see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_read(self, user_id: str, read: AdminRead, *, unless_since: datetime | None = None) -> None:
        """Note that an administrator reads the user's data, unless the same operation of theirs is noted after ``unless_since``."""
        user_id = person_of(user_id)
        async with self._database.changing(user_id) as connection:
            await connection.execute(
                SQL["insert_admin_read"],
                user_id,
                read.id,
                read.at,
                storable_text(read.reader),
                read.operation,
                unless_since,
            )

    async def admin_reads(self, user_id: str, *, limit: int) -> list[AdminRead]:
        """Return administrators' reads of the user's data, newest first."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["admin_reads_of_user"], user_id, limit)
        return [AdminRead(**row) for row in rows]

    async def settings_changes(self, user_id: str, *, limit: int) -> list[SettingsChange]:
        """Return changes of the user's own settings, newest first."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["settings_changes_of_user"], user_id, limit)
        return [_change_of(row) for row in rows]


async def note_settings_change(
    connection: Connection, user_id: str, before: Flags, after: Flags, *, by: Changer, at: datetime
) -> None:
    """Record a change of the user's own settings in the connection's transaction, if there is any."""
    old, new = asdict(before), asdict(after)
    changed = {
        name: tuple(_recorded(name, each[name]) for each in (old, new))
        for name in new
        if old[name] != new[name] and name not in _LEARNED
    }
    if changed:
        written = OF_SETTINGS + json.dumps({"by": by.party, "changed": changed})
        await connection.execute(
            SQL["insert_settings_change"], user_id, uuid7(), at, storable_text(by.name), written
        )


def _recorded(name: str, value: Any) -> Any:
    """Return a value as the record has it: of instructions the number of characters, so that deleted ones are gone."""
    return len(value or "") if name in INSTRUCTIONS else value


def _change_of(row: Record) -> SettingsChange:
    told = json.loads(row["operation"].removeprefix(OF_SETTINGS))
    changed = {name: (before, after) for name, (before, after) in told["changed"].items()}
    return SettingsChange(row["id"], row["at"], Changer(Party(told["by"]), row["reader"]), changed)
