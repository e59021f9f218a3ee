"""Knows a user's message again when a frontend sends the conversation once more.

Never: raises, knows a frontend's ids or the additions of a message.
"""

from collections import Counter, deque
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from recollect.model import Message, Role
from recollect.wire.body import ChatBody
from recollect.wire.turn import is_users, spoken
from recollect.wire.user_text import known_by

_WINDOW = 3
"""Messages that tell one from another: with it, the answer before it and what that answered."""


_ENDS = 100
"""Characters at the beginning and at the end of a message that tell it from others as long: with every turn all are hashed."""


class Anchor(NamedTuple):
    """A user's message to which text can be added.

    Attributes:
        position: Which of ``ChatBody.messages`` it is.
        key: Its identity: ``a:`` and a SHA-256.
    """

    position: int
    key: str


def anchors(chat: ChatBody, every: Sequence[tuple[int, Message]] | None = None) -> tuple[Anchor, ...]:
    """Return an anchor for each message of the user's own.

    The key is made from role, length, beginning and end of the last three messages of user and assistant with words, up to this
    one. Of a user's message, only their own words count. So it stays the same when more is said,
    when documents are put around the message or taken away, and when a frontend cuts off the
    conversation's head further up than those three. Where a key comes twice in a request, the later ones
    end in ``#2``, ``#3``; cutting off the first of them renumbers these.

    Args:
        chat: The request.
        every: The result of ``spoken`` for the body, if known.

    Returns:
        The anchors, in order; none for the results of tools, or images that a frontend shows in their place.
    """
    found: list[Anchor] = []
    times: Counter[str] = Counter()
    before: deque[bytes] = deque(maxlen=_WINDOW - 1)
    for position, message in spoken(chat) if every is None else every:
        words = known_by(message)
        ends = words if len(words) <= 2 * _ENDS else words[:_ENDS] + words[-_ENDS:]
        # The length makes it unambiguous where a text ends.
        said = f"{message.role.value}:{len(words)}:{ends}".encode(errors="surrogatepass")
        if is_users(message):
            key = "a:" + sha256(b"".join((*before, said))).hexdigest()
            times[key] += 1
            found.append(Anchor(position, key if times[key] == 1 else f"{key}#{times[key]}"))
        elif message.role is Role.USER:
            continue
        if message.text and not message.text.isspace():
            before.append(said)
    return tuple(found)
