"""The endpoints of the audit: what was changed in a user's memories, and how to undo it."""

from litestar import Controller, Response, get, post

from recollect.errors import MemoryNotFoundError
from recollect_proxy.memory_api.authorization import WhoAsks
from recollect_proxy.memory_api.errors import (
    DUPLICATE_MEMORY,
    MEMORY_NOT_FOUND,
    NOT_UNDOABLE,
    UPDATE_NOT_FOUND,
    documented,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    After,
    Limit,
    MemoryId,
    OpenEngine,
    UpdateId,
    UserId,
    memory_named,
    user_named,
    uuid_named,
)
from recollect_proxy.memory_api.schemas import History, Update


class Audit(Controller):
    """What was changed in a user's memories."""

    path = "/users/{user_id:str}/memories"
    tags = ("Memories",)

    @get(
        "/history",
        summary="Read the audit of a user's memories",
        response_description="The changes.",
        responses=documented(*ALWAYS),
    )
    async def read_history(
        self, engine: OpenEngine, user_id: UserId, limit: Limit = 50, after: After = None
    ) -> History:
        """Every change there was, newest first, also to memories that are gone."""
        updates = await engine.history(user_named(user_id), limit=limit + 1, after=after)
        return History.of(updates, limit=limit)

    @get(
        "/{memory_id:str}/history",
        summary="Read the audit of a memory",
        response_description="The changes.",
        responses=documented(*ALWAYS, MEMORY_NOT_FOUND),
    )
    async def read_memory_history(
        self,
        engine: OpenEngine,
        user_id: UserId,
        memory_id: MemoryId,
        limit: Limit = 50,
        after: After = None,
    ) -> History:
        """Every change to it, newest first, also when it is gone, and where another took its place."""
        user, memory = user_named(user_id), memory_named(memory_id)
        updates = await engine.history(user, memory, limit=limit + 1, after=after)
        if not updates and after is None:
            raise MemoryNotFoundError
        return History.of(updates, limit=limit)

    @post(
        "/history/{update_id:str}/undo",
        status_code=200,
        summary="Undo a change",
        response_description="The row of the audit that says so.",
        responses=documented(*ALWAYS, UPDATE_NOT_FOUND, NOT_UNDOABLE, DUPLICATE_MEMORY, *ONCE),
    )
    async def undo_update(
        self,
        engine: OpenEngine,
        principal: WhoAsks,
        once: DoneOnce,
        user_id: UserId,
        update_id: UpdateId,
    ) -> Response[Update]:
        """An added memory goes; a replaced one takes its place again; one taken away is back; one edited is as it was.

        What was changed since can't be undone: undo the later change first. Messages that a forgetting hid
        stay hidden.
        """
        user, known = user_named(user_id), uuid_named("update_id", update_id)

        async def undo() -> Update:
            return Update.of(await engine.undo(user, known, actor=principal.actor))

        return await once.answer(user, undo)
