"""Finds the past statements, the changes or the open to-dos that a question asks for. Pure.

Three linear heads over the second embedder's vector of the question tell what it asks for; `bench.training.past` trained them. The
dates that the question means choose among what is found. A question that asks for none of the three gets no past statement.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from uuid import UUID

import numpy as np

from recollect.index import Memories, Snapshot
from recollect.model import Ending, Kind, Memory, Recollection
from recollect.model.local_time import wall
from recollect.recall.candidates import Floats, near_statements
from recollect.recall.needs import Needs
from recollect.recall.query import RecallQuery
from recollect.recall.question import StatementVectors
from recollect.recall.worth import is_over
from recollect.text.dates import Period

ASKED = ("past", "change", "due")
"""The subjects of questions: how it was before; a change, or its day; to-dos."""

_BAR = 0.25
"""The logit above which a question asks for it."""
_SCORE = 2.0
"""The score of what is found: that of a statement that is needed for sure."""
_GAP = 0.12
"""What is found is at most so much farther from the question than the best, by cosine."""
_MOST = 4
"""The most past statements for a question."""
_MOST_CHANGES, _FEW_CHANGES = 8, 3
"""The most changes since a time, and the most nearest and newest ones for a question without one."""
_MOST_DUE = 20
_LONG_PAST = timedelta(days=14)
"""A to-do that is overdue for longer is not due any more."""
_FORGOTTEN = timedelta(days=365)
"""A to-do without a day that was told longer ago is not due any more."""


@dataclass(frozen=True, slots=True)
class Heads:
    """The trained heads, in the order of ``ASKED``.

    Attributes:
        weights: Their weights, (3, dimensions).
        bias: Their biases, (3,).
    """

    weights: Floats
    bias: Floats


@cache
def shipped_heads() -> Heads:
    """Return the heads shipped with the package."""
    held = json.loads(files("recollect.recall").joinpath("past_model.json").read_text("utf-8"))
    return Heads(np.array(held["heads"], np.float64), np.array(held["bias"], np.float64))


def asked_for(query: RecallQuery, vectors: StatementVectors) -> str | None:
    """Return which of ``ASKED`` a question asks for; None for any other question.

    Without a vector a question that means a time before today asks for the past.
    """
    heads = shipped_heads()
    if vectors.asked is None or len(vectors.asked) != heads.weights.shape[1]:
        today = query.now.replace(hour=0, minute=0, second=0, microsecond=0)
        return "past" if any(each.end <= today for each in query.periods) else None
    logits = heads.weights @ np.asarray(vectors.asked, np.float64) + heads.bias
    best = int(logits.argmax())
    return ASKED[best] if logits[best] > _BAR and not query.has_document else None


def with_past(needs: Needs, query: RecallQuery, snapshot: Snapshot, vectors: StatementVectors) -> Needs:
    """Return a turn's needs with the past statements or the changes that it asks for, or with open to-dos alone."""
    asks = asked_for(query, vectors)
    if asks is None:
        return needs
    if asks == "due":
        found = [each for each in snapshot.memories.judged_items if is_open(each, query.now)]
        found = _in_time(found, query)
    else:
        found = _Past(snapshot, query, vectors).found(asks)
    if not found:
        return needs
    ids = frozenset(each.id for each in found)
    others = tuple(each for each in needs.statements if each.item.id not in ids)
    return replace(
        needs,
        statements=(*(Recollection(each, _SCORE) for each in found), *others),
        wanted=ids if asks == "due" or needs.everything else needs.wanted | ids,
        served=True,
        at_most=max(needs.at_most or 0, _MOST_DUE),
        everything=False,
    )


def is_open(memory: Memory, now: datetime) -> bool:
    """Return whether a to-do is still to be done: it is not long past.

    ``now`` is the time by the person's clock.
    """
    if memory.kind is not Kind.TODO or (memory.holds_until is not None and memory.holds_until < now):
        return False
    if memory.event_at is not None:
        return memory.event_at >= now - _LONG_PAST
    return memory.observed_at >= now - _FORGOTTEN


def _in_time(todos: Sequence[Memory], query: RecallQuery) -> list[Memory]:
    """Return the to-dos of the time that a question means, the next due first, those without a day last."""
    end = max((each.end for each in query.periods if each.end > query.now), default=None)
    due = [each for each in todos if each.event_at is None or end is None or each.event_at < end]
    return sorted(due, key=lambda each: (each.event_at is None, each.event_at or each.observed_at))[
        :_MOST_DUE
    ]


class _Past:
    """The past statements of a person, with their nearness to a question."""

    def __init__(self, snapshot: Snapshot, query: RecallQuery, vectors: StatementVectors) -> None:
        self._query = query
        self._current = {each.id: each for each in snapshot.memories.judged_items}
        self._past = {each.id: each for each in snapshot.past.items}
        self._near: dict[UUID, float] = {}
        for memories in (snapshot.memories, snapshot.past):
            self._near |= _cosines(memories, vectors)

    def found(self, asks: str) -> list[Memory]:
        """Return the statements for a question about the past, or about a change, best first."""
        begun = [each for each in self._query.periods if each.start < self._query.now]
        return self._changes(begun) if asks == "change" else self._earlier(begun)

    def _earlier(self, periods: Sequence[Period]) -> list[Memory]:
        """Return what held before, or in a time; where nothing is known of that time, what is nearest to the question."""
        over = [each for each in self._current.values() if is_over(each, self._query.now)]
        ended = [*self._past.values(), *over]
        then = [each for each in ended if not periods or any(_held_in(each, period) for period in periods)]
        return self._nearest(then or ended, lambda each: self._near[each.id], _MOST)

    def _changes(self, periods: Sequence[Period]) -> list[Memory]:
        """Return what changed, each statement with the one that holds since; with a time, what changed since it began."""
        changed = [each for each in self._past.values() if each.past and each.past.ending is Ending.CHANGED]
        if periods:
            since = min(each.start for each in periods)
            changed = [each for each in changed if each.past and each.past.until >= since]
            old = self._nearest(changed, self._near_of_change, _MOST_CHANGES, np.inf)
        else:  # one change, or what is new: both the nearest and the newest
            newest = sorted(changed, key=lambda each: (each.past and each.past.until, each.id), reverse=True)
            old = [
                *self._nearest(changed, self._near_of_change, _FEW_CHANGES, np.inf),
                *newest[:_FEW_CHANGES],
            ]
        pairs = [each for memory in old for each in (memory, self._heir(memory)) if each is not None]
        return list({each.id: each for each in pairs}.values())

    def _heir(self, memory: Memory) -> Memory | None:
        heir = None if memory.past is None else memory.past.heir
        return None if heir is None else self._current.get(heir) or self._past.get(heir)

    def _near_of_change(self, memory: Memory) -> float:
        heir = self._heir(memory)
        return max(self._near[memory.id], -1.0 if heir is None else self._near[heir.id])

    def _nearest(
        self, memories: Sequence[Memory], near: Callable[[Memory], float], most: int, gap: float = _GAP
    ) -> list[Memory]:
        order = sorted(memories, key=lambda each: (-near(each), each.id))[:most]
        return [each for each in order if near(each) >= near(order[0]) - gap]


def _cosines(memories: Memories, vectors: StatementVectors) -> dict[UUID, float]:
    near = np.nan_to_num(near_statements(memories, vectors.near).best, nan=-1.0).tolist()
    return dict(zip((each.id for each in memories.items), near, strict=True))


def _held_in(memory: Memory, period: Period) -> bool:
    """Return whether a statement held in a period; one that names no day of its beginning may have begun before it was told."""
    begins = memory.holds_from or memory.event_at
    until = memory.past.until if memory.past else memory.holds_until or wall(memory.observed_at)
    return until > period.start and (begins is None or begins < period.end)
