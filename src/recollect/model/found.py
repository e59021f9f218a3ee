"""The items of a search: memories, and passages of the message log."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias
from uuid import UUID

from recollect.model.memory import Memory
from recollect.model.words import Role


class Statement(NamedTuple):
    """Features of a message's words.

    Attributes:
        self_share: First-person words as a share of its first 400 words, 0 to 1.
        states_taste: Whether its first 80 words speak of liking, avoiding, always or never.
        ends_asking: Whether it ends with a question mark.
        lists: Whether a line of it is an item of a list.
        words: The number of words between spaces.
    """

    self_share: float
    states_taste: bool
    ends_asking: bool
    lists: bool
    words: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a message in the log.

    Attributes:
        exchange_id: The exchange, which a turn and its reply share.
        turn_index: The message's place in the chat, from 0.
        part: Its place among the message's parts, from 0.
        speaker: The name of who said it, if the request gave one.
        changed_at: When a statement learned from it stopped being true, if one did.
        statement: The features of the whole message; None if they were not read.
        pasted: Whether it is a paste: others wrote it, or a machine did.
    """

    message_id: UUID
    exchange_id: UUID
    session_id: str
    turn_index: int
    part: int
    role: Role
    content: str
    said_at: datetime
    speaker: str | None = None
    code: bool = False
    language: str | None = None
    changed_at: datetime | None = None
    statement: Statement | None = None
    pasted: bool = False

    @property
    def id(self) -> UUID:
        """The message's id."""
        return self.message_id

    @property
    def dated(self) -> datetime:
        """When it was said."""
        return self.said_at


Item: TypeAlias = Memory | Passage
"""An item that can be recalled."""
