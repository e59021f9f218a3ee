"""Spans of days, and calendar arithmetic on them. Pure.

A day is its proleptic Gregorian ordinal (`datetime.date.toordinal`). Spans are cut at either end of the
calendar, so nothing here overflows. Weeks begin on Monday (ISO 8601).
"""

from datetime import date
from enum import IntEnum
from typing import NamedTuple

FIRST_DAY = date.min.toordinal()
LAST_DAY = date.max.toordinal()

_MONTHS = 12
_LEAP_CYCLE = 8
"""The most years between two 29ths of February: 1896 and 1904."""


class Unit(IntEnum):
    """Units of time. The numbers are those in the word tables."""

    DAY = 0
    WEEK = 1
    MONTH = 2
    QUARTER = 3
    YEAR = 4
    WEEKEND = 5


class Span(NamedTuple):
    """The days from ``start`` up to, but not including, ``end``; empty if they are not in order."""

    start: int
    end: int

    @property
    def is_empty(self) -> bool:
        """Whether it contains no day."""
        return self.start >= self.end


NOTHING = Span(0, 0)


def span(start: int, end: int) -> Span:
    """Return the span of both days' calendar part."""
    return Span(max(FIRST_DAY, min(start, LAST_DAY)), max(FIRST_DAY, min(end, LAST_DAY)))


def month_index(day: int) -> int:
    """Return how many months lie between the year 0 and the month of ``day``."""
    when = date.fromordinal(max(FIRST_DAY, min(day, LAST_DAY)))
    return when.year * _MONTHS + when.month - 1


def months(index: int, count: int = 1) -> Span:
    """Return the ``count`` months from the one with this index."""
    return span(_first_of(index), _first_of(index + count))


def year_span(year: int) -> Span:
    """Return the days of a year."""
    return months(year * _MONTHS, _MONTHS)


def day_span(year: int, month: int, day: int) -> Span:
    """Return one day, or nothing if the calendar has no such day."""
    try:
        ordinal = date(year, month, day).toordinal()
    except ValueError:
        return NOTHING
    return span(ordinal, ordinal + 1)


def unit_span(unit: int, day: int, shift: int) -> Span:
    """Return the calendar unit ``shift`` after the one that ``day`` is in."""
    monday = day - (day - 1) % 7 + 7 * shift
    index = month_index(day)
    match unit:
        case Unit.DAY:
            return span(day + shift, day + shift + 1)
        case Unit.WEEK:
            return span(monday, monday + 7)
        case Unit.WEEKEND:
            return span(monday + 5, monday + 7)
        case Unit.MONTH:
            return months(index + shift)
        case Unit.QUARTER:
            return months(index - index % 3 + 3 * shift, 3)
        case _:
            return year_span(index // _MONTHS + shift)


def moved(day: int, unit: int, count: int) -> int:
    """Return the day that lies ``count`` units after ``day``; short months end sooner."""
    if unit in {Unit.DAY, Unit.WEEK, Unit.WEEKEND}:
        return day + count * (1 if unit == Unit.DAY else 7)
    steps = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: _MONTHS}[Unit(unit)]
    index = month_index(day)
    there = months(index + count * steps)
    return max(there.start, min(there.start + day - _first_of(index), there.end - 1))


def weekday_span(weekday: int, today: int, shift: int | None) -> Span:
    """Return a weekday (Monday is 0): by ``shift`` the last (-1) or the next (1), this week's (0), or the latest not after today (None)."""
    back = (today - 1 - weekday) % 7
    if shift is None:
        start = today - back
    elif shift == 0:
        start = unit_span(Unit.WEEK, today, 0).start + weekday
    elif shift < 0:
        start = today - (back or 7) + 7 * (shift + 1)
    else:
        start = today - back + 7 * shift
    return span(start, start + 1)


def yearly(today: int, shift: int | None, month: int, day: int = 0, count: int = 1) -> Span:
    """Return the span of a yearly day, or of ``count`` yearly months (``day`` 0).

    By ``shift`` it is the last that is over (-1), the next that has not begun (1), this year's (0), or the latest that has
    begun (None).
    """
    this_year = month_index(today) // _MONTHS

    def in_year(year: int) -> Span:
        return day_span(year, month, day) if day else months(year * _MONTHS + month - 1, count)

    if shift == 0:
        return in_year(this_year)
    years = range(this_year, this_year - _LEAP_CYCLE - 1, -1)
    if shift is not None and shift > 0:
        years = range(this_year, this_year + _LEAP_CYCLE + 1)
    for year in years:
        found = in_year(year)
        if found.is_empty:
            continue
        if shift is None and found.start <= today:
            return found
        if shift is not None and (found.end <= today if shift < 0 else found.start > today):
            return found
    return NOTHING


def third(whole: Span, part: int) -> Span:
    """Return the first (0), second (1) or last (2) third of a span; a short one as it is."""
    length = whole.end - whole.start
    if length < 3:  # noqa: PLR2004 - three thirds
        return whole
    return Span(whole.start + length * part // 3, whole.start + length * (part + 1) // 3)


def _first_of(index: int) -> int:
    """Return the first day of a month."""
    year, month = divmod(index, _MONTHS)
    if year < date.min.year:
        return FIRST_DAY
    return LAST_DAY if year > date.max.year else date(year, month + 1, 1).toordinal()
