"""Labelled conversations, one JSON object a line, and the requests that a frontend would make of them.

In a chat with an assistant, a user's turn and the assistant's turns right behind it are one exchange.
In a conversation between people each turn is a user message under its speaker's name, without a
reply: an assistant's reply can't carry the other person's name. An unasked reply is part of no request.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import msgspec

from bench.files import read_lines

UNANSWERABLE = "adversarial"
"""The category of unanswerable questions, which are left out of the overall figures."""


class SaidTurn(msgspec.Struct, frozen=True):
    """One thing said.

    Attributes:
        session: The chat it was said in.
        role: "user", "assistant", or anything else.
        date: When, in ISO 8601, if known; without an offset it is UTC.
    """

    id: str
    session: str
    speaker: str
    role: str
    text: str
    date: str | None = None

    @property
    def at(self) -> datetime | None:
        """When it was said."""
        return _moment(self.date)


class Question(msgspec.Struct, frozen=True):
    """A question about a conversation.

    Attributes:
        evidence: The ids of the turns that answer it; none: there is nothing to find.
        asked_at: When, in ISO 8601, if known.
        before: Only turns earlier than this one may be seen; None: all of them.
    """

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    asked_at: str | None = None
    before: str | None = None

    @property
    def at(self) -> datetime | None:
        """When it is asked."""
        return _moment(self.asked_at)


class LabelledConversation(msgspec.Struct, frozen=True):
    """One person's whole history, in order, and the questions about it."""

    id: str
    turns: tuple[SaidTurn, ...]
    questions: tuple[Question, ...]


def read_conversations(path: Path) -> list[LabelledConversation]:
    """Read a file of labelled conversations."""
    return read_lines([path], LabelledConversation)


def _moment(date: str | None) -> datetime | None:
    if date is None:
        return None
    moment = datetime.fromisoformat(date)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


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


def plan(
    conversation: LabelledConversation,
    questions: int | None = None,
) -> list[Sending | Question]:
    """Return the requests and the questions of a conversation, in order.

    A question with ``before`` is asked before the exchange of that turn, the others at the end. At most ``questions`` are asked,
    the first ones; None: all.
    """
    exchanges = _exchanges(conversation.turns)
    exchange_of = {turn.id: n for n, turns in enumerate(exchanges) for turn in turns}
    asked = defaultdict[int, list[Question]](list)
    for question in conversation.questions[:questions]:
        asked[len(exchanges) if question.before is None else exchange_of[question.before]].append(question)
    speakers = {turn.speaker for turn in conversation.turns}
    named = len(speakers) > 1 and all(turn.role != "assistant" for turn in conversation.turns)
    said = defaultdict[str, list[Message]](list)
    steps: list[Sending | Question] = []
    for n, turns in enumerate(exchanges):
        steps += asked[n]
        turn, *replies = turns
        history = said[turn.session]
        if turn.role == "user":
            steps.append(
                Sending(turn, tuple(replies), (*history[-HISTORY_MESSAGES:], _message(turn, named=named)))
            )
        history += [_message(each, named=named) for each in turns if each.role in {"user", "assistant"}]
    return [*steps, *asked[len(exchanges)]]


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


def _message(turn: SaidTurn, *, named: bool) -> Message:
    message = {"role": turn.role, "content": turn.text}
    return {**message, "name": turn.speaker} if named else message
