"""The nouns of memory, as frozen values.

Never: pydantic, SQL, JSON, I/O. Times are timezone-aware; ids are UUIDs of version 7 (RFC 9562).
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
"""An embedding: one dimension, unit length."""


class Role(StrEnum):
    """Who spoke in a chat, in the words of the chat completions API."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Kind(StrEnum):
    """What sort of statement a memory is."""

    FACT = "fact"
    PREFERENCE = "preference"
    INSIGHT = "insight"
    DECISION = "decision"
    TODO = "todo"
    ENTITY = "entity"
    SUMMARY = "summary"
    QA_TURN = "qa_turn"
    PROFILE = "profile"


class Source(StrEnum):
    """How a memory came to be."""

    EXTRACTED = "extracted"
    MANUAL = "manual"
    SUMMARY = "summary"
    QA_TURN = "qa_turn"
    IMPORT = "import"
    GLOBAL = "global"


class Actor(StrEnum):
    """Who changed a store."""

    FORMATION = "formation"
    USER = "user"
    ADMIN = "admin"
    PRUNE = "prune"
    IMPORT = "import"


class Relation(StrEnum):
    """What a candidate is to an existing memory."""

    NEW = "new"
    REPEATS = "repeats"
    REFINES = "refines"
    CONTRADICTS = "contradicts"


class Reason(StrEnum):
    """Why a candidate or a memory was changed or left alone."""

    NEW = "new"
    KEPT_VERBATIM = "kept_verbatim"
    EQUAL_CONTENT = "equal_content"
    REPEATS = "repeats"
    REFINES = "refines"
    CONTRADICTS = "contradicts"
    NOT_NEWER = "not_newer"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    LOW_IMPORTANCE = "low_importance"
    NO_EVIDENCE = "no_evidence"
    EDITED = "edited"
    WRITTEN = "written"
    DELETED = "deleted"


class Skip(StrEnum):
    """Why a turn was not recalled for, or an exchange not remembered."""

    NO_IDENTITY = "no-identity"
    BAD_IDENTITY = "bad-identity"
    TASK = "task"
    TEMPORARY = "temporary"
    CHANNEL = "channel"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    EMPTY = "empty"
    OFF = "off"
    DEADLINE = "deadline"
    STORE = "store"
    EMBEDDER = "embedder"
    NOTHING_RELEVANT = "nothing-relevant"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories, and in which session (a chat). The first argument of every store method."""

    user_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said: by whom, and what."""

    role: Role
    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user just said to a model, with what was said before it.

    Attributes:
        scope: Whose turn it is.
        text: The user's own words: wrapping, attachments and injected context removed.
        key: What makes this turn another than any other of its session: the frontend's id of
            the user message, else a hash of the conversation up to and with it.
        history: What came before in the request, oldest first, system messages left out.
        model: The model the request names.
        speaker: The name the user goes by in this message, if the request gives one.
        at: When it was said.
    """

    scope: Scope
    text: str
    key: str
    at: datetime
    model: str
    history: tuple[Message, ...] = ()
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn and its reply, as the message log keeps it.

    Attributes:
        id: The exchange's own id.
        turn: What the user said.
        reply: What the model answered; "" when the user left before the first word.
        message_id: The id under which the user's message stands in the message log.
        reply_id: The id of the reply there.
        authorized: Whether the request carried a credential. The credential itself is never kept.
        credential: The request's own ``Authorization`` value, while this process lives; never
            written down, never shown by ``repr``.
    """

    id: UUID
    turn: Turn
    reply: str
    message_id: UUID
    reply_id: UUID
    authorized: bool = False
    credential: str | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement extracted from an exchange, not yet believed.

    Attributes:
        content: The statement, in the user's language.
        kind: What sort of statement it is.
        importance: 0 (trivial) to 1 (vital).
        confidence: 0 to 1, how sure the extractor is.
        evidence: The user's words it rests on, verbatim.
        relation: What it is to the memory numbered ``about``.
        about: 0-based index into the memories shown to the extractor, or None.
        event_at: When what it says happened or will happen, if said.
    """

    content: str
    kind: Kind
    importance: float
    evidence: str
    confidence: float = 1.0
    relation: Relation = Relation.NEW
    about: int | None = None
    event_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory comes from: session, messages of the log, and the words it rests on."""

    session_id: str | None = None
    message_ids: tuple[UUID, ...] = ()
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """A statement kept.

    Attributes:
        id: UUID version 7.
        owner: The person it belongs to, or ``COMMONS`` for what several share.
        observed_at: When it was said; decides which of two contradicting statements is newer.
        event_at: When what it says happened, if known.
        created_at: When it was written down.
        embedding: Its embedding, or None where none was made or loaded.
        embedding_model: The name of the embedder that made it.
        last_recalled_at: When it last went into a prompt of the user it was read for.
    """

    id: UUID
    owner: str
    kind: Kind
    source: Source
    content: str
    importance: float
    observed_at: datetime
    created_at: datetime
    confidence: float = 1.0
    event_at: datetime | None = None
    provenance: Provenance = Provenance()
    last_recalled_at: datetime | None = None
    recall_count: int = 0
    reinforcement_count: int = 0
    embedding: Vector | None = field(default=None, repr=False, compare=False)
    embedding_model: str | None = None

    @property
    def dated(self) -> datetime:
        """The date a reader should see: of the event where known, else of the telling."""
        return self.event_at or self.observed_at


COMMONS = "*"
"""Owner of memories that several people share, and of global ones."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """A memory as it came back for a turn.

    Attributes:
        memory: The memory.
        score: The final score it was ranked by; 1 is a perfect match, 0 none.
        parts: The score's named parts, for explanation.
    """

    memory: Memory
    score: float
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """The outcome of recalling for a turn.

    Attributes:
        recollections: What may go into the prompt, best first; empty when skipped.
        ranked: Everything retrieval ranked, best first, before gate and budget.
        skipped: Why nothing was recalled, or None.
        milliseconds: What it took.
    """

    recollections: tuple[Recollection, ...] = ()
    ranked: tuple[Recollection, ...] = ()
    skipped: Skip | None = None
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Add:
    """Link a new memory to the user."""

    memory: Memory
    reason: Reason = Reason.NEW


@dataclass(frozen=True, slots=True)
class Replace:
    """Unlink ``old`` and link ``memory`` in its place."""

    old: UUID
    memory: Memory
    reason: Reason


@dataclass(frozen=True, slots=True)
class Reinforce:
    """The user said again what ``target`` holds."""

    target: UUID
    reason: Reason = Reason.REPEATS


@dataclass(frozen=True, slots=True)
class Retire:
    """Unlink ``target``: it is no longer the user's memory."""

    target: UUID
    reason: Reason


@dataclass(frozen=True, slots=True)
class Ignore:
    """Change nothing; the reason is logged and counted."""

    reason: Reason
    candidate: Candidate | None = None
    target: UUID | None = None


Change: TypeAlias = Add | Replace | Reinforce | Retire | Ignore


class Action(StrEnum):
    """What an audit row says was done to a memory."""

    ADD = "add"
    REPLACE = "replace"
    REINFORCE = "reinforce"
    RETIRE = "retire"
    EDIT = "edit"


@dataclass(frozen=True, slots=True)
class Update:
    """One row of the append-only audit of a user's memories.

    Attributes:
        memory_id: The memory that was changed (for a replacement: the new one).
        replaced_id: The memory it took the place of, if any.
        before: The content before, or None for a new memory.
        after: The content after, or None for a retired one.
    """

    id: UUID
    at: datetime
    action: Action
    actor: Actor
    reason: Reason
    memory_id: UUID
    replaced_id: UUID | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a user's memories, newest first.

    Attributes:
        memories: At most as many as were asked for.
        next: Pass it to get the following page; None on the last.
    """

    memories: tuple[Memory, ...]
    next: UUID | None = None


@dataclass(frozen=True, slots=True)
class Backlog:
    """What formation has before it and behind it, over all users.

    Attributes:
        pending: Exchanges waiting to be formed.
        failed: Exchanges whose formation kept failing; they are held, never dropped.
        formed: Exchanges formed.
        fallbacks: Of those, how many became a ``qa_turn`` because extraction failed.
        oldest_pending_at: When the longest waiting one was said.
    """

    pending: int = 0
    failed: int = 0
    formed: int = 0
    fallbacks: int = 0
    oldest_pending_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Erasure:
    """Proof of an erasure: how many rows of each table are gone. Holds no content and no user."""

    id: UUID
    at: datetime
    rows: tuple[tuple[str, int], ...] = ()
