"""Accepted candidates with their embeddings, and the new memories made of them with owner, time and provenance. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.formation.verification import AcceptedCandidate
from recollect.model import (
    VITAL,
    Candidate,
    Exchange,
    Hints,
    Kind,
    Memory,
    Provenance,
    Source,
    Turn,
    Use,
    Vector,
)

ASKED_IMPORTANCE = 0.8
"""How much matters, at least, what somebody asks to be remembered."""

CORRECTED_IMPORTANCE = 0.6
"""How much matters, at least, what corrects something."""

_ALWAYS = frozenset({Kind.PREFERENCE, Kind.FACT})
"""The kinds of statements that can shape every answer: of 478 labelled ones all that do are preferences; a disability may be a fact."""


@dataclass(frozen=True, slots=True)
class WeighedCandidate:
    """An accepted candidate with its embedding, before reconciliation.

    Attributes:
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
        candidate = weighed.believed.candidate
        exchange = self.exchanges[weighed.believed.turn]
        return replace(
            new_memory(candidate, exchange, id_=self.new_id(), at=self.at, extractor=self.extractor),
            importance=self._importance(weighed),
            confidence=_share(candidate.confidence),
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


def new_memory(
    candidate: Candidate, exchange: Exchange, *, id_: UUID, at: datetime, extractor: str | None
) -> Memory:
    """Return a memory of what a candidate says, created ``at``, without an embedding."""
    scope = exchange.turn.scope
    return Memory(
        id=id_,
        owner=scope.user_id,
        kind=candidate.kind,
        source=Source.EXTRACTED,
        content=candidate.content,
        importance=candidate.importance,
        confidence=candidate.confidence,
        observed_at=exchange.turn.at,
        created_at=at,
        event_at=candidate.event_at,
        holds_from=candidate.holds_from,
        holds_until=candidate.holds_until,
        tags=candidate.tags,
        provenance=Provenance(scope.session_id, (exchange.message_id,), candidate.evidence, extractor),
        hints=plausible_hints(
            candidate.hints,
            candidate.kind,
            candidate.importance,
            is_general=candidate.subject is None and candidate.event_at is None,
        ),
    )


def plausible_hints(hints: Hints | None, kind: Kind, importance: float, *, is_general: bool) -> Hints | None:
    """Return hints with a ``use`` that fits the statement.

    Only a general preference or fact can shape every answer, and a statement about health is needed unasked.

    Args:
        hints: As the model wrote them.
        kind: The kind of the statement.
        importance: Its importance.
        is_general: Whether it is about the person and has no day of its own.
    """
    if hints is None:
        return None
    is_wrong = {
        Use.ALWAYS: not (is_general and kind in _ALWAYS),
        Use.TOPIC: False,
        Use.ASKED: importance >= VITAL,
    }
    return replace(hints, use=Use.TOPIC) if is_wrong[hints.use] else hints


def _share(number: float) -> float:
    """Return a number clamped to 0 to 1; 0 for NaN."""
    return 0.0 if math.isnan(number) else min(1.0, max(0.0, number))
