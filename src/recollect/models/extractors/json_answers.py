"""Finds the JSON in a model's answer, and reads single fields of any type.

Models wrap their JSON in prose, code fences and thoughts, break it off, and write Python's or typographic quotes, bare names and
quotes within quotes. All of it is read in linear time.
"""

import json
import math
import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, tzinfo
from typing import Any, TypeVar

from recollect.model import YEARS
from recollect.text.attribution.thoughts import without_thoughts
from recollect.text.patterns import anchored, bounded, linear

ANSWER_LENGTH = 200_000
"""The most characters of an answer that are looked at: as many as a hundred statements can need."""

_Found = TypeVar("_Found")

_ATTEMPTS = 120  # a page of opening brackets must not be parsed from each of them
_FENCES = 10

_FENCE = linear(r"```[ \t]*(?:\w+[ \t]*)?\n(.*?)(?:```|\Z)", re.DOTALL)
# A string is matched to step over it; its closing quote is optional, so that each is scanned once.
_STRING_OR_COMMA = linear(r'("(?:[^"\\]|\\.)*"?)|,(\s*[}\]])', re.DOTALL)
_OPENING = bounded(r"[{\[]")
_BREAK = object()


def find(text: str, read: Callable[[object], _Found | None]) -> _Found | None:
    """Return what ``read`` makes of the JSON in ``text``; None if it returns None for all of it.

    A value that is the whole answer, or a code fence in it, comes before those within prose. Of several the
    last counts: the ones before are drafts.
    """
    for whole in whole_values(text):
        found = read(whole)
        if found is not None:
            return found
    last: _Found | None = None
    for value in values_within(text):
        found = read(value)
        last = last if found is None else found
    return last


def list_in(value: object, name: str) -> list[Any] | None:
    """Return the list of that name in an object; None if there is none."""
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else None


def whole_values(text: str) -> Iterator[object]:
    """Yield the whole answer as JSON, then its code fences, the last one first."""
    spoken = without_thoughts(text[:ANSWER_LENGTH]).strip()
    fences = _FENCE.findall(spoken)[-_FENCES:]
    for whole in dict.fromkeys((text[:ANSWER_LENGTH], spoken, *reversed(fences))):
        value = _parse(whole)
        if value is not None:
            yield value


def values_within(text: str) -> Iterator[object]:
    """Yield the JSON objects and lists within prose, also after one that breaks off."""
    return (value for value in _values_or_breaks(text) if value is not _BREAK)


def breaks(text: str) -> bool:
    """Return whether an object within prose breaks off or can't be read, so that some of its values may be missing."""
    return _BREAK in _values_or_breaks(text)


def _values_or_breaks(text: str) -> Iterator[object]:
    """Yield each value within prose, and ``_BREAK`` for each object that can't be read."""
    spoken = _STRING_OR_COMMA.sub(_drop_comma, without_thoughts(text[:ANSWER_LENGTH]).strip())
    decoder = json.JSONDecoder(strict=False)  # a line may break within a text
    position = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(spoken, position)
        if opening is None:
            return
        try:
            value, position = decoder.raw_decode(spoken, opening.start())
            yield value
        except (ValueError, RecursionError):
            position = opening.end()
            if opening[0] == "{":
                yield _BREAK


def loosely(text: str) -> str:
    """Return the answer from its first bracket on, with almost-JSON written as JSON."""
    spoken = without_thoughts(text[:ANSWER_LENGTH]).strip()
    opening = _OPENING.search(spoken)
    return "" if opening is None else as_json(spoken[opening.start() :])


def _parse(text: str) -> object:
    for attempt in (text, _STRING_OR_COMMA.sub(_drop_comma, text)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _drop_comma(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""


INDEX_LIMIT = 50
"""The most numbers read of one list of them."""

_ITEM_NAMES = ("text", "content", "item", "name", "todo", "fact", "topic", "question")
_LAST_SECOND = time(23, 59, 59)
_NUMBER = bounded(r"\d{1,6}")
_MONTH = anchored(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")


def clean(text: object) -> str | None:
    """Return a text without characters that no database column takes (NULs, lone surrogates); None if it is not a text."""
    if not isinstance(text, str):
        return None
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8").strip()


def in_one_line(text: object) -> str | None:
    """Return a text as ``clean`` does, in one line."""
    cleaned = clean(text)
    return None if cleaned is None else " ".join(cleaned.split())


def lines_of(value: object, most: int, length: int) -> list[str]:
    """Return the texts of a list, each once, in one line and cut to ``length``; models write objects into it, or one text in its place."""
    listed = value[: 5 * most] if isinstance(value, list) else [value]
    lines = (in_one_line(_item_name(item) if isinstance(item, dict) else item) for item in listed)
    whole = dict.fromkeys(line for line in lines if line)
    return [line if len(line) <= length else f"{line[: length - 2].rstrip()} …" for line in whole][:most]


def _item_name(item: dict[str, object]) -> object:
    return next((item[name] for name in _ITEM_NAMES if isinstance(item.get(name), str)), None)


def finite(value: object) -> float | None:
    """Return a number, also one written in a string; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def index(value: object) -> int | None:
    """Return the number of a shown item: ``3``, ``"3"``, ``"[3]"``, ``[3]``."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        digits = _NUMBER.search(value)
        value = int(digits[0]) if digits else None
    number = finite(value)
    return int(number) if number is not None and number >= 0 else None


def indexes(value: object) -> tuple[int, ...]:
    """Return such numbers in the order given, each once, from a list, ``"[0, 2]"``, or a single one."""
    if isinstance(value, str):
        value = [match[0] for match, _ in zip(_NUMBER.finditer(value), range(INDEX_LIMIT), strict=False)]
    listed = value if isinstance(value, list) else [value]
    found = (index(item) for item in listed[:INDEX_LIMIT])
    return tuple(dict.fromkeys(number for number in found if number is not None))


def word(value: object) -> str:
    """Return the value if it is one of the allowed words, as they are written; else ""."""
    return value.strip().casefold() if isinstance(value, str) else ""


def yes(value: object) -> bool:
    """Return whether a value means yes: true, 1, or such a word."""
    return value in (True, 1) or word(value) in {"true", "yes", "1"}


def day(value: object) -> datetime | date | None:
    """Return an ISO date, with its time if it has one; None for anything else."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return date.fromisoformat(text) if len(text) == len("2000-01-01") else datetime.fromisoformat(text)
    except ValueError:
        return None


def first_day(value: object) -> datetime | date | None:
    """Return an ISO date as ``day`` does; of a month or a year the first day."""
    found = _MONTH.fullmatch(value.strip()) if isinstance(value, str) else None
    return day(value if found is None else f"{found[1]}-{found[2] or '01'}-01")


def last_day(value: object) -> datetime | date | None:
    """Return an ISO date as ``day`` does; of a month or a year the last day."""
    found = _MONTH.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return day(value)
    year, month = int(found[1]), int(found[2] or 12)
    return date(year, month, monthrange(year, month)[1]) if year else None


def moment(found: datetime | date | None, zone: tzinfo | None, *, is_end: bool = False) -> datetime | None:
    """Return when a day begins, or ends, in ``zone``; None if that can't be or lies beyond all calendars.

    A model's own zone is not heeded: it means the person's clock.
    """
    if found is None:
        return None
    at = found if isinstance(found, datetime) else datetime.combine(found, _LAST_SECOND if is_end else time())
    return at.replace(tzinfo=zone) if at.year in YEARS else None


_CLOSING = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u201d": "\u201d"}
"""The quotes that may end a text, by the one that opens it."""

_WORDS = {"None": "null", "True": "true", "False": "false", "undefined": "null"}
_MARKS = {"\uff1a": ":", "\uff0c": ",", "\u3001": ","}
_BEFORE_A_TEXT, _AFTER_A_TEXT = "{[,:", ",:}]" + "".join(_MARKS)
_LOOKED_AT = 40
"""The most characters of white space to skip before the next sign."""


def as_json(text: str) -> str:
    """Return a text that begins with a bracket, with every sign that means JSON as JSON."""
    written: list[str] = []
    last, at = "", 0
    while at < len(text):
        char = text[at]
        if char in _CLOSING and (not last or last in _BEFORE_A_TEXT):
            end = _end_of_text(text, at + 1, _CLOSING[char])
            piece = _quoted(text[at + 1 : end])
            last, at = '"', end + 1
        elif char.isalpha() or char == "_":
            end = _end_of_word(text, at)
            word = text[at:end]
            is_key = _next(text, end) in {":", "\uff1a"}
            piece = f'"{word}"' if is_key else _WORDS.get(word, word)
            last, at = word[-1], end
        else:
            piece = _MARKS.get(char, char)
            last, at = last if char.isspace() else piece, at + 1
        written.append(piece)
    return "".join(written)


def _end_of_word(text: str, at: int) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] == "_"):
        at += 1
    return at


def _end_of_text(text: str, at: int, closing: str) -> int:
    """Return where a quoted text ends: at a closing quote before a sign of JSON, or at the end of the whole."""
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in closing and _next(text, at + 1) in _AFTER_A_TEXT:
            return at
        at += 1
    return len(text)


def _next(text: str, at: int) -> str:
    """Return the next character that is no white space; "" at the end."""
    return text[at : at + _LOOKED_AT].lstrip()[:1]


def _quoted(content: str) -> str:
    """Return the text between quotes as a JSON text."""
    pieces: list[str] = []
    at = 0
    while at < len(content):
        char = content[at]
        if char == "\\" and at + 1 < len(content):
            pieces.append("'" if content[at + 1] == "'" else content[at : at + 2])
            at += 1
        else:
            pieces.append('\\"' if char == '"' else char)
        at += 1
    return f'"{"".join(pieces)}"'
