"""Changes of memories and settings, reads by administrators, and erasures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias
from uuid import UUID

from recollect.model.enumerations import Action, Actor, Progress, Reason


@dataclass(frozen=True, slots=True)
class Update:
    """One row of the append-only audit of a user's memories.

    Attributes:
        memory_id: The memory that was changed (for a replacement: the new one).
        replaced_id: The memory it took the place of, if any.
        before: The content before, or None for a new memory.
        after: The content after, or None for a retired one.
        details: The other columns before the change, as JSON; undo needs them.
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
    session_id: str | None = None
    exchange_id: UUID | None = None
    undoes: UUID | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def decided_by(self) -> str | None:
        """The rule or the model's answer that decided, if formation made the change."""
        told: str | None = self.details.get("decided_by")
        return told

    @property
    def by(self) -> str:
        """The member of a team who changed what another one stated; "" of any other change."""
        told: str = self.details.get("by", "")
        return told

    @property
    def version_before(self) -> Mapping[str, Any] | None:
        """The further fields of the memory before an edit; None of any other change."""
        is_edit = (
            self.action is Action.EDIT and "kind" in self.details and "kind" in self.details.get("now", {})
        )
        return _version(self.details) if is_edit else None

    @property
    def version_after(self) -> Mapping[str, Any] | None:
        """The further fields of the memory after an edit; None of any other change."""
        return None if self.version_before is None else _version(self.details["now"])


def _version(details: Mapping[str, Any]) -> Mapping[str, Any]:
    hints = details.get("hints") or {"use": None, "topics": [], "questions": []}
    return {"tags": [], "metadata": {}, "expires_at": None, **details, **hints}


@dataclass(frozen=True, slots=True)
class AdminRead:
    """A look of an administrator at a user's data: by an operation of the memory API, on a page (`page: memories`) or by a command (`audit-store`)."""

    id: UUID
    at: datetime
    reader: str
    operation: str


FlagValue: TypeAlias = bool | int | float | str | None


class Party(StrEnum):
    """The kinds of actors that change a person's settings."""

    PERSON = "person"
    INTEGRATION = "integration"
    """An application that acts for the person, as OpenWebUI's functions."""
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True, slots=True)
class Changer:
    """The actor that changed a person's settings, and the name of the token or key; `chat` for a request in a chat."""

    party: Party
    name: str


OF_SETTINGS = "settings: "
"""The prefix of ``AdminRead.operation`` for a change of settings. No operation, page or command begins so."""

NOT_SAID = Changer(Party.ADMINISTRATOR, "unnamed")
"""The caller of the engine, if it names no other."""


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """A change of a person's own settings: the values before and after, by their names in ``Flags``; None follows the deployment's setting."""

    id: UUID
    at: datetime
    by: Changer
    changed: Mapping[str, tuple[FlagValue, FlagValue]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one exchange: the ids of its message and answer in the log, and its changes that were not undone, newest first."""

    progress: Progress
    messages: tuple[UUID, ...] = ()
    updates: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class News:
    """The changes in a chat that its person has not seen yet, newest first, without those that were undone.

    They are of the exchanges formed since changes were last shown, among which are those that taught nothing.
    """

    user_id: str
    exchanges: tuple[UUID, ...] = ()
    updates: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class Erasure:
    """Proof of an erasure: how many rows of each table, queue and spool are gone. Holds no content and no user.

    ``left`` is how many were found when all was looked through once more afterwards, caches too; others than 0 came meanwhile.
    """

    id: UUID
    at: datetime
    rows: tuple[tuple[str, int], ...] = ()
    left: tuple[tuple[str, int], ...] = ()
