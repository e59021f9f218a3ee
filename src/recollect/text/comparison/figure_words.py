"""The names of numbers, months and weekdays, in the languages people chat in most.

In folded case and without accents, as `recollect.text.lexical.folding.fold` gives them. A name that is also another
word in one of the languages ("once", "sei", "one") is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from recollect.text.lexical.folding import fold
from recollect.text.word_tables import read_table


@dataclass(frozen=True, slots=True)
class FigureWords:
    """Words that count or date something, and their meanings.

    Attributes:
        numbers: Number words, and their digits.
        numbers_of: The same by language, for names that are other words in other languages.
        months: Names of months, 1 to 12.
        doubtful_months: Names that are a month only with a capital, next to a number, or behind one of ``before_months``.
        before_months: Words that stand before a month.
        weekdays: Names of weekdays; Monday is 1.
    """

    numbers: Mapping[str, str]
    numbers_of: Mapping[str, Mapping[str, str]]
    months: Mapping[str, int]
    doubtful_months: frozenset[str]
    before_months: frozenset[str]
    weekdays: Mapping[str, int]


@cache
def figure_words() -> FigureWords:
    """Return the words of ``figure_words.json``."""
    table = read_table("recollect.text.comparison", "figure_words")
    return FigureWords(
        numbers=_folded(table["numbers"]),
        numbers_of=table["numbers_of"],
        months={word: int(month) for word, month in _folded(table["months"]).items()},
        doubtful_months=frozenset(table["doubtful_months"].split()),
        before_months=frozenset(table["before_months"].split()),
        weekdays={word: int(day) for word, day in _folded(table["weekdays"]).items()},
    )


@cache
def figure_names() -> frozenset[str]:
    """Return all names of numbers, months and weekdays."""
    words = figure_words()
    return frozenset().union(words.months, words.numbers, words.weekdays)


def _folded(table: Mapping[str, str]) -> dict[str, str]:
    return {fold(word): meaning for meaning, words in table.items() for word in words.split()}


HAN_WEEKDAYS = {
    character: day
    for day, characters in enumerate(("一月", "二火", "三水", "四木", "五金", "六土", "日天"), 1)
    for character in characters
}
_WORKDAYS = (
    "weekdays,on workdays,working days,werktags,unter der woche,"
    "en semaine,jours de travail,jours de boulot,jours ouvrés,entre semana,días laborables,durante la settimana,giorni feriali,dias úteis,по будням,平日,工作日"
)
WORKDAYS = tuple(map(fold, _WORKDAYS.split(",")))
HAN_DIGITS = dict(zip("〇一二三四五六七八九", range(10), strict=True)) | {"两": 2, "兩": 2}
HAN_TENS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000}
