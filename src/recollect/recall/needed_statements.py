"""Decides which statements a turn needs, and whether passages of the log are needed instead. Pure.

Statements come first. Each is judged alone (`recollect.recall.relevance_model`); without a question they are ordered by importance, use,
kind and age. Statements that the user called not helpful for questions like this one are left out. Passages are used if no
statement serves the turn and the gate is open. `recollect.recall.thresholds` has the limits.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.index import USE_CODES, LetterRuns, Memories, Nearness, Snapshot, StatementColumns
from recollect.model import VITAL, Kind, Memory, Recollection, Use, Vector
from recollect.recall import relevance_model
from recollect.recall.candidates import Floats, WordScores
from recollect.recall.common_names import linked_rows, with_linked
from recollect.recall.question import RecallQuery, StatementVectors
from recollect.recall.relevance_model import INTENTS, EmbeddedQuestion, Relevance, Statements
from recollect.recall.thresholds import NeedThresholds

_HOW_TO_ANSWER = frozenset({Kind.PREFERENCE, Kind.INSIGHT, Kind.PROFILE})
_BONUS = 0.15
"""The bonus of these kinds: wishes how to be answered, and the person's own profile, hold in every chat."""

_IN_EVERY_CHAT = 1.0
"""Added to statements that shape every answer, or concern health: wishes how to be answered push no diagnosis out."""

_FRESHNESS = 0.05
"""Added to a new statement; it halves every ``_HALF_LIFE_DAYS``."""

_HALF_LIFE_DAYS = 180


def worth(memory: Memory, now: datetime) -> float:
    """Return how valuable a statement is in any chat, about 0 to 2."""
    bonus = _BONUS if memory.kind in _HOW_TO_ANSWER and not _is_a_lesson_of_a_topic(memory) else 0.0
    if memory.is_for_every_chat:
        bonus += _IN_EVERY_CHAT
    days = max(0, (now - memory.observed_at).days)
    freshness: float = 0.5 ** (days / _HALF_LIFE_DAYS)
    return memory.importance + bonus + _FRESHNESS * freshness


def _is_a_lesson_of_a_topic(memory: Memory) -> bool:
    """Return whether it is an insight that only some requests need, as its hints say."""
    return memory.kind is Kind.INSIGHT and memory.hints is not None and memory.hints.use is Use.TOPIC


def current_by_worth(memories: Sequence[Memory], now: datetime) -> list[Memory]:
    """Return the statements that have not ended: undoubted ones first, then by worth, then newest first."""
    return sorted(
        (each for each in memories if not is_over(each, now)),
        key=lambda each: (
            each.doubt is not None,
            -worth(each, now),
            -each.observed_at.timestamp(),
            -each.id.int,
        ),
    )


def is_over(memory: Memory, now: datetime) -> bool:
    """Return whether a statement has ended: it held until a time before ``now``, or is a todo due before today."""
    if memory.holds_until is not None and memory.holds_until < now:
        return True
    due = memory.event_at if memory.kind is Kind.TODO else None
    return due is not None and due.date() < now.date()


_SCORE = 2.0
"""The score of a statement that is needed with probability 1. A passage that matches well scores about 1."""
_MUCH = 0.4
"""If a passage covers so much more of the question (by idf) than any needed statement, the statements do not serve it."""
_EXPLAINED = 6
"""The number of features, by absolute weight, that an explanation reports."""
_FIRST = 3
"""The most statements that an overview begins with, as its words ask for them."""
_OVERVIEW = 100
"""The most statements that are ranked for an overview."""
_RANKED = 60
"""The most needed statements that are ranked, for any other turn: twice as many as one takes at most."""


@dataclass(frozen=True, slots=True)
class Intents:
    """The logits of a question's intents; 0 without a vector."""

    nothing: float = 0.0
    overview: float = 0.0
    list: float = 0.0
    advice: float = 0.0
    time: float = 0.0
    oneself: float = 0.0


@dataclass(frozen=True, slots=True)
class Needs:
    """The statements that a turn needs.

    Attributes:
        statements: The statements that it needs, best first, and behind them the best of the others; each with its score
            and the features that counted most.
        wanted: The ids of the needed statements.
        served: Whether no passages are needed: a model extracted statements, and one serves the turn or it needs none; or it
            asks for an overview.
        at_most: The most statements for this turn; None: the limit for any turn.
        everything: Whether the turn asks for an overview.
        understood: Whether a model extracted any of the statements. If none did, the log holds nearly everything.
        of_every_chat: How likely the turn needs each of the statements for every chat: which of them come first.
    """

    statements: tuple[Recollection, ...] = ()
    wanted: frozenset[UUID] = frozenset()
    served: bool = False
    at_most: int | None = None
    everything: bool = False
    understood: bool = False
    of_every_chat: Mapping[UUID, float] = field(default_factory=dict)


NO_NEEDS = Needs()


class JudgedEntry(NamedTuple):
    """A statement of the person's profile that is judged with the others.

    Attributes:
        memory: The statement.
        cosine: Its cosine to the question; NaN if unknown.
    """

    memory: Memory
    cosine: float


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judged statements, n.

    Attributes:
        items: The statements.
        relevance: How likely each is needed, and any.
    """

    items: Sequence[Memory]
    relevance: Relevance

    def recollections(self, rows: Sequence[int], explained: int) -> list[Recollection]:
        """Return some statements with their scores; the first ``explained`` with the features that counted most."""
        first, shares = list(rows[:explained]), self.relevance.shares
        names = list(shares)
        parts_of_all = [
            each[first] if isinstance(each, np.ndarray) else [each] * len(first) for each in shares.values()
        ]
        table = np.array(parts_of_all).reshape(len(names), len(first))
        most = np.argsort(-np.abs(table), axis=0, kind="stable")[:_EXPLAINED]
        values = np.take_along_axis(table, most, axis=0)
        told: list[tuple[tuple[str, float], ...]] = [
            tuple((names[part], value) for part, value in zip(*each, strict=True))
            for each in zip(most.T.tolist(), values.T.tolist(), strict=True)
        ]
        scores = (_SCORE * self.relevance.likely[list(rows)]).tolist()
        told += [()] * (len(rows) - len(told))
        return [
            Recollection(self.items[row], score, parts)
            for row, score, parts in zip(rows, scores, told, strict=True)
        ]


def intents_of(query: RecallQuery, vectors: StatementVectors) -> Intents:
    """Return the logits of a question's intents."""
    logits = relevance_model.intent_logits(
        _embed_question(query, vectors), relevance_model.shipped_model().heads
    )
    return Intents(**dict(zip(INTENTS, logits.tolist(), strict=True)))


def needs_of(
    query: RecallQuery,
    memories: Memories,
    words: WordScores,
    letters: Floats,
    near: Nearness,
    vectors: StatementVectors,
    intents: Intents,
    *,
    entries: Sequence[JudgedEntry] = (),
    names_identifier: bool,
    is_asked: bool,
    listed: int,
    bar: NeedThresholds,
) -> Needs:
    """Return the statements that a turn needs.

    Args:
        query: The question.
        memories: The person's memories.
        words: The match of the question's terms.
        letters: The share of its letter runs that each statement holds, (statements,).
        near: The cosines of the memories to it.
        vectors: Its vectors.
        intents: Its intents.
        entries: Further statements.
        names_identifier: Whether the memory holds a code identifier of the question; then it needs statements for sure.
        is_asked: Whether the gate of the log is open; without a vector it decides, as all intents are 0 then.
        listed: The most statements that are listed without being needed; so many come with the parts of their scores.
        bar: The thresholds.
    """
    asks_for_all = intents.overview > (bar.overview_with_document if query.has_document else bar.overview)
    if not len(memories.judged) and not entries:
        return overview_needs((), query.now, bar) if asks_for_all else NO_NEEDS
    judged = _judged(query, memories, letters, near, vectors, entries)
    likely = judged.relevance.likely
    if asks_for_all and likely.max() < bar.about_one:  # else "about Clara" (decision 0095)
        first = np.argsort(-likely, kind="stable")[:_FIRST].tolist()
        best = {judged.items[row].id for row in first if likely[row] >= bar.serves}
        return overview_needs(memories.judged_items, query.now, bar, best)
    least = bar.need_with_document if query.has_document else bar.need
    needs_any = judged.relevance.need >= least if vectors.asked is not None else is_asked
    if needs_any or names_identifier:
        needs = _needed(
            query, memories, words, judged, intents, listed, bar, names_identifier=names_identifier
        )
    else:
        kept = judged.recollections(np.argsort(-likely, kind="stable")[:listed].tolist(), listed)
        needs = Needs(tuple(kept), served=memories.is_understood, understood=memories.is_understood)
    rows = np.flatnonzero(_is_for_every_chat(memories.table)).tolist()
    return replace(needs, of_every_chat={memories.judged_items[row].id: float(likely[row]) for row in rows})


def _needed(
    query: RecallQuery,
    memories: Memories,
    words: WordScores,
    judged: _Judged,
    intents: Intents,
    listed: int,
    bar: NeedThresholds,
    *,
    names_identifier: bool,
) -> Needs:
    likely, understood = judged.relevance.likely, memories.is_understood
    order = np.argsort(-likely, kind="stable")
    several = intents.list > 0
    floor = bar.floor(query, likely, intents.list)
    needed = int(np.count_nonzero(likely >= floor))
    kept = judged.recollections(order[: min(needed, _RANKED) + listed].tolist(), listed)
    sure = likely >= max(floor, bar.serves)
    served = understood and bool(sure.any()) and not names_identifier
    served = served and not _log_holds_more(memories, words, sure)  # a passage may answer more
    possible = int(np.count_nonzero(likely >= bar.linked))
    linked = [] if several else judged.recollections(linked_rows(memories, order[:possible], sure, needed), 0)
    wanted = frozenset(each.item.id for each in (*kept[:needed], *linked))
    kept = with_linked(kept, linked, needed)
    return Needs(tuple(kept), wanted, served, bar.most_of_several if several else None, understood=understood)


def overview_needs(
    statements: Sequence[Memory], now: datetime, bar: NeedThresholds, best: Collection[UUID] = ()
) -> Needs:
    """Return the needs of a turn that asks for an overview: the statements that have not ended, the ``best`` first, then by `worth`."""
    # The best come first since "do you remember where I live?" sounds like an overview, too.
    order = sorted(current_by_worth(statements, now), key=lambda each: each.id not in best)[:_OVERVIEW]
    count = max(len(order), 1)
    return Needs(
        tuple(Recollection(each, _SCORE * (1 - n / count)) for n, each in enumerate(order)),
        wanted=frozenset(each.id for each in order),
        served=True,
        at_most=bar.most_in_overview,
        everything=True,
    )


def _judged(
    query: RecallQuery,
    memories: Memories,
    letters: Floats,
    near: Nearness,
    vectors: StatementVectors,
    entries: Sequence[JudgedEntry],
) -> _Judged:
    first, best = near.first[memories.judged], near.best[memories.judged]
    items, table = memories.judged_items, memories.table
    if entries:  # few people have any
        items = (*items, *(each.memory for each in entries))
        cosines = [each.cosine for each in entries]
        first, best = np.append(first, cosines), np.append(best, cosines)
        table = table.joined(StatementColumns.from_statements([each.memory for each in entries]))
        runs = memories.letters.joined(LetterRuns.from_texts([each.memory.content for each in entries]))
        letters = runs.shared(query.asked)
    statements = Statements(table, first, best, letters)
    return _Judged(
        items,
        relevance_model.judge(_embed_question(query, vectors), statements, relevance_model.shipped_model()),
    )


def _is_for_every_chat(table: StatementColumns) -> NDArray[np.bool_]:
    """Return which statements `Memory.is_for_every_chat` is true of, (n,)."""
    found: NDArray[np.bool_] = (table.importance >= VITAL) | (table.use == USE_CODES[Use.ALWAYS])
    return found


def _embed_question(query: RecallQuery, vectors: StatementVectors) -> EmbeddedQuestion:
    return EmbeddedQuestion(query.asked, query.now, query.any_periods, vectors.asked)


def _log_holds_more(memories: Memories, words: WordScores, is_needed: NDArray[np.bool_]) -> bool:
    """Return whether a passage covers much more of the question than any needed statement."""
    total = words.match.idf_total
    if total <= 0:
        return False
    of_log = float(words.passages.own_matched.max(initial=0.0))
    known = words.memories.own_matched[memories.judged][is_needed[: len(memories.judged)]]
    return of_log / total >= float(known.max(initial=0.0)) / total + _MUCH


# Chosen on six people of the lives data set with their questions in view, and read off half of them it would have lost the other
# half 4 of 614 needed statements (0.49) or 0 of 558 (0.53). At 0.55, before the embedder was adapted, all 608 noise lines were
# called not helpful: noise fell from 75 to 34 %, and 129 of 131 questions kept all they needed (before: 130). Of 25 questions in
# other words 16 are near enough. Since the adaptation 0.60 is reached by as small a share of pairs of questions (0.03 %).
_ALIKE = 0.6
"""The least cosine of two questions that are alike."""


def may_be_unhelpful(memory: Memory) -> bool:
    """Return whether a person may call a memory not helpful: it neither shapes every answer nor concerns health."""
    return not memory.is_for_every_chat and memory.kind is not Kind.PROFILE


def not_helpful(snapshot: Snapshot, question: Vector | None, model: str) -> frozenset[UUID]:
    """Return the ids of the statements, past ones too, that were not helpful for questions like ``question``, embedded by ``model``."""
    return _unhelpful(snapshot.memories, question, model) | _unhelpful(snapshot.past, question, model)


def _unhelpful(memories: Memories, question: Vector | None, model: str) -> frozenset[UUID]:
    if question is None or model not in memories.not_helpful.models:
        return frozenset()
    near = memories.not_helpful.near(model, question).best[memories.judged]
    may_be = ~_is_for_every_chat(memories.table)
    rows = np.flatnonzero(may_be & (np.nan_to_num(near, nan=-1.0) >= _ALIKE))
    return frozenset(memories.judged_items[row].id for row in rows.tolist())
