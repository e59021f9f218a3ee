"""What a chat asked of the memory by pointing at something, as it is kept: for what is pointed at next."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

LISTED = "listed"
"""Instead of what was asked for: all that is known was listed with the answer."""


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A message of a chat that asked something of the memory, or was answered by a numbered list.

    Attributes:
        anchor: By which the message is known again.
        asking: What it asked for, in the words of `recollect.text.cues.memory_requests`; or LISTED.
        items: The memories that were listed, in the order of their numbers, or that it took away.
    """

    anchor: str
    asking: str
    items: tuple[UUID, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class LastExchange:
    """One of the exchanges before a turn.

    Attributes:
        anchor: By which the user's message is known again.
        did_as_asked: Whether anything that was asked for in it was done, and not undone.
        told_news: Whether what earlier exchanges taught was shown with its answer.
    """

    key: str
    anchor: str | None
    did_as_asked: bool
    told_news: bool


@dataclass(frozen=True, slots=True)
class PointedAt:
    """What a chat may point at.

    Attributes:
        requests: What was asked for and listed, the newest first.
        exchanges: The last exchanges, the newest first.
        is_left_out: Whether nothing of the chat is kept.
    """

    requests: tuple[KeptRequest, ...] = ()
    exchanges: tuple[LastExchange, ...] = ()
    is_left_out: bool = False
