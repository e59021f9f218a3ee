"""A person's profile: statements by field that the person wrote or confirmed."""

import dataclasses
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from recollect.model.enumerations import Kind, Source
from recollect.model.memory import Memory, Vector
from recollect.model.scopes import person_of

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


_NAMES = {
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
            label=_NAMES[self.field],
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
