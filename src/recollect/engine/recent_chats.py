"""Finds the chat of a request that names none: by the chat's last messages, or by the answer that it follows.

Each person's own chats alone are looked at. Kept in this process's memory, as hashes. Never: a store, a word of anybody; raises.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from recollect.engine.recent_of_people import RecentOfPeople
from recollect.model import Message, Role, Turn

_KEPT_SECONDS = 24 * 3600.0
_OF_EACH, _OF_EVERYBODY = 256 * 1024, 16 * 1024 * 1024
"""Bytes that are kept of a person, and of all."""

_OF_ENTRY = 200
"""Bytes that a key takes, and what keeps it."""

_CHATS_OF_PAIR = 4
_LONGEST = 4_000
"""Characters of a text by which it is known again."""

_LEAST_ALONE = 40
"""Characters that a message and its answer each have at least, where they tell a chat alone; "Thanks!" stands in many."""


class RecentChats:
    """Knows chats again that have no id of their own."""

    def __init__(self) -> None:
        """Know none yet."""
        self._chats: RecentOfPeople[tuple[str, ...]] = RecentOfPeople(
            seconds=_KEPT_SECONDS, each=_OF_EACH, everybody=_OF_EVERYBODY, size=_size
        )

    def forget(self, user_id: str) -> None:
        """Forget all chats of a person."""
        self._chats.forget(user_id)

    def chat_of(self, turn: Turn) -> str | None:
        """Return the chat that a turn belongs to, by the messages in its request; None if that is not known.

        A client may send the last few messages alone, so that its chat seems to begin with each request. A request that
        carries a beginning that was heard stays in that chat. Otherwise the last two pairs of message and answer tell it, or
        one that is long.
        """
        user_id, own = turn.scope.user_id, turn.scope.session_id
        if turn.follows:
            return next(iter(self._chats.get(user_id, _key("follows", turn.follows)) or ()), None)
        if self._chats.get(user_id, _key("begins", own)):
            return own
        chats = next(filter(None, (self._chats.get(user_id, key) for key in _tells(turn.history))), ())
        return own if own in chats else next(iter(chats), None)

    def is_cut(self, turn: Turn) -> bool:
        """Return whether a request lacks the beginning of its chat, though its client is one that usually sends all of it."""
        history, user_id, chat = turn.history, turn.scope.user_id, turn.scope.session_id
        at = next((at for at, each in enumerate(history) if each.role is Role.USER), None)
        begun = self._chats.get(user_id, _key("begins", chat))
        if at is None or begun is None or begun == (_key(history[at].text).hex(),):
            return False
        pair = _last_pair(history[: at + 2])
        return bool(pair) and chat in (self._chats.get(user_id, _key(*pair)) or ())

    def note(self, turn: Turn, reply: str, *, answer_id: str = "") -> None:
        """Note in which chat this was said and answered.

        Args:
            turn: The message.
            reply: The answer.
            answer_id: The id under which the LLM's server keeps the answer; "" if it keeps none.
        """
        user_id, chat = turn.scope.user_id, turn.scope.session_id
        if answer_id:
            self._chats.keep(user_id, _key("follows", answer_id), (chat,))
        if turn.text and not (turn.history or turn.follows):
            self._chats.keep(user_id, _key("begins", chat), (_key(turn.text).hex(),))
        whole = turn.whole_answer(reply)
        if turn.text and whole.strip():
            before = _last_pair(turn.history)
            for key in (_key(turn.text, whole), *([_key(*before, turn.text, whole)] if before else ())):
                others = [each for each in self._chats.get(user_id, key) or () if each != chat]
                self._chats.keep(user_id, key, (chat, *others[: _CHATS_OF_PAIR - 1]))


def _tells(history: Sequence[Message]) -> Iterator[bytes]:
    """Yield the keys by which a request's last messages tell its chat, the surest first."""
    last, before = _last_pair(history), _last_pair(history[:-2])
    if last and before:
        yield _key(*before, *last)
    if last and all(len(text) >= _LEAST_ALONE for text in last):
        yield _key(*last)


def _last_pair(history: Sequence[Message]) -> tuple[str, ...]:
    """Return the message and the answer that a history ends with; nothing where it ends otherwise."""
    if [each.role for each in history[-2:]] != [Role.USER, Role.ASSISTANT]:
        return ()
    return tuple(each.text for each in history[-2:])


def _size(chats: tuple[str, ...]) -> int:
    return _OF_ENTRY + sum(50 + 2 * len(each) for each in chats)


def _key(*texts: str) -> bytes:
    plain = [" ".join(text[:_LONGEST].split()).encode(errors="surrogatepass") for text in texts]
    return sha256(b"".join(b"%d:%s" % (len(each), each) for each in plain)).digest()[:16]
