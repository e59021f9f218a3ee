"""The requests to the memory in a chat, kept so that later ones can refer to them ("forget number 2")."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.model.audit import Update

LISTED = "listed"
"""The value of ``KeptRequest.asking`` if the answer listed all memories."""


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A message of a chat that asked something of the memory, or was answered by a numbered list.

    Attributes:
        anchor: Identifies the message in later requests.
        asking: The request, by its name in `recollect.text.cues.memory_requests`; or LISTED.
        items: The memories that were listed, in the order of their numbers, or that it took away.
    """

    anchor: str
    asking: str
    items: tuple[UUID, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """The outcome of a message's request to the memory.

    Attributes:
        report: The report for the prompt.
        updates: The audit's rows of the changes, in the order in which they were made.
        switched: The request by its name in `recollect.text.cues.memory_requests`, if it switched memory on or off.
    """

    report: str
    updates: tuple[Update, ...] = ()
    switched: str = ""


@dataclass(frozen=True, slots=True)
class LastExchange:
    """One of the exchanges before a turn.

    Attributes:
        anchor: Identifies the user's message in later requests.
        did_as_asked: Whether a request in it was carried out and not undone.
        told_news: Whether its answer showed changes from earlier exchanges.
    """

    key: str
    anchor: str | None
    did_as_asked: bool
    told_news: bool


@dataclass(frozen=True, slots=True)
class PointedAt:
    """The earlier requests and exchanges that a message in a chat may refer to.

    Attributes:
        requests: The requests and lists, newest first.
        exchanges: The last exchanges, newest first.
        is_left_out: Whether nothing of the chat is kept.
    """

    requests: tuple[KeptRequest, ...] = ()
    exchanges: tuple[LastExchange, ...] = ()
    is_left_out: bool = False
