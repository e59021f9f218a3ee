"""The result of a recall."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.model.found import Item
from recollect.model.words import Drop, Skip, Stage


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """The chat that heads a recollection in the block, for a question about earlier chats.

    Attributes:
        number: Its place among the chats in the block, from 0.
        ended_at: When its last words were said.
        is_last: Whether it is the person's last chat.
        tokens: The most tokens that the line quotes.
    """

    number: int
    ended_at: datetime
    is_last: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class Recollection:
    """Something remembered, as it came back for a turn.

    Attributes:
        item: A memory, or a passage of the message log.
        score: The score that ranked it, a sum of parts; about 1 for a good match, 0 if it was not ranked.
        parts: The parts of the score, by name: the summands of a passage's, the strongest reasons for and against a
            statement.
        dropped: The reason it does not go into the prompt, or None.
        standing: Whether every chat gets it, whatever the question. This turn may have found it, too.
        chat: The chat that heads it, if the turn asks for earlier chats.
    """

    item: Item
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    dropped: Drop | None = None
    standing: bool = False
    chat: ChatPlace | None = None

    @property
    def is_found(self) -> bool:
        """Whether this turn found it; only then does it count as used."""
        return not self.standing or self.score > 0


@dataclass(frozen=True, slots=True)
class Recall:
    """The outcome of recalling for a turn.

    Attributes:
        recollections: The recollections for the prompt, best first; empty if the recall was skipped.
        ranked: Everything retrieval ranked, best first, before gate, cliff and budget.
        degraded: The stages that failed or were late.
        gate_score: The probability that the turn asks for anything remembered, 0 to 1; None if nothing was ranked.
        stages: The duration of each stage, in milliseconds.
    """

    recollections: tuple[Recollection, ...] = ()
    ranked: tuple[Recollection, ...] = ()
    skipped: Skip | None = None
    degraded: tuple[Stage, ...] = ()
    error_stage: Stage | None = None
    gate_score: float | None = None
    user_wide: bool = True
    milliseconds: float = 0.0
    stages: Mapping[Stage, float] = field(default_factory=dict)
