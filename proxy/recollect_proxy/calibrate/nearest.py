"""Finds the message or memory that is nearest to a question, and whether a gate opens for it. Never: which questions, who sees the figures."""

from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from recollect.index import Passages, Snapshot
from recollect.model import Item, Passage, Scope, Turn
from recollect.ports import Backends
from recollect.recall import Gate, Reach, RecallQuery, SignalWeights, read_query
from recollect.recall.candidates import Candidates, find_candidates, match_of, serving_passages
from recollect.recall.gate import gate_score
from recollect.recall.log import LogScores, items_of, score_log
from recollect.recall.question import Named

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
    """The candidates for a question, and the cosine of the nearest.

    Attributes:
        query: The question.
        items: The n candidates.
        found: Their cosines and term scores.
        scores: Their scores.
        self_share: The share of first-person words in each, (n,).
        seen: The share of the question's words, by idf, that the user ever used.
        cosine: The cosine of the nearest.
    """

    query: RecallQuery
    items: list[Item]
    found: Candidates
    scores: LogScores
    self_share: np.ndarray
    seen: float
    cosine: float

    def opens(self, gate: Gate, cosine: float) -> bool:
        """Return whether ``gate`` lets the question through if ``cosine`` is the one that means nothing."""
        at = replace(gate, cosine=cosine)
        score = gate_score(
            self.query,
            self.items,
            self.found,
            self.scores,
            self_share=self.self_share,
            seen=self.seen,
            gate_cosine=cosine,
            gate=at,
            nothing=0.0,
        )
        return at.opens(score)


async def find_nearest(asking: Question, backends: Backends, reach: Reach) -> NearestMatch | None:
    """Ask, and return the candidates; None if none of them has an embedding.

    Raises:
        EmbedderError: The embedder failed.
        StoreError: The store failed.
    """
    embedder = backends.embedder
    query = read_query(Turn(Scope(asking.user_id, _NOT_IN_A_CHAT), asking.text, "", asking.at, ""))
    snapshot = await backends.snapshots.get(asking.user_id)
    snapshot = _without(snapshot, asking.of, log=reach.log)
    question = (Named(embedder.name, await embedder.embed_question(query.text), embedder.gate),)
    passages = snapshot.passages or Passages()
    serving = serving_passages(passages, query)
    words = match_of(snapshot, query.terms if reach.lexical else (), serving)
    unknown = np.full(len(snapshot.memories.items), np.nan)
    found = find_candidates(
        snapshot, words, serving, question, unknown, limit=reach.limit, verbatim=reach.verbatim, is_read=True
    )
    if np.isnan(found.cosine).all():
        return None
    own = passages.columns.self_share[found.passages]
    return NearestMatch(
        query,
        items_of(snapshot, found),
        found,
        score_log(snapshot, query, found, words.match, SignalWeights()),
        np.concatenate([np.zeros(len(found.memories)), own]),
        words.match.seen,
        float(np.nanmax(found.cosine)),
    )


def _without(snapshot: Snapshot, said: Passage | None, *, log: bool) -> Snapshot:
    """Return a snapshot without the exchange of a passage, and without memories that were learned from it."""
    passages = snapshot.passages if log and snapshot.passages is not None else Passages()
    memories = snapshot.memories
    if said is not None:
        others = np.array([each.exchange_id != said.exchange_id for each in passages.items], np.bool_)
        passages = replace(passages, is_current=passages.is_current & others)
        kept = [said.message_id not in each.provenance.message_ids for each in memories.items]
        memories = replace(memories, is_seen=memories.is_seen & np.array(kept, np.bool_))
    return replace(snapshot, passages=passages, memories=memories)
