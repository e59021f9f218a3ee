"""Secrets that the layout tells: in the cell behind a name or under it, on the line below. Pure. Never: sentences."""

from collections.abc import Iterator

from recollect.text.lexical import stop_words
from recollect.text.patterns import linear
from recollect.text.secrets import words
from recollect.text.secrets.kinds import SecretKind, SecretSpan, places
from recollect.text.secrets.telling import is_said
from recollect.text.secrets.values import ENDINGS, MASK, is_code, is_placeholder, is_strange

_NAME = rf"(?:\p{{L}}+[ ])?(?:{words.PASSWORDS}|{words.PASSWORDS_UNSPACED}|passphrase|(?:api|access|secret|private)[ _-]?(?:key|token))"
_ROW = linear(
    rf"(?im)^[ \t]*\|[ \t]*[*_`]{{0,2}}{_NAME}[*_`]{{0,2}}[ \t]*\|[ \t]*([^|\s][^|\n]{{1,99}}?)[ \t]*\|?[ \t]*$"
)
"""A row of two cells: a name, and what it is."""
_HEADER = linear(rf"(?im)^[ \t]*\|((?:[^|\n]{{0,100}}\|)*?)[ \t]*[*_`]{{0,2}}{_NAME}[*_`]{{0,2}}[ \t]*\|")
_RULE = linear(r"^[^\n]*\n[ \t]*\|?[ \t]*:?-[-:| \t]*(?:\n|$)")
"""The rest of a header's line, and the rule below it."""
_LINE_BELOW = linear(
    rf"(?im)^[ \t]*[*_`]{{0,2}}{_NAME}[*_`]{{0,2}}[ \t]*\r?\n[ \t]*([^\s|]{{4,60}})[ \t]*\r?$"
)
_PHRASE = linear(r"(?m)^[ \t]*((?:[a-z]{3,8}[ ]){11}(?:(?:[a-z]{3,8}[ ]){3}){0,4}[a-z]{3,8})[ \t]*\r?$")
"""A line of 12, 15, 18, 21, or 24 words, as BIP 39 has them."""
_MOST_ROWS, _LONGEST_ROW = 100, 1_000
_LEAST, _MOST_WORDS = 4, 2
_MOST_OF_SENTENCES = 1
_ENGLISH = frozenset(stop_words.STOP_WORDS["english"].split())


def laid_out(text: str) -> Iterator[SecretSpan]:
    """Yield what stands in a table's cell beside or under a name, on the line below it, or is a wallet's phrase."""
    for row in places(_ROW, text):
        if _RULE.search(text[row.end() : row.end() + _LONGEST_ROW]) is None and _is_one(row[1]):
            yield SecretSpan(row.start(1), row.end(1), SecretKind.PASSWORD)
    for header in places(_HEADER, text, _MOST_ROWS):
        yield from _under(text, header.end(), header[1].count("|"))
    for name in places(_LINE_BELOW, text):
        value = name[1].rstrip(ENDINGS.replace("!", ""))
        if _is_one(value) and (is_strange(value) or (value.isalpha() and value.islower())):
            yield SecretSpan(name.start(1), name.start(1) + len(value), SecretKind.PASSWORD)
    for phrase in places(_PHRASE, text):
        if sum(word in _ENGLISH for word in phrase[1].split()) <= _MOST_OF_SENTENCES:
            yield SecretSpan(phrase.start(1), phrase.end(1), SecretKind.SEED)


def _under(text: str, at: int, column: int) -> Iterator[SecretSpan]:
    """Yield what stands in a column of the rows below a header; nothing where no rule is below that."""
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
    return (
        len(plain) >= _LEAST
        and MASK not in value
        and len(plain.split()) <= _MOST_WORDS
        and not (is_placeholder(plain) or is_code(plain))
        and not any(map(is_said, plain.split()))
    )
