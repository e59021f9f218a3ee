"""Runs the steps from a turn to its ranked recollections. It may raise."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.model import Memory, Recollection, Turn
from recollect.ports import ONLY_TODAYS, Embedder, Generations, MemoryStore
from recollect.retrieval.candidates import SearchReach, SearchResults, find_candidates
from recollect.retrieval.fusion import FusedRanking, SignalWeights, fuse
from recollect.retrieval.gate import Gate, gate_score
from recollect.retrieval.needs import (
    NO_NEEDS,
    Needs,
    NeedThresholds,
    asks_nothing,
    needs_of,
    needs_with,
    overview_needs,
)
from recollect.retrieval.passages import may_serve
from recollect.retrieval.query import RecallQuery, read_query
from recollect.retrieval.signals import RetrievedItem, Signals, gather, read_signals

EXPLAINED = 10
"""The number of best recollections that come with the parts of their scores."""

_READ_ON_LOOP = 400
"""Characters of a question that is read on the event loop."""
_LONG_BEFORE = 4_000
"""Characters of a message before it, of which fewer things are read."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked recollections of a turn, with everything that explains them.

    Attributes:
        query: The turn's query.
        candidates: The search results.
        ranked: The candidates that may serve the query, best first, each memory and each message once.
        gate_score: The probability that the turn asks for anything remembered, 0 to 1; None if nothing was found.
        found: The candidates in the order of ``signals``.
        signals: The signals of the candidates; None if nothing was found.
        needs: The statements that the turn needs.
        milliseconds: The duration of ranking, without the search.
    """

    query: RecallQuery
    candidates: SearchResults
    ranked: tuple[Recollection, ...]
    gate_score: float | None
    found: tuple[RetrievedItem, ...] = ()
    signals: Signals | None = None
    needs: Needs = NO_NEEDS
    milliseconds: float = 0.0


async def rank(
    turn: Turn,
    *,
    embedder: Embedder,
    second_embedder: Embedder | None = None,
    store: MemoryStore,
    reach: SearchReach,
    weights: SignalWeights,
    gate: Gate,
    bar: NeedThresholds,
    generations: Generations = ONLY_TODAYS,
) -> Ranking:
    """Search the user's memories and message log, and rank the findings for ``turn``.

    Args:
        turn: The turn.
        embedder: The first embedder, for memories and passages.
        second_embedder: The second embedder, for statements alone; None without one.
        store: The store to search.
        reach: The limits of the search.
        weights: The weights of the signals.
        gate: The coefficients of the gate; with the threshold 0, ``bar`` filters nothing.
        bar: The thresholds of need.
        generations: The embedders whose embeddings the store still holds besides today's.

    Raises:
        EmbedderError: The turn could not be embedded, and the search by terms is off.
        StoreError: The search in the store failed.
    """
    # To read a long question takes tens of milliseconds: the loop's streams don't wait for that.
    before = max((len(each.text) for each in turn.history[-2:]), default=0)
    is_long = len(turn.text) > _READ_ON_LOOP or before > _LONG_BEFORE
    query = await asyncio.to_thread(read_query, turn) if is_long else read_query(turn)
    candidates = await find_candidates(
        turn.scope,
        query,
        embedder=embedder,
        store=store,
        reach=reach,
        second_embedder=second_embedder,
        generations=generations,
    )
    await _others()
    return await _ranked(query, candidates, embedder, weights, gate, bar)


async def _ranked(
    query: RecallQuery,
    candidates: SearchResults,
    embedder: Embedder,
    weights: SignalWeights,
    gate: Gate,
    bar: NeedThresholds,
) -> Ranking:
    """Return the ranked findings."""
    began, found = time.perf_counter(), _serving(candidates, query)
    if not found:
        return Ranking(query, candidates, (), None)
    signals = read_signals(query, candidates, found, is_read=embedder.reads(query.asked))
    await _others()
    opening, needs = _judged(query, candidates, found, signals, embedder=embedder, gate=gate, bar=bar)
    await _others()
    ranked = _in_order(found, fuse(signals, weights), needs)
    await _others()
    return Ranking(query, candidates, ranked, opening, tuple(found), signals, needs, _since(began))


def _judged(
    query: RecallQuery,
    candidates: SearchResults,
    found: Sequence[RetrievedItem],
    signals: Signals,
    *,
    embedder: Embedder,
    gate: Gate,
    bar: NeedThresholds,
) -> tuple[float, Needs]:
    """Return the gate's score, and the statements that the turn needs."""
    vector = candidates.second_question
    score = gate_score(
        query,
        found,
        signals,
        seen=candidates.terms.seen,
        gate_cosine=embedder.gate,
        gate=gate,
        nothing=asks_nothing(query, vector),
    )
    needs = needs_of(
        query,
        found,
        signals,
        vector=vector,
        is_read=embedder.reads(query.asked),
        is_asked=gate.opens(score),
        bar=bar if gate.threshold else bar.lifted,
    )
    return score, needs


async def _others() -> None:
    """Yield to the event loop, so that other chats' events are not held up by a long computation."""
    await asyncio.sleep(0)


def of_everything(ranking: Ranking, statements: Sequence[Memory], *, bar: NeedThresholds) -> Ranking:
    """Return the ranking of a turn that asks for an overview, extended by statements that its search did not find.

    Args:
        ranking: The ranking by the search.
        statements: All current statements of the user.
        bar: The thresholds of need.
    """
    judged = [each.item for each in ranking.ranked if each.item.id in ranking.needs.scores]
    known = {each.id: each for each in (*statements, *judged) if isinstance(each, Memory)}
    needs = overview_needs(tuple(known.values()), ranking.query.now, bar)
    told = [Recollection(known[each], score) for each, score in needs.scores.items()]
    others = [each for each in ranking.ranked if each.item.id not in known]
    return replace(ranking, ranked=(*told, *others), needs=needs)


def with_entries(
    ranking: Ranking, entries: Sequence[tuple[Memory, float | None]], *, bar: NeedThresholds
) -> Ranking:
    """Return the ranking with the entries of a profile that are searched, those that the turn needs first.

    Args:
        ranking: The ranking by the search.
        entries: The entries, each with its cosine to the question by the second embedder.
        bar: The thresholds of need.
    """
    needs = needs_with(
        ranking.needs,
        ranking.query,
        ranking.found,
        entries,
        vector=ranking.candidates.second_question,
        bar=bar,
    )
    told = [Recollection(each, needs.scores[each.id]) for each, _ in entries if each.id in needs.wanted]
    ranked = sorted((*told, *ranking.ranked), key=lambda each: -each.score)
    return replace(ranking, ranked=tuple(ranked), needs=needs) if told else ranking


def _serving(candidates: SearchResults, query: RecallQuery) -> list[RetrievedItem]:
    """Return the candidates that may serve this query, each memory and each message once."""
    return gather(replace(candidates, hits=[hit for hit in candidates.hits if may_serve(hit.item, query)]))


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _in_order(found: list[RetrievedItem], fused: FusedRanking, needs: Needs) -> tuple[Recollection, ...]:
    plain: list[float] = fused.scores.tolist()
    scores = [needs.scores.get(each.item.id, score) for each, score in zip(found, plain, strict=True)]
    order = sorted(range(len(found)), key=lambda n: (-scores[n], found[n].item.id))
    of_log = [n for n in order if found[n].item.id not in needs.scores][:EXPLAINED]
    parts = {name: values[of_log] for name, values in fused.parts.items()}
    parts["times"] = fused.multiplier[of_log]  # the factor of importance
    rows = zip(*(values.tolist() for values in parts.values()), strict=True)
    told = {n: tuple(zip(parts, row, strict=True)) for n, row in zip(of_log, rows, strict=True)}
    judged = {found[n].item.id: n for n in order[:EXPLAINED] if found[n].item.id in needs.scores}
    told |= {judged[each]: parts for each, parts in needs.parts_of(judged).items()}
    return tuple(Recollection(found[n].item, scores[n], told.get(n, ())) for n in order)
