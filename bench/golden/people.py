"""The people whose questions are asked, with the labels of everything that they may be given. Never: an engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from bench.lives.life import Life, is_alike, plain
from bench.recall.dataset import LabelledConversation, Question, SaidTurn
from recollect.model import Item, Memory, Role

QUESTIONS = 60
"""Questions of each labelled conversation: of five conversations, 300."""


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question that is asked in a new chat.

    Attributes:
        name: Its name in the golden file.
        messages: The messages of the request; the question is the last.
    """

    name: str
    messages: tuple[Mapping[str, str], ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Person:
    """A person, their questions, and the label of each item that they may be given.

    Attributes:
        last: When they last said anything.
    """

    id: str
    last: datetime
    questions: tuple[GoldenQuestion, ...]
    label: Callable[[Item], str]


def of_life(life: Life) -> Person:
    """Return the person of a life; labels are those of its statements, or the chat and the turn of a message."""
    questions = tuple(
        GoldenQuestion(
            f"{life.person}/{number}", (*each.before, {"role": "user", "content": each.ask}), each.at
        )
        for number, each in enumerate(life.questions)
    )

    def label(item: Item) -> str:
        if not isinstance(item, Memory):
            return f"{item.session_id}-{item.turn_index // 2}{_said_by(item.role)}"
        same = [each.id for each in life.labels if plain(each.content) == plain(item.content)]
        same += [each.id for each in life.labels if not same and is_alike(each.content, item.content)]
        return same[-1] if same else _unlabelled(item)

    return Person(life.person, datetime.fromisoformat(life.chats[-1]["at"]), questions, label)


def of_conversation(conversation: LabelledConversation) -> Person:
    """Return the person of a labelled conversation between people; the labels are the ids of its turns."""
    sessions: dict[str, list[SaidTurn]] = {}
    for turn in conversation.turns:
        sessions.setdefault(turn.session, []).append(turn)
    last = max(turn.at for turn in conversation.turns if turn.at is not None)

    def label(item: Item) -> str:
        if isinstance(item, Memory):
            return _unlabelled(item)
        return sessions[item.session_id][item.turn_index // 2].id

    questions = [_asked(conversation.id, each, last) for each in _spread(conversation.questions)]
    return Person(conversation.id, last, tuple(questions), label)


def _asked(person: str, question: Question, last: datetime) -> GoldenQuestion:
    messages = ({"role": "user", "content": question.text},)
    return GoldenQuestion(f"{person}/{question.id}", messages, question.at or last)


def _spread(questions: Sequence[Question]) -> list[Question]:
    """Return at most ``QUESTIONS`` of them, evenly spread: they are sorted by category."""
    if len(questions) <= QUESTIONS:
        return list(questions)
    return [questions[number * len(questions) // QUESTIONS] for number in range(QUESTIONS)]


def _said_by(role: Role) -> str:
    return "a" if role is Role.ASSISTANT else "u"


def _unlabelled(memory: Memory) -> str:
    """Return a label for a memory that the data set has none for, such as the summary of a chat."""
    return f"{memory.kind}-{sha256(memory.content.encode()).hexdigest()[:6]}"
