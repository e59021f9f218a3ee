"""People's profiles in Postgres. Never: decides on proposals."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import numpy as np
from asyncpg import Record

from recollect.errors import (
    DuplicateEntryError,
    ProfileEntryNotFoundError,
    ProfileFullError,
    ProfileNotAllowedError,
)
from recollect.model import MOST_ENTRIES, EntryState, OwnProfile, ProfileEntry, ProfileField, person_of
from recollect.store.pool import Connection, StorePart
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash, storable_text


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


async def clear_unless_allowed(connection: Connection, user_id: str) -> None:
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
