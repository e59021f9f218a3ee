"""From a turn to what may be recalled for it, ranked and gated. May raise. Never: SQL, prompt text, the caller."""

from dataclasses import dataclass

from recollect.model import Recollection, Turn
from recollect.ports import Embedder, MemoryStore
from recollect.retrieval.candidates import Candidates, Reach, find_candidates
from recollect.retrieval.fusion import Weights, fuse
from recollect.retrieval.gate import Gate, gate_score
from recollect.retrieval.query import Query, read_query
from recollect.retrieval.signals import read_signals


@dataclass(frozen=True, slots=True)
class Ranking:
    """What is known of a turn's memories.

    Attributes:
        query: What the turn asks.
        candidates: What was found.
        ranked: The same, best first.
        gate_score: How sure it is that the turn asks for anything remembered, 0 to 1; None where nothing was found.
    """

    query: Query
    candidates: Candidates
    ranked: tuple[Recollection, ...]
    gate_score: float | None


async def rank(
    turn: Turn,
    *,
    embedder: Embedder,
    store: MemoryStore,
    reach: Reach,
    weights: Weights,
    gate: Gate,
) -> Ranking:
    """Return the user's memories and what they said, as they rank for ``turn``.

    Raises:
        EmbedderError: The turn could not be embedded, and words are not searched for.
        StoreError: The store could not be asked.
    """
    query = read_query(turn)
    candidates = await find_candidates(turn.scope, query, embedder=embedder, store=store, reach=reach)
    if not candidates.hits:
        return Ranking(query, candidates, (), None)
    signals = read_signals(query, candidates, weights)
    fused = fuse(signals, weights)
    order = sorted(
        range(len(candidates.hits)),
        key=lambda n: (-fused.scores[n], candidates.hits[n].item.id, candidates.hits[n].document or 0),
    )
    ranked = tuple(
        Recollection(
            candidates.hits[n].item,
            float(fused.scores[n]),
            tuple((name, float(values[n])) for name, values in fused.parts.items()),
        )
        for n in order
    )
    return Ranking(query, candidates, ranked, gate_score(query, candidates, embedder.gate, gate))
