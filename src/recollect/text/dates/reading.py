"""Reads a text into the symbols of its date words. Pure. Never: which symbols make a date."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo

from recollect.text.dates import other_scripts, romance, western
from recollect.text.dates.spans import NOTHING, Span, day_span, months, year_span
from recollect.text.dates.vocabulary import Entry, Symbol, Vocabulary
from recollect.text.patterns import bounded

_LENGTH = 2_000
"""The characters that are read: a pasted book must not cost a chat its deadline."""

_VOCABULARY = Vocabulary(
    (
        western.ENGLISH,
        western.GERMAN,
        western.DUTCH,
        romance.FRENCH,
        romance.SPANISH,
        romance.PORTUGUESE,
        romance.ITALIAN,
        other_scripts.RUSSIAN,
        other_scripts.ARABIC,
        other_scripts.CHINESE,
        other_scripts.JAPANESE,
        other_scripts.KOREAN,
    )
)

# The scripts that part their words by spaces; a letter of another is a token of its own.
_LETTERS = r"A-Za-z\u00c0-\u0600\u0620-\u065f\u0670-\u06d3\u06d5-\u06ef\u06fa-\u1fff"
_LETTER = f"[{_LETTERS}]"
_ALONE = r"(?<![A-Za-z0-9_./-])"
_ENDED = r"(?![A-Za-z0-9_/-]|[.,]\d)"
_TOKEN = bounded(
    rf"""
    (?P<word>{_LETTER}[{_LETTERS}0-9_]*)
    |(?P<joint>['\u2019\u02bc]|(?<=[^\W\d_])-(?=[^\W\d_]))
    |(?=[\d$€£¥])(?:
    (?P<iso>{_ALONE}\d{{4}}(?P<_s>[-/.])\d{{1,2}}(?P=_s)\d{{1,2}}
        (?:[Tt\ ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?(?:[Zz]|[+-]\d{{2}}:?\d{{2}})?)?{_ENDED})
    |(?P<year_month>{_ALONE}\d{{4}}-\d{{2}}{_ENDED})
    |(?P<day_month_year>{_ALONE}\d{{1,2}}(?P<_t>[./-])\d{{1,2}}(?P=_t)\d{{4}}{_ENDED})
    |(?P<day_month>{_ALONE}\d{{1,2}}\.\d{{1,2}}\.(?!\d))
    |(?P<east_asian>(?<!\d)(?:\d{{4}}\s?[年년]\s?)?\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日号號일])?|(?<!\d)\d{{4}}\s?[年년])
    |(?P<quantity>[$€£¥]\s?\d[\d.,]*|\d+(?:[.,:/]\d+)+|\d+\s?[%€$£¥°])
    |(?P<ordinal>(?<!\w)\d{{1,2}}(?:(?:st|nd|rd|th|er|re|e|o|a)(?![^\W_])|\.(?=\s?[^\W\d_])))
    |(?P<number>\d+)(?![A-Za-z_])
    )
    |(?P<identifier>[{_LETTERS}0-9_]+)
    |(?P<mark>\S)
    """,
    re.VERBOSE,
)
_BEFORE_TIME = str.maketrans("Tt", "  ")
_NUMBER = bounded(r"\d+")
_OFFSET = bounded(r"(?:[Zz]|[+-]\d{2}:?\d{2})$")
_YEARS = range(1900, 2101)
"""Which numbers may be years at all."""
_DAYS = range(1, 32)
_LONGEST_NUMBER = 4
_MARKS = {",": ",", "\uff0c": ",", "\u3001": ",", "-": "-", "\u2013": "-", "\u2014": "-", "~": "-"}
_OTHER = Symbol("x")
_STOP = Symbol(".")


def symbols(text: str, zone: tzinfo) -> list[Symbol]:
    """Return what the words of ``text`` stand for, one symbol each, or for a few together.

    Args:
        text: Any text; only its beginning is read.
        zone: Whose days are meant by a date-time that has an offset.
    """
    beginning = unicodedata.normalize("NFKC", text[:_LENGTH])[:_LENGTH]
    tokens = [token for token in _TOKEN.finditer(beginning) if token.lastgroup != "joint"]
    words = [token[0].lower() for token in tokens]
    language = _language(words)
    found: list[Symbol] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        read = _DIGITS.get(token.lastgroup or "")
        if read is not None:
            found.append(read(token[0], zone))
            position += 1
            continue
        symbol, length = _lookup(words, position, language)
        if symbol.kind == "m" and symbol.second and token[0][0].islower():
            symbol = Symbol("n", symbol.number)
        found.append(symbol)
        position += length
    return found


def _language(words: Sequence[str]) -> frozenset[int]:
    """Return the languages that most of the common words belong to; all that are equal."""
    counts: dict[int, int] = {}
    for word in words:
        for number, telling in _VOCABULARY.speakers.get(word, ()):
            counts[number] = counts.get(number, 0) + telling
    most = max(counts.values(), default=0)
    return frozenset(number for number, count in counts.items() if count == most)


def _lookup(words: Sequence[str], position: int, language: frozenset[int]) -> tuple[Symbol, int]:
    """Return the symbol of the longest phrase at ``position``, and of how many words it is."""
    word = words[position]
    for phrase, entry in _VOCABULARY.by_first_word.get(word, ()):
        length = len(phrase)
        if length > 1 and tuple(words[position : position + length]) != phrase:
            continue
        symbol = entry.anywhere or _meaning_in(entry, language)
        if symbol is not None:
            return symbol, length
    if word in _MARKS:
        return Symbol(_MARKS[word]), 1
    return (_OTHER if word.isalnum() else _STOP), 1


def _meaning_in(entry: Entry, language: frozenset[int]) -> Symbol | None:
    """Return what a phrase of several meanings says in the text's language, if that is certain."""
    meanings = {symbol for number, symbol in entry.only_in.items() if number in language or not language}
    if len({(symbol.kind.lower(), symbol.number) for symbol in meanings}) != 1:
        return None
    return max(meanings)  # of a strong one and a weak one, which is a small letter, the weak


def _numbers(text: str) -> Iterator[int]:
    return (int(number) for number in _NUMBER.findall(text))


def _date(*spans: Span) -> Symbol:
    """Return the symbol of a date's readings, or of a word that says nothing if there is none."""
    readings = tuple(dict.fromkeys(reading for reading in spans if not reading.is_empty))
    return Symbol("X", spans=readings) if readings else _OTHER


def _day(year: int, month: int, day: int) -> Span:
    return day_span(year, month, day) if year in _YEARS else NOTHING


def _iso(text: str, zone: tzinfo) -> Symbol:
    """Read a date, or the day of a date-time: memories are seldom dated more exactly."""
    year, month, day = list(_numbers(text))[:3]
    time = text.translate(_BEFORE_TIME).split(" ")[1:]
    if year in _YEARS and time and _OFFSET.search(time[0]):
        try:
            when = datetime.fromisoformat(f"{year}-{month:02}-{day:02}T{time[0]}").astimezone(zone)
        except ValueError:  # no such hour
            return _date(_day(year, month, day))
        return _date(day_span(when.year, when.month, when.day))
    return _date(_day(year, month, day))


def _year_month(text: str, _: tzinfo) -> Symbol:
    year, month = _numbers(text)
    return _date(months(year * 12 + month - 1)) if year in _YEARS and month in range(1, 13) else _OTHER


def _day_month_year(text: str, _: tzinfo) -> Symbol:
    """Read a date that ends in its year; with points the day is first, else it may be either."""
    first, second, year = _numbers(text)
    day_first = _day(year, second, first)
    return _date(day_first) if "." in text else _date(_day(year, first, second), day_first)


def _day_month(text: str, _: tzinfo) -> Symbol:
    day, month = _numbers(text)
    return Symbol("C", month, day)


def _east_asian(text: str, _: tzinfo) -> Symbol:
    year, *rest = _numbers(text)
    if "年" not in text and "년" not in text:
        return Symbol("K", year, sum(rest))
    if year not in _YEARS:
        return _OTHER
    if not rest:
        return _date(year_span(year))
    month, *day = rest
    if day:
        return _date(day_span(year, month, day[0]))
    return _date(months(year * 12 + month - 1)) if month in range(1, 13) else _OTHER


def _ordinal(text: str, _: tzinfo) -> Symbol:
    [day] = _numbers(text)
    return Symbol("O", day)


def _number(text: str, _: tzinfo) -> Symbol:
    if len(text) > _LONGEST_NUMBER:
        return _OTHER
    number = int(text)
    if number in _DAYS:
        return Symbol("d", number)
    return Symbol("Y" if number in _YEARS and len(text) == _LONGEST_NUMBER else "N", number)


def _quantity(_: str, __: tzinfo) -> Symbol:
    return _OTHER


_DIGITS: Mapping[str, Callable[[str, tzinfo], Symbol]] = {
    "iso": _iso,
    "year_month": _year_month,
    "day_month_year": _day_month_year,
    "day_month": _day_month,
    "east_asian": _east_asian,
    "quantity": _quantity,
    "ordinal": _ordinal,
    "number": _number,
}
