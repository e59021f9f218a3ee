"""The numbers, units and dates that a statement names. Pure.

Different notations of one figure (``5:30``, ``half past five``, ``halb sechs``) are equal.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from recollect.text import read_table
from recollect.text.lexical.letters import fold, readable
from recollect.text.patterns import bounded
from recollect.text.word_analysis import analyze_words


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


_MOST_CHARACTERS = 4_000
_KEPT = 4_096
_HOURS = 24

_ISO_DATE = bounded(r"(?<!\d)(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_DOTTED_DATE = bounded(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})(?!\d))?(?!\d)")
_HAN_DATE = bounded(r"(?:(\d{4})\s?年\s?)?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号號])?")
_CLOCK = bounded(
    r"(?<![\d:.,])(\d{1,2})(?:\s?[:h]\s?|\s?uhr\s|\.(?=\d\d\s?uhr)|\s?[時时点點]\s?)(\d{2})(?![\d:])(?:\s?(?:uhr|分))?"
    r"(?:\s?([ap])\.?m\b\.?)?"
)
_HALF_DAY = bounded(r"(?<![\d:.,])(\d{1,2})\s?([ap])\.?m\b\.?")
_HOUR = r"(\d{1,2}|[^\W\d_]+)"
_HALF_PAST = bounded(rf"\bhalf (?:past )?{_HOUR}|\b{_HOUR} (?:heures? et demie|y media|e mezzo|e meia)\b")
_HALF_BEFORE = bounded(rf"\b(?:halb|half) {_HOUR}")
_QUARTER = bounded(
    rf"\b(?:(?P<before>quarter to|viertel vor|dreiviertel)|(?:quarter past|viertel nach)) {_HOUR}"
    rf"|\b{_HOUR}(?: heures?)? (?:et quart|y cuarto|e un quarto)\b"
    rf"|\b{_HOUR}(?: heures?)? (?P<less>moins le quart|menos cuarto|meno un quarto)\b"
)
_CURRENCY_BEFORE = bounded(r"([€$£¥₽₹])\s?(?=\d)")
_NUMBER = bounded(
    r"(?<![0-9A-Za-z_.,\u00c0-\u1fff])(?P<sign>[-\u2212](?=\d))?(?P<digits>\d{1,3}(?:(?P<gap>[., '])\d{3})(?:(?P=gap)\d{3})*(?![\d])|\d+(?:[.,]\d+)*)"
    r"(?:\s?(?P<unit>[^\W\d_]{1,12}|[€$£¥₽₹%°]\w?))?"
)
_WORD = bounded(r"[^\W\d_]+")
_TOKEN = bounded(r"[^\W\d_]+|\d+")
_HAN_WEEKDAY = bounded("(?:[周週]|星期|礼拜|禮拜)([一二三四五六日天])|([月火水木金土日])曜")
_PER = bounded(
    r"(?:/|\b(?:an?|per|each|every|pro|je|jede[nrs]?|die|im|par|chaque|ogni|elke|iedere?|кажд\w+|tous les|toutes les|todos los|todas las|todos os|todas as|tutti i|tutte le|al|a la|por|cada|ao|à|al|alla|в|mal am|am)\s)\s?"
    r"([^\W\d_]+)\b(?! (?:past|to|nach|vor)\b)"
)
_EVERY = bounded(
    r"\b(?:every|alle|tous les|toutes les|cada|ogni|a cada|om de|elke|iedere|каждые)\s(\d{1,3}|[^\W\d_]+)\s([^\W\d_]+)"
)
_HAN_PER = bounded(
    f"(?:[每毎]个?|(?=四半期ごと|隔週))({'|'.join(sorted(HAN_PERIODS, key=len, reverse=True))})"
)
_FORTNIGHTS = frozenset(["2 week", "14 day", "15 day"])
_HAN_NUMBER = bounded(f"[{''.join(HAN_DIGITS)}{''.join(HAN_TENS)}]+")
_WEEKDAY_SPAN = bounded(
    r"\b([^\W\d_]+)\b\.?(?:\s?[-\u2013]\s?|\s(?:to|through|till|bis|a|au|al|hasta|ate|по|t/m|tot)\s)([^\W\d_]+)"
)


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers and dates of a statement.

    Attributes:
        numbers: Its numbers and times of day, each in one spelling.
        units: Of which number it names which unit.
        dates: Its months, weekdays and periods.
    """

    numbers: frozenset[str]
    units: tuple[tuple[str, str], ...]
    dates: frozenset[str]


def figures(text: str) -> Figures:
    """Return the figures of ``text``, of which the first 4,000 characters are read."""
    return _figures(text[:_MOST_CHARACTERS])


@lru_cache(_KEPT)
def _figures(text: str) -> Figures:
    clear = " ".join(readable(text).split())
    found = _Found(clear)
    found.read_months_and_days()
    found.read_dates()
    found.read_times()
    found.read_numbers()
    return Figures(frozenset(found.numbers), tuple(sorted(found.units)), frozenset(found.dates))


def _plain_number(digits: str, gap: str | None, sign: str | None) -> str:
    """Return a number in one spelling: no marks between thousands, a point before decimals."""
    plain = digits.replace(gap, "") if gap else digits.replace(",", ".")
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".")
    if len(plain) == 2:  # noqa: PLR2004 - 09 in a date or a time is 9; a longer one is a code
        plain = plain.lstrip("0") or "0"
    return f"-{plain}" if sign else plain


class _Found:
    """Collects figures; each one found is cut out of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.numbers: set[str] = set()
        self.units: set[tuple[str, str]] = set()
        self.dates: set[str] = set()
        self.own_numbers = figure_words().numbers_of.get(analyze_words(text).language, {})

    def read_months_and_days(self) -> None:
        """Read the names of months, weekdays and periods, for which capitals are needed."""
        tokens = _TOKEN.findall(self.text)
        for before, word, after in zip(["", *tokens], tokens, [*tokens, ""][1:], strict=False):
            plain = fold(word)
            if plain in figure_words().weekdays:
                self.dates.add(f"weekday {figure_words().weekdays[plain]}")
            elif plain in figure_words().period_adverbs:
                self.dates.add(f"per {figure_words().period_adverbs[plain]}")
            elif plain in figure_words().months and (
                plain not in figure_words().doubtful_months
                or word[0].isupper()
                or before[-1:].isdecimal()
                or after[:1].isdecimal()
                or fold(before) in figure_words().before_months
            ):
                self.dates.add(f"month {figure_words().months[plain]}")
        self.text = fold(self.text)
        self._read_weeks()

    def _read_weeks(self) -> None:
        for span in _WEEKDAY_SPAN.finditer(self.text):
            if (figure_words().weekdays.get(span[1]), figure_words().weekdays.get(span[2])) == (1, 5):
                self.dates -= {"weekday 1", "weekday 5"}
                self.dates.add("workdays")
        if any(phrase in self.text for phrase in WORKDAYS):
            self.dates.add("workdays")
        for each in _EVERY.finditer(self.text):
            number = self._number_of(each[1]) or each[1] * each[1].isdecimal()
            if number and each[2] in figure_words().periods:
                every = f"{number} {figure_words().periods[each[2]]}"
                self.dates.add("per fortnight" if every in _FORTNIGHTS else f"per {every}")
        self.dates |= {f"per {HAN_PERIODS[each[1]]}" for each in _HAN_PER.finditer(self.text)}
        self.dates |= {
            f"per {figure_words().periods[each[1]]}"
            for each in _PER.finditer(self.text)
            if each[1] in figure_words().periods
        }
        self.dates |= {
            f"weekday {HAN_WEEKDAYS[each[1] or each[2]]}" for each in _HAN_WEEKDAY.finditer(self.text)
        }
        self.text = _HAN_WEEKDAY.sub(" ", self.text)

    def read_dates(self) -> None:
        for pattern, order in ((_ISO_DATE, (1, 2, 3)), (_HAN_DATE, (1, 2, 3)), (_DOTTED_DATE, (3, 2, 1))):
            for date in pattern.finditer(self.text):
                year, month, day = (date[group] for group in order)
                self.numbers |= {str(int(part)) for part in (year, day) if part}
                self.dates.add(f"month {int(month)}")
            self.text = pattern.sub(" ", self.text)

    def read_times(self) -> None:
        for pattern in (_CLOCK, _HALF_DAY):
            for time in pattern.finditer(self.text):
                hour, minutes = int(time[1]), time[2] if pattern is _CLOCK else "00"
                half = time[3] if pattern is _CLOCK else time[2]
                hour = hour % 12 + 12 * (half == "p") if half else hour
                self.numbers.add(str(hour) if minutes == "00" else f"{hour}:{minutes}")
            self.text = pattern.sub(" ", self.text)
        self._read_half_hours()

    def _read_half_hours(self) -> None:
        for pattern, less in ((_HALF_BEFORE, 1), (_HALF_PAST, 0)):
            for half in list(pattern.finditer(self.text)):
                word = next(part for part in half.groups() if part)
                hour = self._hour(word)
                # "half five" is 5:30 in English, "half vijf" 4:30 in Dutch
                if hour and (pattern is _HALF_PAST or half[0].startswith("halb") or word in _DUTCH):
                    self.numbers.add(f"{hour - less or 12}:30")
                    self.text = self.text.replace(half[0], " ")
        for quarter in list(_QUARTER.finditer(self.text)):
            word = next(quarter[group] for group in (2, 3, 4) if quarter[group])
            hour = self._hour(word)
            if hour:
                less = bool(quarter["before"] or quarter["less"])
                self.numbers.add(f"{hour - 1 or 12}:45" if less else f"{hour}:15")
                self.text = self.text.replace(quarter[0], " ")

    def _hour(self, word: str) -> int:
        """Return the hour a word names; 0 for other words."""
        hour = word if word.isdigit() else self._number_of(word)
        return int(hour) if hour.isdigit() and int(hour) <= _HOURS else 0

    def _number_of(self, word: str) -> str:
        return figure_words().numbers.get(word) or self.own_numbers.get(word, "")

    def read_numbers(self) -> None:
        self.text = _CURRENCY_BEFORE.sub(r"\1 ", self.text)
        for found in _NUMBER.finditer(self.text):
            number = _plain_number(found["digits"], found["gap"], found["sign"])
            self.numbers.add(number)
            before = self.text[max(0, found.start() - 2) : found.start()].strip()
            unit = figure_words().currencies.get(before) or _unit(found["unit"] or "")
            if unit:
                self.units.add((number, unit))
        words = list(_WORD.finditer(self.text))
        for word, after in zip(words, [*words, None][1:], strict=True):
            number = self._number_of(word[0]) or _composed(word[0])
            if number:
                self.numbers.add(number)
                if after and _unit(after[0]):
                    self.units.add((number, _unit(after[0])))
        self.numbers |= {_han_number(found[0]) for found in _HAN_NUMBER.finditer(self.text)} - {""}


_DUTCH_HOURS = "een twee drie vier vijf zes zeven acht negen tien elf twaalf"
_DUTCH = frozenset(_DUTCH_HOURS.split())


def _unit(word: str) -> str:
    return (
        figure_words().currencies.get(word)
        or figure_words().units.get(word, "")
        or figure_words().currencies.get(word[:1], "")
    )


def _composed(word: str) -> str:
    """Return the value of a German or Dutch compound number: "achthundert", "zweihundertfünfzig"; "" for other words."""
    for ten in COMPOUND_TENS:
        before, found, behind = word.partition(ten)
        if found:
            numbers = figure_words().numbers
            factor = int(numbers.get(before, "1" if before in {"", "ein", "een"} else "0"))
            rest = int(numbers.get(behind, "0"))
            return str(factor * int(numbers[ten]) + rest) if factor and (rest or not behind) else ""
    return ""


def _han_number(run: str) -> str:
    """Return the value of a run of Han numerals; "" for a single one, which may be an article."""
    if run in {"一", "十", "百", "千", "万", "萬"}:
        return ""
    total, digit = 0, 0
    for character in run:
        if character in HAN_TENS:
            total += (digit or 1) * HAN_TENS[character]
            digit = 0
        else:
            digit = digit * 10 + HAN_DIGITS[character]
    return str(total + digit)
