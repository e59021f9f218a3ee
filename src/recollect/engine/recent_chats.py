"""Finds the chat of a request that names none: by the chat's last messages, or by the answer that it follows.

Each person's own chats alone are looked at. Kept in this process's memory, as hashes. Never: a store, a word of anybody; raises.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256

from recollect.engine.recent_of_people import RecentOfPeople
from recollect.model import Message, Role, Turn

_KEPT_SECONDS = 24 * 3600.0
_OF_EACH, _OF_EVERYBODY = 256 * 1024, 16 * 1024 * 1024
"""Bytes that are kept of a person, and of all."""

_OF_ENTRY = 200
"""Bytes that a key takes, and what keeps it."""

_PAIRS_READ = 5
"""So many of a request's last pairs of message and answer tell its chat."""

_CHATS_OF_PAIR = 4
_LONGEST = 4_000
"""Characters of a text by which it is known again."""

_LEAST_ALONE = 20
"""Characters of an answer that tells a chat even where the message before it was cut off."""


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

        A client may send the last few messages alone, so that its chat seems to begin with each request. Most of the pairs
        of message and answer decide, then the chat that the request seems to begin, then the newest.
        """
        user_id, own = turn.scope.user_id, turn.scope.session_id
        if turn.follows:
            return next(iter(self._chats.get(user_id, _key("follows", turn.follows)) or ()), None)
        found = [self._chats.get(user_id, key) or () for key in _pairs(turn.history)]
        counted = Counter(chat for chats in found for chat in chats)
        if not counted:
            return None
        newest = [chat for chats in found for chat in chats]
        return max(counted, key=lambda chat: (counted[chat], chat == own, -newest.index(chat)))

    def is_cut(self, turn: Turn) -> bool:
        """Return whether a request lacks the beginning of its chat, though its client is one that usually sends all of it."""
        history, user_id, chat = turn.history, turn.scope.user_id, turn.scope.session_id
        at = next((at for at, each in enumerate(history) if each.role is Role.USER), None)
        begun = self._chats.get(user_id, _key("begins", chat))
        if at is None or begun is None or begun == (_key(history[at].text).hex(),):
            return False
        return any(chat in (self._chats.get(user_id, key) or ()) for key in _pairs(history[at : at + 2]))

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
            said = (Message(Role.USER, turn.text), Message(Role.ASSISTANT, whole))
            for key in (*_pairs(said), *_pairs(said[1:])):
                others = [each for each in self._chats.get(user_id, key) or () if each != chat]
                self._chats.keep(user_id, key, (chat, *others[: _CHATS_OF_PAIR - 1]))


def _pairs(history: Sequence[Message]) -> Iterator[bytes]:
    """Yield the keys of the last pairs of message and answer, the newest first; the first answer may stand alone."""
    found = 0
    for at in range(len(history) - 1, -1, -1):
        answer, before = history[at], history[at - 1] if at else None
        if answer.role is not Role.ASSISTANT:
            continue
        if before is not None and before.role is Role.USER:
            yield _key(before.text, answer.text)
        elif before is None and len(answer.text) >= _LEAST_ALONE:
            yield _key("", answer.text)
        found += 1
        if found == _PAIRS_READ:
            return


def _size(chats: tuple[str, ...]) -> int:
    return _OF_ENTRY + sum(50 + 2 * len(each) for each in chats)


def _key(*texts: str) -> bytes:
    plain = [" ".join(text[:_LONGEST].split()).encode(errors="surrogatepass") for text in texts]
    return sha256(b"".join(b"%d:%s" % (len(each), each) for each in plain)).digest()[:16]
