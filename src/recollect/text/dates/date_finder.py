"""Finds the dates a text means, by rules for date words, one set for all languages. Pure.

``languages.json`` has each language's words. A doubtful date is no date: a recall that relies on a wrong date is worse than one
that relies on none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import pairwise

from recollect.text.dates.date_words import Symbol, date_symbols, may_name_date
from recollect.text.dates.readings import (
    LAST_DATE,
    LAST_DAY_NUMBER,
    OPEN_YEARS,
    Frame,
    Rule,
    TakenSymbols,
    away,
    before_date,
    before_part,
    day_of_month,
    days_in_east,
    days_listed,
    days_listed_in_east,
    days_of_month,
    each_reading,
    either,
    from_date,
    later_unit,
    month_of_year,
    months_listed,
    of_its_year,
    of_year,
    relative_unit,
    season_of_year,
    shift_of,
    short_date,
    since_date,
    stretch,
    stretch_between,
    unit_of_date,
    until_date,
    until_now,
    weekday_of_shifted_week,
    weekday_of_week,
    within_date,
)
from recollect.text.dates.spans import (
    Span,
    Unit,
    moved,
    span,
    third,
    unit_span,
    weekday_span,
    year_span,
)
from recollect.text.patterns import Pattern, bounded

_NOTHING = Symbol("x")
_RANGES = {"days_of_month", "days_in_east", "range", "until_now"}
"""The rules that read from one date to another."""
_SILENT = "xcjg.,T&AZi+-"
"""The kinds that begin no date: most words, left out at once."""


def spans_meant(
    symbols: Sequence[Symbol], today: int, *, ahead: bool = False, reaches: bool = False
) -> list[Span]:
    """Return the dates that the symbols make, in order of appearance: as `dates_meant` says."""
    frame = Frame(today, ahead or any(symbol.kind == "+" for symbol in symbols), reaches)
    joined = _reduced(_dated(symbols, frame), _JOINED, _JOINED_RULES, frame)
    ranged = _reduced(joined, _RANGED, _RANGED_RULES, frame)
    return [reading for symbol in ranged for reading in symbol.spans]


def beginnings(symbols: Sequence[Symbol], today: int) -> list[Span]:
    """Return the dates from which on something holds, such as "from 11 May".

    Neither the first date of a range ("from May to June") nor one with a duration ("from 11 May for two weeks") is returned.
    """
    is_future = any(symbol.kind == "+" for symbol in symbols)
    dated = _dated(symbols, Frame(today, is_future, reaches=False))
    found = _BEGINS.finditer("".join(symbol.kind for symbol in dated))
    return [
        span
        for match in found
        if not _lasts(dated[match.end() :])
        for each in dated[match.start() : match.end()]
        for span in each.spans
    ]


def _lasts(symbols: Sequence[Symbol]) -> bool:
    """Return whether words say for how long: "two weeks", "the whole month", but not "day shifts"."""
    return any(
        each.kind == "U" and (each.number > Unit.DAY or before.kind in "Nda")
        for before, each in pairwise([_NOTHING, *symbols])
    )


def _dated(symbols: Sequence[Symbol], frame: Frame) -> list[Symbol]:
    """Return the symbols with each date read alone, without "since", "until" and the like."""
    dated = _reduced(symbols, _SINGLE, _SINGLE_RULES, frame)
    nested = _reduced(dated, _NESTED, _NESTED_RULES, frame)
    return _reduced(nested, _PARTS, _PARTS_RULES, frame)


def _reduced(
    symbols: Sequence[Symbol], pattern: Pattern, rules: Mapping[str, Rule], frame: Frame
) -> list[Symbol]:
    """Return the symbols with those that a rule makes dates of replaced by ``@``, or ``r``."""
    kinds = "".join(symbol.kind for symbol in symbols)
    reduced: list[Symbol] = []
    end = 0
    for match in pattern.finditer(kinds):
        taken = symbols[match.start() : match.end()]
        found = TakenSymbols(taken)
        last = {symbol.kind: symbol for symbol in taken}
        if dates := [symbol for symbol in taken if symbol.kind in "@r"]:
            found["@"], found[LAST_DATE] = dates[0], dates[-1]
        found[LAST_DAY_NUMBER] = last.get("d") or last.get("O") or _NOTHING
        rule = match.lastgroup or ""
        readings = rules[rule](found, frame)
        spans = tuple(reading for reading in readings if not reading.is_empty)
        reduced.extend(symbols[end : match.start()])
        kind = "r" if rule in _RANGES else "@"
        reduced.append(Symbol(kind, _recurs(found, rule), spans=spans) if spans else _NOTHING)
        end = match.end()
    reduced.extend(symbols[end:])
    return reduced


def _recurs(found: TakenSymbols, rule: str) -> int:
    """Return the unit after which a date that was read comes again, as a month without a year does; 0 for one that does not."""
    if rule == "range":
        first, last = found["@"].number, found[LAST_DATE].number
        return first if first == last else 0
    if not found.keys().isdisjoint("YXLRUQDv@"):
        return 0
    return Unit.WEEK if "W" in found or "w" in found else Unit.YEAR


def _alternation(rules: Sequence[tuple[str, str, Rule]]) -> tuple[Pattern, Mapping[str, Rule]]:
    pattern = "|".join(f"(?P<{name}>{rule})" for name, rule, _ in rules).replace("@", "[@r]")
    return bounded(f"(?![{_SILENT}])(?:{pattern})"), {name: read for name, _, read in rules}


# After one of these a doubtful month, a season or a year is one: "in", "by", "before", "early".
_TIMED = "(?:(?<=[iIu<>=VbQ])|(?<=[iIu<>=VbQ]F)|(?<=[iIu<>=VbQ]FF))"
_YEAR = "Y(?!(?:[&tu-][YN])?c)U?"  # "w 2023 roku", and not "between 2000 and 3000 words"
_OF_YEAR = f"(?:,?F{{0,2}}{_YEAR})"
_OF_SHIFTED = "(?:,?F{0,3}(?:LU|UL))"
_OF_ANY_YEAR = f"(?:{_OF_YEAR}|{_OF_SHIFTED})"
_TO_DAY, _AND_DAY = (f"[Od]{joint}[FT]{{0,2}}[Od]" for joint in ("[tu-]", "&"))

_OWN = "(?<![bQ])(?<!b[FT])(?<!QF)(?<!QFF)"
"""Before a list of dates: neither "between" nor "early", which is said of one date."""
_MONTHS_LISTED = "[Mm](?:,F{0,2}[Mm]){0,10},?&F{0,2}[Mm]"
_DAYS_LISTED = "[Od](?:,[FT]{0,2}[Od]){0,9},?&[FT]{0,2}[Od]"

# "from 2020 to 2022", "de 2020 à 2022", "between 2020 and 2022", "from 2020 to now"
_YEAR_IN_RANGE = "(?:(?<=[fF])(?=Y[tu-]F?[YDj])|(?<=[fF]Y[tu-])|(?<=[fF]Y[tu]F)|(?<==Y[tu])|(?<==Y[tu]F)|(?<=b)(?=Y&)|(?<=bY&))"

_SINGLE, _SINGLE_RULES = _alternation(
    [
        ("days_listed_in_east", "[KX](?:&dU)+(?![AZ])", days_listed_in_east),
        ("days_in_east", "[KX](?:d?[t-]|g(?=dUe))dU(?![AZ])e?", days_in_east),
        ("digits", "X", lambda found, _: found["X"].spans),
        (
            "days_of_month",
            f"(?:[f=]?[FT]{{0,2}}{_TO_DAY}F{{0,2}}[Mm]|b[FT]{{0,2}}{_AND_DAY}F{{0,2}}[Mm]|(?:[f=]?[Mm]F?{_TO_DAY}|b[Mm]F?{_AND_DAY})(?!c)){_OF_ANY_YEAR}?",
            days_of_month,
        ),
        (
            "months_listed",
            f"{_OWN}(?:{_MONTHS_LISTED}{_OF_ANY_YEAR}|(?:{_TIMED}|(?=[m,&F]*M)){_MONTHS_LISTED}(?!d|F?O))",
            months_listed,
        ),
        (
            "days_listed",
            f"{_OWN}(?:{_DAYS_LISTED}F{{0,2}}(?:[Mm]|n(?={_OF_YEAR}|[^xj]|$))|[Mm]F?{_DAYS_LISTED}(?![UAc]|F{{0,2}}[Mmn])){_OF_ANY_YEAR}?",
            days_listed,
        ),
        ("of_year", f"(?:[Od]F{{0,2}}[Mm]|[Mm][Od]|[MmSs]){_OF_SHIFTED}|RF?[MKSs]|LUF?S", of_year),
        (
            "day_month",
            f"(?:[Od]F{{0,2}}[Mm]|NF[Mm]|OF?n|dF?n(?={_OF_YEAR}|[^xj]|$)){_OF_YEAR}?",
            day_of_month,
        ),
        (
            "month_day",
            f"(?:[Mm](?:F?O|d(?![UAc]))|n(?:F?O|d(?={_OF_YEAR}|[.,-]|$))){_OF_YEAR}?",
            day_of_month,
        ),
        ("month_year", f"[Mmn]{_OF_YEAR}", month_of_year),
        ("directed_month", "LF?[Mmn]|[Mm]L(?!U)", month_of_year),
        (
            "month",
            f"M|{_TIMED}[mn]|(?<=[tf])m|(?<=[tf]F)m|m(?=[tu-]F?[Mm])|m(?=tF?[Dj])|(?<=F)m(?=uF?[Dj])|(?<=b[Mm]&)m",
            month_of_year,
        ),
        ("short_date", "K|(?<=[TfiItu<>V=])C|(?<=[TfiItu<>V=]F)C", short_date),
        ("season", f"[Ss]{_OF_YEAR}|LF?[Ss]|[Ss]L|{_TIMED}[Ss]|(?<=t)S", season_of_year),
        (
            "quarter",
            f"q{_OF_ANY_YEAR}|{_TIMED}q",
            lambda found, frame: of_its_year(found, frame, frame.shift, 3 * found["q"].number - 2, count=3),
        ),
        (
            "feast",
            f"LH|HL(?!U)|H{_OF_ANY_YEAR}?",
            lambda found, frame: of_its_year(found, frame, shift_of(found, frame), *found["H"][1:3]),
        ),
        ("weekday_of_week", f"W{_OF_SHIFTED}|RF?W|LUF?W", weekday_of_week),
        ("weekday_in_east", "v", weekday_of_shifted_week),
        (
            "weekday",
            "LF?[Ww]|WL(?!U)|(?<=T)w|W",
            lambda found, frame: (
                weekday_span(either(found, "Ww").number, frame.today, shift_of(found, frame)),
            ),
        ),
        ("stretch", "LF?[Nd]U|[Nd]LU|[Nd]UL(?!U)|P[Nda]?U|p[Nd]U", stretch),
        ("ago", "[Nda]UA|[BV]F?[Nda]U", lambda found, frame: (away(found, frame.today, -1),)),
        ("later", "[Nd]UZ|IF?[Nd]U(?!A)|bF?[Nd]U(?![A&])", later_unit),
        ("relative_unit", "R|LU|UL(?!U)", relative_unit),
        ("relative_day", "D", lambda found, frame: (unit_span(Unit.DAY, frame.today, found["D"].number),)),
        (
            "year",
            f"(?:{_TIMED}|{_YEAR_IN_RANGE}|(?<=U)|^(?=Y[.]*$)){_YEAR}",
            lambda found, _: (year_span(found["Y"].number),),
        ),
    ]
)

# Not "last year in May to June"
_NESTED, _NESTED_RULES = _alternation([("within", "@,?[FTiI]{1,3}@(?![FT]?[tu-]F{0,2}@)", within_date)])

_PARTS, _PARTS_RULES = _alternation(
    [
        ("before_part", "(?<!U)[<V][FT]{0,2}QF{0,2}@", each_reading(before_part)),
        ("part", "QF{0,2}@", each_reading(lambda date, found, _: third(date, found["Q"].number))),
    ]
)

_JOINED, _JOINED_RULES = _alternation(
    [
        ("from_date", "[Nda]UF{0,2}[<>V][FT]{0,2}@", each_reading(from_date)),
        ("range", "b[FT]{0,2}@F?&[FT]{0,2}@|[f=]?F{0,2}@[FT]?[tu-][FT]{0,2}@|@g@e", stretch_between),
        ("until_now", "[f=]?F{0,2}@[FT]?[tu-][FT]{0,2}j|b[FT]{0,2}@F?&j|@gje", each_reading(until_now)),
        ("unit_of_date", "UF{1,2}@", each_reading(unit_of_date)),
        ("before", "[<V][FT]{0,2}@|@A", each_reading(lambda date, *_: before_date(date, date.start))),
        (
            "after",
            ">[FT]{0,2}@|@Z",
            each_reading(lambda date, *_: span(date.end, moved(date.end, Unit.YEAR, OPEN_YEARS))),
        ),
        ("since", "=[FT]{0,2}@", each_reading(since_date)),
        ("until", "u[FT]{0,2}@|@e", each_reading(until_date)),
    ]
)

_RANGED, _RANGED_RULES = _alternation([("range_within", "@,?[FTiI]{0,3}r|r,?[FTiI]{0,3}@", within_date)])

_BEGINS = bounded("[f=][FT]{0,2}@(?![FT]?[tu-])|[@r]g(?![@j]e)")


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
    return _periods(_symbols(text, now), now, ahead=ahead, reaches=reaches)


def dates_of_both(
    text: str, now: datetime, *, reaches: bool = False
) -> tuple[tuple[Period, ...], tuple[Period, ...]]:
    """Return the dates that a text speaks of, as `dates_meant` says, and the further ones if it speaks of the future.

    "On Friday" is the last one, and then the next one; a June that goes on is this year's alone. "Since Friday" speaks of no
    future, and "after Friday" of all days after the last one.
    """
    symbols = _symbols(text, now)
    named, ahead = (_periods(symbols, now, ahead=is_ahead, reaches=reaches) for is_ahead in (False, True))
    lasting = {(each.end.month, each.end.day) for each in named if each.end > now}
    closed = (each for each in ahead if each.end.year < now.year + OPEN_YEARS)
    coming = (each for each in closed if (each.end.month, each.end.day) not in lasting)
    return named, tuple(each for each in coming if each not in named)


def _symbols(text: str, now: datetime) -> Sequence[Symbol]:
    return date_symbols(text, now.tzinfo or UTC) if may_name_date(text) else ()


def _periods(symbols: Sequence[Symbol], now: datetime, *, ahead: bool, reaches: bool) -> tuple[Period, ...]:
    found = spans_meant(symbols, now.toordinal(), ahead=ahead, reaches=reaches) if symbols else ()
    midnights = (
        (datetime.combine(date.fromordinal(day), time(), now.tzinfo or UTC) for day in one)
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
