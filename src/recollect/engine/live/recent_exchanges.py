"""Keeps people's recent exchanges: a request that names no chat finds it by them, and a client's own questions are known by them.

Kept in this process's memory alone. It does not use the store, and never raises.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from recollect.model import UNNAMED, Message, Role, Scope, Turn
from recollect.text.patterns import bounded
from recollect.wire import ChatBody
from recollect.wire.request_body import RequestShape

_LONGEST = 40_000
"""Characters of a message that are read; a longer one is a person's."""

_CHARACTERS_KEPT = 1_000
"""Characters of a kept message, and of its answer, by which a quotation is found."""

_QUOTED = 60
"""The characters at its beginning by which a quoted text is recognized: clients cut long quotations."""

_SHORTEST = 12
"""Characters that a quotation has at least; many texts hold "ok"."""

_TITLE = 80
"""Characters that a title, a name, or a line of tags has at most."""

_TELLING = 4_000
"""Characters of a text by which it is known again."""

_WORD = bounded(r"\w+")
_LABELS = frozenset(":\uff1a\"'>]=")
"""Signs behind a label of a quotation, as in "User: ..." or in JSON."""


@dataclass(slots=True, eq=False)
class AskedRequest:
    """A request and its answer, as others are compared with them.

    Attributes:
        turn: Its turn, without words.
        text: Its message on one line; of a kept request the beginning, and "" once its words are dropped.
        length: How many characters the message has.
        said: A hash of the message.
        begins: Whether a chat begins with it.
        before: A hash of the last message and answer before it; b"" if there is no answer before it.
        shape: How it asked for its answer.
        system: A hash of how the model's instructions begin; b"" if it has none.
        answer: How its answer begins, on one line; "" as long as there is none.
        is_titled: Whether its answer is one short line.
        pair: A hash of its message and answer; None as long as there is no answer.
        answer_id: The id under which the LLM's server keeps the answer; "" if it keeps none.
    """

    turn: Turn
    text: str
    length: int
    said: bytes
    begins: bool
    before: bytes
    shape: RequestShape
    system: bytes
    answer: str = ""
    is_titled: bool = False
    pair: bytes | None = None
    answer_id: str = ""

    @property
    def chat(self) -> str:
        """The chat that it belongs to."""
        return self.turn.scope.session_id

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        # A thousand for the objects, and at most four bytes a character.
        return 1_000 + 4 * (len(self.text) + len(self.answer) + len(self.turn.key) + len(self.chat))

    def shorten(self, *, words: bool) -> None:
        """Drop its words, or all but their beginnings."""
        self.text = self.text[:_CHARACTERS_KEPT] if words else ""
        self.answer = self.answer if words else ""

    def take_answer(self, reply: str, answer_id: str) -> None:
        """Take its answer, and the id under which the LLM's server keeps that."""
        whole = self.turn.whole_answer(reply).strip()
        self.answer_id, self.is_titled = answer_id, 0 < len(whole) <= _TITLE and "\n" not in whole
        self.answer = _one_line(whole)[:_CHARACTERS_KEPT] if self.text else ""
        self.pair = self.said + known_by(whole) if self.said and whole else None

    def quotes(self, other: "AskedRequest") -> bool:
        """Return whether its message contains another's answer, or another's message after words of its own."""
        said, answer = other.text[:_QUOTED], other.answer[:_QUOTED]
        return (len(said) >= _SHORTEST and self.text.find(said) > 0) or (
            len(answer) >= _SHORTEST and answer in self.text
        )

    def has_own_words(self, other: "AskedRequest") -> bool:
        """Return whether it has more in it than another's message and answer, both whole, and labels before them."""
        rest = self.text
        for quoted in sorted(filter(None, (other.text, other.answer)), key=len, reverse=True):
            rest = rest.replace(quoted, "\n")
        behind = (rest[word.end() :][:2].lstrip(" ")[:1] for word in _WORD.finditer(rest[:_CHARACTERS_KEPT]))
        is_cut = len(self.text) < self.length or len(rest) > _CHARACTERS_KEPT
        return is_cut or any(each not in _LABELS for each in behind)

    def differs_from(self, other: "AskedRequest") -> "_Differences":
        """Return in which ways it asks otherwise than another."""
        return _Differences(
            is_quiet=other.shape.stream and not self.shape.stream,
            is_tiny=self.shape.is_tiny and not other.shape.is_tiny,
            is_formatted=self.shape.is_formatted and not other.shape.is_formatted,
            has_another_system=self.system not in (b"", other.system),
            has_another_model=self.turn.model != other.turn.model,
        )


class _Differences(NamedTuple):
    """In which ways a request asks otherwise than another."""

    is_quiet: bool
    is_tiny: bool
    is_formatted: bool
    has_another_system: bool
    has_another_model: bool

    @property
    def in_shape(self) -> bool:
        """Whether the answer is to come in another shape."""
        return any(self[:3])


def asked_request(turn: Turn, chat: ChatBody) -> AskedRequest:
    """Return a request as others are compared with it."""
    system = next((each.text for each in chat.messages if each.role in ("system", "developer")), "")
    instructed, text = _one_line(system)[:_QUOTED], _one_line(turn.text)
    return AskedRequest(
        replace(turn, text="", history=(), anchors=(), prompt=()),
        text,
        max(len(text), len(turn.text) if len(turn.text) > _LONGEST else 0),
        known_by(turn.text) if turn.text else b"",
        begins=not (turn.history or turn.follows),
        before=last_pair(turn.history),
        shape=chat.shape,
        system=known_by(instructed) if instructed else b"",
    )


def asks_about(request: AskedRequest, other: AskedRequest) -> bool:
    """Return whether a request asks about another's message: it quotes that, or carries it, and asks in another way."""
    # A message with an id of its frontend's is a person's.
    if not request.turn.key.startswith("h:") or request.length > _LONGEST:
        return False
    differences = request.differs_from(other)
    if request.before:  # the chat as messages, and the question behind it
        is_tiny_alone = differences.is_tiny and not request.shape.stream
        # No person chooses so from one message to the next.
        is_strong = differences.in_shape and sum(differences) > 1
        return request.before == other.pair and (is_strong or is_tiny_alone)
    if request.said == other.said:  # the message alone, below the model's instructions
        return _is_instructed_otherwise(request, other, differences)
    return request.quotes(other) and (
        differences.in_shape or (differences.has_another_system and not request.has_own_words(other))
    )


def _is_instructed_otherwise(request: AskedRequest, other: AskedRequest, differences: _Differences) -> bool:
    """Return whether a repeated message is there for a client's own instruction, and no person tries it once more."""
    begun = _one_line(request.turn.begun_answer)[:_QUOTED]
    chats = {request.chat, other.chat}
    if len(chats) > 1 and not any(each.startswith(UNNAMED) for each in chats):
        return False  # a chat of its own, by its frontend's id
    if not other.text or not other.answer.startswith(begun) or not differences.has_another_system:
        return False
    # Another system message may only be another persona, unless the answer is wanted in another shape, too.
    return differences.in_shape or not (other.system or request.shape.stream)


def is_shown_by(earlier: AskedRequest, now: AskedRequest, others: Sequence[AskedRequest]) -> bool:
    """Return whether a later request shows that an earlier one was its client's own.

    The earlier one quotes the later message. Or it asked about an exchange that the chat went on from without it, and it was asked
    in another way than the chat, or answered with a title.
    """
    if earlier.turn.key == now.turn.key:
        return False
    if not earlier.before:
        return not now.before and earlier.said != now.said and asks_about(earlier, now)
    followed = next((each for each in others if each.pair == now.before), None)
    if followed is None or followed is earlier or followed.before != earlier.before:
        return False
    is_followed = now.before == earlier.pair
    return not is_followed and (earlier.is_titled or any(earlier.differs_from(followed)))


def last_pair(history: Sequence[Message]) -> bytes:
    """Return a hash of the message and the answer that a history ends with; b"" if it ends otherwise."""
    if [each.role for each in history[-2:]] != [Role.USER, Role.ASSISTANT]:
        return b""
    return b"".join(known_by(each.text) for each in history[-2:])


def known_by(text: str) -> bytes:
    """Return a hash by which a text is known again, however its lines are broken."""
    return sha256(" ".join(text[:_TELLING].split()).encode(errors="surrogatepass")).digest()[:16]


def _one_line(text: str) -> str:
    """Return a text as it is compared, also with its quotation in JSON."""
    return " ".join(text[:_LONGEST].replace("\\n", " ").replace('\\"', '"').split())


_KEPT = timedelta(days=1)
"""How long an exchange counts as recent."""
_OF_EACH, _BYTES = 200, 32 * 1024 * 1024
"""The most exchanges kept of a person, and the size of all."""

_WORDS_KEPT, _WITH_WORDS = timedelta(minutes=10), 8
"""How long words are kept with their hashes, and for how many of a person's last exchanges."""

_LEAST_ALONE = 40
"""The least characters of a message and of its answer if they alone identify a chat; "Thanks!" is in many."""


class RecentExchanges:
    """People's recent exchanges, each person's own; who was heard longest ago goes first. ``bytes`` is about their size."""

    def __init__(self) -> None:
        """Know none yet."""
        self._people: OrderedDict[str, deque[AskedRequest]] = OrderedDict()
        self.bytes = 0

    def keep_request(self, asked: AskedRequest, *, words: bool) -> None:
        """Keep a request whose answer is under way, with ``words`` or by hashes alone."""
        user_id, at = asked.turn.scope.user_id, asked.turn.at
        kept = self._take(user_id)
        asked.shorten(words=words)
        for place, each in enumerate(reversed(kept)):
            if place >= _WITH_WORDS - 1 or at - each.turn.at > _WORDS_KEPT:
                each.shorten(words=False)
        self._put(user_id, [*(each for each in kept if at - each.turn.at < _KEPT), asked])

    def note_answer(
        self, asked: AskedRequest, reply: str, answer_id: str, history: Sequence[Message] = ()
    ) -> tuple[Turn, ...]:
        """Note the answer to a request, unless that was forgotten; return the earlier turns that it shows to be its client's own.

        A message in the request's ``history`` is none: it may only look so where people repeat themselves.
        """
        user_id = asked.turn.scope.user_id
        if asked not in self._people.get(user_id, ()):
            return ()
        kept = self._take(user_id)
        asked.take_answer(reply, answer_id)
        others = list(_with_words(kept, asked))
        shown = [each for each in others if asked.pair and is_shown_by(each, asked, others)]
        carried = {known_by(each.text) for each in history} if shown else set()
        tasks = [each for each in shown if each.said not in carried]
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
        """The chats of which something is kept once the first is taken; some more than once."""
        # A generator expression would begin at once, and fail if others are heard meanwhile.
        for kept in self._people.values():
            yield from (each.turn.scope for each in kept)

    def is_task(self, asked: AskedRequest) -> bool:
        """Return whether a request is its client's own question about an exchange of a moment ago."""
        kept = self._people.get(asked.turn.scope.user_id, deque())
        return any(asks_about(asked, each) for each in _with_words(kept, asked))

    def chat_of(self, turn: Turn) -> str | None:
        """Return the chat that a turn belongs to, by the messages in its request; None if that is not known."""
        kept, own = [*reversed(self._people.get(turn.scope.user_id, ()))], turn.scope.session_id
        if turn.follows:
            return next((each.chat for each in kept if each.answer_id == turn.follows), None)
        if any(each.begins and each.chat == own for each in kept):
            return own
        # A client may send the last few messages alone: the last two pairs of message and answer tell the chat, or a long one.
        last, before = last_pair(turn.history), last_pair(turn.history[:-2])
        same = [each for each in kept if last and each.pair == last]
        chats = [each.chat for each in same if before and each.before == before]
        if not chats and all(len(each.text) >= _LEAST_ALONE for each in turn.history[-2:]):
            chats = [each.chat for each in same]
        return own if own in chats else next(iter(chats), None)

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
    for each in [*reversed(kept)][: _WITH_WORDS + 1]:  # `asked` itself is among them
        if each is not asked and asked.turn.at - each.turn.at <= _WORDS_KEPT:
            yield each
