"""Labelled conversations, one JSON object a line. Never: how they are replayed or scored."""

from datetime import UTC, datetime
from pathlib import Path

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
