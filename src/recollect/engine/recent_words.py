"""Tells a client's own questions about a chat from what its person says: titles, names, summaries, tags, in whatever words they are asked.

Such a request holds what the person said and was answered a moment ago, and asks for its answer in another way than the chat does. So
requests are compared with the same person's last ones. Kept in this process's memory, for some minutes. Never: a store; raises.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from cachetools import TTLCache

from recollect.chat import ChatBody
from recollect.chat.request_shape import RequestShape
from recollect.model import Message, Role, Turn

_PEOPLE = 2_000
_SECONDS = 600.0
_LAST = 8
"""So many of a person's last requests are looked at."""

_SAID, _ANSWERED, _SYSTEM = 160, 60, 60
"""Characters from a text's beginning by which it is known; a client may quote no more of a long message."""
_SHORTEST = 12
"""Characters of a message that tell by themselves that it is quoted: "ok" stands in many texts."""
_LONGEST_TASK = 40_000
_TITLE = 80
"""Characters that a title, a name, or a line of tags has at most."""


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """What is kept of a request.

    Attributes:
        turn: Its turn, without history.
        said: How its message begins.
        before: How the last message and answer before it begin; None for a chat's first message.
        shape: How it asked for its answer.
        system: How what instructs the model begins.
        answered: How its answer begins; "" as long as there is none.
        is_short: Whether its answer is one short line.
    """

    turn: Turn
    said: str
    before: tuple[str, str] | None
    shape: RequestShape
    system: str
    answered: str = ""
    is_short: bool = False

    @property
    def may_be_task(self) -> bool:
        """Whether it may be anything but a person's message: that has an id of its own, where a client gives one."""
        return self.turn.key.startswith("h:") and len(self.turn.text) < _LONGEST_TASK

    def answered_with(self, reply: str) -> "AskedRequest":
        """Return the request with its answer."""
        whole = self.turn.whole_answer(reply).strip()
        is_short = 0 < len(whole) <= _TITLE and "\n" not in whole
        return replace(self, answered=_plain(whole, _ANSWERED), is_short=is_short)

    def differs_from(self, other: "AskedRequest") -> "_Differences":
        """Return in which ways it asks otherwise than another."""
        return _Differences(
            is_quiet=other.shape.stream and not self.shape.stream,
            is_tiny=self.shape.is_tiny and not other.shape.is_tiny,
            is_formatted=self.shape.is_formatted and not other.shape.is_formatted,
            has_another_system=self.system not in ("", other.system),
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
    def is_strong(self) -> bool:
        """Whether no person chooses so from one message to the next."""
        return any(self[:3]) and sum(self) > 1


class ShownTask(NamedTuple):
    """A turn that turned out to be a task.

    Attributes:
        turn: Which.
        is_certain: Whether it quotes what its person said; else it is one only if it taught nothing.
    """

    turn: Turn
    is_certain: bool


class RecentWords:
    """Knows what people said a moment ago, and how it was asked."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._requests: TTLCache[str, tuple[AskedRequest, ...]] = TTLCache(_PEOPLE, _SECONDS)

    def is_task(self, request: AskedRequest) -> bool:
        """Tell whether a request is its client's own question about what its person said a moment ago.

        A message with an id of its own is a person's.
        """
        others = self._requests.get(request.turn.scope.user_id, ())
        return request.may_be_task and any(_asks_about(request, other) for other in others)

    def note(self, request: AskedRequest, reply: str) -> tuple[ShownTask, ...]:
        """Note what was said and answered; return the earlier turns of which it shows that they were tasks.

        These are, first, requests that quote what is said now, which came before it or beside it. And second questions about an
        exchange that the chat went on from without them: asked in another way than the chat, or answered with a title. Of these it
        is not certain.
        """
        user_id, key = request.turn.scope.user_id, request.turn.key
        others = self._requests.get(user_id, ())
        request = request.answered_with(reply)
        tasks = [each for each in others if each.may_be_task and _is_shown_by(each, request, others)]
        left = [each for each in others if each not in tasks and each.turn.key != key]
        self._requests[user_id] = (request, *left[: _LAST - 1])
        return tuple(ShownTask(each.turn, is_certain=each.before is None) for each in tasks)


def asked_request(turn: Turn, chat: ChatBody) -> AskedRequest:
    """Return what is looked at of a request."""
    system = next((each.text for each in chat.messages if each.role in ("system", "developer")), "")
    kept = Turn(
        turn.scope,
        turn.text[:_LONGEST_TASK],
        turn.key,
        turn.at,
        turn.model,
        begun_answer=turn.begun_answer,
    )
    before = _last_pair(turn.history)
    return AskedRequest(kept, _plain(turn.text, _SAID), before, chat.shape, _plain(system, _SYSTEM))


def _last_pair(history: tuple[Message, ...]) -> tuple[str, str] | None:
    if not history:
        return None
    answer = next((each.text for each in reversed(history) if each.role is Role.ASSISTANT), "")
    said = next((each.text for each in reversed(history) if each.role is Role.USER), "")
    return _plain(said, _SAID), _plain(answer, _ANSWERED)


def _asks_about(request: AskedRequest, other: AskedRequest) -> bool:
    """Tell whether a request asks about what another said: it quotes that, or carries it, and asks in another way."""
    differences = request.differs_from(other)
    is_streamed = request.shape.stream
    if request.before is not None:  # the chat as messages, and the question behind it
        is_tiny_alone = differences.is_tiny and not is_streamed
        return request.before == (other.said, other.answered) and (differences.is_strong or is_tiny_alone)
    is_otherwise = any(differences[:3]) or differences.has_another_system
    if request.turn.text == other.turn.text:  # the message alone, below what instructs the model
        is_answered = other.answered != "" and _plain(request.turn.begun_answer, _ANSWERED) == other.answered
        may_be_continued = bool(request.turn.begun_answer) and not is_answered
        return is_otherwise and not may_be_continued and (not is_streamed or differences.is_strong)
    quoted = set(_quoted(request.turn.text, other))
    if {other.said, other.answered} <= quoted:
        return is_otherwise or not is_streamed
    return is_otherwise and other.said in quoted and len(other.said) >= _SHORTEST


def _quoted(text: str, other: AskedRequest) -> Iterator[str]:
    """Yield which of a message and its answer a text quotes, with more than them in it; also within JSON."""
    plain = _plain(text.replace("\\n", " ").replace('\\"', '"'), _LONGEST_TASK)
    for words, most in ((other.said, _SAID), (other.answered, _ANSWERED)):
        at = plain.find(words) if words and words != plain else -1
        if at < 0:
            continue
        behind = plain[at + len(words) : at + len(words) + 1]
        if not plain[:at][-1:].isalnum() and (len(words) >= most - 1 or not behind.isalnum()):
            yield words


def _is_shown_by(earlier: AskedRequest, now: AskedRequest, others: tuple[AskedRequest, ...]) -> bool:
    """Tell whether an earlier request is known for a task by what is said now."""
    if earlier.turn.key == now.turn.key:
        return False
    if earlier.before is None:
        return now.before is None and earlier.said != now.said and _asks_about(earlier, now)
    followed = next((each for each in others if (each.said, each.answered) == now.before), None)
    if followed is None or followed is earlier or followed.before != earlier.before:
        return False
    is_followed = now.before == (earlier.said, earlier.answered)
    return not is_followed and (earlier.is_short or any(earlier.differs_from(followed)))


def _plain(text: str, most: int) -> str:
    return " ".join(text[: 2 * most].split())[:most]
