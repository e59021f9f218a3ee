"""The one format of all imports: a source with memories, and chats with the messages that were displayed; and their exchanges. Pure.

Exchanges equal those that the proxy would have recorded: turns are detected by the same code, with the same ids and anchors.
"""

import json
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from recollect.api.fields import readable_metadata
from recollect.errors import RecollectError
from recollect.model import MOST_TAGS, ROOT, Exchange, Message, Metadata, Role, Turn, tags_named
from recollect.text.normalization import storable_text
from recollect.wire import ChatBody, ChatMessage, Span, anchors, detect_turn
from recollect_proxy.identity.caller import opaque_id

Row: TypeAlias = Mapping[str, Any]

_MILLISECONDS = 10**11
"""A larger number is not in seconds, which would mean a year after 5138."""

_LONGEST_TIME = 64
_MOST_NODES = 200_000


class SourceError(RecollectError):
    """The source of an import can't be read."""


class BrokenRowError(RecollectError):
    """A row can't be read."""


@dataclass(frozen=True, slots=True)
class SourceMemory:
    """A memory of the source product.

    Attributes:
        id: Its id in the product; if it has none, its text.
        user_id: Its owner; "" if the source does not name them.
        content: Its text, unchanged.
        is_always_told: Whether its type is `user`: OpenWebUI adds such a memory to every turn.
        path: The path under which it is filed, such as `family/sister`; "" for none.
        created_at: When it was created; None if unknown. Edits do not change it.
        said_at: When its present text was written; None if unknown.
        session_id: The id of the chat it comes from; None if unknown.
        is_manual: Whether its owner wrote it by hand.
        origin: The name of the product.
        tags: Its tags there.
        metadata: Its metadata there; only texts, numbers and truth values are kept.
    """

    id: str
    user_id: str
    content: str
    is_always_told: bool = False
    path: str = ""
    created_at: datetime | None = None
    said_at: datetime | None = None
    session_id: str | None = None
    is_manual: bool = False
    origin: str = "openwebui"
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a chat.

    Attributes:
        id: Its id in the product.
        role: `user` or `assistant`.
        text: Its text; for an answer without reasoning and tool calls.
        at: Its time; None if unknown.
        model: The model that wrote it; "" if unknown.
        parent: The id of the message before it; None for the first.
        is_written: Whether a person wrote it; False for messages that a program wrote in the role `user`.
        is_failed: Whether it is an error in place of an answer.
    """

    id: str
    role: Role
    text: str
    at: datetime | None = None
    model: str = ""
    parent: str | None = None
    is_written: bool = True
    is_failed: bool = False


@dataclass(frozen=True, slots=True)
class SourceChat:
    """A chat of the source product.

    Attributes:
        id: Its id, which the frontend also sends with each of its requests.
        user_id: Its owner; "" if the source does not name them.
        messages: The messages on the displayed branch, oldest first.
        created_at: When it began; None if unknown.
        left_out: Why it is not imported; "" if it is.
        origin: The name of the product.
    """

    id: str
    user_id: str
    messages: Sequence[Said]
    created_at: datetime | None = None
    left_out: str = ""
    origin: str = "openwebui"

    @property
    def began(self) -> datetime | None:
        """When it began; if that is unknown, the time of its first message that has one."""
        return self.created_at or next((each.at for each in self.messages if each.at is not None), None)


@dataclass(frozen=True, slots=True)
class Listed:
    """A chat that can be read.

    Attributes:
        name: Its name in error messages.
        user_id: Its owner, not checked yet; "" if the source does not name them.
        read: Reads it. Returns None if it has been deleted since; raises BrokenRowError if it can't be read.
    """

    name: str
    user_id: str
    read: Callable[[], Awaitable[SourceChat | None]]


@dataclass(frozen=True, slots=True)
class Source:
    """People's memories and chats in another product.

    Attributes:
        origin: The name of the product. The ids of imported rows are derived from it, so every import makes the same ids.
        memories: All memories, in the product's order.
        chats: All chats, oldest first.
        broken: A message for each row that can't be read.
        users: The ids of all accounts; None if the source does not list them.
    """

    origin: str
    memories: Sequence[SourceMemory]
    chats: Sequence[Listed]
    broken: Sequence[str]
    users: frozenset[str] | None = None


def tags_in(told: object) -> tuple[str, ...]:
    """Return the tags in a row's list of texts, of others none."""
    texts = told if isinstance(told, list) else ()
    return tags_named(storable_text(each) for each in texts if isinstance(each, str))[:MOST_TAGS]


def metadata_in(told: object) -> Metadata:
    """Return what can be kept of a row's metadata."""
    values = told.items() if isinstance(told, dict) else ()
    return readable_metadata(
        {key: storable_text(each) if isinstance(each, str) else each for key, each in values}
    )


def branch(
    nodes: Mapping[str, Any], current: object, parent: str, time: Callable[[Row], object]
) -> list[Row]:
    """Return the nodes of a tree from the first to ``current``, each with its id as `id`.

    If ``current`` is no id of a node, the latest node is the last. ``parent`` is the key of a node's parent id.

    Raises:
        BrokenRowError: A node on the branch is no object.
    """

    def age(name: str) -> float:
        at = moment(time(as_object(nodes[name])))
        return at.timestamp() if at else 0.0

    if not isinstance(current, str) or current not in nodes:
        current = max(nodes, key=age, default=None)
    found: dict[str, Row] = {}
    while isinstance(current, str) and current in nodes and current not in found and len(found) < _MOST_NODES:
        if not isinstance(nodes[current], dict):
            raise BrokenRowError("one of its messages can't be read")
        found[current] = {**nodes[current], "id": current}
        current = nodes[current].get(parent)
    return list(found.values())[::-1]


def merge_answers(messages: Iterator[Said]) -> list[Said]:
    """Return the messages with consecutive answers, which tool calls separated, in one, and with the parent of each.

    A merged answer is failed if it has no text at all.
    """
    told: list[Said] = []
    for message in messages:
        last = told[-1] if told else None
        if last is None or not last.role is message.role is Role.ASSISTANT:
            told.append(replace(message, parent=last.id if last else None))
            continue
        texts = [each.text for each in (last, message) if each.text and not each.is_failed]
        told[-1] = replace(
            last,
            text="\n\n".join(texts),
            is_failed=not texts and (last.is_failed or message.is_failed),
            model=last.model or message.model,
        )
    return told


def as_object(value: object) -> Row:
    """Return a JSON object, from its text if need be; an empty one for anything else."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def moment(value: object) -> datetime | None:
    """Return a time, from ISO 8601 text or Unix time in seconds, milliseconds, microseconds or nanoseconds; else None."""
    try:
        if isinstance(value, str) and len(value) <= _LONGEST_TIME:
            at = datetime.fromisoformat(value)
            value = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) or value <= 0:
            return None
    except (OverflowError, ValueError):  # JSON sets no limit to integers
        return None
    while value >= _MILLISECONDS:
        value /= 1000
    return datetime.fromtimestamp(value, UTC)


def text_of(value: object) -> str:
    """Return a text in the form that the store can hold; "" if the value is no text."""
    return storable_text(value) if isinstance(value, str) else ""


def parts_of(content: object) -> str:
    """Return the texts of a message's content, which is a text or a list of texts and objects with `text`, one per line."""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(
        filter(None, (text_of(each.get("text") if isinstance(each, dict) else each) for each in parts))
    )


def owner_of(value: object) -> str:
    """Return the id of an owner; "" if none is given.

    Raises:
        BrokenRowError: It is no valid id.
    """
    if value is None or value == "":
        return ""
    user_id = opaque_id(value)
    if user_id is None:
        raise BrokenRowError("it names no owner")
    return user_id


def name_of(value: object) -> str:
    """Return an id for error messages: its printable characters, at most 100."""
    return "".join(filter(str.isprintable, str("without id" if value is None else value)[:100]))


_VERSION, _VARIANT = 7, 2


def stable_id(at: datetime, *names: str) -> UUID:
    """Return a UUID of version 7 (RFC 9562, section 5.7) whose random bits are a hash of ``names``.

    It sorts by time, of which milliseconds count, and a repeated import yields the same id.
    """
    # The lengths make the joined names unambiguous.
    joined = "".join(f"{len(name)}:{name}" for name in map(storable_text, names))
    chance = int.from_bytes(sha256(joined.encode()).digest()[:16])
    milliseconds = int(at.timestamp() * 1000) & (2**48 - 1)
    high, low = chance >> 116, chance & (2**62 - 1)
    return UUID(int=milliseconds << 80 | _VERSION << 76 | high << 64 | _VARIANT << 62 | low)


_HEARD = 9
"""The number of messages from which a turn is detected: its own, and those right before it."""

_CARRIED = 100
"""The most messages in a turn's history. The log keeps their number only, and whether it is 0 matters most."""

_APART = timedelta(milliseconds=2)
"""The least time between two exchanges of a chat, so that equal timestamps do not lose their order."""


def exchanges_of(chat: SourceChat, *, at: datetime) -> list[Exchange]:
    """Return the exchanges of a chat, oldest first; ``at`` is now, and later timestamps are ignored.

    A message without an answer is an exchange, too. One whose answer failed is none, nor is a message that no person wrote, such as a
    sub-agent's report.
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
            carried = history[max(0, position - _CARRIED) : position]
            whole = replace(
                turn, history=carried, anchors=((position, keys[position]),), model=_model(said, position)
            )
            # The source product stored an error message as the answer.
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


def _turn(chat: SourceChat, heard: Sequence[Said], at: datetime) -> Turn | None:
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
