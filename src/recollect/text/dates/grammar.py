"""Which symbols, one after the other, make a date. Pure. Never: words, languages, time zones.

The symbols' kinds are written as one string, and the rules are regular expressions over it, tried
in order where each begins: first those that make single dates, then, with each of those written
as ``@``, those that join dates.
"""

from collections.abc import Mapping, Sequence

from recollect.text.dates import meanings
from recollect.text.dates.meanings import LAST_DATE, LAST_DAY_NUMBER, Frame, Rule
from recollect.text.dates.spans import Span
from recollect.text.dates.vocabulary import Symbol
from recollect.text.patterns import Pattern, bounded

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
        ("digits", "X", meanings.digits),
        ("of_year", "(?:[Od]F{0,2}[Mm]|[Mm][Od]|[MmSs]),?F{0,3}(?:LU|UL)|RF?[MKSs]", meanings.of_year),
        (
            "days_of_month",
            f"[Od][tu-]F{{0,2}}[Od]F{{0,2}}[Mm]{_OF_YEAR}?|(?<=b)[Od]&F{{0,2}}[Od]F{{0,2}}[Mm]{_OF_YEAR}?|[Mm]F?[Od][tu-]F{{0,2}}[Od]{_OF_YEAR}?",
            meanings.days_of_month,
        ),
        (
            "day_month",
            f"(?:[Od]F{{0,2}}[Mm]|NF[Mm]|OF?n|dF?n(?={_OF_YEAR}|[^x]|$)){_OF_YEAR}?",
            meanings.day_of_month,
        ),
        (
            "month_day",
            f"(?:[Mm](?:F?O|d(?![UAc]))|n(?:F?O|d(?={_OF_YEAR}|[.,-]|$))){_OF_YEAR}?",
            meanings.day_of_month,
        ),
        ("month_year", f"[Mmn]{_OF_YEAR}", meanings.month),
        ("directed_month", "LF?[Mmn]|[Mm]L(?!U)", meanings.month),
        (
            "month",
            f"M|{_TIMED}[mn]|(?<=[tf])m|(?<=[tf]F)m|m(?=[tu-]F?[Mm])|(?<=b[Mm]&)m",
            meanings.month,
        ),
        ("short_date", "K|(?<=[TfiItu<>V=])C|(?<=[TfiItu<>V=]F)C", meanings.short_date),
        ("season", f"[Ss]{_OF_YEAR}|LF?[Ss]|[Ss]L|{_TIMED}[Ss]|(?<=t)S", meanings.season),
        ("quarter", f"q{_OF_YEAR}|{_TIMED}q", meanings.quarter),
        ("feast", f"LH|H{_OF_YEAR}?|HL", meanings.feast),
        ("weekday_of_week", "WF{0,3}(?:LU|UL)|RF?W|LUF?W", meanings.weekday_of_week),
        ("weekday_in_east", "v", meanings.weekday_of_shifted_week),
        ("weekday", "LF?[Ww]|WL(?!U)|(?<=T)w|W", meanings.weekday),
        ("stretch", "LF?[Nd]U|[Nd]LU|[Nd]UL(?!U)|P[Nda]?U", meanings.stretch),
        ("ago", "[Nda]UA|[BV]F?[Nda]U", meanings.ago),
        ("later", "[Nd]UZ|IF?[Nd]U(?!A)", meanings.later),
        ("relative_unit", "R|LU|UL(?!U)", meanings.relative_unit),
        ("relative_day", "D", meanings.relative_day),
        (
            "year",
            f"(?:{_TIMED}|{_YEAR_IN_RANGE}|(?<=U)|^(?=Y[.]*$))Y(?!c)",
            meanings.year,
        ),
    ]
)

_JOINED, _JOINED_RULES = _alternation(
    [
        ("from_date", "[Nda]UF{0,2}[<>V][FT]{0,2}@", meanings.from_date),
        ("range", "bF{0,2}@F?&F{0,2}@|[f=]?F{0,2}@[FT]?[tu-][FT]{0,2}@", meanings.stretch_between),
        ("unit_of_date", "UF{1,2}@", meanings.unit_of_date),
        ("part", "QF{0,2}@", meanings.part),
        ("before", "[<V][FT]{0,2}@|@A", meanings.before),
        ("after", ">[FT]{0,2}@|@Z", meanings.after),
        ("since", "=[FT]{0,2}@", meanings.since),
        ("until", "u[FT]{0,2}@", meanings.until),
        ("date", "@", meanings.date),
    ]
)
