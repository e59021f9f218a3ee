"""Turns a conversation into the requests of a frontend, with the questions in their places. Pure.

In a chat with an assistant, a user's turn and the assistant's turns right behind it are one exchange.
In a conversation between people each turn is a user message under its speaker's name, without a
reply: an assistant's reply can't carry the other person's name.

Never: a socket, a score.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bench.recall.dataset import LabelledConversation, Question, SaidTurn

HISTORY_MESSAGES = 10
"""How many messages of a chat a request carries before the user's: a bound to keep a replay fast."""

Message: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Sending:
    """One request.

    Attributes:
        replies: The turns of the answer; none for no answer.
        messages: The request's messages, the turn's own last.
    """

    turn: SaidTurn
    replies: tuple[SaidTurn, ...]
    messages: tuple[Message, ...]

    @property
    def reply(self) -> str:
        """The text of the answer; "" for none."""
        return "\n\n".join(text for turn in self.replies if (text := turn.text.strip()))


@dataclass(frozen=True, slots=True)
class Plan:
    """How a conversation is replayed.

    Attributes:
        steps: The requests and the questions, in order.
        unsent: How many turns no request can carry, as an unasked reply.
    """

    steps: tuple[Sending | Question, ...]
    unsent: int

    @property
    def sendings(self) -> tuple[Sending, ...]:
        """The requests, in order."""
        return tuple(step for step in self.steps if isinstance(step, Sending))


def plan(
    conversation: LabelledConversation,
    *,
    questions: int | None = None,
    history_messages: int | None = HISTORY_MESSAGES,
) -> Plan:
    """Return how ``conversation`` is replayed.

    A question with ``before`` is asked before the exchange of that turn, the others at the end.

    Args:
        conversation: The conversation.
        questions: How many of its questions are asked at most, its first; None: all.
        history_messages: How many messages before the user's a request carries at most; None: all, as a
            frontend sends them.
    """
    oldest = None if history_messages is None else -history_messages
    exchanges = _exchanges(conversation.turns)
    exchange_of = {turn.id: n for n, turns in enumerate(exchanges) for turn in turns}
    asked = defaultdict[int, list[Question]](list)
    for question in conversation.questions[:questions]:
        asked[len(exchanges) if question.before is None else exchange_of[question.before]].append(question)
    speakers = {turn.speaker for turn in conversation.turns}
    named = len(speakers) > 1 and all(turn.role != "assistant" for turn in conversation.turns)
    said = defaultdict[str, list[Message]](list)
    steps: list[Sending | Question] = []
    unsent = 0
    for n, turns in enumerate(exchanges):
        steps += asked[n]
        turn, *replies = turns
        history = said[turn.session]
        if turn.role == "user":
            messages = (*history[oldest:], _message(turn, named=named))
            steps.append(Sending(turn, tuple(replies), messages))
        else:
            unsent += len(turns)
        history += _messages(turns, named=named)
    return Plan((*steps, *asked[len(exchanges)]), unsent)


def _exchanges(turns: Sequence[SaidTurn]) -> list[list[SaidTurn]]:
    """Cut the turns where a user, or another session, begins; an unasked reply stands alone."""
    exchanges: list[list[SaidTurn]] = []
    for turn in turns:
        opening = exchanges[-1][0] if exchanges else turn
        if (turn.role, opening.role) == ("assistant", "user") and opening.session == turn.session:
            exchanges[-1].append(turn)
        else:
            exchanges.append([turn])
    return exchanges


def _messages(turns: Iterable[SaidTurn], *, named: bool) -> list[Message]:
    return [_message(turn, named=named) for turn in turns if turn.role in {"user", "assistant"}]


def _message(turn: SaidTurn, *, named: bool) -> Message:
    message = {"role": turn.role, "content": turn.text}
    return {**message, "name": turn.speaker} if named else message
