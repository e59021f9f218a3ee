"""Which embedders have embeddings in the store, and how far embedding anew has come: the endpoint and its JSON."""

from typing import Annotated, Literal, Self, TypeAlias

from litestar import get
from msgspec import Meta, Struct

from recollect import model
from recollect_proxy.memory_api.errors import documented
from recollect_proxy.memory_api.parameters import ALWAYS, OpenEngine
from recollect_proxy.memory_api.schemas import Time

Status: TypeAlias = Literal["complete", "waiting", "embedding"]


class KnownEmbedder(Struct):
    """An embedder that is used, or that was and has embeddings in the store still."""

    place: Annotated[
        Literal["first", "second"],
        Meta(description="first: of memories and what was said; second: of statements, beside the first."),
    ]
    model: Annotated[str, Meta(description="What its embeddings are known by.")]
    today: Annotated[bool, Meta(description="Whether the process that answers uses it.")]
    used: Annotated[bool, Meta(description="Whether any process was seen within a minute that uses it.")]
    chosen_at: Annotated[Time, Meta(description="Since when it is used.")]
    completed_at: Annotated[
        Time | None, Meta(description="When all was found to be embedded by it; null: not yet.")
    ]


class Embeddings(Struct):
    """How far what an embedder before today's embedded is embedded anew. It names nobody."""

    status: Annotated[
        Status,
        Meta(
            description="complete: all is of today's; waiting: other processes still use another embedder; embedding: workers "
            "embed what is left, and meanwhile both are searched."
        ),
    ]
    embedders: Annotated[list[KnownEmbedder], Meta(description="The last one chosen first.")]
    users: Annotated[int, Meta(description="Who has anything that is embedded.")]
    users_done: Annotated[int, Meta(description="Of whom all is embedded by today's.")]
    texts: Annotated[int, Meta(description="Memories and parts of messages that they have.")]
    texts_done: Annotated[int, Meta(description="How many belong to users who are done.")]

    @classmethod
    def of(cls, state: model.EmbeddingState) -> Self:
        """Return the JSON of ``state``."""
        known = [
            KnownEmbedder(
                each.place.value,
                each.model,
                state.today.get(each.place) == each.model,
                each.is_used,
                each.chosen_at,
                each.completed_at,
            )
            for each in state.embedders
        ]
        counts = state.counts
        done = (counts.users, counts.texts) if state.is_complete else (counts.users_done, counts.texts_done)
        status: Status = "complete" if state.is_complete else "waiting" if state.waits else "embedding"
        return cls(status, known, counts.users, done[0], counts.texts, done[1])


@get(
    "/embeddings",
    summary="Read how far embedding anew has come",
    response_description="The embedders, and what is done.",
    tags=["Operation"],
    responses=documented(*ALWAYS),
)
async def read_embeddings(engine: OpenEngine) -> Embeddings:
    """Return which embedders there are, and of whom all is embedded by today's. Until then both are searched.

    It reads a row of each user's: ask every few seconds at most.
    """
    return Embeddings.of(await engine.embeddings())
