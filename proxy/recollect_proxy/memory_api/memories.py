"""The endpoints of a user's memories, one by one. Never: SQL."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import structlog
from litestar import Controller, Response, delete, get, patch, post
from litestar.params import BodyKwarg, QueryParameter
from msgspec import UNSET

from recollect.errors import StoreError
from recollect.model import KEPT, State
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.errors import (
    CHANGED_MEANWHILE,
    DUPLICATE_MEMORY,
    FORBIDDEN,
    MEMORY_NOT_FOUND,
    RefusedError,
    documented,
    invalid_field,
)
from recollect_proxy.memory_api.filters import (
    AsOf,
    Kinds,
    ObservedFrom,
    ObservedUntil,
    Session,
    Sources,
    StandingParameter,
    StateParameter,
    Text,
    Times,
    filter_of,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
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
from recollect_proxy.memory_api.schemas import Memory, MemoryChange, MemoryPage, NewMemory, UserErasure
from recollect_proxy.memory_api.versions import ETAG, IfMatch, tagged, versions_named

_WRITING = (*ALWAYS, *READING_A_BODY, DUPLICATE_MEMORY)


Vacuum: TypeAlias = Annotated[
    bool,
    QueryParameter(
        description="Whether VACUUM is run afterwards on the tables that were erased from, where the database's role may. "
        "The answer waits for it."
    ),
]

log = structlog.get_logger(__name__)


class Memories(Controller):
    """What a user's memories are, one by one."""

    path = "/users/{user_id:str}/memories"
    tags = ("Memories",)

    @get(summary="List a user's memories", response_description="The page.", responses=documented(*ALWAYS))
    async def list_memories(
        self,
        engine: OpenEngine,
        user_id: UserId,
        limit: Limit = 50,
        after: After = None,
        kinds: Kinds = None,
        sources: Sources = None,
        session: Session = None,
        text: Text = None,
        observed_from: ObservedFrom = None,
        observed_until: ObservedUntil = None,
        having: StateParameter = State.CURRENT,
        standing: StandingParameter = None,
        as_of: AsOf = None,
    ) -> MemoryPage:
        """Newest first; of several filters all apply. What is written meanwhile shifts no page.

        A user nobody has heard of has no memories: that is an empty page, not an error.
        """
        taken = filter_of(
            Times(observed_from, observed_until, as_of),
            kinds=kinds,
            sources=sources,
            session=session,
            text=text,
            state=having,
            standing=standing,
        )
        return MemoryPage.of(await engine.page(user_named(user_id), limit=limit, after=after, taken=taken))

    @post(
        summary="Write a memory by hand",
        response_description="The memory as it was written.",
        response_headers=[ETAG],
        responses=documented(*_WRITING, *ONCE),
    )
    async def add_memory(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        once: DoneOnce,
        user_id: UserId,
        data: Annotated[NewMemory, BodyKwarg()],
    ) -> Response[Memory]:
        """It is recalled like any other."""
        user = user_named(user_id)

        async def add() -> Response[Memory]:
            memory = await engine.add(
                user,
                data.content,
                kind=data.kind,
                importance=data.importance,
                event_at=data.event_at,
                session_id=data.session_id,
                actor=principal.actor,
            )
            return tagged(memory)

        return await once.answer(user, add)

    @get(
        "/{memory_id:str}",
        summary="Read a memory",
        response_description="The memory.",
        response_headers=[ETAG],
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND),
    )
    async def read_memory(self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId) -> Response[Memory]:
        """One of this user's memories."""
        return tagged(await engine.get(user_named(user_id), memory_named(memory_id)))

    @patch(
        "/{memory_id:str}",
        summary="Correct a memory",
        response_description="The memory as it is now.",
        response_headers=[ETAG],
        responses=documented(*_WRITING, MEMORY_NOT_FOUND, CHANGED_MEANWHILE),
    )
    async def revise_memory(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        user_id: UserId,
        memory_id: MemoryId,
        data: Annotated[MemoryChange, BodyKwarg()],
        if_match: IfMatch = None,
    ) -> Response[Memory]:
        """It keeps its id, and what it was stays as a version in its history, which can be brought back by undo.

        A memory that several people share can't be changed here.
        """
        if data == MemoryChange():
            raise invalid_field(None, "Give at least one of content, kind, importance, event_at.")
        memory = await engine.revise(
            user_named(user_id),
            memory_named(memory_id),
            content=None if data.content is UNSET else data.content,
            kind=None if data.kind is UNSET else data.kind,
            importance=None if data.importance is UNSET else data.importance,
            event_at=KEPT if data.event_at is UNSET else data.event_at,
            versions=versions_named(if_match),
            actor=principal.actor,
        )
        return tagged(memory)

    @delete(
        "/{memory_id:str}",
        summary="Take a memory away",
        response_description="It is gone.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND, CHANGED_MEANWHILE),
    )
    async def forget_memory(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        user_id: UserId,
        memory_id: MemoryId,
        if_match: IfMatch = None,
    ) -> None:
        """It is never recalled again. The audit still says what it was: to leave no trace, erase the chat or the user."""
        versions = versions_named(if_match)
        user, known = user_named(user_id), memory_named(memory_id)
        await engine.forget(user, known, versions=versions, actor=principal.actor)


@delete(
    "/users/{user_id:str}",
    status_code=200,
    summary="Erase a user",
    response_description="Everything is gone; this proves it.",
    tags=["Users"],
    responses=documented(*ALWAYS),
)
async def erase_user(
    engine: OpenEngine,
    principal: WhoAsks,
    user_id: UserId,
    vacuum: Vacuum = False,  # noqa: FBT002
) -> UserErasure:
    """Everything of this user goes, in every table and queue; a tombstone without content stays."""
    if vacuum and not principal.is_administrator:
        raise RefusedError(FORBIDDEN)  # it works on everybody's tables
    erasure = await engine.erase(user_named(user_id))
    vacuumed: Sequence[str] | None = None
    if vacuum:
        try:
            vacuumed = await engine.vacuum()
        except StoreError as error:  # all is erased: that counts, and the answer says that this is not done
            log.warning("vacuum_failed", error=type(error).__name__, detail=str(error))
    return UserErasure.proving(erasure, vacuumed)
