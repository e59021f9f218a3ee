"""What a person says of themselves, field by field, or confirms of what is known of them."""

import dataclasses
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from recollect.model.memory import Memory, Vector
from recollect.model.words import Kind, Source

MOST_ENTRIES = 200
"""Statements that a profile holds at most; a proposal is none yet."""


class ProfileField(StrEnum):
    """Of what a statement of a profile tells."""

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
    """What someone works in, and as what."""
    CONSTRAINTS = "constraints"
    NOTES = "notes"


_NAMES = {
    **{each: each.value.replace("_", " ").capitalize() for each in ProfileField},
    ProfileField.ADDRESS: "To be addressed as",
    ProfileField.ANSWERS: "How to answer",
    ProfileField.LANGUAGES: "Programming languages",
    ProfileField.DOMAIN: "Work",
}
"""What a prompt calls the fields: many a value means little alone."""


class EntryState(StrEnum):
    """Whether a statement of a profile counts."""

    PROPOSED = "proposed"
    """A memory says it; the person has not confirmed it."""
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A statement of a person's profile.

    Attributes:
        content: What it says; of a proposal what its memory says now.
        state: Whether the person confirmed it.
        created_at: When it was proposed or written.
        changed_at: When it was proposed, written, confirmed or changed last.
        memory_id: The memory that proposed it; None: it was written by hand.
        own_words: Whether the person wrote it so: then it stays whatever becomes of the memory.
        outdated: Whether that memory says otherwise by now, or is gone: it is given to no prompt.
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
        """Return it as prompts are given it: a memory of the kind PROFILE under its own id, labelled with its field."""
        return Memory(
            id=self.id,
            owner=user_id,
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
    """A person's profile.

    Attributes:
        entries: What it says and what is proposed, in the order of their ids; nothing that was refused.
    """

    consents: bool
    entries: tuple[ProfileEntry, ...] = ()
