"""The stored chat of a turn, as far as its request may use it. Pure."""

from dataclasses import replace
from datetime import timedelta

from recollect.model import UNNAMED, Chat, Disclosure, Turn

_ONCE_MORE = timedelta(hours=1)


def as_told(chat: Chat, disclosure: Disclosure) -> Chat:
    """Return the part of a chat that the LLM's server may see."""
    if disclosure.is_whole:
        return chat
    # Earlier blocks may have been made for another server; this one gets a new one with each turn.
    told = replace(chat, injections=(), done=())
    return told if disclosure.history else replace(told, exchanges=(), summary="")


def begins_anew(turn: Turn, chat: Chat) -> bool:
    """Return whether this is a new chat that begins with the same words as a known one, if only words distinguish them.

    If the words come again soon, it is the same turn sent once more.
    """
    if turn.history or turn.follows or not turn.scope.session_id.startswith(UNNAMED):
        return False
    first = next((each for each in chat.injections if each.anchor == turn.anchor), None)
    return first is not None and turn.at - first.at > _ONCE_MORE
