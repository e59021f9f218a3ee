"""Decides whether a statement that something took the place of was true until then, and so is past. Pure.

A correction, a statement in dispute and a refinement leave no past. Nor does what held for less than a day: a model's "contradicts"
within a day is mostly a correction of what was just said. Of a to-do the model's kind tells how it ended: it was dropped if the
statement that ends it is a decision or another plan, else it was done.
"""

from datetime import datetime, timedelta
from uuid import UUID

from recollect.model import STATEMENTS, Candidate, Doubt, Ending, Kind, Memory, Past, Reason
from recollect.model.local_time import wall

_SHORTEST = timedelta(days=1)
_BY_CHANGE = frozenset({Reason.CONTRADICTS, Reason.ENDED})


def past_of(
    old: Memory, reason: Reason, candidate: Candidate, told_at: datetime, heir: UUID | None = None
) -> Past | None:
    """Return when and how a statement ended; None if it was not true until then, or never ended.

    Args:
        old: The statement.
        reason: Why it goes.
        candidate: The statement that ends it.
        told_at: When that was told, in the person's zone.
        heir: The memory of that statement, if it is kept.
    """
    if reason not in _BY_CHANGE or old.kind not in STATEMENTS or old.doubt is Doubt.DISPUTED:
        return None
    told = wall(told_at)
    if old.kind is Kind.TODO:
        return _past_todo(reason, candidate, told, heir)
    begins = old.holds_from or old.event_at or wall(old.observed_at, told_at.tzinfo)
    named = (candidate.holds_from, candidate.event_at)
    until = next((each for each in named if each is not None and begins < each <= told), told)
    if old.holds_until is not None:
        until = min(until, old.holds_until)
    return None if until - begins < _SHORTEST else Past(until, Ending.CHANGED, heir)


def _past_todo(reason: Reason, candidate: Candidate, told: datetime, heir: UUID | None) -> Past | None:
    if candidate.kind is Kind.TODO and reason is Reason.CONTRADICTS:
        return None  # it is put off, or planned otherwise
    if candidate.kind in {Kind.DECISION, Kind.TODO}:
        return Past(told, Ending.DROPPED, heir)
    day = candidate.event_at
    return Past(told if day is None else min(day, told), Ending.DONE, heir)
