"""Lists: filters, results and revisions of memories; chats and messages on people's pages."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.model.chat import Failure
from recollect.model.enumerations import Doubt, Kind, Role, Source, Stage, Use
from recollect.model.memory import Hints, Memory, Metadata


class State(StrEnum):
    """Whether a user still has a memory."""

    CURRENT = "current"
    """They have it."""
    PAST = "past"
    """It was replaced, taken away or pruned."""
    ALL = "all"


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """A filter for a list of memories; all conditions have to hold.

    Attributes:
        kinds: One of these; none: any.
        sources: One of these; none: any.
        words: The content or a tag holds each of them, in whatever case.
        text: The content or a tag holds it as it stands, in whatever case.
        observed_from: Said then or later.
        observed_until: Said before then.
        state: Whether the user has it still; with ``as_of``, whether they had it then.
        as_of: The list as it was then, by the audit, with the contents of that time.
        valid_at: Statements known to be true at that time, current or past, whatever ``state`` is.
    """

    kinds: frozenset[Kind] = frozenset()
    sources: frozenset[Source] = frozenset()
    session_id: str | None = None
    words: tuple[str, ...] = ()
    text: str | None = None
    observed_from: datetime | None = None
    observed_until: datetime | None = None
    state: State = State.CURRENT
    doubt: Doubt | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict, hash=False)

    def takes(self, memory: Memory) -> bool:
        """Return whether a memory meets all conditions but ``state`` and ``as_of``."""
        texts = (memory.content, *memory.tags)
        content = " ".join(texts).lower()
        return (
            (not self.kinds or memory.kind in self.kinds)
            and (not self.sources or memory.source in self.sources)
            and self.session_id in {None, memory.provenance.session_id}
            and (self.observed_from is None or memory.observed_at >= self.observed_from)
            and (self.observed_until is None or memory.observed_at < self.observed_until)
            and all(word.lower() in content for word in self.words)
            and self.doubt in {None, memory.doubt}
            and (self.valid_at is None or memory.held_at(self.valid_at))
            and (self.text is None or any(self.text.casefold() in each.casefold() for each in texts))
            and {*self.tags} <= {*memory.tags}
            and all(_has(memory.metadata, key, value) for key, value in self.metadata.items())
        )


def _has(metadata: Metadata, key: str, value: str | float) -> bool:
    """Return whether metadata have a value; a truth value is no number, as in JSON."""
    kept = metadata.get(key)
    return kept == value and isinstance(kept, bool) == isinstance(value, bool)


EVERYTHING = MemoryFilter()
"""All memories of a user."""


class Unchanged(Enum):
    """The mark of an unchanged field for which None would be a value."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True, slots=True)
class Revision:
    """The new values of a memory's fields; a field that is None stays.

    Attributes:
        use: When it is needed; its hints are made up of this and the next two.
        versions: The versions (``Memory.version``) that may be changed; None: any.
    """

    memory_id: UUID
    content: str | None = None
    kind: Kind | None = None
    importance: float | None = None
    event_at: datetime | Unchanged | None = UNCHANGED
    versions: frozenset[str] | None = None
    use: Use | None = None
    topics: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None
    holds_from: datetime | Unchanged | None = UNCHANGED
    holds_until: datetime | Unchanged | None = UNCHANGED
    expires_at: datetime | Unchanged | None = UNCHANGED
    tags: tuple[str, ...] | None = None
    metadata: Metadata | None = field(default=None, hash=False)

    @property
    def as_is(self) -> dict[str, Any]:
        """The new values that are written as they are, by field: all but the content and the hints."""
        given = {name: getattr(self, name) for name in ("kind", "importance", "tags", "metadata")}
        times = {
            name: getattr(self, name) for name in ("event_at", "holds_from", "holds_until", "expires_at")
        }
        filled = {name: value for name, value in given.items() if value is not None}
        return filled | {name: value for name, value in times.items() if value is not UNCHANGED}

    def hints_after(self, old: Memory, content: str) -> Hints | None:
        """Return the hints after this revision, by which a memory has this content; None: it has none, and a model may give it some."""
        kept = old.hints
        if kept is not None and content != old.content:  # others are made again
            kept = None if kept.use is Use.TOPIC else Hints(kept.use)
        return self.hints(kept) or kept

    def hints(self, old: Hints | None) -> Hints | None:
        """Return the hints after this revision of a statement that had ``old`` ones; None if it says nothing of hints."""
        given = {name: getattr(self, name) for name in ("use", "topics", "questions")}
        filled = {name: value for name, value in given.items() if value is not None}
        return replace(old or Hints(), **filled) if filled else None


@dataclass(frozen=True, slots=True)
class EmbeddedRevision:
    """A revision with embeddings.

    Attributes:
        content: The content that was embedded, and with it ``hints``. If the memory has others by then, it is embedded later.
        embedding: The new embeddings, as of a ``Memory``; written if the stored content or hints differ.
    """

    revision: Revision
    content: str = ""
    hints: Hints | None = None
    embedding: NDArray[np.float32] | None = None
    embedding_model: str | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of a memory from its user; ``versions`` as in ``Revision``."""

    memory_id: UUID
    versions: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class RankedMemories:
    """The memories that a search found, the best first, each with its score and the score's parts by name; and the stages that failed or were late."""

    memories: tuple[tuple[Memory, float, tuple[tuple[str, float], ...]], ...]
    degraded: tuple[Stage, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The stored answer of a request with an idempotency key, None while that is under way; and the version that was answered with it, if any."""

    request: bytes
    answer: bytes | None
    etag: str | None


ANSWERS_KEPT = timedelta(days=1)
"""How long a repeated request gets the answer to the first."""


@dataclass(frozen=True, slots=True)
class ChatSeen:
    """A chat that is remembered, and how many messages of it are kept."""

    id: str
    started_at: datetime
    last_at: datetime
    messages: int


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The numbers of a user's kept data; memories are the statements and summaries that they see, shared ones included."""

    memories: int = 0
    messages: int = 0
    chats: int = 0
    held: int = 0
    changes: int = 0
    waiting: int = 0


class Unsettled(NamedTuple):
    """How many memories wait for approval, and how many exchanges until a model can read them."""

    held: int
    waiting: int


@dataclass(frozen=True, slots=True)
class MessageSeen:
    """A message of a chat, as the log has it.

    Attributes:
        tokens: About how many tokens that has.
        alternate: Whether it is a further answer to a turn that has another.
        marked: Whether someone called its turn valuable.
        failure: How the answer failed of which this is as much as came; None for all else.
    """

    id: UUID
    role: Role
    speaker: str | None
    content: str
    tokens: int
    said_at: datetime
    alternate: bool
    marked: bool
    hidden: bool
    failure: Failure | None = None
