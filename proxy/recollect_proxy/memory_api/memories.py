"""The endpoints of a user's memories, one by one. Never: SQL, how an error is answered, a connection's bytes."""

from typing import Annotated

from litestar import Controller, delete, get, patch, post
from litestar.params import BodyKwarg
from msgspec import UNSET

from recollect_proxy.memory_api.errors import (
    DUPLICATE_MEMORY,
    MEMORY_NOT_FOUND,
    documented,
    invalid_field,
)
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    After,
    Limit,
    MemoryId,
    OpenEngine,
    UserId,
    memory_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Erasure, Memory, MemoryChange, MemoryPage, NewMemory

_WRITING = (*ALWAYS, *READING_A_BODY, DUPLICATE_MEMORY)


class Memories(Controller):
    """What a user's memories are, one by one."""

    path = "/users/{user_id:str}/memories"
    tags = ("Memories",)

    @get(summary="List a user's memories", response_description="The page.", responses=documented(*ALWAYS))
    async def list_memories(
        self, engine: OpenEngine, user_id: UserId, limit: Limit = 50, after: After = None
    ) -> MemoryPage:
        """Newest first. A user nobody has heard of has no memories: that is an empty page, not an error."""
        return MemoryPage.of(await engine.page(user_named(user_id), limit=limit, after=after))

    @post(
        summary="Write a memory by hand",
        response_description="The memory as it was written.",
        responses=documented(*_WRITING),
    )
    async def add_memory(
        self,
        engine: OpenEngine,
        user_id: UserId,
        data: Annotated[NewMemory, BodyKwarg()],
    ) -> Memory:
        """It is recalled like any other."""
        memory = await engine.add(
            user_named(user_id),
            data.content,
            kind=data.kind,
            importance=data.importance,
            event_at=data.event_at,
        )
        return Memory.of(memory)

    @get(
        "/{memory_id:str}",
        summary="Read a memory",
        response_description="The memory.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND),
    )
    async def read_memory(self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId) -> Memory:
        """One of this user's memories."""
        return Memory.of(await engine.get(user_named(user_id), memory_named(memory_id)))

    @patch(
        "/{memory_id:str}",
        summary="Correct a memory",
        response_description="The memory as it is now.",
        responses=documented(*_WRITING, MEMORY_NOT_FOUND),
    )
    async def revise_memory(
        self,
        engine: OpenEngine,
        user_id: UserId,
        memory_id: MemoryId,
        data: Annotated[MemoryChange, BodyKwarg()],
    ) -> Memory:
        """In place; the audit keeps what it was. A memory that several people share can't be changed here."""
        if data == MemoryChange():
            raise invalid_field(None, "Give at least one of content, kind, importance.")
        memory = await engine.revise(
            user_named(user_id),
            memory_named(memory_id),
            content=None if data.content is UNSET else data.content,
            kind=None if data.kind is UNSET else data.kind,
            importance=None if data.importance is UNSET else data.importance,
        )
        return Memory.of(memory)

    @delete(
        "/{memory_id:str}",
        summary="Take a memory away",
        response_description="It is gone.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND),
    )
    async def forget_memory(self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId) -> None:
        """It is never recalled again. The audit still says what it was: to leave no trace, erase the chat or the user."""
        await engine.forget(user_named(user_id), memory_named(memory_id))


@delete(
    "/users/{user_id:str}",
    status_code=200,
    summary="Erase a user",
    response_description="Everything is gone; this proves it.",
    tags=["Users"],
    responses=documented(*ALWAYS),
)
async def erase_user(engine: OpenEngine, user_id: UserId) -> Erasure:
    """Everything of this user goes, in every table and queue; a tombstone without content stays."""
    return Erasure.of(await engine.erase(user_named(user_id)))
