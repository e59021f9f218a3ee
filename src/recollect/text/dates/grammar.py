"""Which symbols, one after the other, make a date, and what days each kind of date is. Pure.

The symbols' kinds are written as one string, and the rules are regular expressions over it, tried in order where each
begins: first those that make single dates, then, with each of those written as ``@``, those that join dates.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from recollect.text.dates.spans import (
    Span,
    Unit,
    day_span,
    month_index,
    months,
    moved,
    span,
    third,
    unit_span,
    weekday_span,
    year_span,
    yearly,
)
from recollect.text.dates.symbols import Symbol
from recollect.text.patterns import Pattern, bounded

_MONTHS = 12
_OPEN_YEARS = 100
"""How far "before" and "after" reach."""

Found: TypeAlias = Mapping[str, Symbol]
"""The first symbol of each kind that a rule took; under the names below, the last of a kind."""

LAST_DATE = "last date"
LAST_DAY_NUMBER = "last day number"


@dataclass(frozen=True)
class Frame:
    """The reference point of relative dates.

    Attributes:
        today: The day it is.
        is_future: Whether the text speaks of what is to come.
    """

    today: int
    is_future: bool

    @property
    def shift(self) -> int | None:
        """Which year a date without one gets: the next, or the latest that has begun."""
        return 1 if self.is_future else None


Spans: TypeAlias = tuple[Span, ...]
Rule: TypeAlias = Callable[[Found, Frame], Spans]


def _either(found: Found, kinds: str) -> Symbol:
    return next((found[kind] for kind in kinds if kind in found), Symbol("x"))


def digits(found: Found, _: Frame) -> Spans:
    """Read a date in digits."""
    return found["X"].spans


def relative_day(found: Found, frame: Frame) -> Spans:
    """Read "yesterday"."""
    return (unit_span(Unit.DAY, frame.today, found["D"].number),)


def day_of_month(found: Found, frame: Frame) -> Spans:
    """Read "15 March", with its year or without."""
    which, day = _either(found, "Mmn").number, _either(found, "OdN").number
    if "Y" in found:
        return (day_span(found["Y"].number, which, day),)
    return (yearly(frame.today, frame.shift, which, day),) if day else ()


def days_of_month(found: Found, frame: Frame) -> Spans:
    """Read a few days of one month ("3 to 5 May")."""
    month, first, last = (
        _either(found, "Mm").number,
        _either(found, "Od").number,
        found[LAST_DAY_NUMBER].number,
    )
    if "Y" in found:
        start, end = (day_span(found["Y"].number, month, day) for day in (first, last))
    else:
        end = yearly(frame.today, frame.shift, month, last)
        start = day_span(month_index(end.start) // _MONTHS, month, first)
    return () if start.is_empty or end.is_empty else (Span(start.start, end.end),)


def month(found: Found, frame: Frame) -> Spans:
    """Read "March", "March 2024", "last March"."""
    month = _either(found, "Mmn").number
    if "Y" in found:
        return (months(found["Y"].number * _MONTHS + month - 1),)
    if "L" not in found:
        return (yearly(frame.today, frame.shift, month),)
    if "n" in found and found["L"].number == 0:
        return ()  # "this may", "this march"
    return (yearly(frame.today, found["L"].number, month),)


def short_date(found: Found, frame: Frame) -> Spans:
    """Read "15.3." or "3月15日", which have no year."""
    short = _either(found, "CK")
    return (
        (yearly(frame.today, frame.shift, short.number, short.second),)
        if short.number in range(1, 13)
        else ()
    )


def season(found: Found, frame: Frame) -> Spans:
    """Read a season of the northern half of the earth: three months, spring from March."""
    month = 3 * _either(found, "Ss").number
    if "Y" in found:
        return (months(found["Y"].number * _MONTHS + month - 1, 3),)
    shift = found["L"].number if "L" in found else frame.shift
    return (yearly(frame.today, shift, month, count=3),)


def of_year(found: Found, frame: Frame) -> Spans:
    """Read a day, a month or a season of last, this or next year; of another unit, the unit."""
    unit, shift = _relative_unit_of(found)
    whole = unit_span(unit, frame.today, shift)
    if unit != Unit.YEAR or whole.is_empty:
        return (whole,)
    year = month_index(whole.start) // _MONTHS
    if "S" in found or "s" in found:
        return (months(year * _MONTHS + 3 * _either(found, "Ss").number - 1, 3),)
    month = _either(found, "MmK")
    day = month.second if month.kind == "K" else _either(found, "Od").number
    return (day_span(year, month.number, day) if day else months(year * _MONTHS + month.number - 1),)


def quarter(found: Found, frame: Frame) -> Spans:
    """Read "Q1 2024"."""
    month = 3 * found["q"].number - 2
    if "Y" in found:
        return (months(found["Y"].number * _MONTHS + month - 1, 3),)
    return (yearly(frame.today, frame.shift, month, count=3),)


def feast(found: Found, frame: Frame) -> Spans:
    """Read "Christmas", a feast with a fixed date."""
    month, day = found["H"].number, found["H"].second
    if "Y" in found:
        return (day_span(found["Y"].number, month, day),)
    shift = found["L"].number if "L" in found else frame.shift
    return (yearly(frame.today, shift, month, day),)


def year(found: Found, _: Frame) -> Spans:
    """Read "2024"."""
    return (year_span(found["Y"].number),)


def weekday(found: Found, frame: Frame) -> Spans:
    """Read "Monday", "last Monday"."""
    shift = found["L"].number if "L" in found else frame.shift
    return (weekday_span(_either(found, "Ww").number, frame.today, shift),)


def weekday_of_week(found: Found, frame: Frame) -> Spans:
    """Read "Monday last week"."""
    unit, shift = _relative_unit_of(found)
    if unit != Unit.WEEK:
        return (unit_span(unit, frame.today, shift),)
    monday = unit_span(unit, frame.today, shift).start
    return (unit_span(Unit.DAY, monday, found["W"].number),)


def weekday_of_shifted_week(found: Found, frame: Frame) -> Spans:
    """Read "上周五", last week's Friday."""
    monday = unit_span(Unit.WEEK, frame.today, found["v"].second).start
    return (unit_span(Unit.DAY, monday, found["v"].number),)


def _relative_unit_of(found: Found) -> tuple[int, int]:
    if "R" in found:
        return found["R"].number, found["R"].second
    return found["U"].number, found["L"].number


def relative_unit(found: Found, frame: Frame) -> Spans:
    """Read "last week"."""
    unit, shift = _relative_unit_of(found)
    return () if unit == Unit.DAY else (unit_span(unit, frame.today, shift),)


def stretch(found: Found, frame: Frame) -> Spans:
    """Read so many units that end, or begin, with today."""
    number = _either(found, "NdaP")
    count = max(abs(number.number), number.second)
    unit = found["U"].number
    if "L" in found and found["L"].number > 0:
        return (span(frame.today, moved(frame.today, unit, count) + 1),)
    return (span(moved(frame.today, unit, -count), frame.today + 1),)


def ago(found: Found, frame: Frame) -> Spans:
    """Read "two weeks ago"."""
    return _away(found, frame.today, -1)


def later(found: Found, frame: Frame) -> Spans:
    """Read "in two weeks"."""
    if "I" in found and _either(found, "Nd").number == 1:
        return ()  # "how many hours are in one day"
    return _away(found, frame.today, 1)


def _away(found: Found, day: int, direction: int) -> Spans:
    """Return the unit, or the few units, at this distance from ``day``."""
    number, unit = _either(found, "Nda"), found["U"].number
    counts = (number.number, max(number.number, number.second))
    ends = [
        unit_span(unit, day_there, 0)
        for count in counts
        for day_there in [moved(day, unit, direction * count)]
    ]
    return (Span(min(end.start for end in ends), max(end.end for end in ends)),)


def from_date(found: Found, _: Frame) -> Spans:
    """Read "two weeks before" or "after" a date."""
    is_after = ">" in found
    return tuple(
        away
        for date in found["@"].spans
        for away in _away(found, date.end - 1 if is_after else date.start, 1 if is_after else -1)
    )


def stretch_between(found: Found, _: Frame) -> Spans:
    """Read from one date to another; dates that are not in order are two."""
    firsts, lasts = found["@"].spans, found[LAST_DATE].spans
    whole = tuple(Span(first.start, last.end) for first, last in zip(firsts, lasts, strict=False))
    return whole if all(one.start < one.end for one in whole) else firsts + lasts


def unit_of_date(found: Found, _: Frame) -> Spans:
    """Read "the week of" a date."""
    unit = found["U"].number
    return tuple(
        around if around.end - around.start > date.end - date.start else date
        for date in found["@"].spans
        for around in [unit_span(unit, date.start, 0)]
    )


def part(found: Found, _: Frame) -> Spans:
    """Read "early", "mid" or "late" in a date."""
    return tuple(third(date, found["Q"].number) for date in found["@"].spans)


def before(found: Found, _: Frame) -> Spans:
    """Read "before" a date."""
    return tuple(span(moved(date.start, Unit.YEAR, -_OPEN_YEARS), date.start) for date in found["@"].spans)


def until(found: Found, _: Frame) -> Spans:
    """Read "until" a date."""
    return tuple(span(moved(date.start, Unit.YEAR, -_OPEN_YEARS), date.end) for date in found["@"].spans)


def after(found: Found, _: Frame) -> Spans:
    """Read "after" a date."""
    return tuple(span(date.end, moved(date.end, Unit.YEAR, _OPEN_YEARS)) for date in found["@"].spans)


def since(found: Found, frame: Frame) -> Spans:
    """Read "since" a date: up to today, if it has begun."""
    return tuple(
        span(date.start, frame.today + 1)
        if date.start <= frame.today
        else span(date.start, moved(date.start, Unit.YEAR, _OPEN_YEARS))
        for date in found["@"].spans
    )


def date(found: Found, _: Frame) -> Spans:
    """Read a date as it is."""
    return found["@"].spans


_NOTHING = Symbol("x")
_SILENT = "xc.,T&AZi+-"
"""The kinds that begin no date: most words, left out at once."""


def spans_meant(symbols: Sequence[Symbol], today: int) -> list[Span]:
    """Return the dates that the symbols make, in order of appearance."""
    frame = Frame(today, any(symbol.kind == "+" for symbol in symbols))
    dated = _reduced(symbols, _SINGLE, _SINGLE_RULES, frame)
    joined = _reduced(dated, _JOINED, _JOINED_RULES, frame)
    return [reading for symbol in joined if symbol.kind == "@" for reading in symbol.spans]


def _reduced(
    symbols: Sequence[Symbol], pattern: Pattern, rules: Mapping[str, Rule], frame: Frame
) -> list[Symbol]:
    """Return the symbols with those that a rule makes dates of replaced by ``@``."""
    kinds = "".join(symbol.kind for symbol in symbols)
    reduced: list[Symbol] = []
    end = 0
    for match in pattern.finditer(kinds):
        taken = symbols[match.start() : match.end()]
        found = {symbol.kind: symbol for symbol in reversed(taken)}
        last = {symbol.kind: symbol for symbol in taken}
        found[LAST_DATE] = last.get("@", _NOTHING)
        found[LAST_DAY_NUMBER] = last.get("d") or last.get("O") or _NOTHING
        readings = rules[match.lastgroup or ""](found, frame)
        spans = tuple(reading for reading in readings if not reading.is_empty)
        reduced.extend(symbols[end : match.start()])
        reduced.append(Symbol("@", spans=spans) if spans else _NOTHING)
        end = match.end()
    reduced.extend(symbols[end:])
    return reduced


def _alternation(rules: Sequence[tuple[str, str, Rule]]) -> tuple[Pattern, Mapping[str, Rule]]:
    pattern = "|".join(f"(?P<{name}>{rule})" for name, rule, _ in rules)
    return bounded(f"(?![{_SILENT}])(?:{pattern})"), {name: read for name, _, read in rules}


# After one of these a doubtful month, a season or a year is one: "in", "by", "before", "early".
_TIMED = "(?:(?<=[iIu<>=VbQ])|(?<=[iIu<>=VbQ]F)|(?<=[iIu<>=VbQ]FF))"
_OF_YEAR = "(?:,?F{0,2}Y(?!c))"

# "from 2020 to 2022", "de 2020 à 2022", "between 2020 and 2022"
_YEAR_IN_RANGE = "(?:(?<=[fF])(?=Y[tu-]F?Y)|(?<=[fF]Y[tu-])|(?<=[fF]Y[tu]F)|(?<==Y[tu])|(?<==Y[tu]F)|(?<=b)(?=Y&)|(?<=bY&))"

_SINGLE, _SINGLE_RULES = _alternation(
    [
        ("digits", "X", digits),
        ("of_year", "(?:[Od]F{0,2}[Mm]|[Mm][Od]|[MmSs]),?F{0,3}(?:LU|UL)|RF?[MKSs]", of_year),
        (
            "days_of_month",
            f"[Od][tu-]F{{0,2}}[Od]F{{0,2}}[Mm]{_OF_YEAR}?|(?<=b)[Od]&F{{0,2}}[Od]F{{0,2}}[Mm]{_OF_YEAR}?|[Mm]F?[Od][tu-]F{{0,2}}[Od]{_OF_YEAR}?",
            days_of_month,
        ),
        (
            "day_month",
            f"(?:[Od]F{{0,2}}[Mm]|NF[Mm]|OF?n|dF?n(?={_OF_YEAR}|[^x]|$)){_OF_YEAR}?",
            day_of_month,
        ),
        (
            "month_day",
            f"(?:[Mm](?:F?O|d(?![UAc]))|n(?:F?O|d(?={_OF_YEAR}|[.,-]|$))){_OF_YEAR}?",
            day_of_month,
        ),
        ("month_year", f"[Mmn]{_OF_YEAR}", month),
        ("directed_month", "LF?[Mmn]|[Mm]L(?!U)", month),
        (
            "month",
            f"M|{_TIMED}[mn]|(?<=[tf])m|(?<=[tf]F)m|m(?=[tu-]F?[Mm])|(?<=b[Mm]&)m",
            month,
        ),
        ("short_date", "K|(?<=[TfiItu<>V=])C|(?<=[TfiItu<>V=]F)C", short_date),
        ("season", f"[Ss]{_OF_YEAR}|LF?[Ss]|[Ss]L|{_TIMED}[Ss]|(?<=t)S", season),
        ("quarter", f"q{_OF_YEAR}|{_TIMED}q", quarter),
        ("feast", f"LH|H{_OF_YEAR}?|HL", feast),
        ("weekday_of_week", "WF{0,3}(?:LU|UL)|RF?W|LUF?W", weekday_of_week),
        ("weekday_in_east", "v", weekday_of_shifted_week),
        ("weekday", "LF?[Ww]|WL(?!U)|(?<=T)w|W", weekday),
        ("stretch", "LF?[Nd]U|[Nd]LU|[Nd]UL(?!U)|P[Nda]?U", stretch),
        ("ago", "[Nda]UA|[BV]F?[Nda]U", ago),
        ("later", "[Nd]UZ|IF?[Nd]U(?!A)", later),
        ("relative_unit", "R|LU|UL(?!U)", relative_unit),
        ("relative_day", "D", relative_day),
        (
            "year",
            f"(?:{_TIMED}|{_YEAR_IN_RANGE}|(?<=U)|^(?=Y[.]*$))Y(?!c)",
            year,
        ),
    ]
)

_JOINED, _JOINED_RULES = _alternation(
    [
        ("from_date", "[Nda]UF{0,2}[<>V][FT]{0,2}@", from_date),
        ("range", "bF{0,2}@F?&F{0,2}@|[f=]?F{0,2}@[FT]?[tu-][FT]{0,2}@", stretch_between),
        ("unit_of_date", "UF{1,2}@", unit_of_date),
        ("part", "QF{0,2}@", part),
        ("before", "[<V][FT]{0,2}@|@A", before),
        ("after", ">[FT]{0,2}@|@Z", after),
        ("since", "=[FT]{0,2}@", since),
        ("until", "u[FT]{0,2}@", until),
        ("date", "@", date),
    ]
)
