"""Declares the rows of an export, by section, and its JSON Schema."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect.api.fields import PLAIN, MetadataOfMemory
from recollect.api.people import FlagsChange
from recollect.model import (
    LONGEST_PROJECT,
    LONGEST_TITLE,
    MOST_QUESTIONS,
    MOST_TAGS,
    MOST_TOPICS,
    OF_SETTINGS,
    QUESTION_LENGTH,
    TAG_LENGTH,
    TOPIC_LENGTH,
    Action,
    Actor,
    Doubt,
    Ending,
    FlagValue,
    Kind,
    Outline,
    Party,
    ProfileField,
    Reason,
    Role,
    SearchPath,
    Source,
    Use,
    tags_named,
)

FORMAT = "recollect-export"
VERSION = 1

Time = Annotated[datetime, Meta(tz=True)]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Text = Annotated[str, Meta(max_length=16 * 1024 * 1024)]
Id = Annotated[str, Meta(min_length=1, max_length=1024)]
Ids = Annotated[list[UUID], Meta(max_length=100_000)]
Words = Annotated[str, Meta(max_length=4096)]
Topics = Annotated[list[Annotated[str, Meta(max_length=TOPIC_LENGTH)]], Meta(max_length=MOST_TOPICS)]
Questions = Annotated[list[Annotated[str, Meta(max_length=QUESTION_LENGTH)]], Meta(max_length=MOST_QUESTIONS)]
Tags = Annotated[list[Annotated[str, Meta(max_length=TAG_LENGTH)]], Meta(max_length=MOST_TAGS)]
Zone = Annotated[str, Meta(min_length=1, max_length=64)]
ProjectName = Annotated[str, Meta(max_length=LONGEST_PROJECT, pattern=f"{PLAIN}|^$")]


class Flags(FlagsChange, forbid_unknown_fields=True):
    """Settings changed for the user. A setting that is null or absent is unchanged."""

    max_memory_tokens: Count | UnsetType | None = UNSET
    max_history_tokens: Count | UnsetType | None = UNSET
    summary_turns: Count | UnsetType | None = UNSET
    session_cap: Count | UnsetType | None = UNSET
    user_cap: Count | UnsetType | None = UNSET
    told_zone: Zone | None = None
    told_name: Annotated[str, Meta(max_length=100)] | None = None


class Project(Struct):
    """A project of the user."""

    name: Annotated[ProjectName, Meta(min_length=1)]
    title: Annotated[str, Meta(max_length=LONGEST_TITLE)] = ""
    alone: bool = False


class _OfProject(Struct, kw_only=True):
    """A row of the user's own, or of a project of theirs."""

    project: ProjectName = ""


class Settings(Struct):
    """Settings changed for the user, and when the last one was."""

    flags: dict[str, Any]
    changed_at: Time

    def __post_init__(self) -> None:
        msgspec.convert(self.flags, Flags)  # null and absent are stored as they are, so the dictionary stays


class ProfileEntry(Struct):
    """A statement of the profile. A proposed or refused one names its memory, and has no content."""

    id: UUID
    field: ProfileField
    state: Literal["proposed", "confirmed", "refused"]
    created_at: Time
    changed_at: Time
    content: Text | None = None
    memory_id: UUID | None = None
    own_words: bool = False

    def __post_init__(self) -> None:
        is_whole = self.content is not None if self.state == "confirmed" else self.memory_id is not None
        if not is_whole or (self.state != "confirmed" and self.content is not None):
            raise ValueError("A confirmed statement has content; any other names a memory, and has none.")


class _Statement(_OfProject, kw_only=True):
    """A statement. Its hints say when it is needed; all are null until a model or the person gives some."""

    id: UUID
    kind: Kind
    source: Source
    content: Text
    importance: Share
    confidence: Share
    observed_at: Time
    created_at: Time
    message_ids: Ids
    event_at: Time | None = None
    holds_from: Time | None = None
    holds_until: Time | None = None
    session_id: Id | None = None
    evidence: Text | None = None
    extractor: Words | None = None
    use: Use | None = None
    topics: Topics | None = None
    questions: Questions | None = None
    tags: Tags = []
    metadata: MetadataOfMemory = {}

    def __post_init__(self) -> None:
        if len({self.use is None, self.topics is None, self.questions is None}) > 1:
            raise ValueError("Hints are given whole: use, topics and questions.")
        self.tags = list(tags_named(self.tags))


class Memory(_Statement, kw_only=True):
    """A memory or a summary. The user no longer sees one whose `linked_at` is null."""

    valid_from: Time
    valid_to: Time | None = None
    outline: Outline | None = None
    shared: bool = False
    linked_at: Time | None = None
    last_recalled_at: Time | None = None
    recall_count: Count = 0
    reinforcement_count: Count = 0
    doubt: Doubt | None = None
    expires_at: Time | None = None
    ended_at: Time | None = None
    ended_as: Ending | None = None
    heir: UUID | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        is_past = self.ended_at is not None
        if is_past != (self.ended_as is not None) or (is_past and (self.linked_at or self.shared)):
            raise ValueError("A past memory says when and how it ended, and its user sees it no more.")


class Update(_OfProject):
    """A row of the audit."""

    id: UUID
    at: Time
    action: Action
    actor: Actor
    reason: Reason
    memory_id: UUID
    details: dict[str, Any]
    replaced_id: UUID | None = None
    before: Text | None = None
    after: Text | None = None
    session_id: Id | None = None
    exchange_id: UUID | None = None
    undoes: UUID | None = None


class Further(Struct):
    """A memory that the approval of a waiting statement replaces, ends or limits."""

    change: Literal["replace", "retire", "limit"]
    memory: UUID
    reason: Reason
    until: Time | None = None
    ending: Ending | None = None


class Quarantined(_Statement, kw_only=True):
    """A statement that waits for approval. A refused one has only the hash of its content."""

    at: Time
    reason: Reason
    refused: bool = False
    further: list[Further] = []
    expires_at: Time | None = None
    refused_hash: Annotated[str, Meta(pattern="^([0-9a-f]{2}){1,64}$")] | None = None


class Session(_OfProject):
    """A chat."""

    id: Id
    started_at: Time
    last_at: Time
    next_turn_index: Count
    summarized_turn: Annotated[int, Meta(ge=-1, le=2**31 - 1)] = -1
    summary_asked_at: Time | None = None
    summaries_made: Count = 0
    summaries_kept: Count = 0


class ChatLeftOut(_OfProject):
    """A chat from which nothing is kept, since a time."""

    session_id: Id
    since: Time


class Exchange(_OfProject):
    """A turn and its reply, and the state of its formation."""

    id: UUID
    session_id: Id
    key: Words
    turn_index: Count
    message_id: UUID
    reply_id: UUID
    model: Words
    authorized: bool
    said_at: Time
    state: Literal["open", "pending", "formed", "failed", "abandoned"]
    not_before: Time
    attempts: Count = 0
    error: Words | None = None
    fallback: Words | None = None
    formed_at: Time | None = None
    carried: Count | None = None
    anchor: Words | None = None
    parent: Words | None = None
    unanswered: bool = False
    told_with: Words | None = None
    made: dict[str, int] | None = None
    upstream: Words = ""
    answer_ids: list[Words] = []
    arrived_at: Time | None = None
    answered: Words | None = None
    waits_for: Words | None = None
    wakes_at: Time | None = None
    waits: Count = 0
    asked: Words | None = None
    failed_at: Literal["connect", "head", "stream", "client"] | None = None
    failed_status: Count | None = None
    partial: Text | None = None
    erased_at: Time | None = None


class Message(_OfProject):
    """A message of a chat."""

    id: UUID
    session_id: Id
    exchange_id: UUID
    turn_index: Count
    role: Role
    content: Text
    tokens: Count
    alternate: bool
    created_at: Time
    speaker: Words | None = None
    hidden: bool = False
    changed_at: Time | None = None
    marked: bool = False


class Injection(_OfProject):
    """A block that was added to a prompt."""

    session_id: Id
    anchor: Words
    place: Literal["system", "beside"]
    block: Text
    items: Ids
    tokens: Count
    at: Time
    detached: bool = False
    standing: bool = False


class Usage(Struct):
    """Tokens that models took in the background on a day."""

    day: date
    tokens: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    calls: Count
    summary_tokens: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None


class Request(_OfProject):
    """The figures of a request. `story` names the found memories by ids and scores."""

    id: UUID
    at: Time
    session_id: Id
    path: Words
    model: Words
    degraded: list[Words]
    candidates: Count
    dense_hits: Count
    lexical_hits: Count
    log_hits: Count
    items: Count
    tokens: Count
    history_tokens: Count
    truncated: Count
    top_scores: list[float]
    recall_ms: float
    flags: list[Words]
    story: Any
    skipped: Words | None = None
    error_stage: Words | None = None
    gate_score: float | None = None
    embedding_ms: float | None = None
    search_ms: float | None = None
    turn_key: Words | None = None
    found_by: SearchPath | None = None
    budget: Count | None = None
    block_tokens: Count | None = None
    given: dict[str, Count] | None = None
    marked: bool | None = None
    complains: bool | None = None


class ChatRequest(_OfProject):
    """A request of a chat about the whole memory, and the memories that were listed or taken away with the answer."""

    session_id: Id
    anchor: Words
    asking: Words
    items: Ids
    at: Time


class NotHelpful(_OfProject):
    """A memory that the user called not helpful: the request that was given it, and the message with the question."""

    memory_id: UUID
    request_id: UUID
    session_id: Id
    message_id: UUID
    at: Time


class _ChangedSettings(Struct):
    by: Party
    changed: dict[str, tuple[FlagValue, FlagValue]]


class AdminRead(Struct):
    """A read by an administrator; or, if `operation` begins with `settings: `, a change of settings."""

    id: UUID
    at: Time
    reader: Words
    operation: Words

    def __post_init__(self) -> None:
        operation = self.operation.removeprefix(OF_SETTINGS)
        if operation != self.operation:
            msgspec.json.decode(operation, type=_ChangedSettings)


class KeptAnswer(_OfProject):
    """The answer to a request with an `Idempotency-Key`, as JSON; null while it is under way. It is not imported."""

    key: Words
    at: Time
    answer: Text | None = None
    etag: Words | None = None


ROWS: dict[str, type[Struct]] = {
    "projects": Project,
    "settings": Settings,
    "profile": ProfileEntry,
    "memories": Memory,
    "summaries": Memory,
    "history": Update,
    "quarantine": Quarantined,
    "sessions": Session,
    "chats_left_out": ChatLeftOut,
    "exchanges": Exchange,
    "messages": Message,
    "injections": Injection,
    "usage": Usage,
    "requests": Request,
    "chat_requests": ChatRequest,
    "not_helpful": NotHelpful,
    "admin_reads": AdminRead,
    "kept_answers": KeptAnswer,
}
"""The type of a row by section, in the order in which sections are written and kept."""

NOT_IMPORTED = frozenset({"kept_answers"})
"""Exported only: an `Idempotency-Key` means something to the Recollect that answered it, and to no other."""


Document = msgspec.defstruct(
    "Document",
    [
        ("format", Literal["recollect-export"]),
        ("version", Literal[1]),
        ("exported_at", Time),
        ("user_id", Id),
        *((section, list[row]) for section, row in ROWS.items()),  # type: ignore[valid-type]
    ],
    namespace={"__doc__": "All that Recollect keeps of one user, without embeddings."},
)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of an export (draft 2020-12): docs/reference/export.schema.json."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "An export of Recollect"}
    written = msgspec.json.encode(head | msgspec.json.schema(Document))
    return msgspec.json.decode(written, type=dict[str, Any])
