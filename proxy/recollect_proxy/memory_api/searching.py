"""Search among a user's memories: the endpoint and its JSON. Never: what ranks."""

from typing import Annotated, Self

from litestar import get
from msgspec import Meta, Struct

from recollect import model
from recollect_proxy.memory_api.errors import EMBEDDER_UNAVAILABLE, documented, invalid_parameter
from recollect_proxy.memory_api.filters import (
    LONGEST_QUESTION,
    Kinds,
    Question,
    Sources,
    bounded_text,
    shown_kinds,
)
from recollect_proxy.memory_api.parameters import ALWAYS, Limit, OpenEngine, UserId, user_named
from recollect_proxy.memory_api.schemas import Memory


class FoundMemory(Struct):
    """A memory that a search found."""

    memory: Memory
    score: Annotated[float, Meta(description="What it was ranked by: the higher, the better it serves.")]
    parts: Annotated[
        dict[str, float], Meta(description="What each signal gave to the score; empty behind the best ten.")
    ]


class FoundMemories(Struct):
    """What a search found, the best first."""

    found: list[FoundMemory]
    degraded: Annotated[
        list[str],
        Meta(description="Stages that failed or were late, and were done without: `embedding`, ..."),
    ]

    @classmethod
    def of(cls, found: model.Found) -> Self:
        """Return the JSON of ``found``."""
        return cls(
            [
                FoundMemory(
                    Memory.of(memory), round(score, 4), {name: round(value, 4) for name, value in parts}
                )
                for memory, score, parts in found.memories
            ],
            list(found.degraded),
        )


@get(
    "/users/{user_id:str}/memories/search",
    summary="Search a user's memories",
    response_description="The best.",
    tags=["Memories"],
    responses=documented(*ALWAYS, EMBEDDER_UNAVAILABLE),
)
async def search_memories(
    engine: OpenEngine,
    user_id: UserId,
    question: Question,
    limit: Limit = 20,
    kinds: Kinds = None,
    sources: Sources = None,
) -> FoundMemories:
    """Ranked by the same retrieval that recalls for a chat, by meaning and by words, but with nothing left out as irrelevant.

    Only what the list of the user's memories has is found. The scores of one answer compare with each other alone.
    """
    text = bounded_text("q", question, LONGEST_QUESTION).strip()
    if not text:
        raise invalid_parameter("q", "not only white space")
    found = await engine.search(
        user_named(user_id),
        text,
        limit=limit,
        kinds=shown_kinds(kinds, sources),
        sources=frozenset(sources or ()),
    )
    return FoundMemories.of(found)
