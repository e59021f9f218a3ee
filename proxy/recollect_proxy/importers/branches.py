"""Reads the exchanges on the displayed branch of a stored chat. Pure. Never: a store.

They equal those that the proxy would have recorded: turns are detected by the same code, with the same ids and anchors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from recollect.model import ROOT, Exchange, Message, Role, Turn
from recollect.text.attribution.embedded_data import without_data
from recollect.text.attribution.thoughts import without_thoughts
from recollect.text.normalization import storable_text
from recollect.wire import ChatBody, ChatMessage, Span, anchors, detect_turn, session_skip
from recollect_proxy.identity import opaque_id
from recollect_proxy.importers.rows import BrokenRowError, Row, StoredChat, as_object, moment
from recollect_proxy.importers.stable_ids import stable_id

_HEARD = 9
"""The number of messages from which a turn is detected: its own, and those right before it."""

_CARRIED = 100
"""The most messages in a turn's history. The log keeps their number only, and whether it is 0 matters most."""

_APART = timedelta(milliseconds=2)
"""The least time between two exchanges of a chat, so that equal timestamps do not lose their order."""

_LONGEST_MODEL = 200
DOCTOR = "recollect-doctor"
"""The model that `recollect doctor` shows in OpenWebUI."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A message of the branch.

    Attributes:
        id: Its id in the source.
        parent: The id of the message before it; None for the first.
        role: `user` or `assistant`.
        text: Its text.
        model: The model that wrote it; "" if unknown.
        at: Its time; None if unknown.
        is_written: Whether a person wrote it; False for messages that a program wrote in the role `user`.
        is_failed: Whether it is an error in place of an answer.
    """

    id: str
    parent: str | None
    role: Role
    text: str
    model: str
    at: datetime | None
    is_written: bool
    is_failed: bool = False


def reason_to_leave_out(chat: StoredChat) -> str | None:
    """Return why a chat is not imported; None if it is."""
    if chat.meta.get("internal") is True:
        return "of a sub-agent"
    if chat.meta.get("automation_id"):
        return "of an automation"
    return None if session_skip(chat.id) is None else "temporary or of a channel"


def exchanges_of(chat: StoredChat, *, at: datetime) -> list[Exchange]:
    """Return the exchanges on the displayed branch of a chat, oldest first.

    A message without an answer is an exchange, too. A message that no person wrote, such as a sub-agent's report, is none.

    Args:
        chat: The chat.
        at: The current time. Later timestamps are ignored.

    Raises:
        BrokenRowError: Its messages can't be read.
    """
    said = [_read(message) for message in _branch(chat) if message.get("role") != "system"]
    keys = _anchors(said)
    history = tuple(Message(each.role, each.text) for each in said)
    exchanges: list[Exchange] = []
    begun = chat.created_at or at
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
            if not _is_no_chat(said, position):
                exchanges.append(_exchange(whole, _answer(said, position), chat.origin))
        begun += _APART
    return exchanges


def _is_no_chat(said: Sequence[_Said], position: int) -> bool:
    """Return whether a turn is no real conversation: its answer is an error, or it is a test of `recollect doctor`."""
    for each in said[position + 1 : position + 2]:
        if each.role is Role.ASSISTANT and (each.is_failed or each.model == DOCTOR):
            return True
    return False


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


def _turn(chat: StoredChat, heard: Sequence[_Said], at: datetime) -> Turn | None:
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


def _anchors(said: Sequence[_Said]) -> Mapping[int, str]:
    """Return the anchor of each user message, by its position; computed in one pass over all messages."""
    messages = tuple(ChatMessage(each.role.value, each.text) for each in said)
    return {anchor.position: anchor.key for anchor in anchors(ChatBody(b"", messages, Span(0, 0)))}


def _body(said: Sequence[_Said]) -> bytes:
    return msgspec.json.encode({"messages": [{"role": each.role, "content": each.text} for each in said]})


def _model(said: Sequence[_Said], position: int) -> str:
    """Return the model that answered the message at ``position``, else the model of the message before; "" for neither."""
    near = (*said[position + 1 : position + 2], *said[max(0, position - 1) : position])
    return next((each.model for each in near if each.model), "")


def _answer(said: Sequence[_Said], position: int) -> str:
    """Return the answer to the message at ``position``: the first one with text; "" if there is none."""
    for each in said[position + 1 :]:
        if each.role is Role.USER:
            break
        if each.text.strip():
            return each.text
    return ""


def _time_of(said: Sequence[_Said], position: int, at: datetime) -> datetime | None:
    """Return the time of a message, or of its answer, since some releases store only that; None if unknown."""
    known = (each.at for each in said[position : position + 2])
    return next((time for time in known if time is not None and time <= at), None)


# -- what OpenWebUI keeps --------------------------------------------------------------------------


def _branch(chat: StoredChat) -> list[Row]:
    """Return the messages of the displayed branch, oldest first.

    Raises:
        BrokenRowError: A message can't be read.
    """
    history = as_object(chat.content.get("history"))
    messages = history.get("messages")
    if not isinstance(messages, dict):
        messages = {}
    listed = chat.content.get("messages")
    if not messages and isinstance(listed, list):  # very old releases store a list instead of a tree
        return list(_chained(listed))
    shown = (history.get("currentId"), chat.current_id)
    current = next((id_ for id_ in shown if isinstance(id_, str) and id_ in messages), None)
    if current is None and messages:
        current = max(messages, key=lambda id_: _age(messages[id_]))
    branch: list[Row] = []
    visited: set[Any] = set()
    while isinstance(current, str) and current in messages and current not in visited:
        visited.add(current)
        message = messages[current]
        if not isinstance(message, dict):
            raise BrokenRowError("one of its messages can't be read")
        branch.append({**message, "id": current})
        current = message.get("parentId")
    return branch[::-1]


def _age(message: object) -> float:
    at = moment(message.get("timestamp")) if isinstance(message, dict) else None
    return at.timestamp() if at else 0.0


def _chained(listed: Sequence[object]) -> Iterator[Row]:
    parent: object = None
    for message in listed:
        if not isinstance(message, dict):
            raise BrokenRowError("one of its messages can't be read")
        yield {"parentId": parent, **message}
        parent = message.get("id")


def _read(message: Row) -> _Said:
    role, id_ = message.get("role"), opaque_id(message.get("id"))
    if not isinstance(role, str) or role not in {"user", "assistant"} or id_ is None:
        raise BrokenRowError("one of its messages can't be read")
    is_users = role == "user"
    model = message.get("model")
    return _Said(
        id=id_,
        parent=opaque_id(message.get("parentId")),
        role=Role(role),
        text=storable_text(_text(message.get("content")) if is_users else _reply(message)),
        model=storable_text(model[:_LONGEST_MODEL]) if isinstance(model, str) else "",
        at=moment(message.get("timestamp")),
        is_written=as_object(message.get("meta")).get("internal") is not True,
        is_failed=message.get("failed") is True,
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _reply(message: Row) -> str:
    """Return a model's words, without reasoning and tool calls; "" if the answer is an error."""
    if message.get("error"):
        return ""
    output = message.get("output")
    parts = [
        part.get("text")
        for item in (output if isinstance(output, list) else [])
        if isinstance(item, dict) and item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, dict) and part.get("type") == "output_text"
    ]
    said = "".join(part for part in parts if isinstance(part, str))
    return without_data(without_thoughts(said or _text(message.get("content"))))
