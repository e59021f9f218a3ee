"""What is known of what was found, read into parallel arrays: a memory or a message each. Pure.

Of a message that was found by several of its parts, the best stands for all. Never: what a signal counts.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from cachetools import LRUCache

from recollect.lexical import coverage
from recollect.model import Hit, Item, Memory, Passage, Role
from recollect.retrieval.candidate_signals import Floats, Places, Signals
from recollect.retrieval.candidates import Candidates
from recollect.retrieval.dates import proximity
from recollect.retrieval.query import Query
from recollect.retrieval.statements import Statement, read_statement
from recollect.retrieval.terms import TermScore

_SECONDS_A_DAY = 86_400.0
_WORD = re.compile(r"\w+")

_statements: LRUCache[tuple[UUID, int, int], Statement] = LRUCache(20_000)
"""What messages show of themselves; by ids, so that no text is kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate, with what it was found by.

    Attributes:
        item: The memory, or the part that stands for its message.
        cosine: Of its nearest part; None where none has an embedding.
        first_cosine: Of its beginning.
        score: How well its best part matches the words.
    """

    item: Item
    cosine: float | None
    first_cosine: float | None
    score: TermScore


def gather(candidates: Candidates) -> list[Found]:
    """Return what was found, each memory and each message once, in an order of its own."""
    found: dict[tuple[bool, UUID], list[tuple[Hit, TermScore]]] = {}
    for hit in candidates.hits:
        key = (isinstance(hit.item, Memory), hit.item.id)
        found.setdefault(key, []).append((hit, candidates.terms.of(hit.document)))
    return [_together(parts) for _, parts in sorted(found.items())]


def _together(parts: Sequence[tuple[Hit, TermScore]]) -> Found:
    best = max(parts, key=lambda each: ((each[0].cosine or 0.0) + each[1].bm25 / 10, each[0].document or 0))
    cosines = [hit.cosine for hit, _ in parts if hit.cosine is not None]
    firsts = [hit.first_cosine for hit, _ in parts if hit.first_cosine is not None]
    columns = [max(column) for column in zip(*(score for _, score in parts), strict=True)]
    return Found(best[0].item, max(cosines, default=None), max(firsts, default=None), TermScore(*columns))


def read_signals(query: Query, candidates: Candidates, found: Sequence[Found]) -> Signals:
    """Return what is known of ``found``, (n,) each, and of the query."""
    total = candidates.terms.idf_total
    statements = [_statement(each.item) for each in found]
    sessions = _sessions(found)
    previous, following = _neighbors(found)
    asked = set(_WORD.findall(query.asked.casefold()))
    has_words = bool(query.terms) and candidates.has_terms

    def column(read: Callable[[Found], float]) -> Floats:
        return np.array([read(each) for each in found], np.float64)

    return Signals(
        cosine=column(lambda each: _or_nan(each.cosine)) if candidates.has_vector else None,
        first_cosine=column(lambda each: _or_nan(each.first_cosine)) if candidates.has_vector else None,
        coverage=column(lambda each: coverage(each.score.bm25, total)) if has_words else None,
        own_coverage=column(lambda each: coverage(each.score.own_bm25, total)) if has_words else None,
        matched=column(lambda each: _share(each.score.matched, total)) if has_words else None,
        own_matched=column(lambda each: _share(each.score.own_matched, total)) if has_words else None,
        identifiers=column(lambda each: _identified(each.item, query)),
        role=column(lambda each: float(isinstance(each.item, Memory) or each.item.role is Role.USER)),
        speaker=column(lambda each: _is_named(each.item, asked)),
        date=column(lambda each: proximity(each.item.dated, query.periods)),
        session=sessions,
        previous=previous,
        following=following,
        self_share=np.array([each.self_share for each in statements]),
        states_taste=np.array([float(each.states_taste) for each in statements]),
        ends_asking=np.array([float(each.ends_asking) for each in statements]),
        lists=np.array([float(each.lists) for each in statements]),
        words=np.array([float(each.words) for each in statements]),
        importance=column(lambda each: each.item.importance if isinstance(each.item, Memory) else 0.0),
        age_days=column(
            lambda each: max(0.0, (query.now - each.item.dated).total_seconds() / _SECONDS_A_DAY)
        ),
        confirmed=column(
            lambda each: float(each.item.reinforcement_count) if isinstance(each.item, Memory) else 0.0
        ),
        seeks_advice=query.seeks_advice,
        asks_about_reply=query.asks_about_reply,
        names_code=bool(query.identifiers),
        terms=len(query.terms),
        idf_total=total,
    )


def _statement(item: Item) -> Statement:
    part = item.part if isinstance(item, Passage) else -1
    key = (item.id, part, hash(item.content))
    statement = _statements.get(key)
    if statement is None:
        statement = _statements[key] = read_statement(item.content)
    return statement


def _or_nan(cosine: float | None) -> float:
    return float("nan") if cosine is None else cosine


def _share(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


def _identified(item: Item, query: Query) -> float:
    """Return the share of the query's code identifiers that the item holds."""
    if not query.identifiers:
        return 0.0
    text = item.content.casefold()
    return sum(identifier in text for identifier in query.identifiers) / len(query.identifiers)


def _is_named(item: Item, asked: set[str]) -> float:
    speaker = item.speaker if isinstance(item, Passage) else None
    return float(speaker is not None and not asked.isdisjoint(_WORD.findall(speaker.casefold())))


def _sessions(found: Sequence[Found]) -> Places:
    numbers: dict[str, int] = {}
    return np.array(
        [
            -1 if (session := _session_of(each.item)) is None else numbers.setdefault(session, len(numbers))
            for each in found
        ],
        np.int64,
    )


def _session_of(item: Item) -> str | None:
    return item.session_id if isinstance(item, Passage) else item.provenance.session_id


def _neighbors(found: Sequence[Found]) -> tuple[Places, Places]:
    """Return where the messages right before and behind each stand, -1 for those that were not found."""
    places = {
        (each.item.session_id, each.item.turn_index): place
        for place, each in enumerate(found)
        if isinstance(each.item, Passage)
    }

    def beside(item: Item, step: int) -> int:
        if not isinstance(item, Passage):
            return -1
        # People who talk to each other leave the places of replies empty.
        near = (item.turn_index + step, item.turn_index + 2 * step if item.speaker else None)
        return next(
            (places[item.session_id, n] for n in near if n is not None and (item.session_id, n) in places), -1
        )

    return (
        np.array([beside(each.item, -1) for each in found], np.int64),
        np.array([beside(each.item, 1) for each in found], np.int64),
    )
