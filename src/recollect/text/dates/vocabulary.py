"""What a language's table of date words looks like, and how it is read. Pure. Never: texts, dates.

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
 c    what is counted: no year stands before it   u    until
 Z    later, after the number ("3天后")             +    the future is spoken of
==== =========================================== ==== ===========================================

Digits give ``d`` (1 to 31), ``N`` (more), ``O`` (an ordinal), ``Y`` (a year), ``C`` (15.3.),
``K`` (3月, 3月15日), ``X`` (a date), and marks give ``,``, ``-`` and ``.``. A date that was read is ``@``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from recollect.text.dates.spans import Span


class Symbol(NamedTuple):
    """What a word, or a few, stand for."""

    kind: str
    number: int = 0
    second: int = 0
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Language:
    """The date words of one language, in small letters; those of one meaning parted by commas.

    Attributes:
        common: Its commonest words, parted by spaces: how it is told from others.
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
"""What a word tells of its text's language; one that others use in another sense tells half."""

Phrase: TypeAlias = tuple[str, ...]


class Entry(NamedTuple):
    """What a phrase means.

    Attributes:
        anywhere: Its meaning whatever the language, if it has one.
        only_in: Its meaning in some languages, by their number.
    """

    anywhere: Symbol | None
    only_in: Mapping[int, Symbol]


class Vocabulary:
    """The words of several languages, merged.

    Attributes:
        by_first_word: The phrases that begin with a word, the longest first, with their meanings.
        speakers: For a word that tells its language, the numbers of those that use it, and how
            much it tells.
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
        by_first_word: dict[str, list[tuple[Phrase, Entry]]] = defaultdict(list)
        for words, by_language in sorted(meanings.items(), key=lambda item: -len(item[0])):
            symbols = set(by_language.values())
            is_plain = len(symbols) == 1 and words not in guarded
            entry = Entry(symbols.pop(), {}) if is_plain else Entry(None, by_language)
            by_first_word[words[0]].append((words, entry))
            if len(words) == len(by_language) == 1:
                [number] = by_language
                speakers[words[0]].setdefault(number, _TELLING - (words in guarded))
        self.speakers: Mapping[str, tuple[tuple[int, int], ...]] = {
            word: tuple(tellings.items()) for word, tellings in speakers.items()
        }
        self.by_first_word: Mapping[str, tuple[tuple[Phrase, Entry], ...]] = {
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
