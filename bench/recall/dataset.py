"""Labelled conversations, one JSON object a line: read, and checked before anything is run.

Never: how they are replayed or scored.
"""

from collections.abc import Container
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from recollect.errors import RecollectError

UNANSWERABLE = "adversarial"
"""The category of unanswerable questions, which are left out of the overall figures."""


class DatasetError(RecollectError):
    """The file does not hold labelled conversations."""


class SaidTurn(msgspec.Struct, frozen=True):
    """One thing said.

    Attributes:
        session: The chat it was said in.
        speaker: The name of the speaker.
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
        category: The type of the question.
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
    conversations: dict[str, LabelledConversation] = {}
    for number, line in read_lines(path):
        try:
            conversation = msgspec.json.decode(line, type=LabelledConversation)
            _check(conversation, conversations)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
        conversations[conversation.id] = conversation
    if not conversations:
        raise DatasetError(f"{path} holds no conversation.")
    return list(conversations.values())


def read_lines(path: Path) -> list[tuple[int, bytes]]:
    """Return the lines of a file that hold anything, each with its number."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror}.") from error
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _check(conversation: LabelledConversation, before: Container[str]) -> None:
    """Raise ValueError if an id was there before or names nothing, or a date is none."""
    turns = [turn.id for turn in conversation.turns]
    if conversation.id in before or len(set(turns)) < len(turns):
        raise ValueError("the id of a conversation or of a turn was there before")
    for date in (
        *(turn.date for turn in conversation.turns),
        *(each.asked_at for each in conversation.questions),
    ):
        _moment(date)
    for question in conversation.questions:
        for named in (*question.evidence, *filter(None, [question.before])):
            if named not in turns:
                raise ValueError(f"question `{question.id}` names the turn `{named}`, which is not there")


def _moment(date: str | None) -> datetime | None:
    if date is None:
        return None
    moment = datetime.fromisoformat(date)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
