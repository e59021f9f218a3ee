"""Ranks a person's memory for a turn: the statements, and the message log if they do not serve the turn. May raise."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar
from uuid import UUID

import numpy as np

from recollect.errors import EmbedderError
from recollect.index import Nearness, Passages, Snapshot
from recollect.model import STATEMENTS, Item, Memory, ProfileEntry, Recollection, Stage, Vector, is_agents
from recollect.ports import Embedder, Generations
from recollect.recall.candidates import (
    Floats,
    Mask,
    NearestPassages,
    WordScores,
    find_candidates,
    match_of,
    near_question,
    nearness,
    on_scale,
    serving_passages,
)
from recollect.recall.last_chat import ChatsAsked, chats_asked
from recollect.recall.log_scores import (
    LogScores,
    SignalWeights,
    gate_score,
    holds_identifier,
    items_of,
    score_log,
)
from recollect.recall.needed_statements import (
    NO_NEEDS,
    Intents,
    JudgedEntry,
    Needs,
    intents_of,
    needs_of,
    not_helpful,
    overview_needs,
)
from recollect.recall.past_and_todos import with_past
from recollect.recall.profile_fields import importance_of
from recollect.recall.question import Named, RecallQuery, StatementVectors, Watch, log_vectors
from recollect.recall.thresholds import Gate, NeedThresholds

EXPLAINED = 10
"""The number of best recollections that come with the parts of their scores. An explanation shows only these."""

_COMPARED_IN_THREAD = 10_000
"""Rows from which on they are compared in a thread."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a recall looks.

    Attributes:
        limit: The most candidates that each channel (vectors, terms) yields.
        lexical: Whether words are compared.
        log: Whether the message log is searched.
        verbatim: Whether exchanges that were kept verbatim are found with it; needed if the log has no embeddings.
        listed: The most statements that are ranked without being needed.
        everything: Whether the whole log is ranked, whatever statements serve: for people who search their chats.
        embedding_seconds: The time limit of the question's embedding for statements. Without one, words alone are compared.
        log_embedding_seconds: The time limit of another embedding for the log.
    """

    limit: int = 40
    lexical: bool = True
    log: bool = True
    verbatim: bool = False
    listed: int = EXPLAINED
    everything: bool = False
    embedding_seconds: float = 0.2
    log_embedding_seconds: float = 0.15


@dataclass(frozen=True, slots=True)
class Tuning:
    """The learned numbers of ranking.

    Attributes:
        weights: The weights of the log's signals.
        gate: The coefficients of the gate; with the threshold 0, ``bar`` filters nothing.
        bar: The thresholds of need.
    """

    weights: SignalWeights = field(default_factory=SignalWeights)
    gate: Gate = field(default_factory=Gate)
    bar: NeedThresholds = field(default_factory=NeedThresholds)


@dataclass(frozen=True, slots=True)
class FoundCounts:
    """How much a recall found, for its record.

    Attributes:
        candidates: The number of memories and messages that were ranked.
        dense: The number of candidates with a cosine.
        lexical: The number of candidates with a term of the question.
        log: The number of messages.
        has_vector: Whether the question has an embedding.
    """

    candidates: int = 0
    dense: int = 0
    lexical: int = 0
    log: int = 0
    has_vector: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked recollections of a turn.

    Attributes:
        query: The turn's question.
        ranked: The needed statements, the best of the others, and the messages; best first, then by id, alike in each process.
        gate_score: The probability that the turn asks for the log, 0 to 1; None if the log was not looked at.
        needs: The statements that the turn needs.
        chats: Which earlier chats it asks for.
        question: The question's vector by the embedder of statements; None without one.
        not_helpful: The statements that the person called not helpful for questions like this one.
        found: How much was found.
        degraded: The stages that failed or exceeded their time limit.
        stages: The duration of each stage, in milliseconds.
    """

    query: RecallQuery
    ranked: tuple[Recollection, ...] = ()
    gate_score: float | None = None
    needs: Needs = NO_NEEDS
    chats: ChatsAsked = ChatsAsked.NONE
    question: Vector | None = None
    not_helpful: frozenset[UUID] = frozenset()
    found: FoundCounts = FoundCounts()
    degraded: tuple[Stage, ...] = ()
    stages: dict[Stage, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankedLog:
    """The ranked messages of the log, and summaries.

    Attributes:
        messages: Best first; the first ones with the parts of their scores.
        gate_score: The probability that the turn asks for them, 0 to 1; None if there is nothing to rank.
        found: How much was found in the log.
    """

    messages: tuple[Recollection, ...] = ()
    gate_score: float | None = None
    found: FoundCounts = FoundCounts()


class LogSources(NamedTuple):
    """Where the ranking of the message log gets vectors and passages.

    Attributes:
        embedder: The embedder of the log.
        generations: The embedders before today's.
        nearest: Finds passages in the store, for a log that takes too many bytes for a snapshot.
    """

    embedder: Embedder
    generations: Generations
    nearest: NearestPassages


class Compared(NamedTuple):
    """A person's memory, its words compared with a question's.

    Attributes:
        snapshot: The memory, as far as the recall reaches.
        serving: Which of its passages may serve, (passages,).
        words: The match of the question's terms.
        letters: The share of the question's letter runs that each statement holds, (statements,).
    """

    snapshot: Snapshot
    serving: Mask
    words: WordScores
    letters: Floats


async def compare_words(query: RecallQuery, snapshot: Snapshot, reach: Reach) -> Compared:
    """Compare the words of a question with a person's memory. It needs no vector, so the embedder may be at work."""
    snapshot = snapshot if reach.log else replace(snapshot, passages=Passages())
    passages = snapshot.passages or Passages()
    serving = passages.is_current if reach.everything else serving_passages(passages, query)
    terms = query.terms if reach.lexical else ()
    words = await _apart(snapshot, partial(match_of, snapshot, terms, serving))
    letters = await _apart(snapshot, partial(snapshot.memories.letters.shared, query.asked))
    return Compared(snapshot, serving, words, letters)


async def rank(
    query: RecallQuery,
    compared: Compared,
    vectors: StatementVectors,
    *,
    sources: LogSources,
    reach: Reach,
    tuning: Tuning,
    watch: Watch,
    entries: Sequence[ProfileEntry] = (),
) -> Ranking:
    """Rank a person's memory for a question.

    Args:
        query: The question.
        compared: The person's memory, compared by words.
        vectors: The question's vectors for statements.
        sources: Give the log's vectors and passages.
        reach: How far it looks.
        tuning: The learned numbers.
        watch: Times the stages.
        entries: Entries of the person's profile that are judged like statements.

    Raises:
        EmbedderError: The question could not be embedded, and words are not compared.
    """
    began = time.perf_counter()
    snapshot, near = compared.snapshot, near_question(compared.snapshot.memories, vectors)
    step = _Step(query, *compared, near, vectors, intents_of(query, vectors), reach, tuning, watch, sources)
    chats = chats_asked(query, vectors.asked)
    log: RankedLog | None = None
    if vectors.asked is None:  # without it the gate of the log decides whether statements are needed
        log = await _ranked_log(step)
    needs = step.needs(entries, is_asked=log is not None and tuning.gate.opens(log.gate_score))
    needs = await _apart(snapshot, partial(step.with_past, needs))
    if log is None and step.has_messages and (chats.needs_log or reach.everything or not needs.served):
        log = await _ranked_log(step)
    messages = () if log is None else log.messages
    watch.stages[Stage.SEARCH] = (time.perf_counter() - began) * 1000
    return Ranking(
        query,
        tuple(sorted((*needs.statements, *messages), key=lambda each: (-each.score, each.item.id))),
        None if log is None else log.gate_score,
        needs,
        chats,
        vectors.asked,
        not_helpful(snapshot, vectors.asked, vectors.model),
        step.found(log),
        tuple(dict.fromkeys(watch.degraded)),
        watch.stages,
    )


async def _ranked_log(step: "_Step") -> RankedLog:
    """Rank the messages of the log; for a question of a few words that asks for none alone, in its context."""
    alone, query = await _ranked_once(step), step.query.in_context
    if query is None or step.tuning.gate.opens(alone.gate_score):
        return alone
    compared = await compare_words(query, step.snapshot, step.reach)
    step = replace(step, query=query, **compared._asdict())
    return await _ranked_once(step)


async def _ranked_once(step: "_Step") -> RankedLog:
    """Rank the messages of the log by one reading of the question.

    Raises:
        EmbedderError: The question could not be embedded, and words are not compared.
    """
    snapshot, sources, watch = step.snapshot, step.sources, step.watch
    question: tuple[Named, ...] = ()
    held = None if snapshot.passages is None else snapshot.passages.vectors.models  # None: the store knows
    if held is None or held:  # a log without embeddings costs no embedding of the question
        earlier = [each for each in sources.generations.earlier if held is None or each.name in held]
        seconds = step.reach.log_embedding_seconds
        question = await log_vectors(
            step.query, step.vectors, sources.embedder, earlier, watch, seconds=seconds
        )
    if not question and not step.reach.lexical and step.vectors.asked is None:
        raise EmbedderError("There is no embedding to search by.")
    if snapshot.passages is None:
        watch.degraded.append(Stage.SEARCH)  # words are not compared with all of it
        step = await _with_nearest(step, question)
    return await _apart(snapshot, partial(step.log, question))


async def _with_nearest(step: "_Step", question: Sequence[Named]) -> "_Step":
    """Return a step whose log is the passages that the store finds nearest to the question.

    Raises:
        StoreError: The store failed.
    """
    snapshot, limit = step.snapshot, 2 * step.reach.limit
    nearest = step.sources.nearest
    found = [await nearest(snapshot.user_id, each.vector, each.model, limit=limit) for each in question]
    once = {each.document: each for each in chain.from_iterable(found)}
    names = snapshot.names.copy()  # the snapshot is shared with other turns
    snapshot = replace(snapshot, passages=Passages().with_changed(list(once.values()), names), names=names)
    return replace(step, **(await compare_words(step.query, snapshot, step.reach))._asdict())


async def _apart(snapshot: Snapshot, work: Callable[[], T]) -> T:
    """Return the result of a computation; in a thread where there is much to compare, so that other chats' streams don't wait."""
    parts = [each for each in (snapshot.memories, snapshot.passages) if each is not None]
    is_much = sum(len(each.items) for each in parts) > _COMPARED_IN_THREAD
    return await asyncio.to_thread(work) if is_much else work()


@dataclass(frozen=True, slots=True)
class _Step:
    """The shared data of one ranking's steps."""

    query: RecallQuery
    snapshot: Snapshot
    serving: Mask
    words: WordScores
    letters: Floats
    near: Nearness
    vectors: StatementVectors
    intents: Intents
    reach: Reach
    tuning: Tuning
    watch: Watch
    sources: LogSources

    @property
    def has_messages(self) -> bool:
        """Whether anything may be ranked that is no statement: passages, summaries, exchanges kept verbatim."""
        memories = self.snapshot.memories
        others = int(np.count_nonzero(memories.is_seen)) > len(memories.judged)
        return others or self.snapshot.passages is None or bool(self.serving.any())

    def needs(self, entries: Sequence[ProfileEntry], *, is_asked: bool) -> Needs:
        """Return the statements that the turn needs."""
        bar = self.tuning.bar.of_agent if is_agents(self.snapshot.user_id) else self.tuning.bar
        return needs_of(
            self.query,
            self.snapshot.memories,
            self.words,
            self.letters,
            self.near,
            self.vectors,
            self.intents,
            entries=[self._entry(each) for each in entries],
            names_identifier=self._names_identifier(),
            is_asked=is_asked,
            listed=self.reach.listed,
            bar=bar if self.tuning.gate.threshold else bar.lifted,
        )

    def with_past(self, needs: Needs) -> Needs:
        """Return the turn's needs with the past statements, the changes or the to-dos that it asks for."""
        return with_past(needs, self.query, self.snapshot, self.vectors, self.near, self.intents)

    def log(self, question: Sequence[Named]) -> RankedLog:
        """Rank the messages of the log."""
        query, snapshot, match, gate = self.query, self.snapshot, self.words.match, self.sources.embedder.gate
        found = find_candidates(
            snapshot,
            self.words,
            self.serving,
            self._near_on_scale(gate),
            nearness((snapshot.passages or Passages()).vectors, question, gate),
            limit=self.reach.limit,
            verbatim=self.reach.verbatim or not self.reach.log,
        )
        if not found.size:
            return RankedLog()
        items = items_of(snapshot, found)
        scores = score_log(snapshot, query, found, match, self.tuning.weights)
        passages = snapshot.passages or Passages()
        own = passages.columns.self_share[found.passages]
        opened = gate_score(
            query,
            items,
            found,
            scores,
            self_share=np.concatenate([np.zeros(len(found.memories)), own]),
            seen=match.seen,
            gate_cosine=gate,
            gate=self.tuning.gate,
            nothing=self.intents.nothing,
        )
        messages = _in_order(items, scores)
        is_near = np.count_nonzero(~np.isnan(found.cosine))
        counted = FoundCounts(
            len(messages), int(is_near), int(np.count_nonzero(found.bm25)), len(found.passages)
        )
        return RankedLog(messages, opened, counted)

    def found(self, log: RankedLog | None) -> FoundCounts:
        """Return how much was found."""
        of_log, statements = (log or RankedLog()).found, len(self.snapshot.memories.judged)
        return FoundCounts(
            candidates=statements + of_log.candidates,
            dense=of_log.dense or (statements if self.vectors.near else 0),
            lexical=of_log.lexical or int(np.count_nonzero(self.words.memories.bm25)),
            log=of_log.log,
            has_vector=self.vectors.near is not None or of_log.dense > 0,
        )

    def _near_on_scale(self, gate: float) -> Nearness:
        own = self.vectors.near
        return self.near if own is None or own.gate == gate else on_scale(self.near, own.gate, gate)

    def _names_identifier(self) -> bool:
        if not self.query.identifiers:
            return False
        rows = np.flatnonzero(self.words.passages.bm25)[: self.reach.limit].tolist()
        passages = self.snapshot.passages or Passages()
        found = [passages.items[row] for row in rows]
        return holds_identifier(self.query, [*self.snapshot.memories.judged_items, *found])

    def _entry(self, entry: ProfileEntry) -> JudgedEntry:
        near, own, cosine = self.vectors.near, entry.embedding, np.nan
        if near is not None and own is not None and entry.embedding_model == near.model:
            cosine = float(own @ near.vector)
        return JudgedEntry(entry.as_memory(self.snapshot.user_id, importance_of(entry.field)), cosine)


def _in_order(items: Sequence[Item], scores: LogScores) -> tuple[Recollection, ...]:
    """Return the messages and summaries among the candidates, best first; the first ones with the parts of their scores."""
    order = [
        row
        for row in sorted(range(len(items)), key=lambda row: (-scores.scores[row], items[row].id))
        if not _is_statement(items[row])
    ]
    return tuple(
        Recollection(items[row], float(scores.scores[row]), scores.parts_of(row) if place < EXPLAINED else ())
        for place, row in enumerate(order)
    )


def with_overview(ranking: Ranking, snapshot: Snapshot, *, bar: NeedThresholds) -> Ranking:
    """Return the ranking of a turn that asks for all statements, whatever its words are near to."""
    needs = ranking.needs
    if not needs.everything:
        needs = overview_needs(snapshot.memories.judged_items, ranking.query.now, bar)
    others = [each for each in ranking.ranked if not _is_statement(each.item)]
    return replace(ranking, ranked=(*needs.statements, *others), needs=needs, not_helpful=frozenset())


def _is_statement(item: Item) -> bool:
    return isinstance(item, Memory) and item.kind in STATEMENTS
