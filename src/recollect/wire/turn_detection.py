"""Finds the user's turn in a chat request, or the reason why there is none; the same for every host. Never: raises."""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.model import ROOT, Role, Skip, Turn
from recollect.text.secrets.in_names import id_without_secrets, name_without_secrets
from recollect.wire import limits
from recollect.wire.body import ChatBody
from recollect.wire.dialect import COMPLETIONS, Dialect
from recollect.wire.message_list import TOO_LONG
from recollect.wire.tasks import is_aside, is_background_task, session_skip
from recollect.wire.turn import anchors, prompt_texts, read_turn, spoken


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
    ``by_agent``: a coding agent sends it, which lets the model call tools wherever its person speaks. What it asks for itself is a
    turn without words, whose chat keeps the memories that the server has cached with it.
    """
    is_readable = limits.is_readable(body)
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
    told = replace(
        turn,
        text="" if unasked else turn.text,
        scope=replace(turn.scope, session_id=id_without_secrets(turn.scope.session_id)),
        model=name_without_secrets(turn.model),
        anchors=anchors(parsed, every),
        prompt=prompt_texts(parsed),
        is_whole=bool(parsed.follows or parsed.conversation or parsed.is_whole) or is_whole,
        parent=_parent(turn, parent_id, message_id),
    )
    return DetectedTurn(told, parsed, forms=private is None and not unasked)


def _is_too_large(chat: ChatBody) -> bool:
    """Return whether a part that is needed was not read: a text is too long, or the user's last message too far up."""
    if any(each.content is TOO_LONG and each.role in ("user", "assistant") for each in chat.messages):
        return True
    newest = chat.messages[-limits.LAST :]
    is_cut = len(chat.messages) - chat.outside > limits.FIRST + limits.LAST
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
