"""Additions to a chat request.

Never: raises, knows bytes, or decides what text is worth adding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from recollect.model import Message, Role
from recollect.wire.body import ChatBody
from recollect.wire.splices import GAP

INSTRUCTING = ("system", "developer")
"""Roles that tell the model how to answer."""


@dataclass(frozen=True, slots=True)
class Additions:
    """The additions to a request.

    Attributes:
        system: Text for the system's message.
        beside: Position of a message of the user in ``ChatBody.messages``, to the text that is added to
            the end of its content.
        earlier: The conversation's messages that the request lacks, oldest first. They are restored as ordinary
            messages, in front of all others but the system's. A user's text comes with its own additions, joined by
            ``said_with``.
    """

    system: str = ""
    beside: Mapping[int, str] = field(default_factory=dict)
    earlier: tuple[Message, ...] = ()


def restorable(chat: ChatBody, earlier: Sequence[Message]) -> tuple[Message, ...]:
    """Return what of the earlier messages, oldest first, is restored in front of a request.

    Anthropic and many chat templates want the user and the assistant to take turns, the user first.
    So the first is the user's; of several of the user in a row only the last stays (the others had no
    answer), of the assistant they become one; and one of the user at the end stays only where the
    request goes on with an answer. Blank messages and those of others are left out.
    """
    said = (message for message in earlier if message.role in (Role.USER, Role.ASSISTANT))
    kept: list[Message] = []
    for role, run in groupby((message for message in said if message.text.strip()), lambda said: said.role):
        messages = list(run)
        if role is Role.USER:
            kept.append(messages[-1])
        elif kept:
            kept.append(replace(messages[0], text=GAP.join(message.text for message in messages)))
    goes_on = next((message.role for message in chat.messages if message.role not in INSTRUCTING), None)
    if kept and kept[-1].role is Role.USER and goes_on != "assistant":
        kept.pop()
    return tuple(kept)
