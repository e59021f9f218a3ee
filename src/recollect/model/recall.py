"""What came of recalling for a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.model.found import Item
from recollect.model.words import Drop, Skip, Stage


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """The chat under which a recollection stands in the block, for a question about earlier chats.

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
        score: What it was ranked by; a sum of parts, that for a good match is about 1. 0 of what was not ranked.
        parts: What made the score, by name: of a passage what it is the sum of, of a statement what counted most for or
            against its being needed.
        dropped: Why it does not go into the prompt, or None.
        standing: Whether it is given to every chat, whatever is asked. It may have been found for this turn, too.
        chat: The chat that it stands under, if the turn asks for earlier chats.
    """

    item: Item
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    dropped: Drop | None = None
    standing: bool = False
    chat: ChatPlace | None = None

    @property
    def is_found(self) -> bool:
        """Whether it was found for the turn: only that is a use of what is remembered."""
        return not self.standing or self.score > 0


@dataclass(frozen=True, slots=True)
class Recall:
    """The outcome of recalling for a turn.

    Attributes:
        recollections: What may go into the prompt, best first; empty when skipped.
        ranked: Everything retrieval ranked, best first, before gate, cliff and budget.
        degraded: The stages that failed or were late, and that the recall did without.
        gate_score: How sure it is that the turn asks for anything remembered, 0 to 1; None where nothing
            was ranked.
        stages: What each stage took, in milliseconds.
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
