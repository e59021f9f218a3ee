"""The endpoints of the Memory API. Never: SQL, how an error is answered, a connection's bytes."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias
from uuid import UUID

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency, Provide
from litestar.openapi.spec import Example
from litestar.params import BodyKwarg, PathParameter, QueryParameter, SkipValidation
from msgspec import UNSET

from recollect.engine import Engine
from recollect.errors import MemoryNotFoundError, StoreUnavailableError
from recollect.live_engine import LiveEngine
from recollect.model import COMMONS, Skip
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.identity import readable_id
from recollect_proxy.memory_api.errors import (
    BODY_TOO_LARGE,
    DUPLICATE_MEMORY,
    EMBEDDER_UNAVAILABLE,
    INTERNAL_ERROR,
    INVALID_FIELD,
    INVALID_JSON,
    INVALID_PARAMETER,
    MEMORY_NOT_FOUND,
    STORE_FAILED,
    STORE_UNAVAILABLE,
    UNAUTHORIZED,
    documented,
    invalid_field,
    invalid_parameter,
)
from recollect_proxy.memory_api.health import Health
from recollect_proxy.memory_api.shapes import (
    Erasure,
    History,
    Memory,
    MemoryChange,
    MemoryPage,
    NewMemory,
    Retried,
)

_ALWAYS = (INVALID_PARAMETER, UNAUTHORIZED, INTERNAL_ERROR, STORE_UNAVAILABLE, STORE_FAILED)
_WRITING = (*_ALWAYS, INVALID_JSON, DUPLICATE_MEMORY, BODY_TOO_LARGE, INVALID_FIELD, EMBEDDER_UNAVAILABLE)

OpenEngine: TypeAlias = NamedDependency[SkipValidation[Engine]]
UserId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="Whose memories: the id as the frontend sends it, as one percent-encoded path segment "
        "(a slash is %2F, a percent sign %25). 1 to 256 characters, any Unicode but NUL; not `*`, which names what users share.",
        schema_extra={"minLength": 1, "maxLength": 256, "pattern": r"^(?!\*$)[^\u0000]+$"},
        examples=[Example(value="7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11")],
    ),
]
MemoryId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="The memory's id.",
        schema_extra={"format": "uuid"},
        examples=[Example(value="01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")],
    ),
]
Limit: TypeAlias = Annotated[
    int,
    QueryParameter(
        description="How many at most: 1 to 200, 50 where not given.",
        ge=1,
        le=200,
        examples=[Example(value=20)],
    ),
]
After: TypeAlias = Annotated[
    UUID | None, QueryParameter(description="The `next` of the page before; none for the first page.")
]


class Memories(Controller):
    """What a user's memories are, one by one."""

    path = "/users/{user_id:str}/memories"
    tags = ("Memories",)

    @get(summary="List a user's memories", response_description="The page.", responses=documented(*_ALWAYS))
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
        "/history",
        summary="Read the audit of a user's memories",
        response_description="The changes.",
        responses=documented(*_ALWAYS),
    )
    async def read_history(self, engine: OpenEngine, user_id: UserId, limit: Limit = 50) -> History:
        """Every change there was, newest first, also to memories that are gone."""
        return History.of(await engine.history(user_named(user_id), limit=limit))

    @get(
        "/{memory_id:str}",
        summary="Read a memory",
        response_description="The memory.",
        responses=documented(*_ALWAYS, MEMORY_NOT_FOUND),
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
        responses=documented(*_ALWAYS, MEMORY_NOT_FOUND),
    )
    async def forget_memory(self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId) -> None:
        """It is never recalled again. The audit still says what it was: to leave no trace, erase the user."""
        await engine.forget(user_named(user_id), memory_named(memory_id))

    @get(
        "/{memory_id:str}/history",
        summary="Read the audit of a memory",
        response_description="The changes.",
        responses=documented(*_ALWAYS, MEMORY_NOT_FOUND),
    )
    async def read_memory_history(
        self, engine: OpenEngine, user_id: UserId, memory_id: MemoryId, limit: Limit = 50
    ) -> History:
        """Every change to it, newest first, also when it is gone, and where another took its place."""
        updates = await engine.history(user_named(user_id), memory_named(memory_id), limit=limit)
        if not updates:
            raise MemoryNotFoundError
        return History.of(updates)


@delete(
    "/users/{user_id:str}",
    status_code=200,
    summary="Erase a user",
    response_description="Everything is gone; this proves it.",
    tags=["Users"],
    responses=documented(*_ALWAYS),
)
async def erase_user(engine: OpenEngine, user_id: UserId) -> Erasure:
    """Everything of this user goes, in every table and queue; a tombstone without content stays."""
    return Erasure.of(await engine.erase(user_named(user_id)))


@post(
    "/formation/retry",
    status_code=200,
    summary="Form again what failed",
    response_description="How many.",
    tags=["Operation"],
    responses=documented(UNAUTHORIZED, INTERNAL_ERROR, STORE_UNAVAILABLE, STORE_FAILED),
)
async def retry_formation(engine: OpenEngine) -> Retried:
    """Puts every exchange whose formation kept failing back to those that wait."""
    return Retried(await engine.retry_failed())


@get(
    "/health",
    summary="Ask whether Recollect works",
    response_description="The process lives. How the store is, stands in the body.",
    tags=["Operation"],
    security=[{}],
    responses=documented(INTERNAL_ERROR),
)
async def check_health(
    check: NamedDependency[SkipValidation[HealthCheck]],
    skipped: NamedDependency[SkipValidation[Mapping[Skip, int]]],
) -> Health:
    """It needs no token and tells nothing about any user.

    It answers 200 whenever the process lives, whatever the database does, and within about a second:
    use it for liveness, and `status` for alarms. An orchestrator must not restart Recollect because
    its database is away.
    """
    return Health.of(await check.backlog(), skipped)


def engine_of(live: LiveEngine) -> Provide:
    """Return what hands the endpoints the engine.

    The dependency raises StoreUnavailableError while the engine is not open.
    """

    def opened() -> Engine:
        if live.engine is None:
            raise StoreUnavailableError
        return live.engine

    return Provide(opened, sync_to_thread=False)


def user_named(segment: str) -> str:
    """Return the user id that a path segment, still percent-encoded, stands for.

    Raises:
        RefusedError: It stands for none.
    """
    user_id = readable_id([segment.encode("latin-1")])
    if user_id is None or user_id == COMMONS:
        raise invalid_parameter(
            "user_id", "1 to 256 characters, as percent-encoded UTF-8, without NUL, and not `*` alone"
        )
    return user_id


def memory_named(segment: str) -> UUID:
    """Return the memory id that a path segment stands for.

    Raises:
        RefusedError: It stands for none.
    """
    try:
        return UUID(segment)
    except ValueError as error:
        raise invalid_parameter("memory_id", "a UUID") from error
