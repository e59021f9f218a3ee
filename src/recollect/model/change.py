"""The changes of a user's memories, the decisions of formation that lead to them, and the faults found in kept ones.

A change may name the author of the decision (``decided_by``): the model's answer ("model: contradicts 3", by the
memory's number in the prompt), a rule ("equal text", "veto: number"), or an agent ("mcp: Claude Desktop"). The name
holds no word of a memory.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

from recollect.model.chat import Exchange
from recollect.model.enumerations import Awaits, Doubt, Reason, Unread
from recollect.model.memory import Candidate, Memory, Past


@dataclass(frozen=True, slots=True)
class Add:
    """Link a new memory to the user."""

    memory: Memory
    reason: Reason = Reason.NEW
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Replace:
    """Unlink ``old`` and link ``memory`` in its place."""

    old: UUID
    memory: Memory
    reason: Reason
    past: Past | None = field(default=None, kw_only=True)
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reinforce:
    """The user said again what ``target`` holds, in these messages of the log; ``target`` rests on them from then on, too."""

    target: UUID
    reason: Reason = Reason.REPEATS
    messages: tuple[UUID, ...] = ()
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Retire:
    """Unlink ``target``: it is no longer the user's memory. It stays if an ``heir`` is to replace it and the user has no memory with that content.

    ``days`` are those of its lifetime, if it is up by a rule of the operator's.
    """

    target: UUID
    reason: Reason
    heir: Memory | None = None
    days: int | None = field(default=None, kw_only=True)
    past: Past | None = field(default=None, kw_only=True)
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Ignore:
    """Change no memory; log and count the reason. A ``target`` that already says it rests on these messages of the log, too, from then on."""

    reason: Reason
    candidate: Candidate | None = None
    target: UUID | None = None
    messages: tuple[UUID, ...] = ()
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """Note a doubt about ``target``, which stays a memory; None removes the doubt."""

    target: UUID
    doubt: Doubt | None
    reason: Reason
    cause: UUID | None = None
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """Note until when ``target`` holds, as ``heir`` holds from then on; it stays a memory. If the heir is not kept, nothing is noted."""

    target: UUID
    until: datetime
    reason: Reason
    heir: Memory
    decided_by: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Hold ``memory`` back until the person approves it: nothing recalls it, nor, if it ``hides`` them, the words it was said in.

    To hide them can't be undone. Its approval makes the changes ``then``, too; the end of a statement waits alone (ENDED).
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
    """Delete memories for good, with those that they replaced, and the text of their messages and of further ones. Nothing brings them back."""

    memories: tuple[UUID, ...]
    messages: tuple[UUID, ...] = ()
    reason: Reason = Reason.ERASED


Change: TypeAlias = Add | Replace | Reinforce | Retire | Ignore | Mark | Limit | Quarantine | Hide | Erase


@dataclass(frozen=True, slots=True)
class Formed:
    """The decisions of formation for one exchange.

    Attributes:
        changes: In order, one a candidate at least, those that change nothing (Ignore) among them.
        unread: Why no model has read it; None: one has, or it is not to be read.
        re_extracted: How many memories it would keep whose words are not the person's, but were added to the prompt.
            Verification lets none through; this counts it by another way, and has to stay 0.
    """

    exchange: Exchange
    changes: tuple[Change, ...] = ()
    extracted_count: int = 0
    unread: Unread | None = None
    re_extracted: int = 0
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """An exchange that is to be formed, and how often it was put to wait, after attempts that failed for a reason of its own."""

    exchange: Exchange
    attempts: int
    due: datetime
    waits: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """Says that exchanges wait for a model.

    Attributes:
        until: When to try again; None: when a chat, a start or a command says that something has changed.
        asked: Which model was asked, or was to be.
        counts: Whether the attempt failed for a reason of the exchange's own. If not, the user's other exchanges with the
            same upstream wait, too.
    """

    reason: Awaits
    error: str
    until: datetime | None
    asked: str = ""
    counts: bool = False


@dataclass(frozen=True, slots=True)
class SpokenWith:
    """The model that a person chatted with last, on which of several LLM servers, by its name: "" is the default."""

    model: str
    upstream: str
    authorized: bool


SESSION_CAP = 50
"""Memories that one chat may leave, unless a setting says otherwise."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most memories of one chat and of one user; 0: any number. Memories written by hand do not count."""

    session: int = 0
    user: int = 0


NO_CAPS = Caps()
"""Any number of memories may be kept."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory held back until the person approves or refuses it, under its id."""

    memory: Memory
    reason: Reason
    at: datetime
    then: tuple[Replace | Retire | Limit, ...] = ()

    @property
    def replaces(self) -> list[UUID]:
        """The memories that go with its approval."""
        return [
            each.old if isinstance(each, Replace) else each.target
            for each in self.then
            if isinstance(each, Replace | Retire)
        ]


MOST_QUARANTINED = 500
"""The most quarantined memories of a user that are listed, and that wait where everything is approved first."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a day's background calls of models, for one user and for all."""

    user: int = 0
    everybody: int = 0


class Fate(StrEnum):
    """The result for a statement that an agent asks to keep."""

    KEPT = "kept"
    """It is a memory now."""
    KNOWN = "known"
    """It was one before: nothing is changed."""
    HELD = "held"
    """It waits for the person's approval."""
    REJECTED = "rejected"
    """It is not kept."""


@dataclass(frozen=True, slots=True)
class Dictated:
    """A statement of an agent with its result: the memory that says it, new or known before, or the reason it is held back or not kept."""

    fate: Fate
    memory: Memory | None = None
    reason: Reason | None = None
    masked: bool = False


class Fault(StrEnum):
    """The kinds of faults of a memory."""

    DUPLICATE = "duplicate"
    """Another memory of the same user says it."""
    CONTRADICTION = "contradiction"
    """A newer memory of the same user says otherwise."""
    JUNK = "junk"
    """It says nothing about anybody."""
    SECRET = "secret"  # noqa: S105 -- the name of a fault
    """It holds a key, a password or the like."""
    ORDER = "order"
    """It orders the assistant to act for another party, and the person has not approved it."""
    NO_SOURCE = "no-source"
    """The log lacks the words it claims to rest on."""
    WRONG_DATE = "wrong-date"
    """One of its dates can't be right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that was found.

    Attributes:
        reason: The reason formation would have refused it.
        other: The memory that says the same, or otherwise.
        corrected: The memory as it should be; None if it should go, or another one speaks against it.
        decided_by: The rule or the model's answer that found it; no word of a memory.
    """

    fault: Fault
    memory: Memory
    reason: Reason
    other: Memory | None = None
    corrected: Memory | None = None
    decided_by: str = "rule"
