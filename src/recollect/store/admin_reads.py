"""What administrators read of users, and who changed a user's settings, in Postgres. Never: what they saw."""

import json
from dataclasses import asdict
from datetime import datetime

from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.model import OF_SETTINGS, AdminRead, Changer, Flags, Party, SettingsChange
from recollect.store.pool import Connection, Database
from recollect.store.sql import SQL
from recollect.text.normalization import storable_text

_LEARNED = "told_zone"
"""The setting that no one changes: it is learned from requests."""


class AdminReadLog:
    """Keeps what administrators read of users, for the users to see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, user_id: str, read: AdminRead) -> None:
        """Keep that someone else reads what is kept of the user."""
        async with self._database.changing(user_id) as connection:
            await connection.execute(
                SQL["insert_admin_read"],
                user_id,
                read.id,
                read.at,
                storable_text(read.reader),
                read.operation,
            )

    async def admin_reads(self, user_id: str, *, limit: int) -> list[AdminRead]:
        """Return what others read of the user, newest first."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["admin_reads_of_user"], user_id, limit)
        return [AdminRead(**row) for row in rows]

    async def settings_changes(self, user_id: str, *, limit: int) -> list[SettingsChange]:
        """Return who changed settings of the user's own, newest first."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["settings_changes_of_user"], user_id, limit)
        return [_change_of(row) for row in rows]


async def note_settings_change(
    connection: Connection, user_id: str, before: Flags, after: Flags, *, by: Changer, at: datetime
) -> None:
    """Keep that settings of the user's own are others now, in the connection's transaction; nothing where none is."""
    old, new = asdict(before), asdict(after)
    changed = {name: (old[name], new[name]) for name in new if old[name] != new[name] and name != _LEARNED}
    if changed:
        written = OF_SETTINGS + json.dumps({"by": by.party, "changed": changed})
        await connection.execute(
            SQL["insert_settings_change"], user_id, uuid7(), at, storable_text(by.name), written
        )


def _change_of(row: Record) -> SettingsChange:
    told = json.loads(row["operation"].removeprefix(OF_SETTINGS))
    changed = {name: (before, after) for name, (before, after) in told["changed"].items()}
    return SettingsChange(row["id"], row["at"], Changer(Party(told["by"]), row["reader"]), changed)
