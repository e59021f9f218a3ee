"""What a user has still to do: the endpoint and its JSON."""

from collections.abc import Iterable
from typing import Annotated, Self
from uuid import UUID

from litestar import get
from msgspec import Meta, Struct

from recollect import model
from recollect.model import Kind
from recollect_proxy.memory_api.errors import documented
from recollect_proxy.memory_api.parameters import ALWAYS, Limit, OpenEngine, UserId, user_named
from recollect_proxy.memory_api.schemas import Time


class Todo(Struct):
    """Something to do."""

    text: str
    memory_id: Annotated[UUID, Meta(description="The memory that says so: a todo, or the summary of a chat.")]
    session_id: Annotated[str | None, Meta(description="The chat it was said in.")]
    said_at: Annotated[Time, Meta(description="When it was said; for a summary's, when its chat was.")]
    event_at: Annotated[Time | None, Meta(description="When it is to be done, where that was said.")]


class Todos(Struct):
    """What is to do, what was said last first."""

    todos: list[Todo]

    @classmethod
    def of(cls, memories: Iterable[model.Memory], *, limit: int) -> Self:
        """Return the JSON of what ``memories``, todos and summaries, say is to do; so many at most."""
        return cls([todo for memory in memories for todo in _todos_of(memory)][:limit])


@get(
    "/users/{user_id:str}/todos",
    summary="List what a user has to do",
    response_description="The open todos.",
    tags=["Memories"],
    responses=documented(*ALWAYS),
)
async def list_todos(engine: OpenEngine, user_id: UserId, limit: Limit = 50) -> Todos:
    """Return the memories of the kind todo, and the open todos of the chats' summaries.

    Delete a todo's memory when it is done: as with any memory, the words it was said in are not recalled any more either.
    What a summary says is to do goes when the chat goes on and is summarized anew.
    """
    return Todos.of(await engine.todos(user_named(user_id), limit=limit), limit=limit)


def _todos_of(memory: model.Memory) -> list[Todo]:
    if memory.kind is Kind.TODO:
        texts: tuple[str, ...] = (memory.content,)
    else:
        texts = memory.outline.todos if memory.outline else ()
    session = memory.provenance.session_id
    return [Todo(text, memory.id, session, memory.observed_at, memory.event_at) for text in texts]
