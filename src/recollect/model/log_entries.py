"""The records of a turn: the phases of its exchange, and the notes on it."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from recollect.model.chat import Exchange, Injection
from recollect.model.request import RequestRecord
from recollect.model.words import Phase, Written


@dataclass(frozen=True, slots=True)
class TurnNotes:
    """The notes on a turn, which only the store keeps, never the spool.

    Attributes:
        detached: The anchors of blocks that the chat no longer gets.
    """

    injection: Injection | None = None
    detached: tuple[str, ...] = ()
    request: RequestRecord | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A phase of an exchange, to be written to the message log.

    To write one twice changes nothing more: the exchange's ids and key identify it.

    Attributes:
        exchange: The exchange; its reply counts only if it ENDED.
        recalled: The memories in its prompt; they count only if it ENDED.
        notes: The notes on the turn, if any.
    """

    phase: Phase
    exchange: Exchange
    recalled: tuple[UUID, ...] = ()
    notes: TurnNotes | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """The outcome of a phase in the message log.

    Attributes:
        id: The id of its exchange in the log: another's where the log had the turn, by its key.
        told_zone: The time zone that an earlier request of the user named; "" if none did.
    """

    outcome: Written
    id: UUID
    told_zone: str = ""


Became: TypeAlias = Written | Awaitable[Written] | None
"""The outcome of an entry in the message log, or an awaitable of it while the entry waits. None: it is lost, not wanted, or
the entry that ended its exchange includes it."""
