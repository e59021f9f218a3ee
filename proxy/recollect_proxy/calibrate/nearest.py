"""Finds what is nearest to a question, and whether a gate opens for it. Never: which questions, who sees the figures."""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.errors import EmbedderError, StoreError
from recollect.model import Item, Passage, Scope, Stage, Turn
from recollect.ports import Backends
from recollect.retrieval import Gate, RecallQuery, SearchReach, find_candidates, read_query
from recollect.retrieval.gate import gate_score
from recollect.retrieval.signals import RetrievedItem, Signals, gather, read_signals

_UNHURRIED_SECONDS = 60.0
_NOT_IN_A_CHAT = "calibrate"


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a user's memory.

    Attributes:
        user_id: The user.
        text: The question.
        at: When it is asked.
        of: The passage that it was taken from, which must not answer it; None if it was taken from none.
    """

    user_id: str
    text: str
    at: datetime
    of: Passage | None = None


@dataclass(frozen=True, slots=True)
class NearestMatch:
    """What a question found, and how near the nearest is.

    Attributes:
        query: What was asked.
        found: What was found.
        signals: What is known of it.
        cosine: That of the nearest.
        seen: The share of the question's words, by idf, that the user ever used.
    """

    query: RecallQuery
    found: tuple[RetrievedItem, ...]
    signals: Signals
    cosine: float
    seen: float

    def opens(self, gate: Gate, cosine: float) -> bool:
        """Whether ``gate`` lets this through where ``cosine`` is the one that means nothing."""
        at = replace(gate, cosine=cosine)
        score = gate_score(self.query, self.found, self.signals, seen=self.seen, gate_cosine=cosine, gate=at)
        return at.opens(score)


async def find_nearest(asking: Question, backends: Backends, reach: SearchReach) -> NearestMatch | None:
    """Ask, and return what was found; None if nothing was that has an embedding.

    Raises:
        EmbedderError: The embedder failed.
        StoreError: The store failed.
    """
    embedder = backends.embedder
    turn = Turn(Scope(asking.user_id, _NOT_IN_A_CHAT), asking.text, "", asking.at, "")
    query = read_query(turn)
    unhurried = replace(reach, embedding_seconds=_UNHURRIED_SECONDS, lexical_seconds=_UNHURRIED_SECONDS)
    candidates = await find_candidates(
        turn.scope, query, embedder=embedder, store=backends.memories, reach=unhurried
    )
    if Stage.EMBEDDING in candidates.degraded:
        raise EmbedderError(f"{embedder.name} did not embed a question.")
    if candidates.degraded:
        raise StoreError("The memory store did not answer.")
    others = replace(candidates, hits=[hit for hit in candidates.hits if not _is_of(hit.item, asking.of)])
    found = gather(others)
    cosines = [each.cosine for each in found if each.cosine is not None]
    if not cosines:
        return None
    signals = read_signals(query, others, found)
    return NearestMatch(query, tuple(found), signals, max(cosines), others.terms.seen)


def _is_of(item: Item, said: Passage | None) -> bool:
    if said is None:
        return False
    if isinstance(item, Passage):
        return item.exchange_id == said.exchange_id
    return said.message_id in item.provenance.message_ids
