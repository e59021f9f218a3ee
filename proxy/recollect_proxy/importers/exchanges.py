"""Reads the exchanges of a stored chat. Pure. Never: a store.

They equal those that the proxy would have recorded: turns are detected by the same code, with the same ids and anchors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from recollect.model import ROOT, Exchange, Message, Role, Turn
from recollect.wire import ChatBody, ChatMessage, Span, anchors, detect_turn
from recollect_proxy.importers.common_format import Said, StoredChat, stable_id

_HEARD = 9
"""The number of messages from which a turn is detected: its own, and those right before it."""

_CARRIED = 100
"""The most messages in a turn's history. The log keeps their number only, and whether it is 0 matters most."""

_APART = timedelta(milliseconds=2)
"""The least time between two exchanges of a chat, so that equal timestamps do not lose their order."""


def exchanges_of(chat: StoredChat, *, at: datetime) -> list[Exchange]:
    """Return the exchanges of a chat, oldest first; ``at`` is now, and later timestamps are ignored.

    A message without an answer is an exchange, too. A message that no person wrote, such as a sub-agent's report, is none.
    """
    said = chat.messages
    keys = _anchors(said)
    history = tuple(Message(each.role, each.text) for each in said)
    exchanges: list[Exchange] = []
    begun = min(chat.began or at, at)
    for position, each in enumerate(said):
        if each.role is not Role.USER:
            continue
        begun = max(begun, _time_of(said, position, at) or begun)
        turn = _turn(chat, said[max(0, position + 1 - _HEARD) : position + 1], begun)
        if turn is not None:
            told = history[max(0, position - _CARRIED) : position]
            whole = replace(
                turn, history=told, anchors=((position, keys[position]),), model=_model(said, position)
            )
            # Not where an error stands in place of the answer.
            if not any(answer.is_failed for answer in said[position + 1 : position + 2]):
                exchanges.append(_exchange(whole, _first_answer(said, position), chat.origin))
        begun += _APART
    return exchanges


def _exchange(turn: Turn, reply: str, origin: str) -> Exchange:
    names = (turn.scope.user_id, turn.scope.session_id, turn.key)
    answered = turn.at + _APART / 2
    return Exchange(
        stable_id(turn.at, origin, "exchange", *names),
        turn,
        reply,
        stable_id(turn.at, origin, "said", *names),
        stable_id(answered, origin, "reply", *names),
    )


def _turn(chat: StoredChat, heard: Sequence[Said], at: datetime) -> Turn | None:
    """Detect the turn as the proxy would; None if there is none, or it has no words."""
    last = heard[-1]
    if not last.is_written:
        return None
    turn = detect_turn(
        _body(heard),
        user_id=chat.user_id,
        session_id=chat.id,
        message_id=last.id,
        parent_id=last.parent or ROOT,
        at=at,
        is_whole=True,
    ).turn
    return turn if turn is not None and turn.text else None


def _anchors(said: Sequence[Said]) -> Mapping[int, str]:
    """Return the anchor of each user message, by its position; computed in one pass over all messages."""
    messages = tuple(ChatMessage(each.role.value, each.text) for each in said)
    return {anchor.position: anchor.key for anchor in anchors(ChatBody(b"", messages, Span(0, 0)))}


def _body(said: Sequence[Said]) -> bytes:
    return msgspec.json.encode({"messages": [{"role": each.role, "content": each.text} for each in said]})


def _model(said: Sequence[Said], position: int) -> str:
    """Return the model that answered the message at ``position``, else the model of the message before; "" for neither."""
    near = (*said[position + 1 : position + 2], *said[max(0, position - 1) : position])
    return next((each.model for each in near if each.model), "")


def _first_answer(said: Sequence[Said], position: int) -> str:
    """Return the answer to the message at ``position``: the first one with text; "" if there is none."""
    for each in said[position + 1 :]:
        if each.role is Role.USER:
            break
        if each.text.strip():
            return each.text
    return ""


def _time_of(said: Sequence[Said], position: int, at: datetime) -> datetime | None:
    """Return the time of a message, or of its answer, since some releases store only that; None if unknown."""
    known = (each.at for each in said[position : position + 2])
    return next((time for time in known if time is not None and time <= at), None)
