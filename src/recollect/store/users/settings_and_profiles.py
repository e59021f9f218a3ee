"""People's settings and profiles, records of changes and of administrators' reads, and tokens of background models.

It does not know the meaning of a setting, and does not decide on proposals.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from datetime import date, datetime
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.errors import (
    DuplicateEntryError,
    ProfileEntryNotFoundError,
    ProfileFullError,
    ProfileNotAllowedError,
)
from recollect.model import (
    COMMONS,
    INSTRUCTIONS,
    MOST_ENTRIES,
    NOT_SAID,
    OF_SETTINGS,
    AdminRead,
    Changer,
    EntryState,
    Flags,
    OwnProfile,
    Party,
    ProfileEntry,
    ProfileField,
    SettingsChange,
    Usage,
    person_of,
)
from recollect.store.pool import Connection, StorePart
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash, storable_text, storable_user


class Profiles(StorePart):
    """Keeps people's profiles, while they allow it.

    Whether they do is a flag of their own (``Flags.profile``): when it is taken back, ``UserSettings`` deletes all of it.
    """

    async def profile(self, user_id: str) -> OwnProfile:
        """Return the user's profile, with embeddings; in a project it is the person's."""
        user_id = person_of(user_id)
        async with self._database.for_user(user_id) as connection:
            consents: bool = await connection.fetchval(SQL["allows_profile"], user_id)
            rows = await connection.fetch(SQL["profile_entries"], user_id) if consents else ()
        return OwnProfile(consents, tuple(map(_entry_of, rows)))

    async def add(self, user_id: str, entry: ProfileEntry) -> None:
        """Keep a new entry as confirmed; a job embeds it.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
            ProfileFullError: It has ``MOST_ENTRIES``.
            DuplicateEntryError: Another entry says the same.
        """
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["add_profile_entry"], *await _as_written(connection, user_id, entry))

    async def change(self, user_id: str, entry: ProfileEntry) -> None:
        """Keep an entry as confirmed, in place of the one with its id, as ``add``; delete blocks of prompts that have it.

        Raises:
            ProfileEntryNotFoundError: There is none, or none any more.
            ProfileNotAllowedError, ProfileFullError, DuplicateEntryError: As ``add``.
        """
        async with self._database.changing(user_id) as connection:
            written = await _as_written(connection, user_id, entry)
            if await connection.fetchval(SQL["change_profile_entry"], *written) is None:
                raise ProfileEntryNotFoundError
            # A block may have said otherwise.
            await connection.execute(SQL["delete_injections"], user_id, [entry.id])

    async def propose(
        self, user_id: str, proposals: Mapping[UUID, tuple[UUID, ProfileField]], *, at: datetime
    ) -> int:
        """Propose entries from memories, by the id of each entry; return how many are new.

        Entries proposed, refused or known before are left out.

        Raises:
            ProfileNotAllowedError: The user does not allow a profile.
        """
        memories, fields = [each for each, _ in proposals.values()], [each for _, each in proposals.values()]
        async with self._database.changing(user_id) as connection:
            await _require_consent(connection, user_id)
            new = await connection.fetch(
                SQL["propose_profile_entries"], user_id, list(proposals), fields, memories, at
            )
        return len(new)

    async def remove(self, user_id: str, entry_id: UUID, *, at: datetime) -> bool:
        """Delete an entry, and the blocks of prompts that have it; return whether there was one.

        The proposal of a memory is not made again.
        """
        async with self._database.changing(user_id) as connection:
            gone = await connection.fetchval(SQL["refuse_profile_entry"], user_id, entry_id, at)
            if gone is None:
                gone = await connection.fetchval(SQL["delete_profile_entry"], user_id, entry_id)
            if gone is not None:
                await connection.execute(SQL["delete_injections"], user_id, [entry_id])
        return gone is not None


async def confirmed_entries(connection: Connection, user_id: str) -> tuple[ProfileEntry, ...]:
    """Return the entries that the user confirmed and that still hold."""
    entries = map(_entry_of, await connection.fetch(SQL["profile_entries"], user_id))
    return tuple(each for each in entries if each.state is EntryState.CONFIRMED and not each.outdated)


async def forget_in_profile(connection: Connection, user_id: str, memories: Sequence[UUID]) -> None:
    """Delete the proposals of these memories, and the blocks of prompts that have them; in the connection's transaction."""
    gone = await connection.fetch(SQL["forget_profile_entries"], user_id, memories)
    await _forget_blocks(connection, user_id, gone)


async def _clear_unless_allowed(connection: Connection, user_id: str) -> None:
    """Delete the user's profile if they do not allow one, and its copies elsewhere.

    Copies are blocks of prompts and kept answers of the API; runs in the connection's transaction, under the user's lock.
    """
    gone = await connection.fetch(SQL["clear_profile"], user_id)
    if gone:
        await _forget_blocks(connection, user_id, gone)
        await connection.execute(SQL["erase_kept_answers"], user_id)


async def _forget_blocks(connection: Connection, user_id: str, gone: Sequence[Record]) -> None:
    if gone:
        await connection.execute(SQL["delete_injections"], user_id, [row["id"] for row in gone])


async def _as_written(connection: Connection, user_id: str, entry: ProfileEntry) -> tuple[object, ...]:
    """Return the arguments of the statements that write an entry.

    Raises:
        ProfileNotAllowedError, DuplicateEntryError, ProfileFullError: It may not be written.
    """
    await _require_consent(connection, user_id)
    content = storable_text(entry.content)
    hashed = content_hash(content)
    around = await connection.fetchrow(SQL["around_profile_entry"], user_id, entry.id, hashed)
    assert around is not None  # noqa: S101 -- a count has one row
    if around["is_known"]:
        raise DuplicateEntryError
    if around["entries"] >= MOST_ENTRIES:
        raise ProfileFullError
    return (user_id, entry.id, entry.field, content, hashed, entry.own_words, entry.changed_at)


async def _require_consent(connection: Connection, user_id: str) -> None:
    if not await connection.fetchval(SQL["allows_profile"], user_id):
        raise ProfileNotAllowedError


def _entry_of(row: Record) -> ProfileEntry:
    values = row["values"]
    return ProfileEntry(
        id=row["id"],
        field=ProfileField(row["field"]),
        content=row["content"],
        state=EntryState(row["state"]),
        created_at=row["created_at"],
        changed_at=row["changed_at"],
        memory_id=row["memory_id"],
        own_words=row["own_words"],
        outdated=row["outdated"],
        embedding=None if values is None else values.to_numpy().astype(np.float32),
        embedding_model=row["embedding_model"],
    )


_KINDS: dict[str, Any] = {each.name: each.type for each in fields(Flags)}
"""The kind of each flag's value, or None."""


class UserSettings(StorePart):
    """Keeps the settings that were changed while the engine runs. A person's settings hold in all of their projects."""

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
            return flags_of(await self._database.value_of_all("change_flags", COMMONS, written, at))
        user_id = person_of(user_id)
        async with self._database.changing(storable_user(user_id)) as connection:
            before = (await read_flags(connection, user_id)).get(user_id, Flags())
            changed = flags_of(await connection.fetchval(SQL["change_flags"], user_id, written, at))
            await _note_settings_change(connection, user_id, before, changed, by=by, at=at)
            await _clear_unless_allowed(connection, user_id)
        return changed

    async def learn_flags(self, user_id: str, flags: Flags, *, at: datetime) -> None:
        """Keep the flags that a request carried about a user (``_LEARNED``), unless the user was erased and has no chat."""
        changed = {name: value for name, value in asdict(flags).items() if value is not None}
        user_id = person_of(user_id)
        await self._database.changed(user_id, "learn_flags", json.dumps(changed), at)


async def read_flags(connection: Connection, user_id: str) -> Mapping[str, Flags]:
    """Return the flags of the user and of everybody, each by name."""
    rows = await connection.fetch(SQL["flags_of"], user_id)
    return {row["user_id"]: flags_of(row["flags"]) for row in rows}


class UsageLog(StorePart):
    """Counts the tokens of background calls of models; a project's are its person's."""

    async def used(self, user_id: str, day: date) -> Usage:
        """Return the tokens used on a day."""
        user_id = person_of(user_id)
        user = await self._database.value(user_id, "usage_of_user", day)
        return Usage(user or 0, await self.used_by_all(day))

    async def used_by_all(self, day: date) -> int:
        """Return the tokens used on a day by all users."""
        return await self._database.value_of_all("usage_of_everybody", day) or 0

    async def use(self, user_id: str, day: date, tokens: int, *, for_summary: bool = False) -> None:
        """Count tokens for a user on a day; not if they have neither a chat nor a memory: they were erased meanwhile."""
        user_id = person_of(user_id)
        await self._database.changed(user_id, "use_tokens", day, tokens, tokens if for_summary else 0)


def flags_of(written: str | None) -> Flags:
    """Return the flags in a JSON text; unknown names and values are ignored."""
    kept: object = None if written is None else json.loads(written)
    if not isinstance(kept, dict):
        return Flags()
    known = {}
    for name in _KINDS.keys() & kept.keys():
        with suppress(msgspec.ValidationError):  # of another release; the default holds
            known[name] = msgspec.convert(kept[name], _KINDS[name])
    return Flags(**known)


def _written(flags: Mapping[str, Any]) -> str:
    """Return flags as JSON that Postgres can hold."""
    texts = INSTRUCTIONS & flags.keys()
    return json.dumps({**flags, **{name: flags[name] and storable_text(flags[name]) for name in texts}})


_LEARNED = frozenset({"told_zone", "told_name"})
"""The settings that no one changes: they are learned from requests."""


class AdminReadLog(StorePart):
    """Keeps records of administrators' reads, for the users to see."""

    async def add_read(self, user_id: str, read: AdminRead, *, unless_since: datetime | None = None) -> None:
        """Note that an administrator reads the user's data, unless the same operation of theirs is noted after ``unless_since``."""
        user_id = person_of(user_id)
        await self._database.changed(
            user_id,
            "insert_admin_read",
            read.id,
            read.at,
            storable_text(read.reader),
            read.operation,
            unless_since,
        )

    async def admin_reads(self, user_id: str, *, limit: int) -> list[AdminRead]:
        """Return administrators' reads of the user's data, newest first."""
        rows = await self._database.rows(user_id, "admin_reads_of_user", limit)
        return [AdminRead(**row) for row in rows]

    async def settings_changes(self, user_id: str, *, limit: int) -> list[SettingsChange]:
        """Return changes of the user's own settings, newest first."""
        rows = await self._database.rows(user_id, "settings_changes_of_user", limit)
        return [_change_of(row) for row in rows]


async def _note_settings_change(
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
    operation = json.loads(row["operation"].removeprefix(OF_SETTINGS))
    changed = {name: (before, after) for name, (before, after) in operation["changed"].items()}
    return SettingsChange(row["id"], row["at"], Changer(Party(operation["by"]), row["reader"]), changed)
