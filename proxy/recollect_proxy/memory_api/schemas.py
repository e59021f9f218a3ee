"""The JSON of the Memory API, both ways. Never: an engine, a route, a status code."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Self, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.model import Action, Actor, Doubt, Kind, Reason, Source
from recollect_openwebui import notices

LONGEST_CONTENT = 8000
"""Characters a memory may have."""

MOST_CHANGES = 100
"""Memories that may be changed at once."""

MOST_USERS = 100
"""Users a memory may be shared with at once."""

Content: TypeAlias = Annotated[
    str,
    Meta(
        description="The statement itself. White space around it is cut off.",
        extra_json_schema={
            "minLength": 1,
            "maxLength": LONGEST_CONTENT,
            # not only white space, of which Python knows more than JSON Schema, and no NUL
            "pattern": r"^[\s\u001C-\u001F\u0085]*[^\s\u0000\u001C-\u001F\u0085][^\u0000]*$",
        },
        examples=["Is allergic to peanuts."],
    ),
]
UserId: TypeAlias = Annotated[
    str,
    Meta(
        description="As the frontend sends it, not encoded.",
        extra_json_schema={"minLength": 1, "maxLength": 256, "pattern": r"^(?!\*$)[^\u0000]+$"},
        examples=["7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11"],
    ),
]
KindOfMemory: TypeAlias = Annotated[Kind, Meta(description="What sort of statement it is.")]
Importance: TypeAlias = Annotated[float, Meta(description="From 0, trivial, to 1, vital.", ge=0, le=1)]
Time: TypeAlias = Annotated[datetime, Meta(tz=True)]
EventAt: TypeAlias = Annotated[
    Time | None,
    Meta(description="When what it says happened or will happen; null where that is unknown."),
]


SessionId: TypeAlias = Annotated[
    str,
    Meta(
        description="Which chat: as the frontend sends it, not encoded.",
        extra_json_schema={"minLength": 1, "maxLength": 256, "pattern": r"^(?!\*$)[^\u0000]+$"},
        examples=["3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"],
    ),
]


class NewMemory(Struct, forbid_unknown_fields=True):
    """A memory to be written by hand."""

    content: Content
    kind: KindOfMemory = Kind.FACT
    importance: Importance = 0.5
    event_at: EventAt = None
    session_id: Annotated[
        SessionId | None,
        Meta(
            description="The chat that it is said to come from; null for none. It stays when that is erased."
        ),
    ] = None


class MemoryChange(Struct, forbid_unknown_fields=True):
    """What is to be different about a memory: at least one of the fields. The others stay as they are."""

    content: Content | UnsetType = UNSET
    kind: KindOfMemory | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET
    event_at: EventAt | UnsetType = UNSET


class NewGlobalMemory(Struct, forbid_unknown_fields=True):
    """A memory to be written for every user who has few."""

    content: Content
    kind: KindOfMemory = Kind.FACT
    importance: Importance = 0.5


class Sharing(Struct, forbid_unknown_fields=True):
    """Who else is to see a memory."""

    users: Annotated[
        list[UserId],
        Meta(description="Their ids.", min_length=1, max_length=MOST_USERS),
    ]


class SaidMessage(Struct, forbid_unknown_fields=True):
    """Which message of a chat."""

    message: Annotated[
        str,
        Meta(
            description="The id of the person's message, as the frontend sent it in `X-Recollect-Message`.",
            extra_json_schema={"minLength": 1, "maxLength": 256, "pattern": r"^[^\u0000]+$"},
            examples=["5b1c3a52-0f1b-4c6e-9a53-0a8a3c1b7a11"],
        ),
    ]


class Provenance(Struct):
    """Where a memory comes from."""

    session_id: Annotated[str | None, Meta(description="The chat it was said in.")]
    message_ids: Annotated[list[UUID], Meta(description="The messages of the log it rests on.")]
    evidence: Annotated[str | None, Meta(description="The user's own words it rests on, verbatim.")]
    extractor: Annotated[
        str | None,
        Meta(description="Which model found it, by which version of the prompt; null where none did."),
    ]


class Outline(Struct):
    """What a summary says, in parts."""

    facts: list[str]
    preferences: list[str]
    decisions: list[str]
    todos: Annotated[list[str], Meta(description="Those still open when it was written.")]
    entities: list[str]


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
    holds_from: Annotated[Time | None, Meta(description="Since when it holds, where that was said.")]
    holds_until: Annotated[Time | None, Meta(description="Until when it holds, where that was said.")]
    standing: Annotated[
        Doubt | None,
        Meta(description="What speaks against it; null where nothing does."),
    ]
    provenance: Provenance
    outline: Annotated[Outline | None, Meta(description="Of a summary; null of any other memory.")]
    shared: Annotated[bool, Meta(description="Whether other users see it, too; it can't be corrected then.")]
    known_until: Annotated[
        Time | None,
        Meta(description="When it was replaced, taken away or pruned; null of what the user has."),
    ]

    @classmethod
    def of(cls, memory: model.Memory) -> Self:
        """Return the JSON of ``memory``; its owner and its embedding stay inside."""
        source, outline = memory.provenance, memory.outline
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
            holds_from=memory.holds_from,
            holds_until=memory.holds_until,
            standing=memory.doubt,
            provenance=Provenance(
                source.session_id, list(source.message_ids), source.evidence, source.extractor
            ),
            outline=None if outline is None else msgspec.convert(outline, Outline, from_attributes=True),
            shared=memory.owner == model.COMMONS,
            known_until=memory.known_until,
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


class Version(Struct):
    """What an edit changes beside the content."""

    kind: KindOfMemory
    importance: Importance
    event_at: EventAt


class Update(Struct):
    """One change to a user's memories, as the audit holds it."""

    id: UUID
    at: Time
    action: Annotated[Action, Meta(description="What was done.")]
    actor: Annotated[Actor, Meta(description="Who did it.")]
    reason: Annotated[Reason, Meta(description="Why.")]
    decided_by: Annotated[
        str | None,
        Meta(
            description="Which rule or which answer of the model decided, as `model: contradicts 3` or `equal text`, if formation did; which agent, as `mcp: Claude Desktop`, if one did."
        ),
    ]
    memory_id: Annotated[UUID, Meta(description="The memory changed; for a replacement, the new one.")]
    replaced_id: Annotated[UUID | None, Meta(description="The memory it took the place of, if any.")]
    before: Annotated[str | None, Meta(description="The content before; null for a new memory.")]
    after: Annotated[str | None, Meta(description="The content after; null for one that was taken away.")]
    session_id: Annotated[str | None, Meta(description="The chat it was changed from, if it was one.")]
    undoes: Annotated[UUID | None, Meta(description="The change that this one undoes, if it does.")]
    version_before: Annotated[
        Version | None,
        Meta(description="Of an edit, what else the memory was before; null of any other change."),
    ]
    version_after: Annotated[
        Version | None, Meta(description="Of an edit, what else it was after; null of any other change.")
    ]

    @classmethod
    def of(cls, update: model.Update) -> Self:
        """Return the JSON of ``update``."""
        now = update.details.get("now", {})
        is_edit = update.action is Action.EDIT and "kind" in update.details and "kind" in now
        told = {
            name: getattr(update, name) for name in cls.__struct_fields__ if not name.startswith("version_")
        }
        return cls(
            **told,
            version_before=msgspec.convert(update.details, Version) if is_edit else None,
            version_after=msgspec.convert(now, Version) if is_edit else None,
        )


class History(Struct):
    """What was changed, newest first."""

    updates: list[Update]
    next: Annotated[
        UUID | None, Meta(description="Send it as `after` for the following page; null on the last.")
    ]

    @classmethod
    def of(cls, updates: Sequence[model.Update], *, limit: int) -> Self:
        """Return the JSON of ``updates``: a page of ``limit``, and of one more than that only that there is one."""
        page = updates[:limit]
        return cls([Update.of(update) for update in page], page[-1].id if len(updates) > limit else None)


class Undone(Struct):
    """What was undone of what a message taught."""

    updates: Annotated[
        list[Update], Meta(description="The rows of the audit that say so, in the order they were written.")
    ]
    told: Annotated[
        str, Meta(description="The same in a line for a person; empty where nothing was left to undo.")
    ]

    @classmethod
    def of(cls, updates: Sequence[model.Update]) -> Self:
        """Return the JSON of ``updates``."""
        return cls([Update.of(update) for update in updates], notices.undone(updates))


class Taught(Struct):
    """What a message taught that its person was not shown yet."""

    told: Annotated[
        str, Meta(description="In a line for a person; empty while nothing is known, or if it was shown.")
    ]


class Erasure(Struct):
    """The proof of an erasure. It holds no content and no user."""

    id: Annotated[UUID, Meta(description="Names the tombstone that stays.")]
    erased_at: Time
    rows: Annotated[dict[str, int], Meta(description="How many rows of each table are gone.")]

    @classmethod
    def of(cls, erasure: model.Erasure) -> Self:
        """Return the JSON of ``erasure``."""
        return cls(erasure.id, erasure.at, dict(erasure.rows))


class UserErasure(Erasure):
    """The proof that a user was erased. It holds no content and no user."""

    left: Annotated[
        dict[str, int],
        Meta(
            description="What was found when every table, queue, spool and cache was looked through once more afterwards: "
            "0 each; anything else came meanwhile."
        ),
    ]
    vacuumed: Annotated[
        list[str] | None,
        Meta(
            description="The tables where VACUUM made free what the rows took; those are missing where the database's role may "
            "not. Null where it was not asked for, or failed."
        ),
    ]

    @classmethod
    def proving(cls, erasure: model.Erasure, vacuumed: Sequence[str] | None) -> Self:
        """Return the JSON of ``erasure`` with what was vacuumed after it."""
        freed = None if vacuumed is None else list(vacuumed)
        return cls(erasure.id, erasure.at, dict(erasure.rows), dict(erasure.left), freed)


class Retried(Struct):
    """What a retry set in motion."""

    retried: Annotated[
        int,
        Meta(
            description="How many exchanges held as failed are to be formed again; what waits for a model is, too."
        ),
    ]
    users: Annotated[
        int, Meta(description="Of how many users something waited for a model, or was read by none so far.")
    ]


class Formation(Struct):
    """What formation has before it and behind it, over all users."""

    pending: Annotated[int, Meta(description="Exchanges to be formed as soon as it is their turn.")]
    waiting: Annotated[
        dict[str, int],
        Meta(
            description="Exchanges that wait for a model, by what is missing: `key` (the person's, which comes with their next "
            "chat, or one of the settings), `model` (none is named, or its server has none of that name), `outage`, `budget`, "
            "`unreadable` (it answered so that nothing could be read, or too slowly)."
        ),
    ]
    oldest_waiting_at: Annotated[
        Time | None, Meta(description="When the first of those was said; null where none waits.")
    ]
    failed: Annotated[int, Meta(description="Exchanges held because their formation kept failing.")]
    formed: Annotated[int, Meta(description="Exchanges formed.")]
    oldest_pending_at: Annotated[
        Time | None, Meta(description="When the first pending one was said; null where none is.")
    ]

    @classmethod
    def of(cls, backlog: model.Backlog) -> Self:
        """Return the JSON of ``backlog``."""
        return msgspec.convert(backlog, cls, from_attributes=True)
