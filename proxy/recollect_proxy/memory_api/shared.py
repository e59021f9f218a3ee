"""What several people share: the endpoints of sharing a memory, and of what serves everybody."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Self
from uuid import UUID

from litestar import Controller, Response, delete, get, post
from litestar.params import BodyKwarg
from msgspec import Meta, Struct

from recollect import model
from recollect.errors import DuplicateMemoryError, MemoryNotFoundError
from recollect_proxy.memory_api.errors import (
    DUPLICATE_MEMORY,
    MEMORY_NOT_FOUND,
    RefusedError,
    documented,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    After,
    LimitOfAll,
    MemoryId,
    OpenEngine,
    UserId,
    memory_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Memory, NewGlobalMemory, Sharing

_NOT_GLOBAL = replace(MEMORY_NOT_FOUND, message="No such memory serves everybody.")
_NOT_TO_SHARE = replace(
    MEMORY_NOT_FOUND,
    message="The user has no such memory that can be shared: what tells of a chat, a summary or a verbatim turn, can't be.",
)
_GLOBAL_ALREADY = replace(
    DUPLICATE_MEMORY, message="A memory with the same content serves everybody already."
)


class GlobalMemories(Struct):
    """What serves everybody, newest first."""

    memories: list[Memory]
    next: Annotated[
        UUID | None, Meta(description="Send it as `after` for the following page; null on the last.")
    ]

    @classmethod
    def of(
        cls, memories: Sequence[model.Memory], *, limit: int | None = None, after: UUID | None = None
    ) -> Self:
        """Return the JSON of those of ``memories``, newest first, that stand behind ``after``; so many at most."""
        left = [memory for memory in memories if after is None or memory.id < after]
        page = left[:limit]
        return cls([Memory.of(memory) for memory in page], page[-1].id if len(left) > len(page) else None)


@post(
    "/users/{user_id:str}/memories/{memory_id:str}/share",
    status_code=200,
    summary="Share a memory",
    response_description="The memory as all of them see it.",
    tags=["Sharing"],
    responses=documented(*ALWAYS, *READING_A_BODY, _NOT_TO_SHARE, *ONCE),
)
async def share_memory(
    engine: OpenEngine,
    once: DoneOnce,
    user_id: UserId,
    memory_id: MemoryId,
    data: Annotated[Sharing, BodyKwarg()],
) -> Response[Memory]:
    """Other users see it too, without the words it was said in; from then on it can't be corrected in place.

    Each of them can let go of it without taking it from the others. Who has its content already keeps that.
    """
    user, known = user_named(user_id), memory_named(memory_id)

    async def share() -> Memory:
        try:
            return Memory.of(await engine.share(user, known, data.users))
        except MemoryNotFoundError as error:
            raise RefusedError(_NOT_TO_SHARE) from error

    return await once.answer(user, share)


class Global(Controller):
    """What serves every user who has few memories of their own."""

    path = "/global"
    tags = ("Sharing",)

    @get(
        summary="List what serves everybody",
        response_description="The page.",
        responses=documented(*ALWAYS),
    )
    async def list_global_memories(
        self, engine: OpenEngine, limit: LimitOfAll = None, after: After = None
    ) -> GlobalMemories:
        """Without a limit all of it. It is recalled for users who have fewer than five memories of their own."""
        return GlobalMemories.of(await engine.globals(), limit=limit, after=after)

    @post(
        summary="Write a memory for everybody",
        response_description="The memory as it was written.",
        responses=documented(*ALWAYS, *READING_A_BODY, _GLOBAL_ALREADY),
    )
    async def add_global_memory(
        self, engine: OpenEngine, data: Annotated[NewGlobalMemory, BodyKwarg()]
    ) -> Memory:
        """Where the data folder has `global-memories.txt`, the next start keeps what the file holds, and nothing else."""
        try:
            memory = await engine.add_global(data.content, kind=data.kind, importance=data.importance)
        except DuplicateMemoryError as error:
            raise RefusedError(_GLOBAL_ALREADY) from error
        return Memory.of(memory)

    @delete(
        "/{memory_id:str}",
        summary="Take away what serves everybody",
        response_description="It is gone.",
        responses=documented(*ALWAYS, _NOT_GLOBAL),
    )
    async def remove_global_memory(self, engine: OpenEngine, memory_id: MemoryId) -> None:
        """Remove the memory: it is no longer recalled for anybody."""
        try:
            await engine.remove_global(memory_named(memory_id))
        except MemoryNotFoundError as error:
            raise RefusedError(_NOT_GLOBAL) from error
