"""What the memory API answers, as types. Words that it chooses from, such as a kind, are plain text: a newer server may know more.

Times are timezone-aware. What a newer server answers beside this is passed over.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType, field

Item_co = TypeVar("Item_co", covariant=True)


class Paged(Protocol[Item_co]):
    """A page of something, and where the next one begins."""

    @property
    def items(self) -> Sequence[Item_co]:
        """What stands on it."""
        ...

    @property
    def following(self) -> str | None:
        """What to send as ``after`` for the following page; None on the last."""
        ...


class Provenance(Struct):
    """Where a memory comes from: its chat, the messages and words it rests on, the model that found it."""

    session_id: str | None = None
    message_ids: list[UUID] = []
    evidence: str | None = None
    extractor: str | None = None


class Outline(Struct):
    """What a summary says, in parts."""

    facts: list[str] = []
    preferences: list[str] = []
    decisions: list[str] = []
    todos: list[str] = []
    entities: list[str] = []


class Memory(Struct, kw_only=True):
    """A memory, as `docs/api.md` describes it.

    ``etag`` is its version, of an answer with one memory; None else.
    """

    id: UUID
    kind: str
    source: str
    content: str
    importance: float
    confidence: float
    created_at: datetime
    observed_at: datetime
    event_at: datetime | None = None
    last_recalled_at: datetime | None = None
    recall_count: int = 0
    reinforcement_count: int = 0
    holds_from: datetime | None = None
    holds_until: datetime | None = None
    standing: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    outline: Outline | None = None
    shared: bool = False
    known_until: datetime | None = None
    etag: str | None = None


class MemoryPage(Struct):
    """A page of memories, newest first."""

    memories: list[Memory]
    next: str | None = None

    @property
    def items(self) -> list[Memory]:
        """The memories."""
        return self.memories

    @property
    def following(self) -> str | None:
        """Where the next page begins."""
        return self.next


class FoundMemory(Struct):
    """A memory that a search found, its score, and what each signal gave to it."""

    memory: Memory
    score: float
    parts: dict[str, float] = {}


class FoundMemories(Struct):
    """What a search found, the best first, and which stages failed."""

    found: list[FoundMemory]
    degraded: list[str] = []


class BulkResult(Struct):
    """What became of one of many changes: ``done`` is ``changed`` or ``deleted``."""

    id: UUID
    done: str
    memory: Memory | None = None


class BulkResults(Struct):
    """What became of each, in the order they were sent."""

    results: list[BulkResult]


class Version(Struct):
    """What an edit changes beside the content."""

    kind: str
    importance: float
    event_at: datetime | None = None


class Update(Struct, kw_only=True):
    """One change, as the audit holds it."""

    id: UUID
    at: datetime
    action: str
    actor: str
    reason: str
    memory_id: UUID
    decided_by: str | None = None
    replaced_id: UUID | None = None
    before: str | None = None
    after: str | None = None
    session_id: str | None = None
    undoes: UUID | None = None
    version_before: Version | None = None
    version_after: Version | None = None


class History(Struct):
    """A page of changes, newest first."""

    updates: list[Update]
    next: str | None = None

    @property
    def items(self) -> list[Update]:
        """The changes."""
        return self.updates

    @property
    def following(self) -> str | None:
        """Where the next page begins."""
        return self.next


class Quarantined(Struct):
    """What is held back, why, and since when."""

    memory: Memory
    reason: str
    at: datetime


class Quarantine(Struct):
    """A page of what is held back, newest first."""

    quarantined: list[Quarantined]
    next: str | None = None

    @property
    def items(self) -> list[Quarantined]:
        """What is held back."""
        return self.quarantined

    @property
    def following(self) -> str | None:
        """Where the next page begins."""
        return self.next


class Sessions(Struct):
    """The ids of a user's chats, the one where something was said last first."""

    sessions: list[str]


class LoggedMessage(Struct):
    """A message of a chat: ``alternate`` is a further answer to a turn, ``hidden`` what is recalled no more.

    ``failed_at`` is the stage at which an answer failed whose text is as much as came of it, ``failed_status`` the LLM's status.
    """

    id: UUID
    role: str
    speaker: str | None
    text: str
    said_at: datetime
    tokens: int
    alternate: bool = False
    marked: bool = False
    hidden: bool = False
    failed_at: str | None = None
    failed_status: int | None = None


class MessagesPage(Struct):
    """A page of what was said in a chat, in order."""

    messages: list[LoggedMessage]
    next: str | None = None

    @property
    def items(self) -> list[LoggedMessage]:
        """The messages."""
        return self.messages

    @property
    def following(self) -> str | None:
        """Where the next page begins."""
        return self.next


class SummaryOfSession(Struct):
    """What a chat was about; ``said_at`` is when what it tells of was said."""

    memory_id: UUID
    session_id: str
    text: str
    said_at: datetime
    created_at: datetime
    facts: list[str] = []
    preferences: list[str] = []
    decisions: list[str] = []
    todos: list[str] = []
    entities: list[str] = []


class AskedSummary(Struct):
    """How many turns of the chat are in no summary yet; 0: nothing was said since, and nothing is done."""

    turns: int


class Undone(Struct):
    """What was undone of what a message taught, also as a line to show."""

    updates: list[Update]
    told: str


class Taught(Struct):
    """What a message taught, as a line to show; empty where nothing is known, or was shown."""

    told: str


class ProfileEntry(Struct):
    """A statement of a profile; ``state`` is ``confirmed`` or ``proposed``."""

    id: UUID
    field: str
    content: str
    state: str
    memory_id: UUID | None
    outdated: bool
    created_at: datetime
    changed_at: datetime


class Profile(Struct):
    """What a user says of themselves; nothing while they do not allow a profile."""

    consents: bool
    entries: list[ProfileEntry] = []
    updated_at: datetime | None = None


class Todo(Struct):
    """Something to do, the memory that says so, and when it was said."""

    text: str
    memory_id: UUID
    session_id: str | None
    said_at: datetime
    event_at: datetime | None = None


class Todos(Struct):
    """What is to do, what was said last first."""

    todos: list[Todo]


class Erasure(Struct):
    """The proof of an erasure.

    ``rows`` says how many are gone, ``left`` what was found afterwards, ``vacuumed`` where VACUUM ran; the last two of a
    user's alone.
    """

    id: UUID
    erased_at: datetime
    rows: dict[str, int]
    left: dict[str, int] = {}
    vacuumed: list[str] | None = None


class Flags(Struct):
    """What can be changed while Recollect runs; None where it is as it was started."""

    record: bool | None = None
    recall: bool | None = None
    standing: bool | None = None
    formation: str | None = None
    placement: str | None = None
    summaries: bool | None = None
    queries: bool | None = None
    profile: bool | None = None
    lexical: bool | None = None
    history: bool | None = None
    max_memory_tokens: int | None = None
    max_history_tokens: int | None = None
    summary_turns: int | None = None
    minimum_importance: float | None = None
    session_cap: int | None = None
    user_cap: int | None = None
    time_zone: str | None = None


class CommonFlags(Flags):
    """What was changed for everybody, and what holds."""

    effective: Flags | None = None


class FlagsChange(Struct, omit_defaults=True):
    """What is to be changed; None takes a change back, UNSET leaves it."""

    record: bool | UnsetType | None = UNSET
    recall: bool | UnsetType | None = UNSET
    standing: bool | UnsetType | None = UNSET
    formation: str | UnsetType | None = UNSET
    placement: str | UnsetType | None = UNSET
    summaries: bool | UnsetType | None = UNSET
    queries: bool | UnsetType | None = UNSET
    profile: bool | UnsetType | None = UNSET
    lexical: bool | UnsetType | None = UNSET
    history: bool | UnsetType | None = UNSET
    max_memory_tokens: int | UnsetType | None = UNSET
    max_history_tokens: int | UnsetType | None = UNSET
    summary_turns: int | UnsetType | None = UNSET
    minimum_importance: float | UnsetType | None = UNSET
    session_cap: int | UnsetType | None = UNSET
    user_cap: int | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET


class UserFlags(Struct):
    """What was changed for a user, and what counts for them."""

    own: Flags
    effective: Flags


class Usage(Struct):
    """Tokens that models took in the background for a user on a day, and what they may take; None: any number."""

    day: date
    tokens: int
    limit: int | None = None


class Retried(Struct):
    """How many exchanges wait to be formed again, and of how many users others do that waited for a model."""

    retried: int
    users: int = 0


class Story(Struct):
    """Why a request's prompt was given what it was; the candidates are as `docs/api.md` describes them."""

    request_id: UUID
    user_id: str
    session_id: str
    at: datetime
    model: str
    milliseconds: float
    items: int
    tokens: int
    skipped: str | None = None
    degraded: list[str] = []
    gate_score: float | None = None
    candidates: list[dict[str, Any]] = []


class Health(Struct):
    """Whether Recollect works: ``status`` is ``ok`` or ``degraded``."""

    status: str
    store: str
    formation: dict[str, Any] | None = None
    model: dict[str, Any] | None = None
    spool: dict[str, Any] | None = None
    skipped: dict[str, int] = {}
