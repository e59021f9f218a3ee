"""Keeps people's recent exchanges: a request that names no chat finds it by them, and a client's own questions are known by them.

Kept in this process's memory alone. Never: a store; raises.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from recollect.engine.live.client_questions import AskedRequest, asks_about, is_shown_by, known_by, last_pair
from recollect.model import Message, Role, Scope, Turn

_KEPT = timedelta(days=1)
_OF_EACH, _BYTES = 200, 32 * 1024 * 1024
"""The most exchanges kept of a person, and the size of all."""

_WORDS_KEPT, _WITH_WORDS = timedelta(minutes=10), 8
"""How long words are kept with their hashes, and for how many of a person's last exchanges."""

_LEAST_ALONE = 40
"""The least characters of a message and of its answer if they alone identify a chat; "Thanks!" is in many."""


class RecentExchanges:
    """People's recent exchanges, each person's own; who was heard longest ago goes first.

    Attributes:
        bytes: Their approximate size.
    """

    def __init__(self) -> None:
        """Know none yet."""
        self._people: OrderedDict[str, deque[AskedRequest]] = OrderedDict()
        self.bytes = 0

    def keep_request(self, asked: AskedRequest, *, words: bool) -> None:
        """Keep a request whose answer is under way, with ``words`` or by hashes alone."""
        user_id, at = asked.turn.scope.user_id, asked.turn.at
        kept = self._take(user_id)
        asked.keep(words=words)
        for place, each in enumerate(reversed(kept)):
            if place >= _WITH_WORDS - 1 or at - each.turn.at > _WORDS_KEPT:
                each.keep(words=False)
        self._put(user_id, [*(each for each in kept if at - each.turn.at < _KEPT), asked])

    def note_answer(self, asked: AskedRequest, reply: str, answer_id: str) -> tuple[Turn, ...]:
        """Note the answer to a request; return the earlier turns of which the request shows that they were its client's own.

        None for a request that was forgotten meanwhile.
        """
        user_id = asked.turn.scope.user_id
        if asked not in self._people.get(user_id, ()):
            return ()
        kept = self._take(user_id)
        asked.take_answer(reply, answer_id)
        others = list(_with_words(kept, asked))
        tasks = [each for each in others if asked.pair and is_shown_by(each, asked, others)]
        self._put(user_id, [each for each in kept if each not in tasks])
        return tuple(each.turn for each in tasks)

    def drop(self, asked: AskedRequest) -> None:
        """Forget a request that got no answer."""
        user_id = asked.turn.scope.user_id
        self._put(user_id, [each for each in self._take(user_id) if each is not asked])

    def forget(self, user_id: str, until: datetime) -> None:
        """Forget a person's exchanges until a time."""
        self._put(user_id, [each for each in self._take(user_id) if each.turn.at > until])

    @property
    def scopes(self) -> Iterator[Scope]:
        """The chats of which something is kept; some more than once."""
        return (each.turn.scope for kept in self._people.values() for each in kept)

    def is_task(self, asked: AskedRequest) -> bool:
        """Return whether a request is its client's own question about an exchange of a moment ago."""
        kept = self._people.get(asked.turn.scope.user_id, deque())
        return any(asks_about(asked, each) for each in _with_words(kept, asked))

    def chat_of(self, turn: Turn) -> str | None:
        """Return the chat that a turn belongs to, by the messages in its request; None if that is not known.

        A client may send the last few messages alone, so that its chat seems to begin with each request. A request that
        carries a beginning that was heard stays in that chat. Otherwise the last two pairs of message and answer tell it, or
        one that is long.
        """
        kept, own = [*reversed(self._people.get(turn.scope.user_id, ()))], turn.scope.session_id
        if turn.follows:
            return next((each.chat for each in kept if each.answer_id == turn.follows), None)
        if any(each.begins and each.chat == own for each in kept):
            return own
        last, before = last_pair(turn.history), last_pair(turn.history[:-2])
        same = [each for each in kept if last and each.pair == last]
        told = [each.chat for each in same if before and each.before == before]
        if not told and all(len(each.text) >= _LEAST_ALONE for each in turn.history[-2:]):
            told = [each.chat for each in same]
        return own if own in told else next(iter(told), None)

    def is_cut(self, turn: Turn) -> bool:
        """Return whether a request lacks the beginning of its chat, though its client is one that usually sends all of it."""
        history: Sequence[Message] = turn.history
        of_chat = [
            each for each in self._people.get(turn.scope.user_id, ()) if each.chat == turn.scope.session_id
        ]
        at = next((at for at, each in enumerate(history) if each.role is Role.USER), None)
        begun = next((each.said for each in reversed(of_chat) if each.begins), None)
        if at is None or begun is None or begun == known_by(history[at].text):
            return False
        pair = last_pair(history[: at + 2])
        return bool(pair) and any(each.pair == pair for each in of_chat)

    def _take(self, user_id: str) -> deque[AskedRequest]:
        kept = self._people.pop(user_id, deque())
        self.bytes -= sum(each.size for each in kept)
        return kept

    def _put(self, user_id: str, kept: list[AskedRequest]) -> None:
        if kept:
            self._people[user_id] = deque(kept, _OF_EACH)
            self.bytes += sum(each.size for each in self._people[user_id])
        while self.bytes > _BYTES:
            self._take(next(iter(self._people)))


def _with_words(kept: Sequence[AskedRequest], asked: AskedRequest) -> Iterator[AskedRequest]:
    """Yield the last exchanges but this one, the last first."""
    for each in [*reversed(kept)][: _WITH_WORDS + 1]:
        if each is not asked and asked.turn.at - each.turn.at <= _WORDS_KEPT:
            yield each
