"""The names of numbers, months, weekdays and units, in the languages people chat in most.

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
        numbers_of: The same by language, of those that are other words in other languages.
        months: Names of months, 1 to 12.
        doubtful_months: Those that are a month only with a capital, beside a number, or behind one of ``before_months``.
        before_months: Words that stand before a month.
        weekdays: Names of weekdays; Monday is 1.
        units: Names and signs of units.
        currencies: Signs of currencies.
        periods: Units that something happens by.
        period_adverbs: Adverbs that say the same: "daily".
    """

    numbers: Mapping[str, str]
    numbers_of: Mapping[str, Mapping[str, str]]
    months: Mapping[str, int]
    doubtful_months: frozenset[str]
    before_months: frozenset[str]
    weekdays: Mapping[str, int]
    units: Mapping[str, str]
    currencies: Mapping[str, str]
    periods: Mapping[str, str]
    period_adverbs: Mapping[str, str]


@cache
def figure_words() -> FigureWords:
    """Return the words of ``figure_words.json``."""
    table = read_table("recollect.text.comparison", "figure_words")
    units = _folded(table["units"])
    of_units = {word: unit for word, unit in units.items() if unit in table["adverbs"] and len(word) > 1}
    return FigureWords(
        numbers=_folded(table["numbers"]),
        numbers_of=table["numbers_of"],
        months={word: int(month) for word, month in _folded(table["months"]).items()},
        doubtful_months=frozenset(table["doubtful_months"].split()),
        before_months=frozenset(table["before_months"].split()),
        weekdays={word: int(day) for word, day in _folded(table["weekdays"]).items()},
        units=units,
        currencies={sign: units[sign] for sign in table["currencies"]},
        periods=of_units | {"an": "year"} | _folded(table["periods"]),
        period_adverbs=_folded(table["adverbs"]),
    )


@cache
def figure_names() -> frozenset[str]:
    """Return all names of numbers, months, weekdays and units."""
    words = figure_words()
    return frozenset().union(words.months, words.numbers, words.units, words.weekdays)


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
HAN_PERIODS = {
    "天": "day", "日": "day", "晚": "night", "晩": "night", "周": "week", "週": "week", "星期": "week", "月": "month",
    "年": "year", "季度": "quarter", "季": "quarter", "四半期": "quarter", "半年": "half year", "两周": "fortnight",
    "隔週": "fortnight", "週末": "weekend", "周末": "weekend",
}  # fmt: skip
COMPOUND_TENS = ("hundert", "honderd", "tausend", "duizend")
"""What a German or Dutch number word is composed with."""
HAN_DIGITS = dict(zip("〇一二三四五六七八九", range(10), strict=True)) | {"两": 2, "兩": 2}
HAN_TENS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000}
