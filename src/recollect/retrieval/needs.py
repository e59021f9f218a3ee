"""Decides which of the found statements a turn needs, and whether passages of the log are needed instead. Pure.

Statements come first; each is judged alone (`recollect.retrieval.relevance`). Passages are used if no statement serves
the turn and the gate is open.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

import numpy as np

from recollect.model import STATEMENTS, Memory, Vector
from recollect.retrieval import relevance
from recollect.retrieval.letters import LetterRuns
from recollect.retrieval.query import RecallQuery
from recollect.retrieval.relevance import INTENTS, EmbeddedQuestion, Floats, StatementColumns
from recollect.retrieval.signals import RetrievedItem, Signals
from recollect.retrieval.worth import in_order

_SCORE = 2.0
"""The score of a statement that is needed with probability 1. A passage that matches well scores about 1."""
_MUCH = 0.4
"""If a passage covers so much more of the question (by idf) than any needed statement, the statements do not serve it."""
_EXPLAINED = 6
"""The number of features, by absolute weight, that an explanation reports."""


@dataclass(frozen=True, slots=True)
class NeedThresholds:
    """The thresholds of need, chosen on the lives data set by cross-validation over persons.

    Those for a document were chosen on questions of made-up people.

    Attributes:
        statement: The least probability with which a statement is needed.
        listed: The same for a question that asks for several things.
        about_document: The same where a document is next to the question.
        own_about_document: The same if such a question also speaks of the person, as "may my son eat this?" does.
        own_share: The least share of the best statement's probability for the latter.
        nothing: The logit of the intent "nothing" above which the turn needs nothing.
        overview: The logit of the intent "overview" above which the turn gets all statements.
        overview_with_document: The same where a document is next to the question: "sum this up" asks for that one.
        few: The most statements for a question that asks for several things.
        all: The most statements for an overview.
    """

    statement: float = 0.04
    listed: float = 0.015
    about_document: float = 0.08
    own_about_document: float = 0.03
    own_share: float = 0.7
    nothing: float = 1.5
    overview: float = 0.8
    overview_with_document: float = 4.0
    few: int = 20
    all: int = 40

    @property
    def lifted(self) -> "NeedThresholds":
        """The same thresholds with nothing filtered out."""
        return replace(
            self,
            statement=0.0,
            listed=0.0,
            about_document=0.0,
            own_about_document=0.0,
            own_share=0.0,
            nothing=math.inf,
        )

    def floor(self, query: RecallQuery, likely: Floats, *, lists: bool = False) -> float:
        """Return the least of the statements' probabilities with which one is needed for a question."""
        if not query.has_document:
            return self.listed if lists else self.statement
        if not query.is_about_oneself:
            return self.about_document
        return max(self.own_about_document, self.own_share * float(likely.max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class Needs:
    """The statements that a turn needs.

    Attributes:
        scores: The score of each judged statement, by its id.
        shares: The contribution of each feature to a statement's logit, (n,) each, in the order of ``scores``.
        wanted: The ids of the needed statements.
        served: Whether statements serve the turn, so that no passages are needed.
        at_most: The most statements for this turn; None: the limit for any turn.
        everything: Whether the turn asks for an overview.
        understood: Whether a model extracted any of the statements. If none did, the log holds nearly everything.
    """

    scores: Mapping[UUID, float] = field(default_factory=dict)
    shares: Mapping[str, Floats] = field(default_factory=dict)
    wanted: frozenset[UUID] = frozenset()
    served: bool = False
    at_most: int | None = None
    everything: bool = False
    understood: bool = False

    def parts_of(self, statements: Collection[UUID]) -> dict[UUID, tuple[tuple[str, float], ...]]:
        """Return the features that counted most for or against each of these judged statements, largest first."""
        if not statements or not self.shares:  # who asks for all there is has nothing weighed
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
    """Return the logit of the intent "nothing"; 0 if the question has no vector by the second embedder."""
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
        query: The query.
        found: The candidates.
        signals: Their signals. If a candidate holds an identifier of the question, the intent "nothing" is ignored.
        vector: The question's vector by the second embedder; None without one.
        is_read: Whether the first embedder supports the question's script.
        is_asked: Whether the gate of the log is open; without ``vector`` it replaces the intent "nothing".
        bar: The thresholds.
    """
    shipped = relevance.shipped_model()
    asked = EmbeddedQuestion(query.asked, query.now, query.periods, vector)
    told = dict(zip(INTENTS, relevance.intent_logits(asked, shipped).tolist(), strict=True))
    of_person = [(each, each.item) for each in found if _is_statement(each)]
    statements = [item for _, item in of_person if isinstance(item, Memory)]
    if told["overview"] > (bar.overview_with_document if query.has_document else bar.overview):
        return overview_needs(statements, query.now, bar)
    if not statements:
        return NO_NEEDS
    first = [each.cosine if is_read else None for each, _ in of_person]
    second = [each.second_cosine for each, _ in of_person]
    likely, shares = _probabilities(asked, statements, first, second)
    lists = told["list"] > 0
    is_idle = told["nothing"] > bar.nothing if vector is not None else not is_asked
    scores = dict(zip((each.id for each in statements), (_SCORE * likely).tolist(), strict=True))
    understood = any(each.provenance.extractor is not None for each in statements)
    if is_idle and not signals.known("identifiers").any():
        return Needs(scores, shares, served=understood, understood=understood)
    floor = bar.floor(query, likely, lists=lists)
    wanted = frozenset(each for each, score in scores.items() if score >= _SCORE * floor)
    served = (
        understood
        and bool(wanted)
        and not _asks_the_log(query)
        and not _log_holds_more(found, signals.known("own_matched"), wanted)
    )
    return Needs(scores, shares, wanted, served, at_most=bar.few if lists else None, understood=understood)


def needs_with(
    needs: Needs,
    query: RecallQuery,
    found: Sequence[RetrievedItem],
    entries: Sequence[tuple[Memory, float | None]],
    *,
    vector: Vector | None,
    bar: NeedThresholds,
) -> Needs:
    """Return the needs of a turn with further statements, which its search does not know, judged among those it found.

    Args:
        needs: The needs of the candidates.
        query: The query.
        found: The candidates.
        entries: The further statements, each with its cosine to the question by the second embedder.
        vector: The question's vector by the second embedder; None without one.
        bar: The thresholds.
    """
    asked = EmbeddedQuestion(query.asked, query.now, query.periods, vector)
    shipped = relevance.shipped_model()
    if needs.everything or relevance.intent_logits(asked, shipped)[INTENTS.index("nothing")] > bar.nothing:
        return needs
    known = [(each.item, each) for each in found if _is_statement(each) and isinstance(each.item, Memory)]
    statements = [*(item for item, _ in known), *(entry for entry, _ in entries)]
    first = [*(each.cosine for _, each in known), *(None for _ in entries)]
    second = [*(each.second_cosine for _, each in known), *(cosine for _, cosine in entries)]
    likely, _ = _probabilities(asked, statements, first, second)
    judged = zip((each.id for each, _ in entries), likely[len(known) :].tolist(), strict=True)
    scores = {each: _SCORE * probability for each, probability in judged}
    wanted = frozenset(each for each, score in scores.items() if score >= _SCORE * bar.floor(query, likely))
    blank = np.zeros(len(scores))
    return replace(
        needs,
        scores={**needs.scores, **scores},
        shares={name: np.append(values, blank) for name, values in needs.shares.items()},
        wanted=needs.wanted | wanted,
    )


def overview_needs(statements: Sequence[Memory], now: datetime, bar: NeedThresholds) -> Needs:
    """Return the needs of a turn that asks for an overview: all statements that have not ended, in the order of `worth`."""
    order = in_order(statements, now)
    count = max(len(order), 1)
    return Needs(
        scores={each.id: _SCORE * (1 - n / count) for n, each in enumerate(order)},
        wanted=frozenset(each.id for each in order),
        served=True,
        at_most=bar.all,
        everything=True,
    )


def _probabilities(
    asked: EmbeddedQuestion,
    statements: Sequence[Memory],
    first: Sequence[float | None],
    second: Sequence[float | None],
) -> tuple[Floats, dict[str, Floats]]:
    """Return the probability that each statement is needed, (n,), and each feature's contribution, by their cosines."""
    return relevance.probabilities(
        asked,
        StatementColumns.of(statements),
        _or_nan(second),
        LetterRuns.of([each.content for each in statements]).shared(asked.text),
        relevance.shipped_model(),
        first=_or_nan(first),
    )


def _or_nan(cosines: Sequence[float | None]) -> Floats:
    """Return cosines as an array, (n,); an unknown one is NaN."""
    return np.array([np.nan if each is None else each for each in cosines])


def _log_holds_more(found: Sequence[RetrievedItem], held: Floats, wanted: Collection[UUID]) -> bool:
    """Return whether a passage covers much more of the question than any needed statement."""
    of_log = [share for each, share in zip(found, held.tolist(), strict=True) if not _is_statement(each)]
    known = [share for each, share in zip(found, held.tolist(), strict=True) if each.item.id in wanted]
    return max(of_log, default=0.0) >= max(known, default=0.0) + _MUCH


def _asks_the_log(query: RecallQuery) -> bool:
    """Return whether a question is about the words of chats, rather than about facts."""
    return query.asks_for_before or query.asks_about_reply or bool(query.identifiers)


def _is_statement(each: RetrievedItem) -> bool:
    return isinstance(each.item, Memory) and each.item.kind in STATEMENTS
