"""The JSON of memories: of the API, its client, the export and agents' tools. Never: an engine."""

from collections.abc import Mapping
from typing import Annotated, Any, Generic, Self, TypeAlias, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.api.fields import (
    MOST_CHANGES,
    MOST_USERS,
    Content,
    EventAt,
    HoldsFrom,
    HoldsUntil,
    Importance,
    KindOfMemory,
    KindWord,
    Questions,
    SessionId,
    Standing,
    Time,
    Topics,
    UseOfMemory,
    UserId,
    UseWord,
    about,
    one_of,
    word,
)
from recollect.model import Action, Actor, Ending, Kind, Reason, Source

Item = TypeVar("Item")
Place = TypeVar("Place")


class Page(Struct, Generic[Item, Place]):
    """One page of a list; its second field holds the items."""

    next: Annotated[Place | None, about("Send it as `after` for the following page; null on the last.")]

    @property
    def items(self) -> list[Item]:
        """What stands on the page."""
        found: list[Item] = getattr(self, self.__struct_fields__[1])
        return found


class NewGlobalMemory(Struct, forbid_unknown_fields=True):
    """A memory to be written for every user who has few."""

    content: Content
    kind: KindOfMemory = Kind.FACT
    importance: Importance = 0.5


class NewSessionMemory(NewGlobalMemory, forbid_unknown_fields=True):
    """A memory to be written by hand for a chat."""

    event_at: EventAt = None
    use: UseOfMemory | None = None
    topics: Topics = []
    questions: Questions = []


class NewMemory(NewSessionMemory, forbid_unknown_fields=True):
    """A memory to be written by hand."""

    session_id: Annotated[
        SessionId | None,
        about("The chat that it is said to come from; null for none. It stays when that is erased."),
    ] = None


class MemoryChange(Struct, forbid_unknown_fields=True):
    """What is to be different about a memory: at least one of the fields. The others stay as they are."""

    content: Content | UnsetType = UNSET
    kind: KindOfMemory | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET
    event_at: EventAt | UnsetType = UNSET
    holds_from: HoldsFrom | UnsetType = UNSET
    holds_until: HoldsUntil | UnsetType = UNSET
    use: UseOfMemory | UnsetType = UNSET
    topics: Topics | UnsetType = UNSET
    questions: Questions | UnsetType = UNSET


class BulkChange(MemoryChange, forbid_unknown_fields=True, tag_field="op", tag="change", kw_only=True):
    """A memory is to be corrected: at least one field beside its id. The others stay as they are."""

    id: UUID


class BulkDelete(Struct, forbid_unknown_fields=True, tag_field="op", tag="delete"):
    """A memory is to be taken away."""

    id: UUID


OneChange: TypeAlias = BulkChange | BulkDelete


class Bulk(Struct, forbid_unknown_fields=True):
    """What is to be changed, in order, all or nothing."""

    operations: Annotated[
        list[OneChange],
        Meta(
            description="What is done first counts for those behind it.",
            extra_json_schema={"minItems": 1, "maxItems": MOST_CHANGES},
        ),
    ]


class Sharing(Struct, forbid_unknown_fields=True):
    """Who else is to see a memory."""

    users: Annotated[list[UserId], Meta(description="Their ids.", min_length=1, max_length=MOST_USERS)]


class Statement(Struct, kw_only=True):
    """A memory in short, as agents read it."""

    id: UUID
    kind: KindWord
    content: Content
    importance: Importance
    observed_at: Annotated[Time, about("When it was said.")]
    event_at: EventAt
    holds_until: HoldsUntil
    standing: Standing

    @classmethod
    def of(cls, memory: model.Memory) -> Self:
        """Return the JSON of ``memory``."""
        named = {name: getattr(memory, name) for name in cls.__struct_fields__ if name != "standing"}
        return cls(**named, standing=memory.doubt)


class Provenance(Struct):
    """Where a memory comes from."""

    session_id: Annotated[str | None, about("The chat it was said in.")]
    message_ids: Annotated[list[UUID], about("The messages of the log it rests on.")]
    evidence: Annotated[str | None, about("The user's own words it rests on, verbatim.")]
    extractor: Annotated[
        str | None, about("Which model found it, by which version of the prompt; null where none did.")
    ]


class Outline(Struct):
    """What a summary says, in parts."""

    facts: list[str]
    preferences: list[str]
    decisions: list[str]
    todos: Annotated[list[str], about("Those still open when it was written.")]
    entities: list[str]


class Memory(Statement, kw_only=True):
    """A memory."""

    source: Annotated[str, word(Source), about("How it came to be.")]
    confidence: Annotated[
        float, Meta(description="From 0 to 1: how sure the extraction model was.", ge=0, le=1)
    ]
    created_at: Annotated[Time, about("When it was written down.")]
    last_recalled_at: Annotated[
        Time | None, about("When it last went into a prompt; null where it never did.")
    ]
    recall_count: Annotated[int, about("How often it went into a prompt.")]
    reinforcement_count: Annotated[int, about("How often the user said it again.")]
    holds_from: HoldsFrom
    provenance: Provenance
    outline: Annotated[Outline | None, about("Of a summary; null of any other memory.")]
    shared: Annotated[bool, about("Whether other users see it, too; it can't be corrected then.")]
    known_until: Annotated[
        Time | None, about("When it was replaced, taken away or pruned; null of what the user has.")
    ]
    use: UseWord
    topics: Topics
    questions: Questions
    ended_at: Annotated[
        Time | None,
        about("Of a past memory, until when it was true; null of what is current, wrong or not wanted."),
    ]
    ended_as: Annotated[
        Annotated[str, word(Ending)] | None,
        about("Of a past memory, how it ended: it changed, or a to-do was done or dropped."),
    ]
    etag: str | UnsetType | None = UNSET
    """Its version: a header of the answer, never in the body."""

    @classmethod
    def of(cls, memory: model.Memory) -> Self:
        """Return the JSON of ``memory``; its owner and its embedding stay inside."""
        hints = memory.hints or model.Hints()
        otherwise = {
            "standing",
            "ended_at",
            "ended_as",
            "provenance",
            "outline",
            "shared",
            "use",
            "topics",
            "questions",
            "etag",
        }
        return cls(
            **{name: getattr(memory, name) for name in cls.__struct_fields__ if name not in otherwise},
            standing=memory.doubt,
            ended_at=None if memory.past is None else memory.past.until,
            ended_as=None if memory.past is None else memory.past.ending,
            provenance=msgspec.convert(memory.provenance, Provenance, from_attributes=True),
            outline=msgspec.convert(memory.outline, Outline | None, from_attributes=True),
            shared=memory.owner == model.COMMONS,
            use=None if memory.hints is None else hints.use,
            topics=list(hints.topics),
            questions=list(hints.questions),
        )


class MemoryPage(Page[Memory, UUID]):
    """One page of a user's memories, newest first."""

    memories: list[Memory]

    @classmethod
    def of(cls, page: model.Page) -> Self:
        """Return the JSON of ``page``."""
        return cls(page.next, [Memory.of(memory) for memory in page.memories])


class GlobalMemories(Page[Memory, UUID]):
    """What serves everybody, newest first."""

    memories: list[Memory]


class FoundMemory(Struct):
    """A memory that a search found."""

    memory: Memory
    score: Annotated[float, about("What it was ranked by: the higher, the better it serves.")]
    parts: Annotated[
        dict[str, float], about("What each signal gave to the score; empty behind the best ten.")
    ]


class FoundMemories(Struct):
    """What a search found, the best first."""

    found: list[FoundMemory]
    degraded: Annotated[
        list[str], about("Stages that failed or were late, and were done without: `embedding`, ...")
    ]


class BulkResult(Struct):
    """What became of one change."""

    id: UUID
    done: Annotated[str, one_of("changed", "deleted"), about("What was done.")]
    memory: Annotated[Memory | None, about("As it is now; null where it was taken away.")]


class BulkResults(Struct):
    """What became of each change, in the order they were sent."""

    results: list[BulkResult]


class Version(Struct):
    """What an edit changes beside the content."""

    kind: KindWord
    importance: Importance
    event_at: EventAt
    holds_from: HoldsFrom
    holds_until: HoldsUntil
    use: UseWord
    topics: Topics
    questions: Questions

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> Self:
        """Return the JSON of an edit's details."""
        hints = details.get("hints") or {"use": None, "topics": [], "questions": []}
        return msgspec.convert({**details, **hints}, cls)


class AuditEntry(Struct, kw_only=True):
    """One change to a user's memories in short, as agents read it."""

    at: Time
    action: Annotated[str, word(Action), about("What was done.")]
    actor: Annotated[str, word(Actor), about("Who did it.")]
    reason: Annotated[str, word(Reason), about("Why.")]
    decided_by: Annotated[
        str | None,
        about(
            "Which rule or which answer of the model decided, as `model: contradicts 3` or `equal text`, if formation did; which agent, as `mcp: Claude Desktop`, if one did."
        ),
    ]
    memory_id: Annotated[UUID, about("The memory changed; for a replacement, the new one.")]
    before: Annotated[str | None, about("The content before; null for a new memory.")]
    after: Annotated[str | None, about("The content after; null for one that was taken away.")]


class Update(AuditEntry, kw_only=True):
    """One change to a user's memories, as the audit holds it."""

    id: UUID
    replaced_id: Annotated[UUID | None, about("The memory it took the place of, if any.")]
    session_id: Annotated[str | None, about("The chat it was changed from, if it was one.")]
    undoes: Annotated[UUID | None, about("The change that this one undoes, if it does.")]
    version_before: Annotated[
        Version | None, about("Of an edit, what else the memory was before; null of any other change.")
    ]
    version_after: Annotated[
        Version | None, about("Of an edit, what else it was after; null of any other change.")
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
            version_before=Version.of(update.details) if is_edit else None,
            version_after=Version.of(now) if is_edit else None,
        )


class History(Page[Update, UUID]):
    """What was changed, newest first."""

    updates: list[Update]


class Quarantined(Struct):
    """A memory held back: neither it nor the words it was said in are recalled."""

    memory: Annotated[Memory, about("As it would be kept, under the id to approve or refuse.")]
    reason: Annotated[str, word(Reason), about("Why it is held back.")]
    at: Annotated[Time, about("Since when.")]


class Quarantine(Page[Quarantined, str]):
    """What is held back, newest first."""

    quarantined: list[Quarantined]


class Todo(Struct):
    """Something to do."""

    text: str
    memory_id: Annotated[UUID, about("The memory that says so: a todo, or the summary of a chat.")]
    session_id: Annotated[str | None, about("The chat it was said in.")]
    said_at: Annotated[Time, about("When it was said; for a summary's, when its chat was.")]
    event_at: Annotated[Time | None, about("When it is to be done, where that was said.")]


class TodoEnd(Struct, forbid_unknown_fields=True):
    """How a to-do ended."""

    ended_as: Annotated[
        Annotated[Ending, one_of("done", "dropped")],
        about("`done`: it was carried out; `dropped`: it was given up.", example="done"),
    ]


class Todos(Struct):
    """What is to do, what was said last first."""

    todos: list[Todo]


class Undone(Struct):
    """What was undone of what a message taught."""

    updates: Annotated[
        list[Update], about("The rows of the audit that say so, in the order they were written.")
    ]
    told: Annotated[str, about("The same in a line for a person; empty where nothing was left to undo.")]


class Taught(Struct):
    """What a message taught that its person was not shown yet."""

    told: Annotated[str, about("In a line for a person; empty while nothing is known, or if it was shown.")]
