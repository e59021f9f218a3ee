"""The JSON of the Memory API, both ways. Never: an engine, a route, a status code."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeAlias, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from recollect import model
from recollect.model import Action, Actor, Kind, Reason, Source
from recollect_proxy.memory_api.errors import INVALID_JSON, RefusedError, invalid_field

LONGEST_CONTENT = 8000
"""Characters a memory may have."""

_MUST_BE = {
    "content": f"a string of 1 to {LONGEST_CONTENT} characters that are not only white space, without NUL",
    "kind": f"one of {', '.join(Kind)}",
    "importance": "a number from 0 to 1",
    "event_at": "a date and time with its offset from UTC (RFC 3339), as 2026-03-15T09:30:00Z, or null",
}

Content: TypeAlias = Annotated[
    str,
    Meta(
        description="The statement itself. White space around it is cut off.",
        extra_json_schema={
            "minLength": 1,
            "maxLength": LONGEST_CONTENT,
            "pattern": r"^\s*[^\s\u0000][^\u0000]*$",  # not only white space, and no NUL
        },
        examples=["Is allergic to peanuts."],
    ),
]
KindOfMemory: TypeAlias = Annotated[Kind, Meta(description="What sort of statement it is.")]
Importance: TypeAlias = Annotated[float, Meta(description="From 0, trivial, to 1, vital.", ge=0, le=1)]
Time: TypeAlias = Annotated[datetime, Meta(tz=True)]
EventAt: TypeAlias = Annotated[
    Time | None,
    Meta(description="When what it says happened or will happen; null where that is unknown."),
]


class NewMemory(Struct, forbid_unknown_fields=True):
    """A memory to be written by hand."""

    content: Content
    kind: KindOfMemory = Kind.FACT
    importance: Importance = 0.5
    event_at: EventAt = None


class MemoryChange(Struct, forbid_unknown_fields=True):
    """What is to be different about a memory: at least one of the fields. The others stay as they are."""

    content: Content | UnsetType = UNSET
    kind: KindOfMemory | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET


class Provenance(Struct):
    """Where a memory comes from."""

    session_id: Annotated[str | None, Meta(description="The chat it was said in.")]
    message_ids: Annotated[list[UUID], Meta(description="The messages of the log it rests on.")]
    evidence: Annotated[str | None, Meta(description="The user's own words it rests on, verbatim.")]


class Memory(Struct):
    """A memory."""

    id: UUID
    kind: KindOfMemory
    source: Annotated[Source, Meta(description="How it came to be.")]
    content: Content
    importance: Importance
    confidence: Annotated[
        float, Meta(description="From 0 to 1: how sure the extraction model was.", ge=0, le=1)
    ]
    created_at: Annotated[Time, Meta(description="When it was written down.")]
    observed_at: Annotated[Time, Meta(description="When it was said.")]
    event_at: EventAt
    last_recalled_at: Annotated[
        Time | None, Meta(description="When it last went into a prompt; null where it never did.")
    ]
    recall_count: Annotated[int, Meta(description="How often it went into a prompt.")]
    reinforcement_count: Annotated[int, Meta(description="How often the user said it again.")]
    provenance: Provenance

    @classmethod
    def of(cls, memory: model.Memory) -> Self:
        """Return the JSON of ``memory``; its owner and its embedding stay inside."""
        return cls(
            id=memory.id,
            kind=memory.kind,
            source=memory.source,
            content=memory.content,
            importance=memory.importance,
            confidence=memory.confidence,
            created_at=memory.created_at,
            observed_at=memory.observed_at,
            event_at=memory.event_at,
            last_recalled_at=memory.last_recalled_at,
            recall_count=memory.recall_count,
            reinforcement_count=memory.reinforcement_count,
            provenance=Provenance(
                memory.provenance.session_id,
                list(memory.provenance.message_ids),
                memory.provenance.evidence,
            ),
        )


class MemoryPage(Struct):
    """One page of a user's memories, newest first."""

    memories: list[Memory]
    next: Annotated[
        UUID | None, Meta(description="Send it as `after` for the following page; null on the last.")
    ]

    @classmethod
    def of(cls, page: model.Page) -> Self:
        """Return the JSON of ``page``."""
        return cls([Memory.of(memory) for memory in page.memories], page.next)


class Update(Struct):
    """One change to a user's memories, as the audit holds it."""

    id: UUID
    at: Time
    action: Annotated[Action, Meta(description="What was done.")]
    actor: Annotated[Actor, Meta(description="Who did it.")]
    reason: Annotated[Reason, Meta(description="Why.")]
    memory_id: Annotated[UUID, Meta(description="The memory changed; for a replacement, the new one.")]
    replaced_id: Annotated[UUID | None, Meta(description="The memory it took the place of, if any.")]
    before: Annotated[str | None, Meta(description="The content before; null for a new memory.")]
    after: Annotated[str | None, Meta(description="The content after; null for one that was taken away.")]


class History(Struct):
    """What was changed, newest first."""

    updates: list[Update]

    @classmethod
    def of(cls, updates: Iterable[model.Update]) -> Self:
        """Return the JSON of ``updates``."""
        return cls([msgspec.convert(update, Update, from_attributes=True) for update in updates])


class Erasure(Struct):
    """The proof of an erasure. It holds no content and no user."""

    id: Annotated[UUID, Meta(description="Names the tombstone that stays.")]
    erased_at: Time
    rows: Annotated[dict[str, int], Meta(description="How many rows of each table are gone.")]

    @classmethod
    def of(cls, erasure: model.Erasure) -> Self:
        """Return the JSON of ``erasure``."""
        return cls(erasure.id, erasure.at, dict(erasure.rows))


class Retried(Struct):
    """What a retry set in motion."""

    retried: Annotated[int, Meta(description="How many exchanges held as failed wait to be formed again.")]


class Formation(Struct):
    """What formation has before it and behind it, over all users."""

    pending: Annotated[int, Meta(description="Exchanges waiting to be formed.")]
    failed: Annotated[int, Meta(description="Exchanges held because their formation kept failing.")]
    formed: Annotated[int, Meta(description="Exchanges formed.")]
    fallbacks: Annotated[int, Meta(description="Of those, how many were kept verbatim: extraction failed.")]
    oldest_pending_at: Annotated[
        Time | None, Meta(description="When the longest waiting one was said; null where none waits.")
    ]

    @classmethod
    def of(cls, backlog: model.Backlog) -> Self:
        """Return the JSON of ``backlog``."""
        return msgspec.convert(backlog, cls, from_attributes=True)


Body = TypeVar("Body", bound=Struct)


def read_body(body: bytes, shape: type[Body]) -> Body:
    """Return the body as ``shape``.

    Raises:
        RefusedError: It is no JSON object, a field is unknown, missing or not what it must be. The
            message never repeats the value.
    """
    try:
        given = msgspec.json.decode(body, type=dict[str, Raw])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise RefusedError(INVALID_JSON) from error
    known = {field.name: field for field in msgspec.structs.fields(shape)}
    for name in given:
        if name not in known:
            raise _unknown_field(name, known)
    for name, field in known.items():
        if field.required and name not in given:
            raise invalid_field(name, f"`{name}` is missing.")
    return shape(**{name: _read_field(name, raw, known[name].type) for name, raw in given.items()})


def _unknown_field(name: str, known: Iterable[str]) -> RefusedError:
    nameable = name.isidentifier() and len(name) < 64  # noqa: PLR2004  # else it may be anything, a text too
    return invalid_field(
        name if nameable else None, f"The body has an unknown field. Known are {', '.join(known)}."
    )


def _read_field(name: str, raw: Raw, declared: Any) -> Any:
    try:
        value = msgspec.json.decode(raw, type=declared)
        return _READ[name](value) if name in _READ and value is not None else value
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError) as error:
        raise invalid_field(name, f"`{name}` must be {_MUST_BE[name]}.") from error


def _read_content(text: str) -> str:
    content = text.strip()
    if not 0 < len(content) <= LONGEST_CONTENT or "\0" in content:
        raise ValueError
    return content


def _read_time(when: Time) -> Time:
    return when.astimezone(UTC)


_READ: dict[str, Callable[[Any], Any]] = {"content": _read_content, "event_at": _read_time}
