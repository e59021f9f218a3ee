"""What a request was like and why its prompt was given what it was: the endpoint and its JSON.

Of user text it holds what was asked, as the message log has it, and nothing else.
"""

from datetime import datetime
from typing import Annotated, Any, Self, TypeAlias
from uuid import UUID

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.openapi.spec import Example
from litestar.params import PathParameter, SkipValidation
from msgspec import Meta, Struct

from recollect.engine import Engine
from recollect.engine.live import LiveEngine
from recollect.model import RequestRecord
from recollect_proxy.memory_api.authorization import WhoAsks, note_read
from recollect_proxy.memory_api.errors import (
    FORBIDDEN,
    INTERNAL_ERROR,
    INVALID_PARAMETER,
    REQUEST_NOT_FOUND,
    REQUEST_NOT_WRITTEN,
    STORE_FAILED,
    STORE_UNAVAILABLE,
    TOO_MANY_ATTEMPTS,
    UNAUTHORIZED,
    RefusedError,
    documented,
)
from recollect_proxy.memory_api.parameters import ALWAYS, OpenEngine, UserId, user_named, uuid_named

_WAIT_SECONDS = 1.0
"""How long who asks waits for what is being written of a request."""

Milliseconds: TypeAlias = Annotated[float, Meta(description="Milliseconds.")]
RequestId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="What the answer's `x-recollect-request-id` said.",
        schema_extra={"format": "uuid"},
        examples=[Example(value="01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")],
    ),
]


class ExplainedCandidate(Struct):
    """A memory or a message that was found."""

    id: Annotated[UUID, Meta(description="Of the memory, or of the message in the log.")]
    kind: Annotated[str, Meta(description="The memory's kind, or `message`.")]
    source: Annotated[str, Meta(description="How the memory came to be, or `log`.")]
    part: Annotated[int | None, Meta(description="Which part of the message; null for a memory.")]
    score: Annotated[float, Meta(description="What it was ranked by.")]
    parts: Annotated[dict[str, float], Meta(description="What each signal gave to the score.")]
    dropped: Annotated[str | None, Meta(description="Why it is not in the prompt; null where it is.")] = None
    standing: Annotated[
        bool,
        Meta(description="Whether it stands in every chat, whatever is asked; unranked, its score is 0."),
    ] = False


class Explanation(Struct):
    """What a request was like."""

    request_id: UUID
    user_id: str
    session_id: str
    at: Annotated[datetime, Meta(tz=True)]
    question: Annotated[
        str | None,
        Meta(
            description="What was asked, as the message log has it: 2,000 characters at most, secrets masked. Null where it is "
            "not kept, was forgotten, or the setting `queries` is off."
        ),
    ]
    path: Annotated[str, Meta(description="The API it was spoken in, and the placement.")]
    model: str
    skipped: Annotated[str | None, Meta(description="Why nothing was recalled; null where something was.")]
    degraded: Annotated[
        list[str], Meta(description="Stages that failed or were late, and were done without.")
    ]
    error_stage: Annotated[str | None, Meta(description="The stage that ended the recall; null for none.")]
    flags: list[str]
    gate_score: Annotated[
        float | None, Meta(description="How sure it was that anything remembered was asked for, 0 to 1.")
    ]
    found: Annotated[
        dict[str, int], Meta(description="How many candidates; by meaning, by words, from the log.")
    ]
    items: Annotated[int, Meta(description="How many went into the prompt.")]
    truncated: Annotated[int, Meta(description="How many found no place in the token budget.")]
    standing_items: Annotated[int, Meta(description="How many of those stand in every chat.")]
    standing_tokens: Annotated[int, Meta(description="What their lines take.")]
    tokens: Annotated[int, Meta(description="What all memories in the prompt take.")]
    history_tokens: Annotated[int, Meta(description="What earlier parts of the conversation take.")]
    milliseconds: Milliseconds
    stages: Annotated[dict[str, float], Meta(description="Milliseconds of each stage.")]
    query: Annotated[dict[str, Any], Meta(description="What the words were taken to ask for.")]
    candidates: Annotated[
        list[ExplainedCandidate],
        Meta(description="What was found, best first: ten, and what else is in the prompt."),
    ]
    upstream: Annotated[
        str | None,
        Meta(
            description="The upstream whose policy it followed; null where there is but one, without a policy."
        ),
    ] = None

    @classmethod
    def of(cls, record: RequestRecord) -> Self:
        """Return the JSON of ``record``."""
        return cls(
            request_id=record.id,
            user_id=record.scope.user_id,
            session_id=record.scope.session_id,
            at=record.at,
            question=record.question,
            path=record.path,
            model=record.model,
            upstream=record.explanation.get("upstream"),
            skipped=record.skipped,
            degraded=list(record.degraded),
            error_stage=record.error_stage,
            flags=list(record.flags),
            gate_score=record.gate_score,
            found={
                "candidates": record.candidates,
                "by_meaning": record.dense_hits,
                "by_words": record.lexical_hits,
                "from_the_log": record.log_hits,
            },
            items=record.items,
            truncated=record.truncated,
            standing_items=record.explanation.get("standing_items", 0),
            standing_tokens=record.explanation.get("standing_tokens", 0),
            tokens=record.tokens,
            history_tokens=record.history_tokens,
            milliseconds=round(record.milliseconds, 2),
            stages={stage.value: round(taken, 2) for stage, taken in record.stages.items()},
            query=dict(record.explanation.get("query", {})),
            candidates=[ExplainedCandidate(**each) for each in record.explanation.get("candidates", [])],
        )


@get(
    "/explain/{request_id:str}",
    summary="Explain what a request's prompt was given",
    response_description="The explanation of its recall.",
    tags=["Requests"],
    responses=documented(
        INVALID_PARAMETER,
        UNAUTHORIZED,
        TOO_MANY_ATTEMPTS,
        FORBIDDEN,
        REQUEST_NOT_FOUND,
        REQUEST_NOT_WRITTEN,
        INTERNAL_ERROR,
        STORE_UNAVAILABLE,
        STORE_FAILED,
    ),
)
async def explain_request(
    request: Request[Any, Any, Any],
    engine: NamedDependency[SkipValidation[Engine]],
    live: NamedDependency[SkipValidation[LiveEngine]],
    principal: WhoAsks,
    request_id: RequestId,
) -> Explanation:
    """Return what was found, with partial scores, and why each candidate is in the prompt or is not. Kept for 30 days.

    It is written in the background, so who asks right after the answer waits for it a second at most.
    """
    known = uuid_named("request_id", request_id)
    is_written = await live.noted(known, _WAIT_SECONDS)
    record = await engine.request(known)
    if record is None and not is_written:
        raise RefusedError(REQUEST_NOT_WRITTEN)
    if record is None or principal.user_id not in {None, record.scope.user_id}:
        raise RefusedError(REQUEST_NOT_FOUND)
    await note_read(live, principal, record.scope.user_id, request.route_handler)
    return Explanation.of(record)


@get(
    "/users/{user_id:str}/explain/{request_id:str}",
    summary="Explain what a user's prompt was given",
    response_description="The explanation of its recall.",
    tags=["Requests"],
    responses=documented(*ALWAYS, REQUEST_NOT_FOUND, REQUEST_NOT_WRITTEN),
)
async def explain_users_request(
    engine: OpenEngine,
    live: NamedDependency[SkipValidation[LiveEngine]],
    user_id: UserId,
    request_id: RequestId,
) -> Explanation:
    """Return the same of one of this user's requests, and of nobody else's. Kept for 30 days."""
    user, known = user_named(user_id), uuid_named("request_id", request_id)
    is_written = await live.noted(known, _WAIT_SECONDS)
    record = await engine.request_of(user, known)
    if record is None and not is_written:
        raise RefusedError(REQUEST_NOT_WRITTEN)
    if record is None:
        raise RefusedError(REQUEST_NOT_FOUND)
    return Explanation.of(record)
