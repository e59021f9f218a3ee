"""Finds the past statements, the changes or the open to-dos that a question asks for. Pure.

Three heads over the question's vector recognize its subject; `bench.training.heads` trained them. The dates in the question choose among the statements found. A question that asks for none of the three gets no past statement.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.index import KIND_CODES, Memories, Nearness, Snapshot
from recollect.model import Ending, Kind, Memory, Recollection
from recollect.model.local_time import wall
from recollect.recall.candidates import Floats, near_statements
from recollect.recall.common_names import SHARES_NAME
from recollect.recall.needed_statements import Intents, Needs, is_over
from recollect.recall.question import RecallQuery, StatementVectors
from recollect.recall.relevance_model import (
    EmbeddedQuestion,
    Statements,
    judge,
    shipped_logits,
    shipped_model,
)
from recollect.text.dates.date_finder import Period, dates_of_both

ASKED = ("past", "change", "due")
"""The subjects of questions: an earlier state, a change or its day, to-dos."""

_BAR = 0.5
"""The logit above which a question has a subject."""
_OF_OTHERS = 1.0
"""The logit of the intent "nothing" above which a question is not about the person, as that for the climate's change is not."""
# Chosen, like `_SURE`, on sixty questions in ten languages and on near misses; lowered with the trained weights, by the tests'
# questions alone.
_LIKELY = 0.06
"""The least probability of relevance of the best past statement."""
_SURE = 0.55
"""The same from which on the log is not searched."""
_YEAR = timedelta(days=366)
"""The longest period whose statements are given whatever their relevance."""
_SURE_DUE = 3.0
"""The logit above which a question asks for to-dos alone, but for statements that are likely anyway."""
_LIKELY_ANYWAY = 0.3
"""The least probability with which a statement is needed although a question seems to ask for to-dos alone: "und welchen habe ich?" does not."""
_SCORE = 2.0
"""The score of a statement found: the highest."""
_GAP = 0.12
"""The largest distance of a statement from the best one, by their cosines to the question."""
_MOST = 4
"""The most past statements for a question."""
_MOST_CHANGES, _FEW_CHANGES = 8, 3
"""The most changes since a time, and the most nearest and newest ones for a question without one."""
_MOST_DUE = 20  # a person who asks for to-dos wants the whole list
_LONG_PAST = timedelta(days=14)
"""A to-do that is overdue for longer is not due any more."""
_FORGOTTEN = timedelta(days=365)
"""A to-do without a day is due no longer than this after it was mentioned."""


def asked_for(query: RecallQuery, vectors: StatementVectors) -> str | None:
    """Return which of ``ASKED`` a question asks for; None for any other question, and without a vector."""
    best, logit = _likeliest_subject(vectors)
    return ASKED[best] if logit > _BAR and not query.has_document else None


def with_past(
    needs: Needs,
    query: RecallQuery,
    snapshot: Snapshot,
    vectors: StatementVectors,
    near: Nearness,
    intents: Intents,
) -> Needs:
    """Return a turn's needs with the past statements, the changes or the open to-dos that it asks for.

    Args:
        needs: The statements that the turn needs else.
        query: The question.
        snapshot: The person's memory.
        vectors: The question's vectors.
        near: The cosines of the current memories to it.
        intents: Its intents.
    """
    needs = _with_done(needs, snapshot, vectors, near)
    asks, logit = asked_for(query, vectors), _likeliest_subject(vectors)[1]
    # Languages that leave out "I" sound general, so that a likelier subject wins over "nothing".
    if asks is None or (asks != "due" and intents.nothing > max(_OF_OTHERS, logit)):
        return needs
    if asks == "due":
        found = _due(snapshot.memories, query)
        # Without a to-do, "what do I have on next week?" asks for an appointment.
        is_sure = logit > _SURE_DUE and bool(found)
    else:
        found, is_sure = _Past(snapshot, query, vectors, near).found(asks)
    if not found and (asks != "due" or needs.everything):
        return needs
    ids = frozenset(each.id for each in found)
    others = tuple(each for each in needs.statements if each.item.id not in ids)
    wanted = needs.wanted
    if asks == "due":  # a to-do that is not open is not due, whatever its words are near to
        wanted -= {
            each.item.id for each in others if isinstance(each.item, Memory) and each.item.kind is Kind.TODO
        }
        if is_sure:
            likely = (each for each in others if each.score >= _SCORE * _LIKELY_ANYWAY)
            wanted &= {each.item.id for each in likely if each.parts != SHARES_NAME}
    return replace(
        needs,
        statements=(*(Recollection(each, _SCORE) for each in found), *others),
        wanted=ids if needs.everything else wanted | ids,
        served=is_sure or needs.served,
        at_most=max(needs.at_most or 0, _MOST_DUE) if asks == "due" else needs.at_most,
        everything=False,
    )


def _with_done(needs: Needs, snapshot: Snapshot, vectors: StatementVectors, near: Nearness) -> Needs:
    """Return needs with the to-dos that one of their statements calls done, as far as the question is nearer to the to-do."""
    memories, past = snapshot.memories, snapshot.past
    scores = {each.item.id: each.score for each in needs.statements if each.item.id in needs.wanted}
    todos = [
        (row, each, each.past.heir)
        for row, each in enumerate(past.judged_items)
        if each.past is not None and each.past.ending is Ending.DONE and each.past.heir in scores
    ]
    if not todos or needs.everything:
        return needs
    places = {each.id: row for row, each in enumerate(memories.judged_items)}
    of_todos, of_heirs = near_statements(past, vectors.near).best[past.judged], near.best[memories.judged]
    # "Which optician had my glasses?" is not answered by "has got the glasses", but by the to-do before it (decision 0099).
    done = [
        Recollection(each, math.nextafter(scores[heir], 0.0))  # right behind the heir
        for row, each, heir in todos
        if of_todos[row] >= of_heirs[places[heir]]
    ]
    ids = needs.wanted.union(each.item.id for each in done)
    return replace(needs, statements=(*needs.statements, *done), wanted=ids)


def _likeliest_subject(vectors: StatementVectors) -> tuple[int, float]:
    """Return the subject with the largest logit, and that; without a vector none is likely."""
    logits = shipped_logits("past_heads", vectors.asked)
    if logits is None:
        return 0, -np.inf
    best = int(logits.argmax())
    return best, float(logits[best])


def is_open(memory: Memory, now: datetime) -> bool:
    """Return whether a to-do is still to be done: it is not long past.

    ``now`` is the time by the person's clock.
    """
    if memory.kind is not Kind.TODO or (memory.holds_until is not None and memory.holds_until < now):
        return False
    if memory.event_at is not None:
        return memory.event_at >= now - _LONG_PAST
    return memory.observed_at >= now - _FORGOTTEN


def _due(memories: Memories, query: RecallQuery) -> list[Memory]:
    """Return the open to-dos of the time that a question means, the next due first, those without a day last.

    A question about a time gets the to-dos of that time, and the overdue ones unless it means only the past. A to-do without
    a day counts as one of today.
    """
    rows = np.flatnonzero(memories.table.kind == KIND_CODES[Kind.TODO]).tolist()
    todos = [each for row in rows if is_open(each := memories.judged_items[row], query.now)]
    if query.periods:
        named, coming = dates_of_both(query.asked, query.now, reaches=True)
        periods = (*named, *coming)
        today = query.now.replace(hour=0, minute=0, second=0, microsecond=0)
        overdue = None if all(each.end <= today for each in periods) else today
        todos = [each for each in todos if _is_of(each.event_at or query.now, periods, overdue)]
    order = sorted(todos, key=lambda each: (each.event_at is None, each.event_at or each.observed_at))
    return order[:_MOST_DUE]


def _is_of(day: datetime, periods: Sequence[Period], overdue_before: datetime | None) -> bool:
    is_overdue = overdue_before is not None and day < overdue_before
    return is_overdue or any(each.start <= day < each.end for each in periods)


class _Past:
    """The past statements of a person and the current ones that are over, with their nearness to a question."""

    def __init__(
        self, snapshot: Snapshot, query: RecallQuery, vectors: StatementVectors, near: Nearness
    ) -> None:
        memories, past = snapshot.memories, snapshot.past
        self._query, self._memories = query, memories
        self._near_current: Floats = np.nan_to_num(near.best[memories.judged], nan=-1.0)
        of_past = near_statements(past, vectors.near)
        over = _over(memories, query.now)
        self._ended = [*past.judged_items, *(memories.judged_items[row] for row in over.tolist())]
        rows = memories.judged[over]
        first, best = (
            np.append(own[past.judged], current[rows])
            for own, current in ((of_past.first, near.first), (of_past.best, near.best))
        )
        letters = np.append(past.letters.shared(query.asked), memories.letters.shared(query.asked)[over])
        self._statements = Statements(past.table.joined(memories.table.taken(over)), first, best, letters)
        self._asked = EmbeddedQuestion(query.asked, query.now, query.periods, vectors.asked, is_personal=True)
        self._rows = {each.id: row for row, each in enumerate(self._ended)}
        self._near: list[float] = np.nan_to_num(best, nan=-1.0).tolist()

    def found(self, asks: str) -> tuple[list[Memory], bool]:
        """Return the statements for a question about the past, or about a change, best first, and whether they surely serve it."""
        begun = [each for each in self._query.periods if each.start < self._query.now]
        found = self._changes(begun) if asks == "change" else self._earlier(begun)
        named = [each for each in begun if each.end - each.start <= _YEAR]  # "before the summer" names none
        chosen = asks == "change" or any(
            _held_in(each, period, self._query.zone) for each in found for period in named
        )
        table, *columns = self._statements
        rows = np.array([self._rows[each.id] for each in found if each.id in self._rows], np.intp)
        statements = Statements(table.taken(rows), *(each[rows] for each in columns))
        likely = judge(self._asked, statements, shipped_model()).likely.max(initial=0.0)
        return (found, bool(likely >= _SURE)) if likely >= _LIKELY or chosen else ([], False)

    def _earlier(self, periods: Sequence[Period]) -> list[Memory]:
        """Return the statements that held in a period, else those that ended, the nearest by themselves or their successors first."""
        zone = self._query.zone
        then = [each for each in self._ended if any(_held_in(each, period, zone) for period in periods)]
        return self._nearest(then or self._ended, self._near_of_change, _MOST)

    def _changes(self, periods: Sequence[Period]) -> list[Memory]:
        """Return what changed, each statement with the one that holds since; with a time, what changed since it began."""
        changed = [each for each in self._ended if each.past and each.past.ending is Ending.CHANGED]
        if periods:
            since = min(each.start for each in periods)
            changed = [each for each in changed if each.past and each.past.until >= since]
            # A question for news names none of them, so no distance leaves one out.
            old = self._nearest(changed, self._near_of_change, _MOST_CHANGES, np.inf)
        else:  # one change, or news: the nearest and the newest
            newest = sorted(changed, key=lambda each: (each.past and each.past.until, each.id), reverse=True)
            old = [
                *self._nearest(changed, self._near_of_change, _FEW_CHANGES, np.inf),
                *newest[:_FEW_CHANGES],
            ]
        pairs = [each for memory in old for each in (memory, self._heir(memory)) if each is not None]
        return list({each.id: each for each in pairs}.values())

    def _heir(self, memory: Memory) -> Memory | None:
        heir = None if memory.past is None else memory.past.heir
        if heir is None:
            return None
        place = self._place(heir)
        if place is not None:
            return self._memories.judged_items[place]
        row = self._rows.get(heir)
        return None if row is None else self._ended[row]

    def _place(self, id_: UUID) -> int | None:
        """Return the place of a current statement, which are in the order of their ids."""
        items = self._memories.judged_items
        place = bisect_left(items, id_, key=lambda each: each.id)
        return place if place < len(items) and items[place].id == id_ else None

    def _near_of_change(self, memory: Memory) -> float:
        near, heir = self._near[self._rows[memory.id]], self._heir(memory)
        place = None if heir is None else self._place(heir.id)
        if place is not None:
            return max(near, float(self._near_current[place]))
        return near if heir is None else max(near, self._near[self._rows[heir.id]])

    def _nearest(
        self, memories: Sequence[Memory], near: Callable[[Memory], float], most: int, gap: float = _GAP
    ) -> list[Memory]:
        order = sorted(memories, key=lambda each: (-near(each), each.id))[:most]
        return [each for each in order if near(each) >= near(order[0]) - gap]


def _over(memories: Memories, now: datetime) -> NDArray[np.intp]:
    """Return the places of the current statements that are over."""
    table, moment = memories.table, now.timestamp()
    may_be = (table.holds_until < moment) | (table.event < moment)
    return np.array(
        [row for row in np.flatnonzero(may_be).tolist() if is_over(memories.judged_items[row], now)], np.intp
    )


def _held_in(memory: Memory, period: Period, zone: tzinfo | None) -> bool:
    """Return whether a statement held in a period; without a day of its beginning it may have begun at any time before."""
    begins = memory.holds_from or memory.event_at
    until = memory.past.until if memory.past else memory.holds_until or wall(memory.observed_at, zone)
    return until > period.start and (begins is None or begins < period.end)
