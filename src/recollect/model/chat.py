"""What is said in a chat."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recollect.model.words import Role


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories, and in which session (a chat). The first argument of every store method."""

    user_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said: by whom, and what."""

    role: Role
    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user just said to a model, with what was said before it.

    Attributes:
        scope: Whose turn it is.
        text: The user's own words: wrapping, attachments and injected context removed.
        key: What makes this turn another than any other of its session: the frontend's id of
            the user message, else a hash of the conversation up to and with it.
        history: What came before in the request, oldest first, system messages left out.
        model: The model the request names.
        speaker: The name the user goes by in this message, if the request gives one.
        at: When it was said.
    """

    scope: Scope
    text: str
    key: str
    at: datetime
    model: str
    history: tuple[Message, ...] = ()
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn and its reply, as the message log keeps it.

    Attributes:
        id: The exchange's own id.
        turn: What the user said.
        reply: What the model answered; "" when the user left before the first word.
        message_id: The id under which the user's message stands in the message log.
        reply_id: The id of the reply there.
        authorized: Whether the request carried a credential. The credential itself is never kept.
        credential: The request's own ``Authorization`` value, while this process lives; never
            written down, never shown by ``repr``.
    """

    id: UUID
    turn: Turn
    reply: str
    message_id: UUID
    reply_id: UUID
    authorized: bool = False
    credential: str | None = field(default=None, repr=False, compare=False)
