"""The rules by which date words make dates, one set for all languages. Pure."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

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

_MONTHS, _WEEK, _YEAR_DAYS = 12, 7, 365
_LAST_PART = 2
"""The end of a date, in thirds."""

_OPEN_YEARS = 100
"""How far "before" and "after" reach."""

_LAST_DATE, _LAST_DAY_NUMBER = "last date", "last day number"


class Found(dict[str, Symbol]):
    """The first symbol of each kind that a rule took; under the names above, the last of a kind.

    Attributes:
        taken: All that the rule took, in order.
    """

    def __init__(self, taken: Sequence[Symbol]) -> None:
        super().__init__((symbol.kind, symbol) for symbol in reversed(taken))
        self.taken = taken

    def numbers(self, kinds: str) -> list[int]:
        """Return the numbers of the symbols of these kinds, in order."""
        return [symbol.number for symbol in self.taken if symbol.kind in kinds]


class _Frame(NamedTuple):
    """The reference point of relative dates: the day it is, and whether the text speaks of what is to come.

    ``reaches``: whether "by Friday" is all the time until then, or that day.
    """

    today: int
    is_future: bool
    reaches: bool

    @property
    def shift(self) -> int | None:
        """Which year a date without one gets: the next, or the latest that has begun."""
        return 1 if self.is_future else None

    @property
    def sure(self) -> int:
        """Which date of a list without a year has that year: the first has begun, or the last is to come."""
        return -1 if self.is_future else 0


Spans: TypeAlias = tuple[Span, ...]
Rule: TypeAlias = Callable[[Found, _Frame], Spans]


def _either(found: Found, kinds: str) -> Symbol:
    return next((found[kind] for kind in kinds if kind in found), Symbol("x"))


def _shift(found: Found, frame: _Frame) -> int | None:
    return found["L"].number if "L" in found else frame.shift


def _of_its_year(
    found: Found, frame: _Frame, shift: int | None, month: int, day: int = 0, count: int = 1
) -> Spans:
    """Return a day, or ``count`` months, of the year that is named, else of the one that ``shift`` means; of another unit, the unit."""
    if "Y" in found:
        year = found["Y"].number
    elif "U" in found or "R" in found:
        unit, shift = _relative_unit_of(found)
        whole = unit_span(unit, frame.today, shift)
        if unit != Unit.YEAR or whole.is_empty:
            return (whole,)
        year = month_index(whole.start) // _MONTHS
    else:
        return (yearly(frame.today, shift, month, day, count),)
    return (day_span(year, month, day) if day else months(year * _MONTHS + month - 1, count),)


def _day_of_month(found: Found, frame: _Frame) -> Spans:
    """Read "15 March"."""
    month, day = _either(found, "Mmn").number, _either(found, "OdN").number
    return _of_its_year(found, frame, frame.shift, month, day) if day else ()


def _days_of_month(found: Found, frame: _Frame) -> Spans:
    """Read "3 to 5 May", "between 3 and 5 May last year"."""
    month, first = _either(found, "Mm").number, _either(found, "Od").number
    [end] = _of_its_year(found, frame, frame.shift, month, found[_LAST_DAY_NUMBER].number)
    if end.end - end.start > 1:
        return (end,)  # "3 to 5 May last month"
    start = day_span(month_index(end.start) // _MONTHS, month, first)
    return () if start.is_empty or end.is_empty else (Span(start.start, end.end),)


def _month(found: Found, frame: _Frame) -> Spans:
    """Read "March", "March 2024", "last March"."""
    if "Y" not in found and "n" in found and "L" in found and found["L"].number == 0:
        return ()  # "this may", "this march"
    return _of_its_year(found, frame, _shift(found, frame), _either(found, "Mmn").number)


def _months_listed(found: Found, frame: _Frame) -> Spans:
    """Read "March, April and May", "May and June 2025"; without a year as they follow each other, and around today if they can."""
    numbers = found.numbers("Mm")
    if not found.keys().isdisjoint("YUR"):
        return tuple(each for month in numbers for each in _of_its_year(found, frame, None, month))
    steps = [(later - month) % _MONTHS or _MONTHS for month, later in pairwise(numbers)]
    [known] = _of_its_year(found, frame, frame.shift, numbers[frame.sure])
    first = month_index(known.start) - (sum(steps) if frame.sure else 0)
    return tuple(map(months, accumulate(steps, initial=first)))


def _days_listed(found: Found, frame: _Frame) -> Spans:
    """Read "3, 5 and 7 May", "March 3 and 5": days of one month."""
    month, days = _either(found, "Mmn").number, found.numbers("Od")
    [known] = _of_its_year(found, frame, frame.shift, month, days[frame.sure])
    if known.is_empty or known.end - known.start > 1:
        return (known,)  # "3 and 5 May last month"
    return tuple(day_span(month_index(known.start) // _MONTHS, month, day) for day in days)


def _days_listed_in_east(found: Found, frame: _Frame) -> Spans:
    """Read "3月3日和5日"."""
    [first] = _short_date(found, frame) if "K" in found else found["X"].spans[:1]
    if first.end - first.start != 1 or any(found.numbers("U")):
        return (first,)
    year, month = divmod(month_index(first.start), _MONTHS)
    return (first, *(day_span(year, month + 1, day) for day in found.numbers("d")))


def _short_date(found: Found, frame: _Frame) -> Spans:
    """Read "15.3." or "3月15日"."""
    month, day = _either(found, "CK")[1:3]
    return (yearly(frame.today, frame.shift, month, day),) if month in range(1, 13) else ()


def _season(found: Found, frame: _Frame) -> Spans:
    """Read a season of the northern half of the earth: three months, spring from March."""
    return _of_its_year(found, frame, _shift(found, frame), 3 * _either(found, "Ss").number, count=3)


def _of_year(found: Found, frame: _Frame) -> Spans:
    """Read a day, a month or a season of last, this or next year."""
    if "S" in found or "s" in found:
        return _season(found, frame)
    if "K" in found:
        return _of_its_year(found, frame, None, *found["K"][1:3])
    return _of_its_year(found, frame, None, _either(found, "Mm").number, _either(found, "Od").number)


def _weekday_of_week(found: Found, frame: _Frame) -> Spans:
    """Read "Monday last week"."""
    unit, shift = _relative_unit_of(found)
    whole = unit_span(unit, frame.today, shift)
    return (unit_span(Unit.DAY, whole.start, found["W"].number) if unit == Unit.WEEK else whole,)


def _weekday_of_shifted_week(found: Found, frame: _Frame) -> Spans:
    """Read "上周五", last week's Friday."""
    monday = unit_span(Unit.WEEK, frame.today, found["v"].second).start
    return (unit_span(Unit.DAY, monday, found["v"].number),)


def _relative_unit_of(found: Found) -> tuple[int, int]:
    if "R" in found:
        return found["R"].number, found["R"].second
    return found["U"].number, found["L"].number


def _relative_unit(found: Found, frame: _Frame) -> Spans:
    """Read "last week"."""
    unit, shift = _relative_unit_of(found)
    return () if unit == Unit.DAY else (unit_span(unit, frame.today, shift),)


def _stretch(found: Found, frame: _Frame) -> Spans:
    """Read so many units that end, or begin, with today."""
    number = _either(found, "NdaP")
    count = max(abs(number.number), number.second)
    unit = found["U"].number
    if "L" in found and found["L"].number > 0:
        return (span(frame.today, moved(frame.today, unit, count) + 1),)
    return (span(moved(frame.today, unit, -count), frame.today + 1),)


def _later(found: Found, frame: _Frame) -> Spans:
    """Read "in two weeks"."""
    if "I" in found and _either(found, "Nd").number == 1:
        return ()  # "how many hours are in one day"
    return (_away(found, frame.today, 1),)


def _away(found: Found, day: int, direction: int) -> Span:
    """Return the unit, or the few units, at this distance from ``day``."""
    number, unit = _either(found, "Nda"), found["U"].number
    counts = (number.number, max(number.number, number.second))
    ends = [unit_span(unit, moved(day, unit, direction * count), 0) for count in counts]
    return Span(min(end.start for end in ends), max(end.end for end in ends))


def _meanings(one: Span, unit: int, day: int) -> list[Span]:
    """Return the times near a day that a date may mean, which comes again each ``unit``: "in May" means any May, "last year" one year."""
    apart = day - one.start if unit == Unit.WEEK else month_index(day) - month_index(one.start)
    nearest = apart // (_WEEK if unit == Unit.WEEK else _MONTHS)
    steps = range(nearest - 1, nearest + 3) if unit else (0,)
    return [span(moved(one.start, unit, n), moved(one.end, unit, n)) for n in steps]


def _stretch_between(found: Found, _: _Frame) -> Spans:
    """Read from one date to another, as "from May to June 2025"; dates that can't be in order are two.

    An end that comes again is the nearest to the other one.
    """
    first, last = found["@"], found[_LAST_DATE]
    firsts, lasts = first.spans, last.spans
    if first.number and len(firsts) == 1:
        meant = _meanings(firsts[0], first.number, lasts[0].start)
        firsts = tuple([each for each in meant if each.start < lasts[0].end][-1:])
    elif last.number and len(lasts) == 1 and firsts[0].end - firsts[0].start < _YEAR_DAYS:
        meant = _meanings(lasts[0], last.number, firsts[0].start)
        lasts = tuple([each for each in meant if each.end > firsts[0].start][:1])
    whole = tuple(Span(first.start, last.end) for first, last in zip(firsts, lasts, strict=False))
    return whole if all(one.start < one.end for one in whole) else firsts + lasts


def _each(read: Callable[[Span, Found, _Frame], Span]) -> Rule:
    """Return the rule that reads each meaning of a date with the words around it."""
    return lambda found, frame: tuple(read(date, found, frame) for date in found["@"].spans)


def _from_date(date: Span, found: Found, _: _Frame) -> Span:
    """Read "two weeks before" or "after" a date."""
    return _away(found, date.end - 1, 1) if ">" in found else _away(found, date.start, -1)


def _unit_of_date(date: Span, found: Found, _: _Frame) -> Span:
    """Read "the week of" a date."""
    around = unit_span(found["U"].number, date.start, 0)
    return around if around.end - around.start > date.end - date.start else date


def _before(date: Span, end: int) -> Span:
    return span(moved(date.start, Unit.YEAR, -_OPEN_YEARS), end)


def _before_part(date: Span, found: Found, _: _Frame) -> Span:
    """Read "before the middle of" a date; "before the end of" it is until its end."""
    part = found["Q"].number
    return _before(date, date.end if part == _LAST_PART else third(date, part).start)


def _until(date: Span, _: Found, frame: _Frame) -> Span:
    return _before(date, date.end) if frame.reaches else date


def _since(date: Span, _: Found, frame: _Frame) -> Span:
    """Read "since" a date: up to today, if it has begun."""
    has_begun = date.start <= frame.today
    return span(date.start, frame.today + 1 if has_begun else moved(date.start, Unit.YEAR, _OPEN_YEARS))


def _until_now(date: Span, _: Found, frame: _Frame) -> Span:
    return span(date.start, frame.today + 1) if date.start <= frame.today else date


def _within(found: Found, _: _Frame) -> Spans:
    """Read "last year, in the summer": the shorter date within the longer one. If neither can be in the other they are two."""
    both = found["@"], found[_LAST_DATE]
    inner, outer = sorted(both, key=lambda each: each.spans[0].end - each.spans[0].start)
    whole, *others = outer.spans
    inside = [
        each
        for one in inner.spans
        for each in _meanings(one, inner.number, whole.start)
        if whole.start <= each.start < whole.end
    ]
    is_one = not others and (inner.number or len(inner.spans) == 1) and len(inside) == len(inner.spans)
    return tuple(inside) if is_one else both[0].spans + both[1].spans


_NOTHING = Symbol("x")
_RANGES = {"days_of_month", "range", "until_now"}
"""The rules that read from one date to another."""
_SILENT = "xcjg.,T&AZi+-"
"""The kinds that begin no date: most words, left out at once."""


def spans_meant(
    symbols: Sequence[Symbol], today: int, *, ahead: bool = False, reaches: bool = False
) -> list[Span]:
    """Return the dates that the symbols make, in order of appearance: as `dates_meant` says."""
    frame = _Frame(today, ahead or any(symbol.kind == "+" for symbol in symbols), reaches)
    joined = _reduced(_dated(symbols, frame), _JOINED, _JOINED_RULES, frame)
    ranged = _reduced(joined, _RANGED, _RANGED_RULES, frame)
    return [reading for symbol in ranged for reading in symbol.spans]


def beginnings(symbols: Sequence[Symbol], today: int) -> list[Span]:
    """Return the dates from which on something holds, such as "from 11 May".

    Not the first of two, as of "from May to June", nor where it is said for how long, as "from 11 May for two weeks".
    """
    is_future = any(symbol.kind == "+" for symbol in symbols)
    dated = _dated(symbols, _Frame(today, is_future, reaches=False))
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


def _dated(symbols: Sequence[Symbol], frame: _Frame) -> list[Symbol]:
    """Return the symbols with each date read by itself, without "since", "until" and the like."""
    dated = _reduced(symbols, _SINGLE, _SINGLE_RULES, frame)
    nested = _reduced(dated, _NESTED, _NESTED_RULES, frame)
    return _reduced(nested, _PARTS, _PARTS_RULES, frame)


def _reduced(
    symbols: Sequence[Symbol], pattern: Pattern, rules: Mapping[str, Rule], frame: _Frame
) -> list[Symbol]:
    """Return the symbols with those that a rule makes dates of replaced by ``@``, or ``r``."""
    kinds = "".join(symbol.kind for symbol in symbols)
    reduced: list[Symbol] = []
    end = 0
    for match in pattern.finditer(kinds):
        taken = symbols[match.start() : match.end()]
        found = Found(taken)
        last = {symbol.kind: symbol for symbol in taken}
        if dates := [symbol for symbol in taken if symbol.kind in "@r"]:
            found["@"], found[_LAST_DATE] = dates[0], dates[-1]
        found[_LAST_DAY_NUMBER] = last.get("d") or last.get("O") or _NOTHING
        rule = match.lastgroup or ""
        readings = rules[rule](found, frame)
        spans = tuple(reading for reading in readings if not reading.is_empty)
        reduced.extend(symbols[end : match.start()])
        kind = "r" if rule in _RANGES else "@"
        reduced.append(Symbol(kind, _recurs(found, rule), spans=spans) if spans else _NOTHING)
        end = match.end()
    reduced.extend(symbols[end:])
    return reduced


def _recurs(found: Found, rule: str) -> int:
    """Return the unit after which a date that was read comes again, as a month without a year does; 0 for one that does not."""
    if rule == "range":
        first, last = found["@"].number, found[_LAST_DATE].number
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
        ("days_listed_in_east", "[KX](?:&dU)+(?![AZ])", _days_listed_in_east),
        ("digits", "X", lambda found, _: found["X"].spans),
        (
            "days_of_month",
            f"(?:[f=]?[FT]{{0,2}}{_TO_DAY}F{{0,2}}[Mm]|b[FT]{{0,2}}{_AND_DAY}F{{0,2}}[Mm]|(?:[f=]?[Mm]F?{_TO_DAY}|b[Mm]F?{_AND_DAY})(?!c)){_OF_ANY_YEAR}?",
            _days_of_month,
        ),
        (
            "months_listed",
            f"{_OWN}(?:{_MONTHS_LISTED}{_OF_ANY_YEAR}|(?:{_TIMED}|(?=[m,&F]*M)){_MONTHS_LISTED}(?!d|F?O))",
            _months_listed,
        ),
        (
            "days_listed",
            f"{_OWN}(?:{_DAYS_LISTED}F{{0,2}}(?:[Mm]|n(?={_OF_YEAR}|[^xj]|$))|[Mm]F?{_DAYS_LISTED}(?![UAc]|F{{0,2}}[Mmn])){_OF_ANY_YEAR}?",
            _days_listed,
        ),
        ("of_year", f"(?:[Od]F{{0,2}}[Mm]|[Mm][Od]|[MmSs]){_OF_SHIFTED}|RF?[MKSs]|LUF?S", _of_year),
        (
            "day_month",
            f"(?:[Od]F{{0,2}}[Mm]|NF[Mm]|OF?n|dF?n(?={_OF_YEAR}|[^xj]|$)){_OF_YEAR}?",
            _day_of_month,
        ),
        (
            "month_day",
            f"(?:[Mm](?:F?O|d(?![UAc]))|n(?:F?O|d(?={_OF_YEAR}|[.,-]|$))){_OF_YEAR}?",
            _day_of_month,
        ),
        ("month_year", f"[Mmn]{_OF_YEAR}", _month),
        ("directed_month", "LF?[Mmn]|[Mm]L(?!U)", _month),
        (
            "month",
            f"M|{_TIMED}[mn]|(?<=[tf])m|(?<=[tf]F)m|m(?=[tu-]F?[Mm])|m(?=tF?[Dj])|(?<=F)m(?=uF?[Dj])|(?<=b[Mm]&)m",
            _month,
        ),
        ("short_date", "K|(?<=[TfiItu<>V=])C|(?<=[TfiItu<>V=]F)C", _short_date),
        ("season", f"[Ss]{_OF_YEAR}|LF?[Ss]|[Ss]L|{_TIMED}[Ss]|(?<=t)S", _season),
        (
            "quarter",
            f"q{_OF_ANY_YEAR}|{_TIMED}q",
            lambda found, frame: _of_its_year(found, frame, frame.shift, 3 * found["q"].number - 2, count=3),
        ),
        (
            "feast",
            f"LH|HL(?!U)|H{_OF_ANY_YEAR}?",
            lambda found, frame: _of_its_year(found, frame, _shift(found, frame), *found["H"][1:3]),
        ),
        ("weekday_of_week", f"W{_OF_SHIFTED}|RF?W|LUF?W", _weekday_of_week),
        ("weekday_in_east", "v", _weekday_of_shifted_week),
        (
            "weekday",
            "LF?[Ww]|WL(?!U)|(?<=T)w|W",
            lambda found, frame: (
                weekday_span(_either(found, "Ww").number, frame.today, _shift(found, frame)),
            ),
        ),
        ("stretch", "LF?[Nd]U|[Nd]LU|[Nd]UL(?!U)|P[Nda]?U", _stretch),
        ("ago", "[Nda]UA|[BV]F?[Nda]U", lambda found, frame: (_away(found, frame.today, -1),)),
        ("later", "[Nd]UZ|IF?[Nd]U(?!A)|bF?[Nd]U(?![A&])", _later),
        ("relative_unit", "R|LU|UL(?!U)", _relative_unit),
        ("relative_day", "D", lambda found, frame: (unit_span(Unit.DAY, frame.today, found["D"].number),)),
        (
            "year",
            f"(?:{_TIMED}|{_YEAR_IN_RANGE}|(?<=U)|^(?=Y[.]*$)){_YEAR}",
            lambda found, _: (year_span(found["Y"].number),),
        ),
    ]
)

# Not "last year in May to June"
_NESTED, _NESTED_RULES = _alternation([("within", "@,?[FTiI]{1,3}@(?![FT]?[tu-]F{0,2}@)", _within)])

_PARTS, _PARTS_RULES = _alternation(
    [
        ("before_part", "(?<!U)[<V][FT]{0,2}QF{0,2}@", _each(_before_part)),
        ("part", "QF{0,2}@", _each(lambda date, found, _: third(date, found["Q"].number))),
    ]
)

_JOINED, _JOINED_RULES = _alternation(
    [
        ("from_date", "[Nda]UF{0,2}[<>V][FT]{0,2}@", _each(_from_date)),
        ("range", "b[FT]{0,2}@F?&[FT]{0,2}@|[f=]?F{0,2}@[FT]?[tu-][FT]{0,2}@|@g@e", _stretch_between),
        ("until_now", "[f=]?F{0,2}@[FT]?[tu-][FT]{0,2}j|b[FT]{0,2}@F?&j|@gje", _each(_until_now)),
        ("unit_of_date", "UF{1,2}@", _each(_unit_of_date)),
        ("before", "[<V][FT]{0,2}@|@A", _each(lambda date, *_: _before(date, date.start))),
        (
            "after",
            ">[FT]{0,2}@|@Z",
            _each(lambda date, *_: span(date.end, moved(date.end, Unit.YEAR, _OPEN_YEARS))),
        ),
        ("since", "=[FT]{0,2}@", _each(_since)),
        ("until", "u[FT]{0,2}@|@e", _each(_until)),
    ]
)

_RANGED, _RANGED_RULES = _alternation([("range_within", "@,?[FTiI]{0,3}r|r,?[FTiI]{0,3}@", _within)])

_BEGINS = bounded("[f=][FT]{0,2}@(?![FT]?[tu-])|[@r]g(?![@j]e)")
