"""Finds the dates a text means. Pure.

A rule-based parser, one for all languages, with a table of words for each. A doubtful date is no date: a recall that relies on
a wrong date is worse than one that relies on none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from recollect.text.dates.grammar import beginnings, spans_meant
from recollect.text.dates.spans import Span
from recollect.text.dates.symbols import date_symbols, may_name_date

_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Period:
    """The time from ``start`` up to, without, ``end``; both have a time zone, and are in order."""

    start: datetime
    end: datetime


def dates_meant(
    text: str, now: datetime, *, ahead: bool = False, reaches: bool = False
) -> tuple[Period, ...]:
    """Return the dates that the first 2,000 characters of a text speak of, in order of appearance, at most five.

    A date without its year is the latest that has begun, or, if the text speaks of the future (``ahead``: that is known), the
    next. The dates of a list follow each other, around today if they can. "03/04/2024" is both of its readings. "Before" and
    "after" reach a hundred years; "by Friday" is the Friday, or reaches as far (``reaches``), which would take in all other
    dates. Weeks begin on Monday; seasons are those of the north. Overlapping dates are one period. "Yesterday" is counted from
    ``now`` in its zone, which is the person's; without one, in UTC.
    """
    if not may_name_date(text):
        return ()
    zone = now.tzinfo or UTC
    found = spans_meant(date_symbols(text, zone), now.toordinal(), ahead=ahead, reaches=reaches)
    midnights = (
        (datetime.combine(date.fromordinal(day), time(), zone) for day in one)
        for one in _merged(found)[:_LIMIT]
    )
    return tuple(Period(*each) for each in midnights)


def beginnings_meant(text: str, now: datetime) -> frozenset[date]:
    """Return the days from which on something holds by a text's words, such as "from 11 May"; else as `dates_meant`."""
    if not may_name_date(text):
        return frozenset()
    found = beginnings(date_symbols(text, now.tzinfo or UTC), now.toordinal())
    return frozenset(date.fromordinal(each.start) for each in found)


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
