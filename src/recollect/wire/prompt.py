"""The texts of a request in all roles, so that no memory repeats them. Never: raises."""

from recollect.text.attribution.embedded_data import without_data
from recollect.wire.body import ChatBody

MOST_OF_ONE = 20_000
"""Characters of one message that are looked at."""
MOST_OF_ALL = 50_000
"""Characters of all messages together that are looked at."""


def prompt_texts(chat: ChatBody) -> tuple[str, ...]:
    """Return the texts of the newest messages, newest first, each cut off after 20,000 characters; 50,000 in all.

    Includes the system's text, retrieved documents, and all else that a frontend put around a message.
    """
    texts: list[str] = []
    room = MOST_OF_ALL
    for message in reversed(chat.messages):
        text = without_data(message.text)[: min(MOST_OF_ONE, room)]
        if text.strip():
            texts.append(text)
            room -= len(text)
        if not room:
            break
    return tuple(texts)
