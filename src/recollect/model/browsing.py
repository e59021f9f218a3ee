"""The content of people's pages: chats, messages, and their numbers."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from recollect.model.chat import Failure
from recollect.model.words import Role


@dataclass(frozen=True, slots=True)
class ChatSeen:
    """A chat that is remembered, and how many messages of it are kept."""

    id: str
    started_at: datetime
    last_at: datetime
    messages: int


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The numbers of a user's kept data.

    Attributes:
        memories: Statements and summaries that they see, shared ones included.
        held: Memories that wait for approval.
        changes: Rows of the audit.
        waiting: Exchanges that wait until a model can read them.
    """

    memories: int = 0
    messages: int = 0
    chats: int = 0
    held: int = 0
    changes: int = 0
    waiting: int = 0


class Unsettled(NamedTuple):
    """How much waits.

    Attributes:
        held: Memories that wait for approval.
        waiting: Exchanges that wait until a model can read them.
    """

    held: int
    waiting: int


@dataclass(frozen=True, slots=True)
class MessageSeen:
    """A message of a chat, as the log has it.

    Attributes:
        speaker: The name of who said it, if known.
        tokens: About how many tokens that has.
        alternate: Whether it is a further answer to a turn that has another.
        marked: Whether someone called its turn valuable.
        failure: How the answer failed of which this is as much as came; None for all else.
    """

    id: UUID
    role: Role
    speaker: str | None
    content: str
    tokens: int
    said_at: datetime
    alternate: bool
    marked: bool
    hidden: bool
    failure: Failure | None = None
