"""Accepted candidates with their embeddings, and the new memories made of them with owner, time and provenance. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.formation.verification import AcceptedCandidate
from recollect.model import Exchange, Memory, Provenance, Source, Turn, Vector

ASKED_IMPORTANCE = 0.8
"""How much matters, at least, what somebody asks to be remembered."""

CORRECTED_IMPORTANCE = 0.6
"""How much matters, at least, what corrects something."""


@dataclass(frozen=True, slots=True)
class WeighedCandidate:
    """An accepted candidate with its embedding, before reconciliation.

    Attributes:
        believed: The candidate, and the turn that proves it.
        vector: The embedding of its content; None where the embedder is away.
        by_form: Whether no model found it, but the form of a command to remember it.
    """

    believed: AcceptedCandidate
    vector: Vector | None
    by_form: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The exchanges that the candidates of a batch come from, and how new memories are made of them.

    Attributes:
        exchanges: What was said, by number of the turn.
        embedding_model: The name of the embedder that made the vectors.
        at: Now, for ``created_at``.
        new_id: Makes the id of a new memory.
        asked: Turns in which the person asks to remember something.
        corrects: Turns in which they correct something.
        extractor: Which model found the candidates, by which version of the prompt.
    """

    exchanges: Sequence[Exchange]
    embedding_model: str
    at: datetime
    new_id: Callable[[], UUID]
    asked: frozenset[int]
    corrects: frozenset[int]
    extractor: str | None

    def turn(self, weighed: WeighedCandidate) -> Turn:
        """Return the turn that supports a candidate."""
        return self.exchanges[weighed.believed.turn].turn

    def messages(self, weighed: WeighedCandidate) -> tuple[UUID, ...]:
        """Return the messages of the log that a candidate rests on."""
        return (self.exchanges[weighed.believed.turn].message_id,)

    def memory(self, weighed: WeighedCandidate) -> Memory:
        """Return a new memory of what a candidate says."""
        turn, candidate = self.turn(weighed), weighed.believed.candidate
        return Memory(
            id=self.new_id(),
            owner=turn.scope.user_id,
            kind=candidate.kind,
            source=Source.EXTRACTED,
            content=candidate.content,
            importance=self._importance(weighed),
            confidence=_share(candidate.confidence),
            observed_at=turn.at,
            created_at=self.at,
            event_at=candidate.event_at,
            holds_from=candidate.holds_from,
            holds_until=candidate.holds_until,
            provenance=Provenance(
                turn.scope.session_id, self.messages(weighed), candidate.evidence, self.extractor
            ),
            embedding=weighed.vector,
            embedding_model=None if weighed.vector is None else self.embedding_model,
        )

    def _importance(self, weighed: WeighedCandidate) -> float:
        importance = _share(weighed.believed.candidate.importance)
        if weighed.believed.turn in self.asked:
            return max(importance, ASKED_IMPORTANCE)
        if weighed.believed.turn in self.corrects:
            return max(importance, CORRECTED_IMPORTANCE)
        return importance


def _share(number: float) -> float:
    """Return a number clamped to 0 to 1; 0 for NaN."""
    return 0.0 if math.isnan(number) else min(1.0, max(0.0, number))
