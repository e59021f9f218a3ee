"""Reads the symbols that a rule of the grammar took as spans of days. Pure."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

from recollect.text.dates.date_words import Symbol
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
    yearly,
)

_MONTHS, _WEEK, _YEAR_DAYS = 12, 7, 365
_LAST_PART = 2
"""The end of a date, in thirds."""

OPEN_YEARS = 100
"""How far "before" and "after" reach."""

LAST_DATE, LAST_DAY_NUMBER = "last date", "last day number"


class TakenSymbols(dict[str, Symbol]):
    """The first symbol of each kind that a rule took; under the names above, the last of a kind.

    Attributes:
        taken: All symbols that the rule took, in order.
    """

    def __init__(self, taken: Sequence[Symbol]) -> None:
        super().__init__((symbol.kind, symbol) for symbol in reversed(taken))
        self.taken = taken

    def numbers(self, kinds: str) -> list[int]:
        """Return the numbers of the symbols of these kinds, in order."""
        return [symbol.number for symbol in self.taken if symbol.kind in kinds]


class Frame(NamedTuple):
    """The reference point of relative dates: today, and whether the text is about the future.

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
Rule: TypeAlias = Callable[[TakenSymbols, Frame], Spans]


def either(found: TakenSymbols, kinds: str) -> Symbol:
    """Return the symbol of the first of these kinds that was found."""
    return next((found[kind] for kind in kinds if kind in found), Symbol("x"))


def shift_of(found: TakenSymbols, frame: Frame) -> int | None:
    """Return which year, or week, a date without one gets: of "last March" the last."""
    return found["L"].number if "L" in found else frame.shift


def of_its_year(
    found: TakenSymbols, frame: Frame, shift: int | None, month: int, day: int = 0, count: int = 1
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


def day_of_month(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "15 March"."""
    month, day = either(found, "Mmn").number, either(found, "OdN").number
    return of_its_year(found, frame, frame.shift, month, day) if day else ()


def days_of_month(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "3 to 5 May", "between 3 and 5 May last year"."""
    month, first = either(found, "Mm").number, either(found, "Od").number
    [end] = of_its_year(found, frame, frame.shift, month, found[LAST_DAY_NUMBER].number)
    if end.end - end.start > 1:
        return (end,)  # "3 to 5 May last month"
    start = day_span(month_index(end.start) // _MONTHS, month, first)
    return () if start.is_empty or end.is_empty else (Span(start.start, end.end),)


def month_of_year(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "March", "March 2024", "last March"."""
    if "Y" not in found and "n" in found and "L" in found and found["L"].number == 0:
        return ()  # "this may", "this march"
    return of_its_year(found, frame, shift_of(found, frame), either(found, "Mmn").number)


def months_listed(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "March, April and May", "May and June 2025"; without a year as they follow each other, and around today if they can."""
    numbers = found.numbers("Mm")
    if not found.keys().isdisjoint("YUR"):
        return tuple(each for month in numbers for each in of_its_year(found, frame, None, month))
    steps = [(later - month) % _MONTHS or _MONTHS for month, later in pairwise(numbers)]
    [known] = of_its_year(found, frame, frame.shift, numbers[frame.sure])
    first = month_index(known.start) - (sum(steps) if frame.sure else 0)
    return tuple(map(months, accumulate(steps, initial=first)))


def days_listed(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "3, 5 and 7 May", "March 3 and 5": days of one month."""
    month, days = either(found, "Mmn").number, found.numbers("Od")
    [known] = of_its_year(found, frame, frame.shift, month, days[frame.sure])
    if known.is_empty or known.end - known.start > 1:
        return (known,)  # "3 and 5 May last month"
    return tuple(day_span(month_index(known.start) // _MONTHS, month, day) for day in days)


def days_listed_in_east(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "3月3日和5日"."""
    named = _named_in_east(found, frame)
    if [date.end - date.start for date in named] != [1] or any(found.numbers("U")):
        return named  # "13月3日和5日" has no first date
    year, month = divmod(month_index(named[0].start), _MONTHS)
    return (*named, *(day_span(year, month + 1, day) for day in found.numbers("d")))


def days_in_east(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "3月3日到5日", "3月3-5日"."""
    named = _named_in_east(found, frame)
    if not named or any(found.numbers("U")):
        return named
    year, month = divmod(month_index(named[0].start), _MONTHS)
    days = [day_span(year, month + 1, day) for day in found.numbers("d")]
    first = named[0] if named[0].end - named[0].start == 1 else days[0]
    is_one = not days[-1].is_empty and first.start < days[-1].end and first.end - first.start == 1
    return (Span(first.start, days[-1].end),) if is_one else named


def _named_in_east(found: TakenSymbols, frame: Frame) -> Spans:
    return (short_date(found, frame) if "K" in found else found["X"].spans)[:1]


def short_date(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "15.3." or "3月15日"."""
    month, day = either(found, "CK")[1:3]
    return (yearly(frame.today, frame.shift, month, day),) if month in range(1, 13) else ()


def season_of_year(found: TakenSymbols, frame: Frame) -> Spans:
    """Read a season of the northern half of the earth: three months, spring from March."""
    return of_its_year(found, frame, shift_of(found, frame), 3 * either(found, "Ss").number, count=3)


def of_year(found: TakenSymbols, frame: Frame) -> Spans:
    """Read a day, a month or a season of last, this or next year."""
    if "S" in found or "s" in found:
        return season_of_year(found, frame)
    if "K" in found:
        return of_its_year(found, frame, None, *found["K"][1:3])
    return of_its_year(found, frame, None, either(found, "Mm").number, either(found, "Od").number)


def weekday_of_week(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "Monday last week"."""
    unit, shift = _relative_unit_of(found)
    whole = unit_span(unit, frame.today, shift)
    return (unit_span(Unit.DAY, whole.start, found["W"].number) if unit == Unit.WEEK else whole,)


def weekday_of_shifted_week(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "上周五", last week's Friday."""
    monday = unit_span(Unit.WEEK, frame.today, found["v"].second).start
    return (unit_span(Unit.DAY, monday, found["v"].number),)


def _relative_unit_of(found: TakenSymbols) -> tuple[int, int]:
    if "R" in found:
        return found["R"].number, found["R"].second
    return found["U"].number, found["L"].number


def relative_unit(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "last week"."""
    unit, shift = _relative_unit_of(found)
    return () if unit == Unit.DAY else (unit_span(unit, frame.today, shift),)


def stretch(found: TakenSymbols, frame: Frame) -> Spans:
    """Read so many units that end, or begin, with today."""
    number = either(found, "NdaP")
    count = max(abs(number.number), number.second)
    unit = found["U"].number
    if "L" in found and found["L"].number > 0:
        return (span(frame.today, moved(frame.today, unit, count) + 1),)
    return (span(moved(frame.today, unit, -count), frame.today + 1),)


def later_unit(found: TakenSymbols, frame: Frame) -> Spans:
    """Read "in two weeks"."""
    if "I" in found and either(found, "Nd").number == 1:
        return ()  # "how many hours are in one day"
    return (away(found, frame.today, 1),)


def away(found: TakenSymbols, day: int, direction: int) -> Span:
    """Return the unit, or the few units, at this distance from ``day``."""
    number, unit = either(found, "Nda"), found["U"].number
    counts = (number.number, max(number.number, number.second))
    ends = [unit_span(unit, moved(day, unit, direction * count), 0) for count in counts]
    return Span(min(end.start for end in ends), max(end.end for end in ends))


def _meanings(one: Span, unit: int, day: int) -> list[Span]:
    """Return the times near a day that a date may mean, which comes again each ``unit``: "in May" means any May, "last year" one year."""
    apart = day - one.start if unit == Unit.WEEK else month_index(day) - month_index(one.start)
    nearest = apart // (_WEEK if unit == Unit.WEEK else _MONTHS)
    steps = range(nearest - 1, nearest + 3) if unit else (0,)
    return [span(moved(one.start, unit, n), moved(one.end, unit, n)) for n in steps]


def stretch_between(found: TakenSymbols, _: Frame) -> Spans:
    """Read from one date to another, as "from May to June 2025"; dates that can't be in order are two.

    An end that comes again is the nearest to the other one.
    """
    first, last = found["@"], found[LAST_DATE]
    firsts, lasts = first.spans, last.spans
    if first.number and len(firsts) == 1:
        meant = _meanings(firsts[0], first.number, lasts[0].start)
        firsts = tuple([each for each in meant if each.start < lasts[0].end][-1:])
    elif last.number and len(lasts) == 1 and firsts[0].end - firsts[0].start < _YEAR_DAYS:
        meant = _meanings(lasts[0], last.number, firsts[0].start)
        lasts = tuple([each for each in meant if each.end > firsts[0].start][:1])
    whole = tuple(Span(first.start, last.end) for first, last in zip(firsts, lasts, strict=False))
    return whole if all(one.start < one.end for one in whole) else firsts + lasts


def each_reading(read: Callable[[Span, TakenSymbols, Frame], Span]) -> Rule:
    """Return the rule that reads each meaning of a date with the words around it."""
    return lambda found, frame: tuple(read(date, found, frame) for date in found["@"].spans)


def from_date(date: Span, found: TakenSymbols, _: Frame) -> Span:
    """Read "two weeks before" or "after" a date."""
    return away(found, date.end - 1, 1) if ">" in found else away(found, date.start, -1)


def unit_of_date(date: Span, found: TakenSymbols, _: Frame) -> Span:
    """Read "the week of" a date."""
    around = unit_span(found["U"].number, date.start, 0)
    return around if around.end - around.start > date.end - date.start else date


def before_date(date: Span, end: int) -> Span:
    """Read "before" a date, which ends here."""
    return span(moved(date.start, Unit.YEAR, -OPEN_YEARS), end)


def before_part(date: Span, found: TakenSymbols, _: Frame) -> Span:
    """Read "before the middle of" a date; "before the end of" it is until its end."""
    part = found["Q"].number
    return before_date(date, date.end if part == _LAST_PART else third(date, part).start)


def until_date(date: Span, _: TakenSymbols, frame: Frame) -> Span:
    """Read "until" or "by" a date."""
    return before_date(date, date.end) if frame.reaches else date


def since_date(date: Span, _: TakenSymbols, frame: Frame) -> Span:
    """Read "since" a date: up to today, if it has begun."""
    has_begun = date.start <= frame.today
    return span(date.start, frame.today + 1 if has_begun else moved(date.start, Unit.YEAR, OPEN_YEARS))


def until_now(date: Span, _: TakenSymbols, frame: Frame) -> Span:
    """Read "from" a date "to now"."""
    return span(date.start, frame.today + 1) if date.start <= frame.today else date


def within_date(found: TakenSymbols, _: Frame) -> Spans:
    """Read "last year, in the summer": the shorter date within the longer one. If neither can be in the other they are two."""
    both = found["@"], found[LAST_DATE]
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
