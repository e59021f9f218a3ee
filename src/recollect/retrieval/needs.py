"""Which of the found statements a turn needs, and whether the message log stands in where none is needed. Pure.

Statements come first: each is judged by itself (`recollect.retrieval.relevance`). Passages of the log stand in where no
statement serves, and the gate is sure.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

import numpy as np

from recollect.model import STATEMENTS, Memory, Vector
from recollect.retrieval import relevance
from recollect.retrieval.query import RecallQuery
from recollect.retrieval.relevance import INTENTS, EmbeddedQuestion, Floats
from recollect.retrieval.signals import RetrievedItem, Signals
from recollect.retrieval.worth import in_order

_SCORE = 2.0
"""What a statement that is needed for certain scores: for a good match a score is about 1."""
_MUCH = 0.4
"""A share of a question's words, by their rarity, that tells that something else is asked for."""
_EXPLAINED = 6
"""So many of the features that count most are told of."""


@dataclass(frozen=True, slots=True)
class NeedThresholds:
    """The thresholds of need; chosen on people's lives, cross-validated by person.

    Attributes:
        statement: How likely a statement has to be needed.
        listed: The same where several things are asked for.
        nothing: The logit of asking for nothing remembered above which nothing is.
        overview: The logit of asking for all that is known above which it is given.
        few: Statements at most where several things are asked for.
        all: Statements at most where all that is known is asked for.
    """

    statement: float = 0.04
    listed: float = 0.015
    nothing: float = 1.5
    overview: float = 0.8
    few: int = 20
    all: int = 40

    @property
    def lifted(self) -> "NeedThresholds":
        """Thresholds that let everything in."""
        return replace(self, statement=0.0, listed=0.0, nothing=math.inf)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a turn needs.

    Attributes:
        scores: What each statement ranks by.
        shares: What each feature gave to the logit of a statement's being needed, (n,) each, in the order of ``scores``.
        wanted: The statements that are needed.
        served: Whether statements serve the turn, so that the log need not.
        at_most: Statements at most; None: as many as are given of anything.
        everything: Whether the turn asks for all that is known.
        understood: Whether a model has read the person's log for statements. Where none has, the log is nearly all there is.
    """

    scores: Mapping[UUID, float] = field(default_factory=dict)
    shares: Mapping[str, Floats] = field(default_factory=dict)
    wanted: frozenset[UUID] = frozenset()
    served: bool = False
    at_most: int | None = None
    everything: bool = False
    understood: bool = False

    def parts_of(self, statements: Collection[UUID]) -> dict[UUID, tuple[tuple[str, float], ...]]:
        """Return what counted most for or against each of these statements, which were judged."""
        if not statements:
            return {}
        names, rows = list(self.shares), {each: n for n, each in enumerate(self.scores)}
        table = np.stack(list(self.shares.values()))[:, [rows[each] for each in statements]]
        most = np.argsort(-np.abs(table), axis=0, kind="stable")[:_EXPLAINED]
        values = np.take_along_axis(table, most, axis=0)
        return {
            each: tuple((names[part], value) for part, value in zip(parts, of_it, strict=True))
            for each, parts, of_it in zip(statements, most.T.tolist(), values.T.tolist(), strict=True)
        }


NO_NEEDS = Needs()


def asks_nothing(query: RecallQuery, vector: Vector | None) -> float:
    """Return the logit that a question asks for nothing remembered; 0 if it has no vector."""
    told = relevance.intent_logits(
        EmbeddedQuestion(query.asked, query.now, query.periods, vector), relevance.shipped_model()
    )
    return float(told[INTENTS.index("nothing")])


def needs_of(
    query: RecallQuery,
    found: Sequence[RetrievedItem],
    signals: Signals,
    *,
    vector: Vector | None,
    is_read: bool,
    is_asked: bool,
    bar: NeedThresholds,
) -> Needs:
    """Return which of the found statements the turn needs.

    Args:
        query: What is asked.
        found: What was found.
        signals: What is known of each of them. Where one bears an identifier that is asked for, something remembered is
            asked for, however much the question sounds like one to anybody.
        vector: The question by the second embedder; None where there is none.
        is_read: Whether the first embedder was made for the question's script.
        is_asked: Whether the gate of the log opens; it tells what asks for nothing remembered where no vector does.
        bar: From when on something is needed.
    """
    shipped = relevance.shipped_model()
    asked = EmbeddedQuestion(query.asked, query.now, query.periods, vector)
    told = dict(zip(INTENTS, relevance.intent_logits(asked, shipped).tolist(), strict=True))
    of_person = [(each, each.item) for each in found if _is_statement(each)]
    statements = [item for _, item in of_person if isinstance(item, Memory)]
    if told["overview"] > bar.overview:
        return overview_needs(statements, query.now, bar)
    if not statements:
        return NO_NEEDS
    first = [each.cosine if is_read else None for each, _ in of_person]
    second = [each.second_cosine for each, _ in of_person]
    likely, shares = relevance.probabilities(asked, statements, _or_nan(first), _or_nan(second), shipped)
    lists = told["list"] > 0
    is_idle = told["nothing"] > bar.nothing if vector is not None else not is_asked
    scores = dict(zip((each.id for each in statements), (_SCORE * likely).tolist(), strict=True))
    understood = any(each.provenance.extractor is not None for each in statements)
    if is_idle and not signals.known("identifiers").any():
        return Needs(scores, shares, served=understood, understood=understood)
    floor = bar.listed if lists else bar.statement
    wanted = frozenset(each for each, score in scores.items() if score >= _SCORE * floor)
    served = (
        understood
        and bool(wanted)
        and not _asks_the_log(query)
        and not _log_holds_more(found, signals.known("own_matched"), wanted)
    )
    return Needs(scores, shares, wanted, served, at_most=bar.few if lists else None, understood=understood)


def overview_needs(statements: Sequence[Memory], now: datetime, bar: NeedThresholds) -> Needs:
    """Return the needs of a turn that asks for everything known: statements that are not over, the most valuable first."""
    order = in_order(statements, now)
    count = max(len(order), 1)
    return Needs(
        scores={each.id: _SCORE * (1 - n / count) for n, each in enumerate(order)},
        wanted=frozenset(each.id for each in order),
        served=True,
        at_most=bar.all,
        everything=True,
    )


def _or_nan(cosines: Sequence[float | None]) -> Floats:
    """Return cosines as an array, (n,), NaN where one is unknown."""
    return np.array([np.nan if each is None else each for each in cosines])


def _log_holds_more(found: Sequence[RetrievedItem], held: Floats, wanted: Collection[UUID]) -> bool:
    """Tell whether a passage covers much of the question that no needed statement covers."""
    of_log = [share for each, share in zip(found, held.tolist(), strict=True) if not _is_statement(each)]
    known = [share for each, share in zip(found, held.tolist(), strict=True) if each.item.id in wanted]
    return max(of_log, default=0.0) >= max(known, default=0.0) + _MUCH


def _asks_the_log(query: RecallQuery) -> bool:
    """Tell whether a question is about what was said rather than about what is so."""
    return query.asks_for_before or query.asks_about_reply or bool(query.identifiers)


def _is_statement(each: RetrievedItem) -> bool:
    return isinstance(each.item, Memory) and each.item.kind in STATEMENTS
