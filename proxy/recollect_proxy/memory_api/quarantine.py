"""What is held back until a person approves it: the endpoints and their JSON."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Self, TypeAlias
from uuid import UUID

from litestar import Controller, Response, delete, get, post
from litestar.params import QueryParameter
from msgspec import Meta, Struct

from recollect import model
from recollect.model import MOST_QUARANTINED, Reason
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.errors import (
    DUPLICATE_MEMORY,
    MEMORY_NOT_FOUND,
    documented,
    invalid_parameter,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    LimitOfAll,
    MemoryId,
    OpenEngine,
    UserId,
    memory_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Memory, Time

_PLACE = "[0-9]{1,17}[.][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Quarantined(Struct):
    """A memory held back: neither it nor the words it was said in are recalled."""

    memory: Annotated[Memory, Meta(description="As it would be kept, under the id to approve or refuse.")]
    reason: Annotated[Reason, Meta(description="Why it is held back.")]
    at: Annotated[Time, Meta(description="Since when.")]


class Quarantine(Struct):
    """What is held back, newest first."""

    quarantined: list[Quarantined]
    next: Annotated[
        str | None, Meta(description="Send it as `after` for the following page; null on the last.")
    ]

    @classmethod
    def of(cls, quarantined: Sequence[model.Quarantined], *, limit: int) -> Self:
        """Return the JSON of ``quarantined``: a page of ``limit``, and of one more than that only that there is one."""
        page = quarantined[:limit]
        told = [Quarantined(Memory.of(each.memory), each.reason, each.at) for each in page]
        return cls(told, _place_of(page[-1]) if len(quarantined) > limit else None)


_AfterPlace: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="after",
        description="The `next` of the page before; none for the first page.",
        schema_extra={"pattern": f"^{_PLACE}$"},
    ),
]


def _place_of(quarantined: model.Quarantined) -> str:
    """Return where in the list something stands: microseconds since 1970, and its id."""
    return f"{(quarantined.at - _EPOCH) // timedelta(microseconds=1)}.{quarantined.memory.id}"


def _place_named(after: str | None) -> tuple[datetime, UUID] | None:
    if after is None:
        return None
    microseconds, _, id_ = after.partition(".")
    if re.fullmatch(_PLACE, after) is None:
        raise invalid_parameter("after", "the `next` of the page before")
    return _EPOCH + timedelta(microseconds=int(microseconds)), UUID(id_)


class QuarantineOfUser(Controller):
    """What of a user's is held back."""

    path = "/users/{user_id:str}/quarantine"
    tags = ("Quarantine",)

    @get(
        summary="List what is held back",
        response_description="The page.",
        responses=documented(*ALWAYS),
    )
    async def list_quarantine(
        self, engine: OpenEngine, user_id: UserId, limit: LimitOfAll = None, place: _AfterPlace = None
    ) -> Quarantine:
        """Without a limit the newest 500. Such as instructions to the assistant that came as a fact. Nothing of it is recalled before it is approved."""
        most = limit or MOST_QUARANTINED
        after = _place_named(place)
        return Quarantine.of(
            await engine.quarantined(user_named(user_id), limit=most + 1, after=after), limit=most
        )

    @post(
        "/{memory_id:str}/approve",
        status_code=200,
        summary="Approve what is held back",
        response_description="The memory it is now.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND, DUPLICATE_MEMORY, *ONCE),
    )
    async def approve_quarantined(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        once: DoneOnce,
        user_id: UserId,
        memory_id: MemoryId,
    ) -> Response[Memory]:
        """It is recalled from now on like any other."""
        user, known = user_named(user_id), memory_named(memory_id)

        async def approve() -> Memory:
            return Memory.of(await engine.approve(user, known, actor=principal.actor))

        return await once.answer(user, approve)

    @delete(
        "/{memory_id:str}",
        summary="Refuse what is held back",
        response_description="It is gone.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND),
    )
    async def refuse_quarantined(
        self, engine: OpenEngine, principal: WhoAsks, user_id: UserId, memory_id: MemoryId
    ) -> None:
        """Reject the memory: it does not come back, not even if the person says it again."""
        await engine.refuse(user_named(user_id), memory_named(memory_id), actor=principal.actor)
