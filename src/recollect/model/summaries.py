"""The parts of chats that are to be summarized."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recollect.model.chat import Message
from recollect.model.flags import Guidance
from recollect.model.memory import Memory, Outline


@dataclass(frozen=True, slots=True)
class Material:
    """The material of a summary.

    Attributes:
        messages: The messages since the last summary, oldest first.
        before: The last summary's text; "" if there is none.
        at: When the last message was said, by its person's clock; None: it is not known.
        guidance: The instructions for the model.
    """

    messages: tuple[Message, ...]
    before: str = ""
    outline: Outline = field(default_factory=Outline)
    at: datetime | None = None
    guidance: Guidance = field(default_factory=Guidance, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The part of a chat that is to be summarized.

    Attributes:
        message_ids: The ids of these messages and of the last summary's messages.
        last_turn: The highest turn index among them.
        model: The model its last exchange was with.
        authorized: Whether that one's request carried a credential.
        upstream: The name of its LLM server; "": the default one.
    """

    session_id: str
    material: Material
    message_ids: tuple[UUID, ...]
    last_turn: int
    summary: Memory | None
    model: str
    authorized: bool
    exchange_id: UUID
    upstream: str = ""
