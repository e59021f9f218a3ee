"""Finds what opens, unlocks or signs: told by what it is for and how it looks. Pure. Never: whose, names of fields.

The sentence tells that something opens ("opens with ...", "... is what gets you in"), the value that it may be what
opens it: digits in whatever groups or words, a code of letters and digits, words joined with digits.
"""

from collections.abc import Iterator
from typing import Any

from recollect.text.patterns import linear
from recollect.text.secrets.kinds import SecretKind, SecretSpan, TooManyPlacesError, places
from recollect.text.secrets.telling import UNIT
from recollect.text.secrets.unlocking_words import (
    ANY_VALUE,
    CODE_IN_LIST,
    CODES_FOLLOW,
    CODES_NAMED,
    DIGITS_BY_NAME,
    ENTRY_IS,
    GOES_ON_WITHOUT_UNIT,
    KEY_IS,
    LOCK_IS,
    LOCKED,
    MAY_OPEN,
    MAY_OPEN_WITH,
    MAY_UNLOCK,
    NAMES_CODE,
    NAMES_KEY,
    OPENED_BY,
    OPENS_WITH,
    PUNCHED_IN,
    SENTENCE_WITH_DIGITS,
    WORD_WITH_NUMBER,
)

_MOST_IN_LIST = 30
_MOST_SENTENCES = 200
_MOST_WITH_DIGITS = 20_000
_LONGEST_SENTENCE = 400
_SENTENCE_ENDS = ("\n", ". ", "! ", "? ", "\u3002", "\uff01", "\uff1f")
_LEAST_DIGITS = 3
_LEAST_SPELLED = 3
_TO_THREE = "123"
_ASKED_BEFORE = 100
_CODE_DIGITS = range(4, 9)
_LEAST_WORDS_JOINED = 8
_LEAST_KEY = 6
_DATE_OR_TIME = linear(
    r"(?i)(?:[0-3]?[0-9][./-][01]?[0-9][./-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}(?:[./-][01]?[0-9][./-][0-3]?[0-9])?|[0-2]?[0-9]:[0-5][0-9]"
    r"|[0-9]{1,3}(?:[.,][0-9]{3})+|[0-9]+[.,][0-9]{1,2}|[0-9.,]+[%€$£a-z]{1,4})"
)
_JOINED = linear(r"\p{L}{2,}(?:[-._][\p{L}\p{N}]+){1,6}")
_MODEL = linear(r"[A-Z]{1,5}[0-9]{0,4}(?:-?[A-Z0-9]{1,6}){1,3}")
_SEPARATORS = linear(r"[ .\x{2013}/,#*-]+")


def what_unlocks(text: str) -> Iterator[SecretSpan]:
    """Yield where in a text stands what opens something; in linear time, in no order.

    Raises:
        TooManyPlacesError: Behind the 200th sentence that has digits and speaks of locks, if there are more.
    """
    if not MAY_UNLOCK.search(text):
        return
    for number, (start, end, before) in enumerate(_sentences(text)):
        if number == _MOST_SENTENCES:
            raise TooManyPlacesError(start)
        yield from (SecretSpan(*found, SecretKind.CODE) for found in _in_sentence(text, start, end, before))
    yield from (SecretSpan(*found, SecretKind.CODE) for found in _listed(text))


def _sentences(text: str) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield where sentences begin and end that may tell what opens something, and the one before, where it asks."""
    last = 0
    for found in places(SENTENCE_WITH_DIGITS, text, _MOST_WITH_DIGITS):
        start = _begins(text, last, found.start())
        end = min(found.end(), found.start() + _LONGEST_SENTENCE)
        last = found.end()
        asked = _asked_before(text, start)
        if MAY_UNLOCK.search(text[start:end]) or (asked[1] and MAY_UNLOCK.search(text[slice(*asked)])):
            yield start, end, asked


def _begins(text: str, least: int, at: int) -> int:
    """Return where the sentence begins in which something stands."""
    least = max(least, at - _LONGEST_SENTENCE)
    before = text[least:at]
    ends = (before.rfind(each) + len(each) for each in _SENTENCE_ENDS if each in before)
    return least + max(ends, default=0)


def _asked_before(text: str, start: int) -> tuple[int, int]:
    """Return where the question stands that a sentence answers; nowhere if there is none."""
    end = len(text[max(0, start - 4) : start].rstrip()) + max(0, start - 4)
    if text[end - 1 : end] not in {"?", "\uff1f"}:
        return 0, 0
    return max(0, end - _ASKED_BEFORE), end


def plain_digits(value: str) -> str:
    """Return the digits of a value in whatever groups or words they stand; "" where it has other words."""
    parts = [part for part in _SEPARATORS.split(value.casefold()) if part]
    digits = [part if part.isdecimal() else DIGITS_BY_NAME.get(part, "") for part in parts]
    return "".join(digits) if all(digits) else ""


def _in_sentence(text: str, start: int, end: int, asked: tuple[int, int]) -> Iterator[tuple[int, int]]:
    sentence, question = text[start:end], text[slice(*asked)]
    if NAMES_KEY.search(sentence):
        for found in KEY_IS.finditer(text, start, end):
            at, stop = _value(text, found)
            if _is_key(text[at:stop]) and (not found["bare"] or _JOINED.fullmatch(text[at:stop])):
                yield at, stop
    is_locked = LOCKED.search(sentence) is not None
    locked = is_locked or (question != "" and LOCKED.search(question) is not None)
    named = NAMES_CODE.search(sentence) is not None or (
        question != "" and NAMES_CODE.search(question) is not None
    )
    if locked or named:
        yield from _together(text, start, end, both=locked and named)
    shapes = [
        shape
        for shape, may in (
            (LOCK_IS, is_locked),
            (OPENS_WITH, MAY_OPEN_WITH.search(sentence) is not None),
            (OPENED_BY, MAY_OPEN.search(sentence) is not None),
            (PUNCHED_IN, is_locked),
        )
        if may
    ]
    for shape in shapes:
        for found in shape.finditer(text, start, end):
            at, stop = _value(text, found)
            if UNIT.search(text[stop : stop + 8]) or _names_thing(text, found.start(), at, stop):
                continue
            if _opens(text[at:stop]) and (
                shape is OPENED_BY or not text[at:stop].isdecimal() or GOES_ON_WITHOUT_UNIT.match(text, stop)
            ):
                yield at, stop


def _names_thing(text: str, start: int, at: int, stop: int) -> bool:
    """Tell whether a value is a model or the look or number of a door, and nothing before it names a code."""
    before, value = text[start:at], text[at:stop]
    if NAMES_CODE.search(before) or "keypad" in before.casefold():
        return False
    return bool(
        WORD_WITH_NUMBER.fullmatch(value) or (ENTRY_IS.match(before) and not value.endswith(("#", "*")))
    )


def _together(text: str, start: int, end: int, *, both: bool) -> Iterator[tuple[int, int]]:
    """Yield values of a sentence that names what is locked, or a code, or both; or that answers one that does."""
    for found in ANY_VALUE.finditer(text, start, end):
        at, stop = _value(text, found)
        value = text[at:stop]
        if (_is_spelled_out(value) and not _is_counted_aloud(text, at, stop)) or (
            both and _may_be_code(text, at, stop)
        ):
            yield at, stop


def _is_spelled_out(value: str) -> bool:
    """Tell whether digits stand one by one: so one tells what is to be typed."""
    if "." in value:
        return False  # a version
    parts = [part for part in _SEPARATORS.split(value) if part]
    figures = (
        all(map(str.isdecimal, parts))
        and len(parts) >= _LEAST_SPELLED
        and all(len(part) == 1 for part in parts)
    )
    return figures or (len(parts) >= _LEAST_SPELLED and value[:1].isalpha() and bool(plain_digits(value)))


def _is_counted_aloud(text: str, start: int, end: int) -> bool:
    """Tell whether somebody counts to three in words, and goes on: a rhyme, a game."""
    value = text[start:end]
    return (
        value[:1].isalpha()
        and plain_digits(value) == _TO_THREE
        and GOES_ON_WITHOUT_UNIT.match(text, end) is None
    )


def _may_be_code(text: str, start: int, end: int) -> bool:
    value = text[start:end]
    digits = plain_digits(value)
    if not digits:
        return _is_key(value) and sum(map(str.isdigit, value)) >= _LEAST_DIGITS
    bare = GOES_ON_WITHOUT_UNIT.match(text, end) is not None
    return bare and len(digits) in _CODE_DIGITS and not _DATE_OR_TIME.fullmatch(value)


def _value(text: str, found: Any) -> tuple[int, int]:
    """Return where the value stands, without the marks behind it that end a clause."""
    start, end = found.span(found.lastgroup or 0)
    return start, start + len(text[start:end].rstrip(".,;:?!)\"'"))


def _is_key(value: str) -> bool:
    """Tell whether a key's value is one: letters and digits that are no name of a model, or words joined with digits."""
    digits = sum(map(str.isdigit, value))
    if (
        not digits
        or "(" in value
        or len(value) < _LEAST_KEY
        or _MODEL.fullmatch(value)
        or _DATE_OR_TIME.fullmatch(value)
    ):
        return False
    if plain_digits(value):
        return False  # the key is also what a door has, and a legend, and a success
    joined = _JOINED.fullmatch(value)
    return len(value) >= _LEAST_WORDS_JOINED if joined else any(map(str.isalpha, value))


def _opens(value: str) -> bool:
    """Tell whether a value may be what opens something."""
    if _DATE_OR_TIME.fullmatch(value):
        return False
    digits = plain_digits(value)
    if digits:
        return len(digits) >= _LEAST_DIGITS
    return _is_key(value) or (
        len(value) > _LEAST_DIGITS
        and sum(map(str.isdigit, value)) >= _LEAST_DIGITS
        and any(map(str.isalpha, value))
    )


def _listed(text: str) -> Iterator[tuple[int, int]]:
    """Yield codes of a list that a sentence announces."""
    for named in places(CODES_NAMED, text, _MOST_SENTENCES):
        opening = CODES_FOLLOW.match(text, named.end())
        if opening is None:
            continue
        at = opening.end()
        for _ in range(_MOST_IN_LIST):
            found = CODE_IN_LIST.match(text, at)
            if found is None or not _is_listed(found["secret"]):
                break
            yield found.span("secret")
            at = found.end()


def _is_listed(value: str) -> bool:
    return sum(map(str.isdigit, value)) > 1 and not _DATE_OR_TIME.fullmatch(value)
