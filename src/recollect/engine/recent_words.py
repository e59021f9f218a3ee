"""Tells a client's own questions about a chat from its person's messages: titles, names, summaries, tags, in any words.

Such a request holds the person's last message and its answer, and asks for its own answer in another way than the chat does. So
requests are compared with the same person's last ones. Kept in this process's memory, for some minutes. Never: a store; raises.
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from recollect.chat import ChatBody
from recollect.chat.request_shape import RequestShape
from recollect.engine.recent_of_people import RecentOfPeople
from recollect.model import UNNAMED, Message, Role, Turn
from recollect.text.patterns import bounded

_SECONDS = 600.0
_LAST = 8
"""So many of a person's last requests are looked at."""

_OF_EACH, _OF_EVERYBODY = 64 * 1024, 16 * 1024 * 1024
"""Bytes that are kept of a person, and of all."""

_SAID, _ANSWERED, _SYSTEM = 160, 60, 60
"""Characters from a text's beginning by which it is known; a client may quote only that of a long message."""
_SHORTEST = 12
"""A message of so many characters is quoted where a text holds it; many texts hold "ok"."""
_LONGEST_TASK = 40_000
_TEXT_KEPT = 1_000
"""Characters of a chat's first message that are kept: the next message may show that they are a client's."""

_TITLE = 80
"""Characters that a title, a name, or a line of tags has at most."""

_WORD = bounded(r"\w+")
_LABELS = frozenset(":\uff1a\"'>]=")
"""Signs behind a label of a quotation, as in "User: ..." or in JSON."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A text as it is known again.

    Attributes:
        text: How it begins.
        length: How long it is.
        hashed: The hash of all of it.
    """

    text: str
    length: int
    hashed: bytes


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """A request as others are compared with it; of its texts beginnings are kept, and hashes.

    Attributes:
        turn: Its turn, without history; once it is kept, with the beginning of its text.
        said: Its message.
        before: A hash of the last message and answer before it; None for a chat's first message.
        shape: How it asked for its answer.
        system: A hash of how what instructs the model begins; None if nothing does.
        answered: Its answer; None as long as there is none.
        is_short: Whether its answer is one short line.
    """

    turn: Turn
    said: Beginning
    before: bytes | None
    shape: RequestShape
    system: bytes | None
    answered: Beginning | None = None
    is_short: bool = False

    @property
    def may_be_task(self) -> bool:
        """Whether it may be anything but a person's message: that has an id of its own, where a client gives one."""
        return self.turn.key.startswith("h:") and self.said.length < _LONGEST_TASK

    @property
    def pair(self) -> bytes | None:
        """A hash of its message and answer."""
        return None if self.answered is None else _hash(self.said.text, self.answered.text)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = (self.turn.scope.session_id, self.turn.key, self.turn.model, self.turn.text, self.said.text)
        return 1_200 + 4 * (sum(map(len, texts)) + _ANSWERED)

    def answered_with(self, reply: str) -> "AskedRequest":
        """Return the request with its answer, as it is kept."""
        whole = self.turn.whole_answer(reply).strip()
        is_short = 0 < len(whole) <= _TITLE and "\n" not in whole
        text = "" if self.before is not None else self.turn.text[:_TEXT_KEPT]
        turn = replace(self.turn, text=text, begun_answer="")
        return replace(self, turn=turn, answered=_beginning(whole, _ANSWERED), is_short=is_short)

    def differs_from(self, other: "AskedRequest") -> "_Differences":
        """Return in which ways it asks otherwise than another."""
        return _Differences(
            is_quiet=other.shape.stream and not self.shape.stream,
            is_tiny=self.shape.is_tiny and not other.shape.is_tiny,
            is_formatted=self.shape.is_formatted and not other.shape.is_formatted,
            has_another_system=self.system not in (None, other.system),
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

    @property
    def is_strong(self) -> bool:
        """Whether no person chooses so from one message to the next."""
        return self.in_shape and sum(self) > 1


class RecentWords:
    """Knows how people's last messages began, and how they were asked."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._requests: RecentOfPeople[tuple[AskedRequest, ...]] = RecentOfPeople(
            seconds=_SECONDS, each=_OF_EACH, everybody=_OF_EVERYBODY, size=_size
        )

    def forget(self, user_id: str) -> None:
        """Forget a person's messages."""
        self._requests.forget(user_id)

    def is_task(self, request: AskedRequest) -> bool:
        """Return whether a request is its client's own question about a message that its person sent a moment ago.

        A message with an id of its own is a person's; so is one in doubt.
        """
        others = self._of(request.turn.scope.user_id)
        return request.may_be_task and any(_asks_about(request, other) for other in others)

    def note(self, request: AskedRequest, reply: str) -> tuple[Turn, ...]:
        """Note a message and its answer; return the earlier turns of which they show that they were tasks.

        These are, first, requests that quote this message, and came before it. And second questions about an exchange that the
        chat went on from without them: asked in another way than the chat, or answered with a title.
        """
        user_id, key = request.turn.scope.user_id, request.turn.key
        others = self._of(user_id)
        shown_by = request.answered_with(reply)
        tasks = [each for each in others if each.may_be_task and _is_shown_by(each, shown_by, others)]
        left = [each for each in others if each not in tasks and each.turn.key != key]
        self._requests.keep(user_id, "", (shown_by, *left[: _LAST - 1]))
        return tuple(each.turn for each in tasks)

    def _of(self, user_id: str) -> tuple[AskedRequest, ...]:
        return self._requests.get(user_id, "") or ()


def asked_request(turn: Turn, chat: ChatBody) -> AskedRequest:
    """Return a request as others are compared with it."""
    system = next((each.text for each in chat.messages if each.role in ("system", "developer")), "")
    instructed = _plain(system)[:_SYSTEM]
    kept = Turn(
        turn.scope,
        turn.text[:_LONGEST_TASK],
        turn.key,
        turn.at,
        turn.model,
        begun_answer=turn.begun_answer,
    )
    return AskedRequest(
        kept,
        _beginning(turn.text, _SAID),
        _last_pair(turn.history),
        chat.shape,
        _hash(instructed) if instructed else None,
    )


def _last_pair(history: tuple[Message, ...]) -> bytes | None:
    if not history:
        return None
    answer = next((each.text for each in reversed(history) if each.role is Role.ASSISTANT), "")
    said = next((each.text for each in reversed(history) if each.role is Role.USER), "")
    return _hash(_beginning(said, _SAID).text, _beginning(answer.strip(), _ANSWERED).text)


def _asks_about(request: AskedRequest, other: AskedRequest) -> bool:
    """Return whether a request asks about another's message: it quotes that, or carries it, and asks in another way."""
    differences = request.differs_from(other)
    if request.before is not None:  # the chat as messages, and the question behind it
        is_tiny_alone = differences.is_tiny and not request.shape.stream
        return request.before == other.pair and (differences.is_strong or is_tiny_alone)
    if request.said.hashed == other.said.hashed:  # the message alone, below what instructs the model
        return _is_instructed_otherwise(request, other, differences)
    plain = _plain(request.turn.text.replace("\\n", " ").replace('\\"', '"'))
    said, answered = _place(plain, other.said, _SAID), _place(plain, other.answered, _ANSWERED)
    if said is None or not (answered or other.said.length >= _SHORTEST):
        return False
    if differences.in_shape:
        return True
    if not differences.has_another_system or not (answered or not request.shape.stream):
        return False  # people quote, too
    is_whole = len(request.turn.text) < _TEXT_KEPT or request.answered is None
    return is_whole and not _has_own_words(plain, other, said, answered)


def _is_instructed_otherwise(request: AskedRequest, other: AskedRequest, differences: _Differences) -> bool:
    """Return whether a repeated message is there for a client's own instruction, and no person tries it once more.

    A client that instructs the model otherwise in a chat may only have changed its persona: the answer has to be wanted in
    another shape, too, unless nothing instructed the chat before.
    """
    begun = _beginning(request.turn.begun_answer.strip(), _ANSWERED).text
    is_answered = other.answered is not None and begun == other.answered.text
    may_be_continued = bool(request.turn.begun_answer) and not is_answered
    chats = {request.turn.scope.session_id, other.turn.scope.session_id}
    is_elsewhere = len(chats) > 1 and not any(each.startswith(UNNAMED) for each in chats)
    if may_be_continued or is_elsewhere or not differences.has_another_system:
        return False
    return differences.in_shape or (other.system is None and not request.shape.stream)


def _place(plain: str, known: Beginning | None, most: int) -> tuple[int, int] | None:
    """Return where a text quotes a known one; None if it does not, or is nothing else."""
    words = "" if known is None else known.text
    at = plain.find(words) if words and words != plain else -1
    if known is None or at < 0:
        return None
    behind = plain[at + len(words) : at + len(words) + 1]
    is_quoted = not plain[:at][-1:].isalnum() and (len(words) >= most - 1 or not behind.isalnum())
    return (at, at + known.length) if is_quoted else None


def _has_own_words(plain: str, other: AskedRequest, *places: tuple[int, int] | None) -> bool:
    """Return whether a text has more in it than whole quotations at these places, and the labels before them."""
    rest, begin = "", 0
    for place, known in sorted(
        zip(places, (other.said, other.answered), strict=True), key=lambda each: each[0] or (0, 0)
    ):
        if place is None or known is None:
            continue
        if _hash(plain[slice(*place)]) != known.hashed:
            return True
        rest, begin = rest + plain[begin : place[0]] + "\n", place[1]
    rest += plain[begin:]
    behind = (rest[word.end() :][:2].lstrip(" ")[:1] for word in _WORD.finditer(rest[:_TEXT_KEPT]))
    return len(rest) > _TEXT_KEPT or any(each not in _LABELS for each in behind)


def _is_shown_by(earlier: AskedRequest, now: AskedRequest, others: tuple[AskedRequest, ...]) -> bool:
    """Return whether an earlier request is known for a task by a later one."""
    if earlier.turn.key == now.turn.key:
        return False
    if earlier.before is None:
        return now.before is None and earlier.said != now.said and _asks_about(earlier, now)
    followed = next((each for each in others if each.pair == now.before), None)
    if followed is None or followed is earlier or followed.before != earlier.before:
        return False
    is_followed = now.before == earlier.pair
    return not is_followed and (earlier.is_short or any(earlier.differs_from(followed)))


def _size(requests: tuple[AskedRequest, ...]) -> int:
    return sum(each.size for each in requests)


def _beginning(text: str, most: int) -> Beginning:
    plain = _plain(text)
    return Beginning(plain[:most], len(plain), _hash(plain))


def _plain(text: str) -> str:
    return " ".join(text[:_LONGEST_TASK].split())


def _hash(*texts: str) -> bytes:
    return sha256("\0".join(texts).encode(errors="surrogatepass")).digest()[:16]
