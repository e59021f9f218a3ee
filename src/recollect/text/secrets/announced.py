# ruff: noqa: RUF001 - people speak many languages
"""Finds the names that announce a secret, and the place of its value: in a sentence ("the password is ..."), or by layout (the next cell, or the one below). Pure."""

from collections.abc import Iterator

from recollect.text.patterns import bounded, linear, whole
from recollect.text.secrets import vocabulary
from recollect.text.secrets.named_values import (
    is_secret_code,
    names_code,
    read_answer,
    read_check,
    read_code,
    read_login,
    read_password,
    read_person,
    read_pin,
    read_safe,
    read_seed,
    read_token,
    read_unspaced,
)
from recollect.text.secrets.values import (
    BEFORE,
    CLOSES,
    COMPOUNDS,
    ENDINGS,
    MASK,
    OPENS,
    WINDOW,
    SecretKind,
    SecretSpan,
    has_digit,
    is_about_passwords,
    is_code,
    is_phrase,
    is_placeholder,
    is_strange,
    is_within_word,
    places,
)

_ANNOUNCED = (
    (vocabulary.PASSWORDS, SecretKind.PASSWORD, read_password),
    (vocabulary.PASSWORDS_UNSPACED, SecretKind.PASSWORD, read_unspaced),
    (vocabulary.PINS, SecretKind.CODE, read_pin),
    (vocabulary.CHECKS, SecretKind.CODE, read_check),
    (vocabulary.ANSWERS, SecretKind.ANSWER, read_answer),
    (vocabulary.PERSONS, SecretKind.IDENTITY, read_person),
    (vocabulary.CODES, SecretKind.CODE, read_code),
    (vocabulary.TOKENS, SecretKind.KEY, read_token),
    (vocabulary.LOGINS, SecretKind.PASSWORD, read_login),
    (vocabulary.SEEDS, SecretKind.SEED, read_seed),
    (vocabulary.SAFES, SecretKind.CODE, read_safe),
)
"""Names of secrets, the kind of secret, and the reader of the text after the name."""
_ALL = tuple(names for names, _, _ in _ANNOUNCED)
_NAMES = linear(rf"(?i){'|'.join(f'({names})' for names in _ALL)}", megabytes=16)
_NAME_AS_WORD = linear(
    rf"(?i:(?:(?:^|[^a-z])(?:{'|'.join(_ALL)})|{COMPOUNDS})(?:[^a-z_]|$))"
    r"|[\x{e00}-\x{1dff}\x{2c00}-\x{2dff}\x{3040}-\x{d7ff}\x{f900}-\x{fdff}\x{fe70}-\x{fffd}]",
    captures=False,
    megabytes=16,
)
"""A name that ``is_within_word`` does not refuse for the letters next to it; or a letter of a script without spaces."""
_BETWEEN = " \t:=|*`\"'"
"""Characters between a name and a mask."""
_IS_YOURS = linear(
    r"(?i)(?:^|[^0-9A-Za-z])((?:[a-z]-)?[0-9]{3,4}[ -]?[0-9]{1,4})[ ](?:is|ist|est|es|è|é|jest|to|это)[ ](?:your|the|my|ihr|dein|mein|votre|ton|mon|su|tu|mi|il tuo|o seu|je|uw|twój|ваш)[ ](?:[^\s]+[ ]){0,4}$"
)
_FIRST = bounded(
    r"(?i)(?:^|[\s(])([\"'`“«]?[^\s\"'`”»]{4,60}[\"'`”»]?|[\"'`“«][^\"'`”»\n]{3,60}[\"'`”»])[ \t]{1,2}(?:(?:is|was|ist|war|lautet|est|c['’]est|es|era|è|é|это|[–—=-])[ \t]{1,2}(?:(?:my|the|our|his|her|their|new|old|current|mein[^\W\d_]{0,2}|unser[^\W\d_]{0,2}|das|die|der|neue[srn]?|mon|ma|le|la|notre|mi|el|nuestr[oa]|мой|моя|наш|новый)[ \t]+){0,3}(?:(?:[^\W\d_]|['’-])+[ \t]+){0,3}|as[ ](?:the|my|a|our)[ ])\Z"
)


_LINE_OF_ONE = linear(
    r"^[^\p{L}\p{N}\n]{0,3}(?:\r?\n[ \t]*){1,2}[\"'`]?([^\s\"'`|]{6,80})[\"'`]?[ \t]*(?:\r?\n|$)"
)
_MOST_FURTHER = 30


def may_be_announced(text: str) -> bool:
    """Return whether a text names a secret, or a code that a message may have brought."""
    return _NAMES.is_in(whole(text).encode()) or names_code(text)


def names_one(text: str) -> bool:
    """Return whether a text has a name that ``announced`` or ``laid_out`` may find a value for; quicker than both."""
    return _NAME_AS_WORD.is_in(whole(text).encode())


def announced(text: str) -> Iterator[SecretSpan]:
    """Yield the values that the words around them name as a password, code, key or answer to a security question."""
    for name in places(_NAMES, text):
        start, end = name.span()
        if is_within_word(text, start, end):
            continue
        _, kind, read = next(each for number, each in enumerate(_ANNOUNCED, 1) if name.span(number)[0] >= 0)
        window = text[end : end + WINDOW]
        if window.lstrip(_BETWEEN).startswith(MASK):
            continue
        before = text[max(0, start - BEFORE) : start]
        found = read(before, name[0], window)
        if found is not None:
            yield SecretSpan(end + found[0], end + found[1], kind)
            for start, stop in _further(text, end + found[1]) if kind is SecretKind.PASSWORD else ():
                yield SecretSpan(start, stop, kind)
        elif kind in {SecretKind.PASSWORD, SecretKind.CODE}:
            first = _stands_before(before)
            if first is not None:
                yield SecretSpan(start - len(before) + first[0], start - len(before) + first[1], kind)


def _further(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the strange words on the lines below a password, as a model that offers several lists them."""
    for _ in range(_MOST_FURTHER):
        found = _LINE_OF_ONE.search(text[at : at + WINDOW])
        if found is None or not (is_strange(found[1]) and has_digit(found[1])) or is_code(found[1]):
            return
        yield at + found.start(1), at + found.end(1)
        at += found.end(1)


def _stands_before(before: str) -> tuple[int, int] | None:
    """Return the span of a secret before its name: "... is my password", "... is your Google code"."""
    found = _IS_YOURS.search(before)
    if found is not None:
        start, end = found.span(1)
        return start, end
    found = _FIRST.search(before)
    if found is None:
        return None
    value = found[1].strip(OPENS + CLOSES).rstrip(ENDINGS)
    is_quoted = found[1][0] in OPENS and found[1][-1] in CLOSES
    if not (is_secret_code(value) or is_quoted) or is_placeholder(value):
        return None
    start = before.index(value, found.start(1))
    return start, start + len(value)


_NAME = rf"(?:[\p{{L}}-]+[ ]){{0,3}}(?:{vocabulary.PASSWORDS}|{vocabulary.PASSWORDS_UNSPACED}|passphrase|(?:api|access|secret|private)[ _-]?(?:key|token))"
_ROW = linear(rf"(?im)^[ \t]*\|[ \t]*`?{_NAME}`?[ \t]*\|[ \t]*([^|\s][^|\n]{{1,99}}?)[ \t]*\|?[ \t]*$")
"""A row of two cells: a name and its value."""
_HEADER = linear(rf"(?im)^[ \t]*\|((?:[^|\n]{{0,100}}\|)*?)[ \t]*`?{_NAME}`?[ \t]*\|")
_RULE = linear(r"^[^\n]*\n[ \t]*\|?[ \t]*:?-[-:| \t]*(?:\n|$)")
"""The rest of a header's line, and the rule below it."""
_LINE_BELOW = linear(rf"(?im)^[ \t]*`?{_NAME}`?[ \t]*\r?\n[ \t]*([^\s|]{{4,60}})[ \t]*\r?$")
_MOST_ROWS, _LONGEST_ROW = 100, 1_000
_LEAST, _MOST_WORDS = 4, 2


def laid_out(text: str) -> Iterator[SecretSpan]:
    """Yield values in the cell after a name or below it, or on the next line."""
    for row in places(_ROW, text):
        if _RULE.search(text[row.end() : row.end() + _LONGEST_ROW]) is None and _is_one(row[1]):
            yield SecretSpan(row.start(1), row.end(1), SecretKind.PASSWORD)
    for header in places(_HEADER, text, _MOST_ROWS):
        yield from _under(text, header.end(), header[1].count("|"))
    for name in places(_LINE_BELOW, text):
        value = name[1].rstrip(ENDINGS.replace("!", ""))
        if _is_one(value) and (is_strange(value) or (value.isalpha() and value.islower())):
            yield SecretSpan(name.start(1), name.start(1) + len(value), SecretKind.PASSWORD)


def _under(text: str, at: int, column: int) -> Iterator[SecretSpan]:
    """Yield the values of a column below its header; nothing where no ruler line follows the header."""
    rule = _RULE.search(text[at : at + _LONGEST_ROW])
    if rule is None:
        return
    at += rule.end()
    for _ in range(_MOST_ROWS):
        line = text[at : at + _LONGEST_ROW].split("\n", 1)[0]
        cells = line.split("|")
        if not line.lstrip().startswith("|"):
            return
        if column + 1 < len(cells):
            cell = cells[column + 1]
            start = at + sum(len(each) + 1 for each in cells[: column + 1]) + len(cell) - len(cell.lstrip())
            value = cell.strip()
            if _is_one(value):
                yield SecretSpan(start, start + len(value), SecretKind.PASSWORD)
        at += len(line) + 1


def _is_one(value: str) -> bool:
    plain = value.strip("`*_")
    words = plain.split()
    if len(plain) < _LEAST or MASK in value or is_placeholder(plain) or is_code(plain):
        return False
    return is_phrase(plain, words[1:]) or (
        len(words) <= _MOST_WORDS and not any(map(is_about_passwords, words))
    )
