"""Finds the dates a text means. Pure.

A rule-based parser, one for all languages, with a table of words for each. A doubtful date is no date: a recall that relies on
a wrong date is worse than one that relies on none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo

from recollect.text.dates.grammar import spans_meant
from recollect.text.dates.spans import Span
from recollect.text.dates.symbols import date_symbols, may_name_date

__all__ = ["Period", "dates_meant"]

_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Period:
    """The time from ``start`` up to, without, ``end``; both have a time zone, and are in order."""

    start: datetime
    end: datetime


def dates_meant(text: str, now: datetime, *, ahead: bool = False) -> tuple[Period, ...]:
    """Return the dates that ``text`` speaks of, in order of appearance, at most five.

    A date without its year is the latest that has begun, or, if the text speaks of the future, the
    next. "03/04/2024" is both of its readings. "Before" and "after" reach a hundred years. Weeks
    begin on Monday; seasons are those of the north. Overlapping dates are one period.

    Args:
        text: Any text; only its first 2,000 characters are read.
        now: The day that "yesterday" is counted from, in the time zone of the person who wrote; without a zone, in UTC.
        ahead: Whether it is known that the text speaks of the future.
    """
    if not may_name_date(text):
        return ()
    zone = now.tzinfo or UTC
    found = spans_meant(date_symbols(text, zone), now.toordinal(), ahead=ahead)
    return tuple(_period(one, zone) for one in _merged(found)[:_LIMIT])


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans with those that overlap made one, at the place of the first of them."""
    merged: list[Span] = []
    for one in spans:
        whole, place = one, len(merged)
        for index in reversed(range(len(merged))):
            other = merged[index]
            if other.start < whole.end and whole.start < other.end:
                whole, place = Span(min(whole.start, other.start), max(whole.end, other.end)), index
                del merged[index]
        merged.insert(place, whole)
    return merged


def _period(days: Span, zone: tzinfo) -> Period:
    return Period(_midnight(days.start, zone), _midnight(days.end, zone))


def _midnight(day: int, zone: tzinfo) -> datetime:
    return datetime.combine(date.fromordinal(day), time(), zone)
