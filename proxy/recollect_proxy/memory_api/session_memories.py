"""The endpoints of the memories of one chat: those formed in it, or written for it. Never: SQL."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, Response, delete, get, post
from litestar.params import BodyKwarg
from msgspec import Struct

from recollect import model
from recollect.engine import Engine
from recollect.errors import MemoryNotFoundError
from recollect.model import SHOWN, Actor, Kind, MemoryFilter, Scope
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.errors import (
    CHANGED_MEANWHILE,
    DUPLICATE_MEMORY,
    MEMORY_NOT_FOUND,
    SESSION_NOT_FOUND,
    documented,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    After,
    Limit,
    MemoryId,
    OpenEngine,
    SessionId,
    UserId,
    memory_named,
    session_named,
    user_named,
)
from recollect_proxy.memory_api.schemas import Content, EventAt, Importance, KindOfMemory, Memory, MemoryPage
from recollect_proxy.memory_api.versions import ETAG, IfMatch, tagged, versions_named


class NewSessionMemory(Struct, forbid_unknown_fields=True):
    """A memory to be written by hand for a chat."""

    content: Content
    kind: KindOfMemory = Kind.FACT
    importance: Importance = 0.5
    event_at: EventAt = None


class MemoriesOfSession(Controller):
    """What was formed in a chat, or written for it."""

    path = "/users/{user_id:str}/sessions/{session_id:str}/memories"
    tags = ("Memories",)

    @get(
        summary="List the memories of a chat",
        response_description="The page.",
        responses=documented(*ALWAYS, SESSION_NOT_FOUND),
    )
    async def list_session_memories(
        self,
        engine: OpenEngine,
        user_id: UserId,
        session_id: SessionId,
        limit: Limit = 50,
        after: After = None,
    ) -> MemoryPage:
        """Newest first. A memory that was told in several chats is of the one it was first kept from."""
        return await page_of(engine, _scope(user_id, session_id), limit=limit, after=after)

    @post(
        summary="Write a memory by hand for a chat",
        response_description="The memory as it was written.",
        response_headers=[ETAG],
        responses=documented(*ALWAYS, *READING_A_BODY, SESSION_NOT_FOUND, DUPLICATE_MEMORY, *ONCE),
    )
    async def add_session_memory(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        once: DoneOnce,
        user_id: UserId,
        session_id: SessionId,
        data: Annotated[NewSessionMemory, BodyKwarg()],
    ) -> Response[Memory]:
        """It is recalled in every chat, like any other, and stays when this one is erased."""
        scope = _scope(user_id, session_id)

        async def add() -> Response[Memory]:
            return await written(engine, scope, data, principal.actor)

        return await once.answer(scope.user_id, add)

    @get(
        "/{memory_id:str}",
        summary="Read a memory of a chat",
        response_description="The memory.",
        response_headers=[ETAG],
        responses=documented(*ALWAYS, SESSION_NOT_FOUND, MEMORY_NOT_FOUND),
    )
    async def read_session_memory(
        self, engine: OpenEngine, user_id: UserId, session_id: SessionId, memory_id: MemoryId
    ) -> Response[Memory]:
        """One of this chat's memories; one of another chat is not found here."""
        return tagged(await memory_of(engine, _scope(user_id, session_id), memory_named(memory_id)))

    @delete(
        "/{memory_id:str}",
        summary="Take a memory of a chat away",
        response_description="It is gone.",
        responses=documented(*ALWAYS, SESSION_NOT_FOUND, MEMORY_NOT_FOUND, CHANGED_MEANWHILE),
    )
    async def forget_session_memory(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        user_id: UserId,
        session_id: SessionId,
        memory_id: MemoryId,
        if_match: IfMatch = None,
    ) -> None:
        """It is recalled in no chat any more. One of another chat is not found here, and stays."""
        scope, versions = _scope(user_id, session_id), versions_named(if_match)
        memory = await memory_of(engine, scope, memory_named(memory_id))
        await engine.forget(scope.user_id, memory.id, versions=versions, actor=principal.actor)


async def page_of(engine: Engine, scope: Scope, *, limit: int, after: UUID | None) -> MemoryPage:
    """Return a page of a chat's memories, newest first.

    Raises:
        SessionNotFoundError: Nothing that was said in the chat is kept.
    """
    await engine.expect_chat(scope)
    taken = MemoryFilter(kinds=SHOWN, session_id=scope.session_id)
    return MemoryPage.of(await engine.page(scope.user_id, limit=limit, after=after, taken=taken))


async def written(engine: Engine, scope: Scope, new: NewSessionMemory, actor: Actor) -> Response[Memory]:
    """Write a memory for a chat, and return it.

    Raises:
        SessionNotFoundError: Nothing that was said in the chat is kept.
        DuplicateMemoryError: The user has it already.
    """
    await engine.expect_chat(scope)
    memory = await engine.add(
        scope.user_id,
        new.content,
        kind=new.kind,
        importance=new.importance,
        event_at=new.event_at,
        session_id=scope.session_id,
        actor=actor,
    )
    return tagged(memory)


async def memory_of(engine: Engine, scope: Scope, memory_id: UUID) -> model.Memory:
    """Return a memory of a chat.

    Raises:
        SessionNotFoundError: Nothing that was said in the chat is kept.
        MemoryNotFoundError: The user has no such memory, or has it from elsewhere.
    """
    await engine.expect_chat(scope)
    memory = await engine.get(scope.user_id, memory_id)
    if memory.provenance.session_id != scope.session_id:
        raise MemoryNotFoundError
    return memory


def _scope(user_id: str, session_id: str) -> Scope:
    return Scope(user_named(user_id), session_named(session_id))
