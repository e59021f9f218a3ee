"""A statement, from the candidate that a model extracts to the memory that is kept, and what belongs to it; and a person's profile of confirmed ones."""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Self, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.model.enumerations import Asking, Doubt, Ending, Kind, Lasting, Relation, Source, Stance, Use
from recollect.model.scopes import person_of, project_of, team_of

Vector: TypeAlias = NDArray[np.float32]
"""An embedding: one dimension, unit length."""

VITAL = 0.85
"""The importance from which on a statement concerns health or safety, or is remembered by request."""

MOST_TOPICS, TOPIC_LENGTH = 6, 80
MOST_QUESTIONS, QUESTION_LENGTH = 2, 200
"""How many topics and questions a statement's hints have at most, and of how many characters."""

MOST_TAGS, TAG_LENGTH = 10, 40
"""How many tags a memory has at most, and of how many characters."""

MOST_KEYS, VALUE_LENGTH = 10, 200
"""How many keys the metadata of a memory have at most, and of how many characters a text in them."""

YEARS = range(1000, 9000)
"""The years of the times that a memory may have. Beyond them another time zone, or a day more, may leave all calendars."""

_MOST_DAYS = 36_500

Metadata: TypeAlias = Mapping[str, str | float | bool]
"""The values that people and programs keep with a memory, by their keys."""


def tags_named(texts: Iterable[str], *, longest: int | None = TAG_LENGTH) -> tuple[str, ...]:
    """Return texts as tags: in lower case, in one line, cut, each once; so `Work` and `work` are one."""
    tags = (" ".join(each.lower().split())[:longest].rstrip() for each in texts)
    return tuple(dict.fromkeys(each for each in tags if each))


@dataclass(frozen=True, slots=True)
class Hints:
    """When a statement will be needed, as the model that wrote it expects. They never reach a prompt of a chat.

    Attributes:
        use: When it is needed.
        topics: The requests that need it, as short English noun phrases.
        questions: Questions that need it, in the first person: one in the person's language, one in English.
    """

    use: Use = Use.TOPIC
    topics: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement extracted from an exchange, not yet believed.

    Attributes:
        content: The statement, in the user's language.
        importance: 0 (trivial) to 1 (vital).
        confidence: 0 to 1, how sure the extractor is.
        evidence: The user's words it rests on, verbatim.
        relation: Its relation to the memories numbered in ``about``.
        about: 0-based indexes into the memories shown to the extractor, the one it is most about first.
        event_at: The time of its event, past or future, if said.
        unsettles: 0-based indexes of memories shown that may no longer hold if this does.
        ends: 0-based indexes of further memories shown that are over if this holds, as a plan is that was carried out.
        subject: The subject, as the person calls them; None: the person.
        steers: Whether it speaks to the assistant for someone's benefit who is not the person.
        confirms: The assistant's sentence that ``evidence`` assents to; None: the person's words say it themselves.
        of_others: Whether the model says that all words of the message are pasted or played.
        tags: The operator's tags that the model chose.
    """

    content: str
    kind: Kind
    importance: float
    evidence: str
    confidence: float = 1.0
    relation: Relation = Relation.NEW
    about: tuple[int, ...] = ()
    event_at: datetime | None = None
    holds_from: datetime | None = None
    holds_until: datetime | None = None
    unsettles: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    subject: str | None = None
    stance: Stance = Stance.STATED
    steers: bool = False
    lasting: Lasting = Lasting.YEARS
    confirms: str | None = None
    of_others: bool = False
    hints: Hints | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractedCommand:
    """A memory command, as an extractor understands it, with the words that ask for it, verbatim; not yet believed.

    ``about`` are 0-based indexes of the memories shown that are to be forgotten, or were wrong.
    """

    asking: Asking
    evidence: str
    about: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory comes from.

    Attributes:
        evidence: The user's words it rests on, verbatim.
        extractor: The model that found it and the version of the prompt; None if no model did.
    """

    session_id: str | None = None
    message_ids: tuple[UUID, ...] = ()
    evidence: str | None = None
    extractor: str | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a summary. The todos are those still open."""

    facts: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Past:
    """When a statement ended that was true until then, how, and which one holds since then, if any."""

    until: datetime
    ending: Ending
    heir: UUID | None = None

    # A to-do with an heir may not be done: "the trip is cancelled" takes its place, too. So only the heir says.
    known_ending = property(lambda self: self.ending if self.heir is None else Ending.CHANGED)


@dataclass(frozen=True, slots=True)
class Memory:
    """A statement kept.

    Attributes:
        owner: The person it belongs to, or ``COMMONS`` if several share it.
        observed_at: When it was said; decides which of two contradicting statements is newer.
        event_at: The time of its event, if known.
        embedding: Its embeddings if they were just made: of its content, (dimensions,); with hints, (n, dimensions), then of the
            content with its topics, and of each question.
        last_recalled_at: When it last went into a prompt of the user it was read for.
        doubt: The doubt about it, for the user it was read for.
        known_until: Until when it was believed; None while it is.
        past: When and how it ended, if it was true until then; None for a current statement and for one that was
            never true.
        label: Its label in prompts: the field of a profile's entry, whose value may mean little alone.
        hints: When it will be needed; None until a model or the person says so.
        tags: Its tags. Neither they nor its metadata ever reach a prompt of a chat.
        expires_at: When Recollect forgets it, for the user it was read for; None: never, or by a rule of the operator's.
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
    holds_from: datetime | None = None
    holds_until: datetime | None = None
    doubt: Doubt | None = None
    outline: Outline | None = None
    known_until: datetime | None = None
    past: Past | None = None
    embedding: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)
    embedding_model: str | None = None
    label: str = field(default="", compare=False)
    hints: Hints | None = None
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict, hash=False)
    expires_at: datetime | None = None

    def with_labels_of(self, other: "Memory") -> Self:
        """Return it with the tags and the metadata of another one, too, as far as there is room; its own come first."""
        tags = dict.fromkeys((*self.tags, *other.tags))
        others = {key: each for key, each in other.metadata.items() if key not in self.metadata}
        metadata = {**self.metadata, **others}
        return replace(
            self, tags=tuple(islice(tags, MOST_TAGS)), metadata=dict(islice(metadata.items(), MOST_KEYS))
        )

    @property
    def labelled(self) -> str:
        """Its words, with its label."""
        return f"{self.label}: {self.content}" if self.label else self.content

    @property
    def is_for_every_chat(self) -> bool:
        """Whether it shapes every answer, or concerns health."""
        return self.importance >= VITAL or (self.hints is not None and self.hints.use is Use.ALWAYS)

    @property
    def session_id(self) -> str | None:
        """The chat that it comes from; None if a person wrote it by hand, or it is shared by all users."""
        return self.provenance.session_id

    # The names under which the memory API has parts of a memory.
    ended_at = property(lambda self: self.past and self.past.until)
    ended_as = property(lambda self: self.past and self.past.known_ending)
    shared = property(lambda self: self.owner == COMMONS)
    project = property(lambda self: project_of(self.owner))
    said_by = property(lambda self: person_of(self.owner) if team_of(self.owner) else "")
    speaker = property(lambda self: self.label if team_of(self.owner) else "")
    use = property(lambda self: self.hints and self.hints.use)
    topics = property(lambda self: self.hints.topics if self.hints else ())
    questions = property(lambda self: self.hints.questions if self.hints else ())

    @property
    def dated(self) -> datetime:
        """The date a reader should see: of the event where known, else of the telling."""
        return self.event_at or self.observed_at

    def held_at(self, moment: datetime) -> bool:
        """Return whether it was true at a moment, as far as it is known; it begins with its event, else with its telling."""
        if self.known_until is not None and self.past is None:
            return False
        begins = self.holds_from or (None if self.kind is Kind.TODO else self.event_at) or self.observed_at
        ends = (self.holds_until, None if self.past is None else self.past.until)
        return begins <= moment and all(each is None or moment < each for each in ends)

    @property
    def version(self) -> str:
        """32 hexadecimal digits (SHA-256, cut off) that change with anything but its origin, the counts of its use and its hints.

        A model may write hints while a person edits. The members of a team are not told the origin.
        """
        hashed = (
            *(
                self.id,
                self.owner,
                self.kind.value,
                self.source.value,
                self.content,
                self.importance,
                self.confidence,
            ),
            *(self.doubt and self.doubt.value, self.outline, self.known_until is None),
            *(self.tags, sorted(self.metadata.items())),
            *(
                each and each.timestamp()
                for each in (
                    self.event_at,
                    self.observed_at,
                    self.holds_from,
                    self.holds_until,
                    self.expires_at,
                )
            ),
        )
        return hashlib.sha256(repr(hashed).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """For how many days memories are kept that have no day of their own, by a kind, or by a tag with `#` in front of it; of several the fewest."""

    days: tuple[tuple[str, int], ...] = ()

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Self:
        """Return those that texts like `todo:90` and `#work:365` name.

        Raises:
            ValueError: One names none.
        """
        days: dict[str, int] = {}
        for told_name, _, told in (text.strip().rpartition(":") for text in texts):
            tags = tags_named([told_name[1:]], longest=None) if told_name.startswith("#") else None
            name = Kind(told_name.strip()) if tags is None else f"#{''.join(tags)}"
            days[name] = int(told)
            if not 1 < len(name) <= 1 + TAG_LENGTH or not 0 < days[name] <= _MOST_DAYS:
                raise ValueError("no tag, or no number of days")
        return cls(tuple(days.items()))

    def with_own(self, told: str | None) -> Self:
        """Return these with a person's own, as their setting tells them: of each kind and tag the fewest days.

        An export may hold any text here: it is left out if it can't be read.
        """
        try:
            own = self.from_texts(told.split(",") if told else ())
        except ValueError:
            return self
        days = dict(self.days)
        for name, number in own.days:
            days[name] = min(number, days.get(name, number))
        return type(self)(tuple(days.items()))

    def __str__(self) -> str:
        """Return them as a setting tells them."""
        return ",".join(f"{name}:{days}" for name, days in self.days)

    def end_of(self, memory: Memory) -> datetime | None:
        """Return when a memory is to be forgotten; None: never."""
        if memory.expires_at is not None or memory.owner == COMMONS or not self.days:
            return memory.expires_at
        named = {memory.kind.value, *(f"#{tag}" for tag in memory.tags)}
        days = min((days for name, days in self.days if name in named), default=None)
        return None if days is None else memory.created_at + timedelta(days=days)


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A memory near to a vector, and the cosine."""

    memory: Memory
    score: float


COMMONS = "*"
"""Owner of memories that several people share, and of global ones."""


@dataclass(frozen=True, slots=True)
class Page:
    """At most as many of a user's memories as were asked for, newest first; ``next`` is passed to get the following page, None on the last."""

    memories: tuple[Memory, ...]
    next: UUID | None = None


MOST_ENTRIES = 200
"""The most statements in a profile; proposals do not count."""


class ProfileField(StrEnum):
    """The field of a profile's statement."""

    NAME = "name"
    ADDRESS = "address"
    """How to be addressed."""
    ANSWERS = "answers"
    """How to be answered."""
    CODING_STYLE = "coding_style"
    LANGUAGES = "languages"
    """Programming languages."""
    FRAMEWORKS = "frameworks"
    """Frameworks and tools, and how well they are known."""
    GOALS = "goals"
    DOMAIN = "domain"
    """The person's field of work, and their role."""
    CONSTRAINTS = "constraints"
    NOTES = "notes"


_FIELD_NAMES = {
    **{each: each.value.replace("_", " ").capitalize() for each in ProfileField},
    ProfileField.ADDRESS: "To be addressed as",
    ProfileField.ANSWERS: "How to answer",
    ProfileField.LANGUAGES: "Programming languages",
    ProfileField.DOMAIN: "Work",
}
"""The labels of the fields in a prompt: a value alone may mean little."""


class EntryState(StrEnum):
    """Whether a statement of a profile counts."""

    PROPOSED = "proposed"
    """A memory says it; the person has not confirmed it."""
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A statement of a person's profile.

    Attributes:
        content: The text; for a proposal the current text of its memory.
        changed_at: When it was proposed, written, confirmed or changed last.
        memory_id: The memory that proposed it; None if it was written by hand.
        own_words: Whether the person wrote it; then it stays even if the memory goes.
        outdated: Whether that memory has changed or is gone. No prompt gets an outdated entry.
    """

    id: UUID
    field: ProfileField
    content: str
    state: EntryState
    created_at: datetime
    changed_at: datetime
    memory_id: UUID | None = None
    own_words: bool = False
    outdated: bool = False
    embedding: Vector | None = dataclasses.field(default=None, repr=False, compare=False)
    embedding_model: str | None = None

    def as_memory(self, user_id: str, importance: float) -> Memory:
        """Return the entry as a memory of the person's, of the kind PROFILE, under its own id, labelled with its field."""
        return Memory(
            id=self.id,
            owner=person_of(user_id),
            kind=Kind.PROFILE,
            source=Source.MANUAL,
            content=self.content,
            importance=importance,
            observed_at=self.changed_at,
            created_at=self.created_at,
            label=_FIELD_NAMES[self.field],
        )


@dataclass(frozen=True, slots=True)
class OwnProfile:
    """A person's profile: the confirmed and the proposed entries, by id, without refused ones."""

    consents: bool
    entries: tuple[ProfileEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's memory in short: the statements for every chat, by worth."""

    statements: tuple[Memory, ...]
    count: int
