"""Reads who said what from a chat request: the turn.

Never: raises, knows headers, or asks whether the turn deserves remembering.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256

from recollect.chat.body import ChatBody, ChatMessage
from recollect.chat.user_text import authored_text, known_by
from recollect.model import Message, Role, Scope, Turn
from recollect.text.unfilled import is_unfilled

_TOOL_IMAGES = "Here are the images from the tool results above. Please analyze them."
_TELLING = 10
"""Messages that tell a turn from any other of its chat; a long one is not hashed through for it."""

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def read_turn(
    chat: ChatBody, *, user_id: str, session_id: str | None, message_id: str | None, at: datetime
) -> Turn | None:
    """Read what the user just said, and what was said before it.

    The turn is the last message of the user, whatever follows it: rounds of tool calls, or the
    beginning of an answer to be continued. Open WebUI shows a model the images its tools made in
    a message that only looks like the user's; it is passed over.

    Args:
        chat: The request.
        user_id: Whose turn it is.
        session_id: The chat it belongs to. Where it is None or blank, a chat is known by the id under
            which the server keeps it, else by how it began: ``fp:`` and the first 32 hexadecimal digits of the SHA-256 of the first text
            the user wrote. Two chats of one user that begin with the same words are then one.
        message_id: The frontend's id of the user's message. It is the turn's key. Where it is
            None or blank, the key is ``h:`` and a SHA-256 over the messages of user and assistant
            up to and with the user's: how many they are, and role and text of the first and of the
            last nine. A second "yes" is another turn, the same request sent again is the same turn;
            but where the server keeps the chat under one id, a second "yes" looks like the first.
        at: When it was said.

    Returns:
        The turn; None if the user wrote nothing: there is no message of theirs, or the last holds
        no words of their own.
    """
    said = [message for _, message in spoken(chat)]
    while said and not is_users(said[-1]):
        said.pop()
    if not said or not said[-1].text:
        return None
    *before, last = said
    return Turn(
        scope=Scope(user_id, _present(session_id) or _present(chat.conversation) or _session_of(said)),
        text=last.text,
        key=_present(message_id) or _key_of(said, chat),
        at=at,
        model=chat.model,
        history=tuple(message for message in before if message.text and message.text != _TOOL_IMAGES),
        speaker=last.speaker,
    )


def spoken(chat: ChatBody) -> Iterator[tuple[int, Message]]:
    """Yield what user and assistant say, as their authors wrote it, each with its position in the request."""
    for position, message in enumerate(chat.messages):
        if message.role in ("user", "assistant"):
            yield position, _read(message)


def is_users(message: Message) -> bool:
    """Tell whether a message is the user's own, not one that shows a model what its tools made."""
    return message.role is Role.USER and message.text != _TOOL_IMAGES


def _read(message: ChatMessage) -> Message:
    speaker = message.name if isinstance(message.name, str) else None
    return Message(_ROLES[message.role], authored_text(message), speaker)


def _present(given: str | None) -> str | None:
    return None if given is None or is_unfilled(given) else given


def _session_of(said: Iterable[Message]) -> str:
    first = next(known_by(message) for message in said if message.text and is_users(message))
    return "fp:" + sha256(_encoded(first)).hexdigest()[:32]


def _key_of(spoken: Sequence[Message], chat: ChatBody) -> str:
    follows = chat.follows or chat.conversation
    count = len(spoken) + chat.unread
    telling = spoken if len(spoken) <= _TELLING else [spoken[0], *spoken[1 - _TELLING :]]
    # Lengths make it unambiguous where a text ends.
    words = [(message.role, known_by(message)) for message in telling]
    said = "".join(f"{role}:{len(text)}:{text}" for role, text in words)
    return "h:" + sha256(_encoded(f"{len(follows)}:{follows}{count}:{said}")).hexdigest()


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
