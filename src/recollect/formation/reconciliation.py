"""Decides what each believed candidate changes in what is known. Pure. Never: await, a model.

A wrong merge destroys, a missed one only repeats: so the model's word that two statements are the
same counts only where no number and no negation speaks against it. Letter-equal statements are
one; nothing older replaces anything newer.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recollect.model import (
    STATEMENTS,
    Add,
    Candidate,
    Change,
    Exchange,
    Ignore,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Source,
    Vector,
)
from recollect.normalization import content_hash

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|without|cannot|[a-z]+n't"  # English
    r"|nicht|nichts|nie|niemals|ohne|keine?[mnrs]?"  # German
    r"|ne|pas|jamais|sans|aucune?"  # French
    r"|nunca|jamás|sin|ningun[oa]?|não|sem|nem"  # Spanish, Portuguese
    r"|non|mai|senza|niet|geen|nooit|zonder"  # Italian, Dutch
    r"|не|нет|никогда|без)\b"  # Russian
    r"|[不没沒無无别別]|ない|ません|ず\b"  # Chinese, Japanese
)


def reconcile(
    candidates: Sequence[tuple[Candidate, Vector]],
    known: Sequence[Memory],
    *,
    exchange: Exchange,
    embedding_model: str,
    at: datetime,
    new_id: Callable[[], UUID],
) -> list[Change]:
    """Return one change for each candidate, in order.

    Args:
        candidates: What is believed, each with the embedding of its content.
        known: The memories the extractor was shown; ``Candidate.about`` indexes them.
        exchange: What the candidates come from: whose they are, and when they were said.
        embedding_model: The name of the embedder that made the embeddings.
        at: Now, for ``created_at``.
        new_id: Makes the id of a new memory.
    """
    batch = _Batch(known, exchange, embedding_model, at, new_id)
    return [batch.decide(candidate, embedding) for candidate, embedding in candidates]


def may_repeat(content: str, known: str) -> bool:
    """Say whether nothing speaks against ``content`` only saying again what ``known`` says.

    A number that ``known`` lacks does, and so does a negation in only one of them.
    """
    content, known = _plain(content), _plain(known)
    if set(_NUMBER.findall(content)) - set(_NUMBER.findall(known)):
        return False
    return (_NEGATION.search(content) is None) == (_NEGATION.search(known) is None)


@dataclass
class _Batch:
    """One exchange's candidates on their way, and what the ones before did."""

    known: Sequence[Memory]
    exchange: Exchange
    embedding_model: str
    at: datetime
    new_id: Callable[[], UUID]
    held: dict[bytes, UUID | None] = field(init=False)
    replaced: set[UUID] = field(default_factory=set)
    reinforced: set[UUID] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.held = {content_hash(memory.content): memory.id for memory in self.known}

    def decide(self, candidate: Candidate, embedding: Vector) -> Change:
        key = content_hash(candidate.content)
        if key in self.held:
            return self._ignore(Reason.EQUAL_CONTENT, candidate, self.held[key])
        change = self._change(candidate, embedding)
        match change:
            case Add(memory) | Replace(memory=memory):
                self.held[key] = memory.id
            case _:
                self.held[key] = change.target
        return change

    def _change(self, candidate: Candidate, embedding: Vector) -> Add | Replace | Reinforce | Ignore:
        target = self._target(candidate)
        if target is None:
            return Add(self._memory(candidate, embedding))
        same = candidate.relation is Relation.REPEATS and may_repeat(candidate.content, target.content)
        if same:
            if target.id in self.replaced | self.reinforced:
                return self._ignore(Reason.REPEATS, candidate, target.id)
            self.reinforced.add(target.id)
            return Reinforce(target.id, messages=(self.exchange.message_id,))
        if target.id in self.replaced or target.owner != self.exchange.turn.scope.user_id:
            return Add(self._memory(candidate, embedding))
        if self.exchange.turn.at <= target.observed_at:
            return self._ignore(Reason.NOT_NEWER, candidate, target.id)
        self.replaced.add(target.id)
        contradicts = candidate.relation is Relation.CONTRADICTS
        reason = Reason.CONTRADICTS if contradicts else Reason.REFINES
        return Replace(target.id, self._memory(candidate, embedding), reason)

    def _ignore(self, reason: Reason, candidate: Candidate, target: UUID | None) -> Ignore:
        """Ignore the candidate, but not where it was said: who forgets the target forgets that, too."""
        return Ignore(reason, candidate, target, (self.exchange.message_id,))

    def _target(self, candidate: Candidate) -> Memory | None:
        """Return the known memory the candidate is about, if it may touch it."""
        if candidate.relation is Relation.NEW or candidate.about is None:
            return None
        if not 0 <= candidate.about < len(self.known):
            return None
        target = self.known[candidate.about]
        return target if target.kind in STATEMENTS else None

    def _memory(self, candidate: Candidate, embedding: Vector) -> Memory:
        turn = self.exchange.turn
        return Memory(
            id=self.new_id(),
            owner=turn.scope.user_id,
            kind=candidate.kind,
            source=Source.EXTRACTED,
            content=candidate.content,
            importance=candidate.importance,
            confidence=candidate.confidence,
            observed_at=turn.at,
            created_at=self.at,
            event_at=candidate.event_at,
            provenance=Provenance(turn.scope.session_id, (self.exchange.message_id,), candidate.evidence),
            embedding=embedding,
            embedding_model=self.embedding_model,
        )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
