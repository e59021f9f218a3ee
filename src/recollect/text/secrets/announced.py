# ruff: noqa: RUF001 - people speak many languages
"""Secrets that people tell in words: "the password is ...", "the code they texted me is ...". Pure. Never: a model."""

from collections.abc import Iterator

from recollect.text.patterns import linear
from recollect.text.secrets import words
from recollect.text.secrets.codes import (
    is_secret_code,
    read_check,
    read_code,
    read_person,
    read_pin,
    read_safe,
    read_token,
)
from recollect.text.secrets.kinds import SecretKind, SecretSpan, places
from recollect.text.secrets.passwords import read_answer, read_login, read_password, read_seed, read_unspaced
from recollect.text.secrets.telling import BEFORE, CLOSES, OPENS, WINDOW, is_within_word
from recollect.text.secrets.values import ENDINGS, MASK, is_placeholder

_NAMES = linear(
    rf"(?i)({words.PASSWORDS})|({words.PASSWORDS_UNSPACED})|({words.PINS})|({words.CHECKS})|({words.ANSWERS})"
    rf"|({words.PERSONS})|({words.CODES})|({words.TOKENS})|({words.LOGINS})|({words.SEEDS})|({words.SAFES})"
)
_BETWEEN = " \t:=|*`\"'"
"""What may stand between a name and what is masked already."""
_KINDS = (
    SecretKind.PASSWORD,
    SecretKind.PASSWORD,
    SecretKind.CODE,
    SecretKind.CODE,
    SecretKind.ANSWER,
    SecretKind.PERSON,
    SecretKind.CODE,
    SecretKind.KEY,
    SecretKind.PASSWORD,
    SecretKind.SEED,
    SecretKind.CODE,
)
"""What the groups of it name, in order."""
_IS_YOURS = linear(
    r"(?i)(?:^|[^0-9A-Za-z])((?:[a-z]-)?[0-9]{3,4}[ -]?[0-9]{1,4})[ ](?:is|ist|est|es|è|é|jest|to|это)[ ](?:your|the|my|ihr|dein|mein|votre|ton|mon|su|tu|mi|il tuo|o seu|je|uw|twój|ваш)[ ](?:[^\s]+[ ]){0,4}$"
)
_FIRST = linear(
    r"(?i)(?:^|[\s(])([\"'`“«]?[^\s\"'`”»]{4,60}[\"'`”»]?|[\"'`“«][^\"'`”»\n]{3,60}[\"'`”»])[ \t]{1,2}(?:(?:is|was|ist|war|lautet|est|c['’]est|es|era|è|é|это|[–—=-])[ \t]{1,2}(?:(?:my|the|our|his|her|their|new|old|current|mein\p{L}{0,2}|unser\p{L}{0,2}|das|die|der|neue[srn]?|mon|ma|le|la|notre|mi|el|nuestr[oa]|мой|моя|наш|новый)[ \t]+){0,3}(?:[\p{L}'’-]+[ \t]+){0,2}|as[ ](?:the|my|a|our)[ ])$"
)


def announced(text: str) -> Iterator[SecretSpan]:
    """Yield what the words around it call a password, a code, a key, or the answer to a security question."""
    for name in places(_NAMES, text):
        start, end = name.span()
        group = next(number for number in range(1, len(_KINDS) + 1) if name.span(number)[0] >= 0)
        if is_within_word(text, start, end):
            continue
        kind = _KINDS[group - 1]
        window = text[end : end + WINDOW]
        if window.lstrip(_BETWEEN).startswith(MASK):
            continue
        before = text[max(0, start - BEFORE) : start]
        found = _READERS[group - 1](before, name[0], window)
        if found is not None:
            yield SecretSpan(end + found[0], end + found[1], kind)
        elif kind in {SecretKind.PASSWORD, SecretKind.CODE}:
            first = _stands_before(before)
            if first is not None:
                yield SecretSpan(start - len(before) + first[0], start - len(before) + first[1], kind)


def _stands_before(before: str) -> tuple[int, int] | None:
    """Return where in what stands before a name a secret stands: "... is my password", "... is your Google code"."""
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


_READERS = (
    read_password,
    read_unspaced,
    read_pin,
    read_check,
    read_answer,
    read_person,
    read_code,
    read_token,
    read_login,
    read_seed,
    read_safe,
)
"""Who reads what stands behind a name, by its group."""
