"""The JSON of memories."""

from typing import Annotated, Generic, Literal, TypeAlias, TypeVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from recollect.api.fields import (
    MOST_CHANGES,
    MOST_USERS,
    Content,
    DoubtWord,
    EventAt,
    ExpiresAt,
    HoldsFrom,
    HoldsUntil,
    Importance,
    KindOfMemory,
    KindWord,
    MetadataOfMemory,
    ProjectName,
    Questions,
    SessionId,
    Tags,
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
        """The items on the page."""
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
    tags: Tags = []
    metadata: MetadataOfMemory = {}
    expires_at: ExpiresAt = None


class NewMemory(NewSessionMemory, forbid_unknown_fields=True):
    """A memory to be written by hand."""

    session_id: Annotated[
        SessionId | None, about("The chat it comes from, if any; erasing that keeps the memory.")
    ] = None


class MemoryChange(Struct, forbid_unknown_fields=True):
    """A change of a memory: at least one of the fields. The others stay as they are."""

    content: Content | UnsetType = UNSET
    kind: KindOfMemory | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET
    event_at: EventAt | UnsetType = UNSET
    holds_from: HoldsFrom | UnsetType = UNSET
    holds_until: HoldsUntil | UnsetType = UNSET
    use: UseOfMemory | UnsetType = UNSET
    topics: Topics | UnsetType = UNSET
    questions: Questions | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    metadata: MetadataOfMemory | UnsetType = UNSET
    expires_at: ExpiresAt | UnsetType = UNSET


class BulkCorrection(MemoryChange, forbid_unknown_fields=True, tag_field="op", tag="correct", kw_only=True):
    """A correction: an id and at least one field. The others stay as they are."""

    id: UUID


class BulkForget(Struct, forbid_unknown_fields=True, tag_field="op", tag="forget"):
    """A memory to forget."""

    id: UUID


OneChange: TypeAlias = BulkCorrection | BulkForget


class Bulk(Struct, forbid_unknown_fields=True):
    """Changes, in order, all or nothing."""

    operations: Annotated[
        list[OneChange],
        Meta(
            description="In order: an operation sees the changes of those before it.",
            extra_json_schema={"minItems": 1, "maxItems": MOST_CHANGES},
            extra={
                "must": f"a list of 1 to {MOST_CHANGES} objects, each with `op`, which is `correct` or "
                "`forget`, an `id`, and for a "
                f"correction at least one of {', '.join(MemoryChange.__struct_fields__)}, as PATCH takes them"
            },
        ),
    ]


class Sharing(Struct, forbid_unknown_fields=True):
    """The users who will also see a memory."""

    users: Annotated[
        list[UserId],
        Meta(description="Their ids.", extra_json_schema={"minItems": 1, "maxItems": MOST_USERS}),
    ]


class Move(Struct, forbid_unknown_fields=True):
    """Where a memory is moved to."""

    project: Annotated[
        ProjectName | None, about("The project; null for the user's own memory, outside of all projects.")
    ]


class Provenance(Struct):
    """Where a memory comes from."""

    session_id: Annotated[str | None, about("The chat it was said in.")]
    message_ids: Annotated[list[UUID], about("The messages of the log it rests on.")]
    evidence: Annotated[str | None, about("The user's own words it rests on, verbatim.")]
    extractor: Annotated[
        str | None, about("The model that found it, and its prompt's version; null if none.")
    ]


class Outline(Struct):
    """The parts of a summary."""

    facts: list[str]
    preferences: list[str]
    decisions: list[str]
    todos: Annotated[list[str], about("Those still open when it was written.")]
    entities: list[str]


class Memory(Struct, kw_only=True):
    """A memory."""

    id: UUID
    kind: KindWord
    content: Content
    importance: Importance
    observed_at: Annotated[Time, about("When it was said.")]
    event_at: EventAt
    holds_until: HoldsUntil
    doubt: DoubtWord
    source: Annotated[str, word(Source), about("How it came to be.")]
    confidence: Annotated[float, Meta(description="How sure the model was, 0 to 1.", ge=0, le=1)]
    created_at: Annotated[Time, about("When it was written down.")]
    last_recalled_at: Annotated[Time | None, about("When it last went into a prompt; null if never.")]
    recall_count: Annotated[int, about("How often it went into a prompt.")]
    reinforcement_count: Annotated[int, about("How often the user said it again.")]
    holds_from: HoldsFrom
    provenance: Provenance
    outline: Annotated[Outline | None, about("Of a summary; null of any other memory.")]
    shared: Annotated[bool, about("Whether other users see it, too; it can't be corrected then.")]
    known_until: Annotated[Time | None, about("When it was replaced, forgotten or pruned; null if current.")]
    use: UseWord
    topics: Topics
    questions: Questions
    tags: Tags
    metadata: MetadataOfMemory
    expires_at: ExpiresAt
    ended_at: Annotated[Time | None, about("Of a past memory, until when it was true; else null.")]
    ended_as: Annotated[Annotated[str, word(Ending)] | None, about("How a past memory ended; else null.")]
    project: Annotated[str, about("The project it belongs to; empty for a memory of the user's own.")]
    said_by: Annotated[str, about("Of a team's memory, the member who stated it; else empty.")]
    etag: str | UnsetType | None = UNSET
    """Its version: a header of the answer, never in the body."""


class MemoryPage(Page[Memory, UUID]):
    """One page of a user's memories, newest first."""

    memories: list[Memory]


class GlobalMemories(Page[Memory, UUID]):
    """One page of the memories for everybody, newest first."""

    memories: list[Memory]


class FoundMemory(Struct):
    """A memory that a search found."""

    memory: Memory
    score: Annotated[float, about("What it was ranked by: the higher, the better it serves.")]
    parts: Annotated[dict[str, float], about("Each signal's part of the score; of the best ten.")]


class FoundMemories(Struct):
    """The memories that a search found, best first."""

    found: list[FoundMemory]
    degraded: Annotated[list[str], about("Skipped stages, failed or late: `embedding`, ...")]


class BulkResult(Struct):
    """The result of one change."""

    id: UUID
    done: Annotated[str, one_of("corrected", "forgotten"), about("What was done.")]
    memory: Annotated[Memory | None, about("As it is now; null where it was forgotten.")]


class BulkResults(Struct):
    """The results of changes, in the order they were sent."""

    results: list[BulkResult]


class Version(Struct):
    """The fields of a memory that an edit changes, other than the content."""

    kind: KindWord
    importance: Importance
    event_at: EventAt
    holds_from: HoldsFrom
    holds_until: HoldsUntil
    use: UseWord
    topics: Topics
    questions: Questions
    tags: Tags
    metadata: MetadataOfMemory
    expires_at: ExpiresAt


class Change(Struct, kw_only=True):
    """One change of a user's memories."""

    at: Time
    action: Annotated[str, word(Action), about("What was done.")]
    actor: Annotated[str, word(Actor), about("Who did it.")]
    reason: Annotated[str, word(Reason), about("Why.")]
    decided_by: Annotated[
        str | None,
        about(
            "Which rule or which answer of the model decided, as `model: contradicts 3` or `equal text`, "
            "if formation did; which agent, as `mcp: Claude Desktop`, if one did."
        ),
    ]
    by: Annotated[
        str, about("Of a team's memory, the member who changed what another one stated; else empty.")
    ]
    memory_id: Annotated[UUID, about("The memory changed; for a replacement, the new one.")]
    before: Annotated[str | None, about("The content before; null for a new memory.")]
    after: Annotated[str | None, about("The content after; null for a forgotten one.")]
    id: UUID
    replaced_id: Annotated[UUID | None, about("The memory it took the place of, if any.")]
    session_id: Annotated[str | None, about("The chat it was changed from, if it was one.")]
    undoes: Annotated[UUID | None, about("The change that this one undoes, if it does.")]
    version_before: Annotated[Version | None, about("Of an edit, its other fields before; else null.")]
    version_after: Annotated[Version | None, about("Of an edit, its other fields after; else null.")]


class Changes(Page[Change, UUID]):
    """One page of changes, newest first."""

    changes: list[Change]


class HeldMemory(Struct):
    """A memory held back: neither it nor the words it was said in are recalled."""

    memory: Annotated[Memory, about("As it would be kept, under the id to approve or refuse.")]
    reason: Annotated[str, word(Reason), about("Why it is held back.")]
    at: Annotated[Time, about("Since when.")]
    replaces: Annotated[list[UUID], about("The memories that go with its approval.")] = []


class HeldDecision(Struct, forbid_unknown_fields=True):
    """A decision about all memories that wait only because the user approves everything first; suspicious memories stay."""

    approved: Annotated[bool, about("True: approve them; false: refuse them.")]
    session_id: Annotated[SessionId | None, about("Those of one chat alone.")] = None
    until: Annotated[Time | None, about("Those that wait since then or before.")] = None


class HeldDecided(Struct):
    """The number of decided memories."""

    decided: int


class HeldMemories(Page[HeldMemory, str]):
    """One page of the memories held back, newest first."""

    held: list[HeldMemory]


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
        Literal["done", "dropped"],
        about("`dropped`: it was given up.", example="done", must="done or dropped"),
    ]


class Todos(Struct):
    """To-dos, the latest first."""

    todos: list[Todo]


class Undone(Struct):
    """The undone changes of a message."""

    changes: Annotated[list[Change], about("The changes, in the order they were written.")]
    line: Annotated[str, about("The same in a line to show; or that nothing was left to undo.")]


class MessageChanges(Struct):
    """The changes of a message that its user has not seen yet."""

    line: Annotated[str, about("In a line to show; empty while nothing is known, or if it was shown.")]
