"""Decides when statements happen, and when they end. Pure.

A model's date stands wherever the words do not contradict it: a model reads "on Thursday" or "8 weeks from yesterday" better
than a parser. Two errors can be recognized: a year out of the model's training, and a to-do dated in the past year.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from recollect.model import STATEMENTS, Candidate, Doubt, Ending, Kind, Memory, Past, Reason
from recollect.model.local_time import wall
from recollect.text.dates.date_finder import dates_meant

_DAY = timedelta(days=1)
"""Time zones differ by a day at most."""

_NEAR = timedelta(days=366)
"""A date nearer than this to the day of the telling is of the right year."""

_ELSEWHEN = timedelta(days=1_000)
"""Read as if said so much earlier, only a date with its year stays, and only one without it keeps month and day."""


def with_checked_date(candidate: Candidate, said_at: datetime) -> Candidate:
    """Return a candidate, its date put right where its evidence names one day and speaks against it.

    A to-do without a year in the past gets the next such day. A date more than a year away from the telling and from the
    day in the words gets that day; without a year, the nearest such day.
    """
    dated = candidate.event_at
    days = [] if dated is None else _days_named(candidate.evidence, said_at)
    if dated is None or not days:
        return candidate
    is_next = candidate.kind is Kind.TODO and len(days) > 1
    ahead = [day for day in days if day >= said_at - _DAY] if is_next else days
    if any(abs(dated - day) <= _DAY for day in days if day not in ahead):
        return replace(candidate, event_at=min(ahead))
    if abs(dated - said_at) <= _NEAR or any(abs(dated - day) <= _DAY for day in ahead):
        return candidate
    return replace(candidate, event_at=min(ahead, key=lambda day: abs(day - said_at)))


def with_written_date(candidate: Candidate, said_at: datetime) -> Candidate:
    """Return what no model extracted, with the date that its evidence writes out with its year, if it is one."""
    days = _days_named(candidate.evidence, said_at)
    is_full = len(days) == 1 and days == _days_named(candidate.evidence, said_at - _ELSEWHEN)
    return replace(candidate, event_at=days[0]) if is_full else candidate


def _days_named(evidence: str, said_at: datetime) -> list[datetime]:
    """Return the one day that a quote names; without a year, that day in each near year; no day if it names none or several."""
    day, earlier = _only_day(evidence, said_at), _only_day(evidence, said_at - _ELSEWHEN)
    if day is None or earlier is None or day == earlier:
        return [] if day is None else [day]
    if (day.month, day.day) != (earlier.month, earlier.day):
        return [day]  # yesterday, on Monday
    if (day.month, day.day) == (2, 29):  # most years have no such day
        return [day]
    return [day.replace(year=said_at.year + years) for years in (-1, 0, 1)]


def _only_day(evidence: str, said_at: datetime) -> datetime | None:
    periods = dates_meant(evidence, said_at)
    is_day = len(periods) == 1 and periods[0].end - periods[0].start <= _DAY + timedelta(hours=1)
    return periods[0].start if is_day else None


_SHORTEST = timedelta(days=1)
_BY_CHANGE = frozenset({Reason.CONTRADICTS, Reason.ENDED})


def past_of(
    old: Memory, reason: Reason, candidate: Candidate, told_at: datetime, heir: UUID | None = None
) -> Past | None:
    """Return when and how a statement ended; None if it was not true until then, or never ended.

    ``candidate`` ends it; ``told_at`` is the time of its telling, in the person's zone, and ``heir`` its memory, if it is kept.
    """
    if reason not in _BY_CHANGE or old.kind not in STATEMENTS or old.doubt is Doubt.DISPUTED:
        return None
    local = wall(told_at)
    if old.kind is Kind.TODO:
        return _past_todo(old, reason, candidate, local, heir)
    begins = old.holds_from or old.event_at or wall(old.observed_at, told_at.tzinfo)
    named = (candidate.holds_from, candidate.event_at)
    until = next((each for each in named if each is not None and begins < each <= local), local)
    if old.holds_until is not None:
        until = min(until, old.holds_until)
    # Within a day "contradicts" mostly corrects a slip, and is no change.
    return None if until - begins < _SHORTEST else Past(until, Ending.CHANGED, heir)


def _past_todo(
    old: Memory, reason: Reason, candidate: Candidate, told: datetime, heir: UUID | None
) -> Past | None:
    days = (old.event_at, candidate.event_at)
    # A statement about the future changes a plan whose day is still to come. The kind that the model names does not matter.
    is_plan = candidate.kind is Kind.TODO or all(day is not None and day > told for day in days)
    if is_plan and reason is Reason.CONTRADICTS:
        return None  # it is put off, or planned otherwise
    if is_plan or candidate.kind is Kind.DECISION:
        return Past(told, Ending.DROPPED, heir)
    # Any other statement that ends a to-do tells that it was done.
    day = candidate.event_at
    return Past(told if day is None else min(day, told), Ending.DONE, heir)
