"""Reads a text into the symbols of its date words, by the tables of ``languages.json``. Pure.

A word stands for a symbol: a letter for its kind, and up to two numbers. The kinds are:

==== =========================================== ==== ===========================================
 D    a day: how far from today                   A    ago, after the number ("two days ago")
 M    a month; ``m`` one that may be a word,      B    ago, before the number ("il y a")
      ``n`` the same in small letters             V    ago before a number, before a date ("vor")
 W    a weekday (Monday is 0); ``w`` a short one  I    in, of place in time or of the future
 U    a unit of time                              i    in, of place in time only
 R    a unit with its direction: unit, shift      T    on
 S    a season; ``s`` one that may be a word      F    of, the: says nothing
 L    last (-1), this (0), next (1)               f    from
 P    past, of a stretch up to now                t    to
 N    a number, or two: from, to                  b    between
 a    an article that may count as one            &    and
 Q    early (0), mid (1), late (2)                <    before
 H    a feast: month, day                         >    after
 v    a weekday of a week: which, shift           =    since
 q    a quarter of a year: 1 to 4                 x    anything else
 c    what is counted: no year stands before it   u    until, ``e`` after the date ("金曜まで")
 Z    later, after the number ("3天后")             +    the future is spoken of
 g    from, after the date ("3月から")               j    now, as the end of a time ("until now")
==== =========================================== ==== ===========================================

Digits give ``d`` (1 to 31), ``N`` (more), ``O`` (an ordinal), ``Y`` (a year), ``C`` (15.3.),
``K`` (3月, 3月15日), ``X`` (a date), and marks give ``,``, ``-`` and ``.``. A date that was read is ``@``, or ``r`` if it
reaches from one day to another.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cache
from typing import NamedTuple, TypeAlias

from recollect.text import read_table
from recollect.text.dates.spans import NOTHING, Span, day_span, months, year_span
from recollect.text.patterns import bounded


class Symbol(NamedTuple):
    """The meaning of a word, or of a few together."""

    kind: str
    number: int = 0
    second: int = 0
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Language:
    """The date words of one language, in small letters; those of one meaning parted by commas.

    Attributes:
        common: Its commonest words, between spaces; they identify the language.
        months: Twelve, the names of one parted by ``|``.
        weekdays: Seven, as ``months``, from Monday.
        words: From a symbol (``D-1``) to its words.
        weak: Months and weekdays that are ordinary words too, or names.
        guarded: Words that mean something else in another language: read only in this one.
        spaced: Whether it parts its words by spaces.
        capital: Whether its months begin with a capital, so that a weak one that doesn't is
            doubtful.
    """

    months: str
    weekdays: str
    words: Mapping[str, str] = field(default_factory=dict)
    common: str = ""
    weak: str = ""
    guarded: str = ""
    spaced: bool = True
    capital: bool = False


_TELLING = 2
"""The weight of a word as a sign of its language; half of it if other languages use the word in another sense."""

Phrase: TypeAlias = tuple[str, ...]


class Meanings(NamedTuple):
    """The meaning of a phrase whatever the language, if it has one, and in single languages by their number."""

    anywhere: Symbol | None
    only_in: Mapping[int, Symbol]


class DateVocabulary:
    """The words of several languages, merged.

    Attributes:
        by_first_word: The phrases that begin with a word, the longest first, with their meanings.
        speakers: For a word that identifies its language, the numbers of the languages that use it, and the
            weight.
    """

    def __init__(self, languages: Iterable[Language]) -> None:
        meanings: dict[Phrase, dict[int, Symbol]] = defaultdict(dict)
        guarded: set[Phrase] = set()
        speakers: dict[str, dict[int, int]] = defaultdict(dict)
        for number, language in enumerate(languages):
            for word in language.common.split():
                speakers[word][number] = _TELLING
            guarded.update(_phrase(phrase) for phrase in _parted(language.guarded, ","))
            for phrase, symbol in _entries(language):
                meanings[_phrase(phrase, spaced=language.spaced)].setdefault(number, symbol)
        by_first_word: dict[str, list[tuple[Phrase, Meanings]]] = defaultdict(list)
        for words, by_language in sorted(meanings.items(), key=lambda item: -len(item[0])):
            distinct = set(by_language.values())
            is_plain = len(distinct) == 1 and words not in guarded
            entry = Meanings(distinct.pop(), {}) if is_plain else Meanings(None, by_language)
            by_first_word[words[0]].append((words, entry))
            if len(words) == len(by_language) == 1:
                [number] = by_language
                speakers[words[0]].setdefault(number, _TELLING - (words in guarded))
        self.speakers: Mapping[str, tuple[tuple[int, int], ...]] = {
            word: tuple(tellings.items()) for word, tellings in speakers.items()
        }
        self.by_first_word: Mapping[str, tuple[tuple[Phrase, Meanings], ...]] = {
            word: tuple(entries) for word, entries in by_first_word.items()
        }


def _entries(language: Language) -> Iterator[tuple[str, Symbol]]:
    """Yield each phrase of a language with its symbol."""
    weak = set(_parted(language.weak, ","))
    for names, kinds, first in ((language.months, "Mm", 1), (language.weekdays, "Ww", 0)):
        for number, alternatives in enumerate(_parted(names, ","), first):
            for phrase in _parted(alternatives, "|"):
                yield phrase, Symbol(kinds[phrase in weak], number, int(language.capital and phrase in weak))
    for spelled, phrases in language.words.items():
        first_number, _, second_number = spelled[1:].partition(",")
        symbol = Symbol(spelled[0], int(first_number or 0), int(second_number or 0))
        for phrase in _parted(phrases, ","):
            yield phrase, symbol


def _parted(text: str, mark: str) -> list[str]:
    return [part.strip() for part in text.split(mark) if part.strip()]


def _phrase(text: str, *, spaced: bool = True) -> Phrase:
    """Return the tokens of a phrase: words, or single letters where words are not parted."""
    return tuple(text.split() if spaced else text.replace(" ", ""))


_LENGTH = 2_000
"""The characters that are read: a pasted book must not cost a chat its deadline."""


@cache
def _vocabulary() -> DateVocabulary:
    return DateVocabulary(
        Language(**words) for words in read_table("recollect.text.dates", "languages").values()
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
_ARABIC_AND = bounded(r"\b\u0648(?=(\w+))")
_WORD = bounded(rf"{_LETTER}[{_LETTERS}0-9_]*")
_UNSPACED = bounded(rf"[^\W\d_{_LETTERS}]")
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


_DATING = frozenset("MmSsqHWwvURD")
"""The kinds of words of which each date has at least one, if it has no digits."""


@cache
def _dating_words() -> frozenset[str]:
    """Return the longest word of each phrase of these kinds; in scripts without spaces, a character."""
    return frozenset(
        max(phrase, key=len)
        for entries in _vocabulary().by_first_word.values()
        for phrase, entry in entries
        if any(symbol and symbol.kind in _DATING for symbol in (entry.anywhere, *entry.only_in.values()))
    )


def may_name_date(text: str) -> bool:
    """Return whether a text has a digit or a word of a date; most have none, and this is quicker than reading it."""
    beginning = _beginning(text).lower()
    if any(map(str.isdigit, beginning)) or not _dating_words().isdisjoint(_WORD.findall(beginning)):
        return True
    return not beginning.isascii() and not _dating_words().isdisjoint(_UNSPACED.findall(beginning))


def _beginning(text: str) -> str:
    """Return the beginning of a text, an Arabic "and" apart from the number or date word that it is written with."""
    beginning = unicodedata.normalize("NFKC", text[:_LENGTH])[:_LENGTH]
    return _ARABIC_AND.sub(lambda found: f"{found[0]} " if _may_be_dated(found[1]) else found[0], beginning)


def _may_be_dated(word: str) -> bool:
    return word.isdigit() or word in _vocabulary().by_first_word


def date_symbols(text: str, zone: tzinfo) -> list[Symbol]:
    """Return the symbols of the words in a text's beginning, one each, or one for a few together; a date-time is a day in ``zone``."""
    beginning = _beginning(text)
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
    """Return the languages that most of the common words belong to; several if they tie."""
    counts: dict[int, int] = {}
    for word in words:
        for number, telling in _vocabulary().speakers.get(word, ()):
            counts[number] = counts.get(number, 0) + telling
    most = max(counts.values(), default=0)
    return frozenset(number for number, count in counts.items() if count == most)


def _lookup(words: Sequence[str], position: int, language: frozenset[int]) -> tuple[Symbol, int]:
    """Return the symbol of the longest phrase at ``position``, and of how many words it is."""
    word = words[position]
    for phrase, entry in _vocabulary().by_first_word.get(word, ()):
        length = len(phrase)
        if length > 1 and tuple(words[position : position + length]) != phrase:
            continue
        symbol = entry.anywhere or _meaning_in(entry, language)
        if symbol is not None:
            return symbol, length
    if word in _MARKS:
        return Symbol(_MARKS[word]), 1
    return (_OTHER if word.isalnum() else _STOP), 1


def _meaning_in(entry: Meanings, language: frozenset[int]) -> Symbol | None:
    """Return the meaning of an ambiguous phrase in the text's language, if that is certain."""
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


_DIGITS: Mapping[str, Callable[[str, tzinfo], Symbol]] = {
    "iso": _iso,
    "year_month": _year_month,
    "day_month_year": _day_month_year,
    "day_month": _day_month,
    "east_asian": _east_asian,
    "quantity": lambda _, __: _OTHER,
    "ordinal": _ordinal,
    "number": _number,
}
