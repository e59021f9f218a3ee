"""The changes of a user's memories.

A change may name the author of the decision (``decided_by``): the model's answer ("model: contradicts 3", by the
memory's number in the prompt), a rule ("equal text", "veto: number"), or an agent ("mcp: Claude Desktop"). The name
holds no word of a memory.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recollect.model.memory import Candidate, Memory, Past
from recollect.model.words import Doubt, Reason


@dataclass(frozen=True, slots=True)
class Add:
    """Link a new memory to the user."""

    memory: Memory
    reason: Reason = Reason.NEW
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Replace:
    """Unlink ``old`` and link ``memory`` in its place.

    Attributes:
        past: When ``old`` ended, if it was true until then.
    """

    old: UUID
    memory: Memory
    reason: Reason
    past: Past | None = field(default=None, kw_only=True)
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reinforce:
    """The user said again what ``target`` holds.

    Attributes:
        messages: In which messages of the log; ``target`` rests on them from then on, too.
    """

    target: UUID
    reason: Reason = Reason.REPEATS
    messages: tuple[UUID, ...] = ()
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Retire:
    """Unlink ``target``: it is no longer the user's memory.

    Attributes:
        heir: The memory that replaces it, if one does. If the user has no memory with its content, ``target`` is not unlinked.
        past: When ``target`` ended, if it was true until then.
        days: The days of its lifetime, if it is up by a rule of the operator's.
    """

    target: UUID
    reason: Reason
    heir: Memory | None = None
    days: int | None = field(default=None, kw_only=True)
    past: Past | None = field(default=None, kw_only=True)
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Ignore:
    """Change no memory; the reason is logged and counted.

    Attributes:
        candidate: The statement that was ignored.
        target: The memory that already says it.
        messages: The messages of the log that say it; ``target`` rests on them too from then on.
    """

    reason: Reason
    candidate: Candidate | None = None
    target: UUID | None = None
    messages: tuple[UUID, ...] = ()
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """Note a doubt about ``target``, which stays a memory; None removes the doubt.

    Attributes:
        cause: The memory that speaks against it, if one does.
    """

    target: UUID
    doubt: Doubt | None
    reason: Reason
    cause: UUID | None = None
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """Note until when ``target`` holds, as another statement holds from then on; it stays a memory.

    Attributes:
        heir: The statement that holds from then on; if it is not kept, nothing is noted.
    """

    target: UUID
    until: datetime
    reason: Reason
    heir: Memory
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Hold ``memory`` back until the person approves it: nothing recalls it, nor the words it was said in.

    Attributes:
        hides: Whether those words are hidden from recall; that can't be undone.
        then: The changes of other memories that its approval makes, too; the end of a statement waits alone (ENDED).
    """

    memory: Memory
    reason: Reason
    decided_by: str | None = field(default=None, compare=False)
    hides: bool = True
    then: tuple[Replace | Retire | Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class Hide:
    """Hide these messages of the log from recall; the memories that rest on them stay."""

    messages: tuple[UUID, ...]
    reason: Reason


NOT_ERASED = "limit: erased by one message"
"""The author of the decision to forget memories instead of erasing them: one message names too many."""


@dataclass(frozen=True, slots=True)
class Erase:
    """Delete memories for good, with those that they replaced, and the text of their messages. Nothing brings them back.

    Attributes:
        messages: Further messages of the log whose exchanges lose their text.
    """

    memories: tuple[UUID, ...]
    messages: tuple[UUID, ...] = ()
    reason: Reason = Reason.ERASED


Change: TypeAlias = Add | Replace | Reinforce | Retire | Ignore | Mark | Limit | Quarantine | Hide | Erase
