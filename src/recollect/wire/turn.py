"""Finds the user's turn in a chat request: who said what, or why there is no turn; the same for every host.

It never raises, and knows no headers.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from recollect.model import ROOT, UNNAMED, Message, Role, Scope, Skip, Turn
from recollect.text.attribution.thoughts import without_data
from recollect.text.normalization import is_unfilled
from recollect.text.secrets.masking import id_without_secrets, name_without_secrets
from recollect.wire import reading_limits
from recollect.wire.dialect import COMPLETIONS, Dialect
from recollect.wire.frontend_tasks import is_aside, is_background_task, session_skip
from recollect.wire.request_body import TOO_LONG, ChatBody
from recollect.wire.user_text import authored_text, known_by


@dataclass(frozen=True, slots=True)
class DetectedTurn:
    """The turn of a request, or why there is none.

    Attributes:
        turn: The user's turn; None if nothing is to be recalled or remembered.
        body: The request with the turn; set if ``turn`` is.
        skip: Why ``turn`` is None.
        forms: Whether the exchange may be remembered.
    """

    turn: Turn | None = None
    body: ChatBody | None = None
    skip: Skip | None = None
    forms: bool = False


def detect_turn(
    body: bytes,
    *,
    user_id: str,
    session_id: str | None,
    message_id: str | None,
    at: datetime,
    parent_id: str | None = None,
    dialect: Dialect = COMPLETIONS,
    recall_in_temporary: bool = False,
    is_whole: bool | None = None,
    by_agent: bool = False,
) -> DetectedTurn:
    """Read the body of a known user's chat request, said at a time.

    The ids are the frontend's, as far as it gave them: of the chat, of the user's message, and of the message before it (ROOT:
    there is none; None: it is not known). Temporary chats never form memories, and recall none unless that is wished.
    ``is_whole``: whether the request is known to carry everything that was said before, as one does whose chat the server keeps.
    ``by_agent``: a coding agent sent the request, and every message of its person comes with tools. A request that the agent
    makes for itself is a turn without words; its chat keeps its memories, which the server has cached.
    """
    is_readable = reading_limits.is_readable(body)
    parsed = dialect.read(body) if is_readable else None
    if parsed is None or _is_too_large(parsed):
        return DetectedTurn(skip=Skip.UNREADABLE if is_readable and parsed is None else Skip.TOO_LARGE)
    if is_background_task(parsed) or (by_agent and not parsed.shape.has_tools):
        return DetectedTurn(skip=Skip.TASK)
    every = tuple(spoken(parsed, by_agent=by_agent))
    turn = read_turn(
        parsed, user_id=user_id, session_id=session_id, message_id=message_id, at=at, every=every
    )
    if turn is None:
        return DetectedTurn(skip=Skip.EMPTY)
    private = session_skip(turn.scope.session_id)
    if private is Skip.CHANNEL or (private is not None and not recall_in_temporary):
        return DetectedTurn(skip=private)
    unasked = by_agent and is_aside(parsed)
    detected = replace(
        turn,
        text="" if unasked else turn.text,
        scope=replace(turn.scope, session_id=id_without_secrets(turn.scope.session_id)),
        model=name_without_secrets(turn.model),
        anchors=anchors(parsed, every),
        prompt=prompt_texts(parsed),
        is_whole=turn.is_kept or parsed.is_whole or is_whole,
        parent=_parent(turn, parent_id, message_id),
    )
    return DetectedTurn(detected, parsed, forms=private is None and not unasked)


def _is_too_large(chat: ChatBody) -> bool:
    """Return whether a part that is needed was not read: a text is too long, or the user's last message too far up."""
    if any(each.content is TOO_LONG and each.role in ("user", "assistant") for each in chat.messages):
        return True
    newest = chat.messages[-reading_limits.LAST :]
    is_cut = len(chat.messages) - chat.outside > reading_limits.FIRST + reading_limits.LAST
    return is_cut and all(each.role != "user" for each in newest)


def _parent(turn: Turn, parent_id: str | None, message_id: str | None) -> str | None:
    """Return the exchange before the turn, if that is certain.

    Of two versions of a message each has an id of its own; without ids no one knows them for such. And who carries
    earlier messages of the user follows on something, whatever a frontend leaves empty.
    """
    if not (message_id and message_id.strip()):
        return None
    begins = all(message.role is not Role.USER for message in turn.history)
    return None if parent_id == ROOT and not begins else parent_id


# Open WebUI shows a model the images that its tools made in a message that only looks like the user's.
_TOOL_IMAGES = "Here are the images from the tool results above. Please analyze them."
_TELLING = 10
"""The messages that a turn is known by: a long chat is not hashed through with each turn."""

_BASE64 = re.compile(rb"[A-Za-z0-9+/=_-]{64,}+")
"""A picture, a recording or a file in base64: of a message without words the part that no client writes in another way."""

_FILES = ("file", "input_file", "document")
_DOCUMENT = 200
"""Characters that others wrote around a person's question, from which on they count as a document."""

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def read_turn(
    chat: ChatBody,
    *,
    user_id: str,
    session_id: str | None,
    message_id: str | None,
    at: datetime,
    every: Sequence[tuple[int, Message]] | None = None,
) -> Turn | None:
    """Read the user's last message, and the messages before it.

    Args:
        chat: The request.
        user_id: The person who speaks.
        session_id: The chat it belongs to. Without it the chat gets the id under which the server keeps it, else that of the
            answer it follows, else a fingerprint: ``fp:`` and 32 hexadecimal digits of the SHA-256 of the user's first text,
            picture or file. Two chats of a user that begin with the same words then share one id.
        message_id: The frontend's id of the user's message, which is the turn's key. Without it the key is ``h:`` and a SHA-256
            over the messages of user and assistant up to the user's: how many they are, and role and text of the first and the
            last nine. A second "yes" is another turn, the same request sent again is the same turn; but where the server keeps
            the chat under one id, a second "yes" looks like the first.
        at: When it was said.
        every: The result of ``spoken``, if it is known.

    Returns:
        The turn; None if there is no message of the user. Its text is "" if the user's last message has no words of their own (a
        photo, a file), or if the request has only results of tools because the server keeps the chat.
    """
    every = list(spoken(chat)) if every is None else every
    said = [message for _, message in every]
    # Rounds of tool calls, or a begun answer, follow on the message and belong to its turn.
    while said and not _is_users(said[-1]):
        said.pop()
    if not said and not chat.follows:
        return None
    *before, last = said or [Message(Role.USER, "")]
    return Turn(
        scope=Scope(user_id, _present(session_id) or _present(chat.conversation) or _session_of(chat, every)),
        text=last.text,
        key=_present(message_id) or _key_of(said, chat),
        at=at,
        model=chat.model,
        history=tuple(message for message in before if message.text and message.text != _TOOL_IMAGES),
        speaker=last.speaker,
        begun_answer=_begun_answer(chat),
        follows=chat.follows,
        is_kept=bool(chat.follows or chat.conversation),
        has_document=_has_document(chat, every),
    )


def _has_document(chat: ChatBody, every: Sequence[tuple[int, Message]]) -> bool:
    """Return whether a request has a file, or a retrieved text around the user's last message."""
    parts = (part for each in chat.messages if isinstance(each.content, list) for part in each.content)
    if any(isinstance(part, dict) and part.get("type") in _FILES for part in parts):
        return True
    users = ((position, each) for position, each in reversed(every) if each.role is Role.USER)
    position, last = next(users, (0, None))
    return last is not None and len(chat.messages[position].text) - len(last.text) >= _DOCUMENT


def _begun_answer(chat: ChatBody) -> str:
    """Return the begun answer at the end of a request that asks to continue it; "" if there is none."""
    last = chat.messages[-1]
    return authored_text(last) if last.role == "assistant" and not last.has_tool_calls else ""


def spoken(chat: ChatBody, *, by_agent: bool = False) -> Iterator[tuple[int, Message]]:
    """Yield what user and assistant say to a frontend or a coding agent, as they wrote it, each with its position in the request."""
    for position, message in enumerate(chat.messages):
        if message.role in ("user", "assistant"):
            speaker = message.name if isinstance(message.name, str) else None
            yield position, Message(_ROLES[message.role], authored_text(message, by_agent=by_agent), speaker)


def _is_users(message: Message) -> bool:
    """Return whether a message is the user's own, not one that shows a model what its tools made."""
    return message.role is Role.USER and message.text != _TOOL_IMAGES


def _present(given: str | None) -> str | None:
    return None if given is None or is_unfilled(given) else given


def _session_of(chat: ChatBody, every: Sequence[tuple[int, Message]]) -> str:
    if chat.follows:  # an answer that no one here has seen: with it the chat begins
        return UNNAMED + sha256(_encoded(chat.follows)).hexdigest()[:32]
    position, first = next(each for each in every if _is_users(each[1]))
    began = _encoded(known_by(first)) or _unspoken(chat, position)
    return UNNAMED + sha256(began).hexdigest()[:32]


def _unspoken(chat: ChatBody, position: int) -> bytes:
    """Return the bytes by which a message without words is known again."""
    spans = chat.message_spans()
    span = spans[position] if spans else None
    if span is None:
        return b""
    message = chat.raw[span.start : span.end]
    return b"".join(_BASE64.findall(message)) or message


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
    """Return an anchor for each message of the user's own, in order; none for images of tools that look like one.

    The key is made from role, length, beginning and end of the last three messages of user and assistant with words, up to this
    one; of the user's, only their own words count. So it stays when more is said, when documents are put around a message or
    taken away, and when a frontend cuts off the conversation's head further up. A key that comes again ends in ``#2``, ``#3``.
    """
    found: list[Anchor] = []
    times: Counter[str] = Counter()
    before: deque[bytes] = deque(maxlen=_WINDOW - 1)
    # A long chat has hundreds of messages, and each turn goes through all of them.
    for position, message in spoken(chat) if every is None else every:
        is_users = message.role is Role.USER
        if is_users and message.text == _TOOL_IMAGES:
            continue
        words = known_by(message) if is_users else message.text
        ends = words if len(words) <= 2 * _ENDS else words[:_ENDS] + words[-_ENDS:]
        # The length makes it unambiguous where a text ends.
        said = f"{'user' if is_users else 'assistant'}:{len(words)}:{ends}".encode("utf-8", "surrogatepass")
        if is_users:
            key = "a:" + sha256(b"".join((*before, said))).hexdigest()
            times[key] += 1
            found.append(Anchor(position, key if times[key] == 1 else f"{key}#{times[key]}"))
        if message.text and not message.text.isspace():
            before.append(said)
    return tuple(found)


_MOST_OF_ONE = 20_000
"""Characters of one message that are looked at."""
_MOST_OF_ALL = 50_000
"""Characters of all messages together that are looked at."""


def prompt_texts(chat: ChatBody) -> tuple[str, ...]:
    """Return the texts of the newest messages, newest first, each cut off after 20,000 characters; 50,000 in all.

    Includes the system's text, retrieved documents, and all else that a frontend put around a message.
    """
    texts: list[str] = []
    room = _MOST_OF_ALL
    for message in reversed(chat.messages):
        text = without_data(message.text)[: min(_MOST_OF_ONE, room)]
        if text.strip():
            texts.append(text)
            room -= len(text)
        if not room:
            break
    return tuple(texts)
