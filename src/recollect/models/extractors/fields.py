"""Reads single fields of an answer, whatever type the model gave them. Never: which fields there are."""

import math
from calendar import monthrange
from datetime import date, datetime, time, tzinfo

from recollect.text.patterns import anchored, bounded

INDEX_LIMIT = 50
"""The most numbers read of one list of them."""

_EARLIEST, _LATEST = date(1000, 1, 1), date(9000, 1, 1)  # converting to UTC must not leave datetime's range
_LAST_SECOND = time(23, 59, 59)
_NUMBER = bounded(r"\d{1,6}")
_MONTH = anchored(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")


def clean(text: object) -> str | None:
    """Return a text without what no database column takes (NULs, lone surrogates); None if it is none."""
    if not isinstance(text, str):
        return None
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8").strip()


def in_one_line(text: object) -> str | None:
    """Return a text as ``clean`` does, in one line."""
    cleaned = clean(text)
    return None if cleaned is None else " ".join(cleaned.split())


def finite(value: object) -> float | None:
    """Return a number, also one that is written in a string; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def index(value: object) -> int | None:
    """Return the number of something that was shown numbered: ``3``, ``"3"``, ``"[3]"``, ``[3]``."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        digits = _NUMBER.search(value)
        value = int(digits[0]) if digits else None
    number = finite(value)
    return int(number) if number is not None and number >= 0 else None


def indexes(value: object) -> tuple[int, ...]:
    """Return such numbers in the order given, each once: of a list, of ``"[0, 2]"``, or of one alone."""
    if isinstance(value, str):
        value = [match[0] for match, _ in zip(_NUMBER.finditer(value), range(INDEX_LIMIT), strict=False)]
    listed = value if isinstance(value, list) else [value]
    found = (index(item) for item in listed[:INDEX_LIMIT])
    return tuple(dict.fromkeys(number for number in found if number is not None))


def word(value: object) -> str:
    """Return one of the words that a field may hold, as they are written; "" if it is none."""
    return value.strip().casefold() if isinstance(value, str) else ""


def yes(value: object) -> bool:
    """Return whether that is so, also where it is told by a number or a word."""
    return value in (True, 1) or word(value) in {"true", "yes", "1"}


def day(value: object) -> datetime | date | None:
    """Return an ISO date, with its time where it has one; None if it is none."""
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
    """Return when a day begins, or ends, in ``zone``; None if that can't be or lies beyond all calendars."""
    if found is None:
        return None
    at = found if isinstance(found, datetime) else datetime.combine(found, _LAST_SECOND if is_end else time())
    if not _EARLIEST <= at.date() <= _LATEST:
        return None
    return at if at.tzinfo else at.replace(tzinfo=zone)
