"""What administrators read of a user: the endpoint and its JSON. Never: what they saw."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from litestar import Controller, get
from msgspec import Meta, Struct

from recollect import model
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


class ReadsOfUser(Struct):
    """What administrators read of a user."""

    reads: Annotated[list[AdminRead], Meta(description="Newest first.")]


class AdminReads(Controller):
    """What administrators read of a user."""

    path = "/users/{user_id:str}/admin-reads"
    tags = ("Audit",)

    @get(
        summary="List what administrators read of a user",
        response_description="The reads.",
        responses=documented(*ALWAYS),
    )
    async def list_admin_reads(self, engine: OpenEngine, user_id: UserId, limit: Limit = 50) -> ReadsOfUser:
        """Each read by the admin token, an admin key or a reader key, this one included. Kept for a year."""
        reads = await engine.admin_reads(user_named(user_id), limit=limit)
        return ReadsOfUser([AdminRead.of(read) for read in reads])
