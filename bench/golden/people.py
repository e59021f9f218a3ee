"""The people whose questions are asked, with the labels of everything that they may be given."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256

from bench.engines import Bench
from bench.lives.formation import replay
from bench.lives.life import Life, LifeScript, is_alike, plain
from bench.recall.conversations import LabelledConversation, Question, SaidTurn, Sending, plan
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
        told: Everything they said, by which an export of it is known again.
        tell: Tells it to a bench.
    """

    id: str
    last: datetime
    questions: tuple[GoldenQuestion, ...]
    label: Callable[[Item], str]
    told: str
    tell: Callable[[Bench], Awaitable[object]]


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

    last = datetime.fromisoformat(life.chats[-1]["at"])
    tell = partial(replay, life=life)
    return Person(life.person, last, questions, label, repr(life.chats), tell)


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
    tell = partial(_log, conversation=conversation)
    return Person(conversation.id, last, tuple(questions), label, repr(conversation.turns), tell)


async def _log(bench: Bench, conversation: LabelledConversation) -> None:
    """Have a conversation logged, without any statement."""
    bench.scripts[conversation.id] = LifeScript(Life(conversation.id, "", (), ()))
    bench.clock.restart()
    for each in plan(conversation, questions=0):
        if isinstance(each, Sending):
            at = each.turn.at or bench.clock()
            await bench.say(conversation.id, each.turn.session, each.turn.id, each.messages, each.reply, at)
            await bench.form(conversation.id)


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
