"""What is held back until a person approves it: the endpoints and their JSON. Never: why anything is held back."""

from collections.abc import Iterable
from typing import Annotated, Self

from litestar import Controller, delete, get, post
from msgspec import Meta, Struct

from recollect import model
from recollect.model import Reason
from recollect_proxy.memory_api.errors import (
    DUPLICATE_MEMORY,
    MEMORY_NOT_FOUND,
    documented,
)
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    MemoryId,
    OpenEngine,
    UserId,
    memory_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Memory, Time


class Quarantined(Struct):
    """A memory held back: neither it nor the words it was said in are recalled."""

    memory: Annotated[Memory, Meta(description="As it would be kept, under the id to approve or refuse.")]
    reason: Annotated[Reason, Meta(description="Why it is held back.")]
    at: Annotated[Time, Meta(description="Since when.")]


class Quarantine(Struct):
    """What is held back, newest first."""

    quarantined: list[Quarantined]

    @classmethod
    def of(cls, quarantined: Iterable[model.Quarantined]) -> Self:
        """Return the JSON of ``quarantined``."""
        return cls([Quarantined(Memory.of(each.memory), each.reason, each.at) for each in quarantined])


class QuarantineOfUser(Controller):
    """What of a user's is held back."""

    path = "/users/{user_id:str}/quarantine"
    tags = ("Quarantine",)

    @get(
        summary="List what is held back",
        response_description="All of it, or the newest 500.",
        responses=documented(*ALWAYS),
    )
    async def list_quarantine(self, engine: OpenEngine, user_id: UserId) -> Quarantine:
        """Such as instructions to the assistant that came as a fact. Nothing of it is recalled before it is approved."""
        return Quarantine.of(await engine.quarantined(user_named(user_id)))

    @post(
        "/{memory_id:str}/approve",
        status_code=200,
        summary="Approve what is held back",
        response_description="The memory it is now.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND, DUPLICATE_MEMORY),
    )
    async def approve_quarantined(self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId) -> Memory:
        """It is recalled from now on like any other."""
        return Memory.of(await engine.approve(user_named(user_id), memory_named(memory_id)))

    @delete(
        "/{memory_id:str}",
        summary="Refuse what is held back",
        response_description="It is gone.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND),
    )
    async def refuse_quarantined(self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId) -> None:
        """It does not come again, also when it is said again."""
        await engine.refuse(user_named(user_id), memory_named(memory_id))
