"""What administrators look at when recall does not do what they expect: the endpoints and their JSON.

Never: writes anything but that an administrator read it.
"""

from typing import Annotated, Any, Self, TypeAlias
from uuid import UUID

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.openapi.spec import Example
from litestar.params import QueryParameter, SkipValidation
from msgspec import Meta, Struct
from uuid_utils.compat import uuid7

from recollect import model
from recollect.engine import system_clock
from recollect.engine.inspection import InspectedCandidate, Inspection
from recollect.engine.live import LiveEngine
from recollect.model import Scope, Turn
from recollect_proxy.flags import Flags
from recollect_proxy.identity import opaque_id
from recollect_proxy.memory_api.authorization import WhoAsks, note_read
from recollect_proxy.memory_api.errors import INVALID_PARAMETER, documented, invalid_parameter
from recollect_proxy.memory_api.filters import NOT_BLANK
from recollect_proxy.memory_api.parameters import ALWAYS, ID_SCHEMA, OpenEngine

_LONGEST_QUERY = 4_000

Query: TypeAlias = Annotated[
    str,
    QueryParameter(
        description=f"What is asked: 1 to {_LONGEST_QUERY} characters, not only white space.",
        schema_extra={"minLength": 1, "maxLength": _LONGEST_QUERY, "pattern": NOT_BLANK},
        examples=[Example(value="May I eat satay?")],
    ),
]
User: TypeAlias = Annotated[
    str,
    QueryParameter(
        description="Who asks: the id as the frontend sends it.",
        schema_extra=ID_SCHEMA,
        examples=[Example(value="7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11")],
    ),
]
Session: TypeAlias = Annotated[
    str | None,
    QueryParameter(description="In which of their chats; none: in a new one.", schema_extra=ID_SCHEMA),
]


class Result(Struct):
    """Something that was found."""

    id: Annotated[UUID, Meta(description="Of the memory, or of the message in the log.")]
    content: str
    score: Annotated[float, Meta(description="What it was ranked by; 0 of what stands in every chat.")]
    source: Annotated[str, Meta(description="How the memory came to be, or `log`.")]
    type: Annotated[str, Meta(description="The memory's kind, or `message`.")]
    part: Annotated[int | None, Meta(description="Which part of the message; null for a memory.")]
    parts: Annotated[
        dict[str, float], Meta(description="What each signal gave to the score; of the best ten.")
    ]
    dropped: Annotated[str | None, Meta(description="Why it would not be in the prompt; null where it is.")]
    standing: Annotated[bool, Meta(description="Whether it stands in every chat, whatever is asked.")]

    @classmethod
    def of(cls, found: InspectedCandidate) -> Self:
        """Return the JSON of ``found``."""
        told = found.told
        return cls(
            id=UUID(told["id"]),
            content=found.content,
            score=told["score"],
            source=told["source"],
            type=told["kind"],
            part=told["part"],
            parts=told["parts"],
            dropped=told["dropped"],
            standing=told["standing"],
        )


class Retrieval(Struct):
    """What would be recalled for a question."""

    query: str
    results: Annotated[list[Result], Meta(description="Every candidate, best first.")]
    injected: Annotated[str, Meta(description="The block that the prompt would be given; empty for none.")]
    skipped: Annotated[str | None, Meta(description="Why nothing would be recalled.")]
    degraded: Annotated[list[str], Meta(description="Stages that failed or were late.")]
    gate_score: Annotated[
        float | None, Meta(description="How sure it was that anything remembered was asked for, 0 to 1.")
    ]
    metrics: Annotated[
        dict[str, float],
        Meta(
            description="Milliseconds: `total`; `dense` and `second_dense`, the embeddings; `search`, all that compares and ranks."
        ),
    ]
    flags: Annotated[list[str], Meta(description="What was special, as `user-wide`.")]
    settings: Annotated[
        Flags, Meta(description="What was changed for the user, or for everybody; null: as started.")
    ]

    @classmethod
    def of(cls, query: str, found: Inspection) -> Self:
        """Return the JSON of ``found``."""
        recall = found.prepared.recall
        return cls(
            query=query,
            results=[Result.of(each) for each in found.candidates],
            injected=found.injected,
            skipped=recall.skipped,
            degraded=list(recall.degraded),
            gate_score=recall.gate_score,
            metrics=found.milliseconds,
            flags=list(found.prepared.flags),
            settings=Flags.of(found.flags),
        )


class TableSize(Struct):
    """What a table takes."""

    rows: Annotated[int, Meta(description="By the database's own count, which is late by seconds.")]
    bytes: Annotated[int, Meta(description="Without its indexes.")]
    indexes: Annotated[dict[str, int], Meta(description="What each index takes, in bytes.")]


class StoreStats(Struct):
    """How much is stored."""

    messages: int
    sessions: int
    chunks: Annotated[int, Meta(description="The parts of messages by which these are found.")]
    summaries: int
    memories: Annotated[int, Meta(description="Each counted for each user who sees it; summaries too.")]
    users: Annotated[int, Meta(description="Of how many something is remembered.")]
    summaries_made: Annotated[
        int, Meta(description="How often a chat that is still kept was summarized, since that is counted.")
    ]
    non_empty_summaries: Annotated[
        float | None, Meta(description="The share of these that said something; null before the first.")
    ]
    profile_consents: Annotated[int, Meta(description="How many people allow a profile.")]
    tables: dict[str, TableSize]

    @classmethod
    def of(cls, size: model.StoreSize) -> Self:
        """Return the JSON of ``size``."""
        tables = {each.name: TableSize(each.rows, each.bytes, dict(each.indexes)) for each in size.tables}
        made = size.summaries_made
        return cls(
            size.messages,
            size.sessions,
            size.chunks,
            size.summaries,
            size.memories,
            size.users,
            made,
            size.summaries_kept / made if made else None,
            size.profile_consents,
            tables,
        )


@get(
    "/debug/retrieval",
    summary="Try a recall",
    response_description="What would be recalled.",
    tags=["Operation"],
    responses=documented(*ALWAYS, INVALID_PARAMETER),
)
async def inspect_retrieval(
    request: Request[Any, Any, Any],
    engine: OpenEngine,
    live: NamedDependency[SkipValidation[LiveEngine]],
    principal: WhoAsks,
    q: Query,
    user: User,
    session: Session = None,
) -> Retrieval:
    """Return every candidate for a question of a user's, with partial scores, and the block that a prompt would be given.

    It is done as in a chat, deadline included. Nothing is written but that it was read, and no memory counts as used.
    """
    if not q.strip() or "\0" in q or len(q) > _LONGEST_QUERY:
        raise invalid_parameter("q", f"1 to {_LONGEST_QUERY} characters, not only white space, without NUL")
    user_id = _id("user", user)
    session_id = str(uuid7()) if session is None else _id("session", session)
    await note_read(live, principal, user_id, request.route_handler)
    turn = Turn(Scope(user_id, session_id), q, str(uuid7()), system_clock(), "")
    return Retrieval.of(q, await engine.inspect(turn))


@get(
    "/debug/stats",
    summary="Count what is stored",
    response_description="The counts and sizes.",
    tags=["Operation"],
    responses=documented(*ALWAYS),
)
async def read_stats(engine: OpenEngine) -> StoreStats:
    """Return how many messages, chats, chunks, summaries, memories and users there are, and what tables and indexes take.

    And of the summaries that were made the share that said something.

    It takes a scan: ask seldom.
    """
    return StoreStats.of(await engine.size())


def _id(parameter: str, text: str | None) -> str:
    known = opaque_id(text)
    if known is None:
        raise invalid_parameter(
            parameter, "1 to 256 characters, without NUL, not `*` alone, and no unfilled template"
        )
    return known
