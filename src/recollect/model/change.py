"""What is changed in a user's memories, what was, and what is still to be."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recollect.model.memory import Candidate, Memory
from recollect.model.words import Action, Actor, Reason


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
    """The user said again what ``target`` holds.

    Attributes:
        messages: In which messages of the log; ``target`` rests on them from then on, too.
    """

    target: UUID
    reason: Reason = Reason.REPEATS
    messages: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Retire:
    """Unlink ``target``: it is no longer the user's memory."""

    target: UUID
    reason: Reason


@dataclass(frozen=True, slots=True)
class Ignore:
    """Change nothing of what is known; the reason is logged and counted.

    Attributes:
        candidate: What was ignored.
        target: What is known in its place.
        messages: In which messages of the log it was said; ``target`` rests on them from then on, too.
    """

    reason: Reason
    candidate: Candidate | None = None
    target: UUID | None = None
    messages: tuple[UUID, ...] = ()


Change: TypeAlias = Add | Replace | Reinforce | Retire | Ignore


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
