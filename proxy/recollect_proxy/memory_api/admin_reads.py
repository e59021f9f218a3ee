"""What administrators read of a user, and who changed the user's settings: the endpoint and its JSON. Never: what they saw."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from litestar import Controller, get
from msgspec import Meta, Struct

from recollect import model
from recollect.model import Party
from recollect_proxy.memory_api.errors import documented
from recollect_proxy.memory_api.parameters import ALWAYS, Limit, OpenEngine, UserId, user_named


class AdminRead(Struct):
    """That an administrator read what is kept of the user."""

    id: UUID
    at: Annotated[datetime, Meta(tz=True)]
    reader: Annotated[str, Meta(description="The name of the token that was used.")]
    operation: Annotated[
        str,
        Meta(
            description="Which operation of this API it was, by its `operationId`, or which page, as `page: memories`, or which "
            "command, as `audit-store`."
        ),
    ]

    @classmethod
    def of(cls, read: model.AdminRead) -> Self:
        """Return the JSON of ``read``."""
        return cls(read.id, read.at, read.reader, read.operation)


class ValueChange(Struct):
    """What a setting was, and what it is then; null: it follows what is set for everybody."""

    before: bool | int | float | str | None
    after: bool | int | float | str | None


class SettingsChange(Struct):
    """That settings of a user's own were changed."""

    id: UUID
    at: Annotated[datetime, Meta(tz=True)]
    by: Annotated[
        Party,
        Meta(
            description="`person`: the user; `integration`: an application that acts for them; or `administrator`."
        ),
    ]
    name: Annotated[
        str, Meta(description="Of the token or key that was used; `chat`: it was said in a chat.")
    ]
    changed: Annotated[dict[str, ValueChange], Meta(description="By the setting's name.")]

    @classmethod
    def of(cls, change: model.SettingsChange) -> Self:
        """Return the JSON of ``change``."""
        changed = {name: ValueChange(*values) for name, values in change.changed.items()}
        return cls(change.id, change.at, change.by.party, change.by.name, changed)


class ReadsOfUser(Struct):
    """What administrators read of a user, and who changed the user's settings."""

    reads: Annotated[list[AdminRead], Meta(description="Newest first.")]
    settings: Annotated[list[SettingsChange], Meta(description="Changes of settings, newest first.")] = []


class AdminReads(Controller):
    """What administrators read of a user."""

    path = "/users/{user_id:str}/admin-reads"
    tags = ("Audit",)

    @get(
        summary="List what administrators read of a user, and who changed settings",
        response_description="The reads and the changes.",
        responses=documented(*ALWAYS),
    )
    async def list_admin_reads(self, engine: OpenEngine, user_id: UserId, limit: Limit = 50) -> ReadsOfUser:
        """Each read by the admin token, an admin key or a reader key, this one included, for a year.

        And each change of the user's own settings, whoever made it.
        """
        user = user_named(user_id)
        reads = await engine.admin_reads(user, limit=limit)
        changes = await engine.settings_changes(user, limit=limit)
        return ReadsOfUser(
            [AdminRead.of(read) for read in reads], [SettingsChange.of(change) for change in changes]
        )
