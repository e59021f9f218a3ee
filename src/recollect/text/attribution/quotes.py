"""Finds what others wrote, as its marks tell it: quoted lines, mails passed on, long quotations. Pure.

Never: what was pasted without a mark. Whose words those are, the model says.
"""

import re
from collections.abc import Iterator, Sequence

from recollect.text.attribution.cuts import Span, lines_of
from recollect.text.patterns import anchored, bounded, linear

_QUOTED = anchored(r"[ \t]{0,3}[>\uff1e](?![:;=.,_<({)}0-9]|[ \t]?[0-9]+[ \t]?(?:%|\u20ac|\$|eur|usd))")
_QUOTED_BEHIND = linear(r"[:\uff1a][ \t]{0,3}>[ \t]\S[^\n]*")
_WROTE = anchored(r"(?=[^\n]{0,300}[0-9])[^\n]{4,300}[:\uff1a][ \t]*$")
"""A line that may say who wrote what follows, and when."""
_MAILBOX = bounded(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w")
_MINUTE = bounded(r"\b20[0-9]{2}\b.{0,40}\b[0-9]{1,2}[:.h][0-9]{2}\b")
"""A day and the time of day: nobody heads a list of their own so."""
_RULED = anchored(r"[ \t]*[-_=*]{2,40}[ \t]*[^\W\d][^\n]{3,60}?[ \t]*[-_=*]{2,40}[ \t]*$")
"""The line above a mail that is passed on, between dashes."""
_HEADER = anchored(r"[ \t]*\*{0,2}[^\W\d_][\w-]{0,15}(?: [\w-]{1,10})?\*{0,2}[ \t]?[:\uff1a]\*{0,2}[ \t]*\S")
_FROM = anchored(
    r"[ \t]*\*{0,2}(?:from|von|de|da|od|van|от|kimden|发件人|寄件者|差出人|보낸 사람|من)\*{0,2}[ \t]?[:\uff1a]",
    re.IGNORECASE,
)
_HEAD_LINES = 3
"""A mail's head has its second line within so many lines."""
_LEAST_HEAD = 2
_LONGEST_LINE = 400

_OPENS = bounded('["<\u201e\u201c\u00ab\u00bb\u300c\u300e]')
_QUOTATIONS = tuple(
    (opens, bounded(marks), closes.split())
    for opens, marks, closes in (
        ('"""', '"""', '"""'),
        ("<<<", "<<<|>>>", ">>>"),
        ("\u201e", "[\u201e\u201c\u201d]", "\u201c \u201d"),
        ("\u201c", "[\u201c\u201d]", "\u201d"),
        ("\u00ab", "[\u00ab\u00bb]", "\u00bb"),
        ("\u00bb", "[\u00ab\u00bb]", "\u00ab"),
        ("\u300c", "[\u300c\u300d]", "\u300d"),
        ("\u300e", "[\u300e\u300f]", "\u300f"),
    )
)
"""What opens a quotation; the marks of which none stands within; those of them that close it."""
_STRAIGHT = '"'
_LONG = 40
"""Characters of a quotation that is no title and no expression."""
_WORD = bounded(r"\w+")


def quoted_lines(text: str) -> list[Span]:
    """Return where quoted lines stand, the lines that say who wrote them, and mails that are passed on."""
    lines = lines_of(text)
    found: list[Span] = []
    for number, (start, end) in enumerate(lines):
        line = text[start:end].strip("\r\n")
        following = lines[number + 1 : number + 1 + _HEAD_LINES]
        if _QUOTED.match(line):
            found.append((start, end))
        elif len(line) > _LONGEST_LINE or not line.strip():
            continue
        elif _WROTE.match(line) and _is_quote_next(text, following):
            found.append((start, end))
        elif text[end:].strip() and (
            _is_head(text, start, following)
            or _RULED.match(line)
            or (_WROTE.match(line) and (_MAILBOX.search(line) or _MINUTE.search(line)))
        ):
            return [*found, (start, len(text))]
    behind = [(quote.start() + 1, quote.end()) for quote in _QUOTED_BEHIND.finditer(text)]
    return sorted([*found, *behind])


def _is_quote_next(text: str, lines: Sequence[Span]) -> bool:
    for start, end in lines:
        if text[start:end].strip():
            return bool(_QUOTED.match(text, start, end))
    return False


def _is_head(text: str, start: int, following: Sequence[Span]) -> bool:
    """Tell whether a mail's head begins here: lines with a colon, of which one says from whom, and words below them."""
    end = text.find("\n\n", start)
    lines = [
        text[slice(*span)] for span in ((start, following[0][0] if following else len(text)), *following)
    ]
    heads = [line for line in lines if _HEADER.match(line)]
    if len(heads) < _LEAST_HEAD or heads[0] != lines[0]:
        return False
    has_words = end >= 0 and bool(text[end:].strip())
    return any(_MAILBOX.search(head) for head in heads) or (has_words and any(map(_FROM.match, heads)))


def quotations(text: str) -> list[Span]:
    """Return where words of others stand between quotation marks, the marks left out.

    They are others' where they are long, or the marks are of the kind that fences a text in.
    """
    return list(_quotations(text))


def _quotations(text: str) -> Iterator[Span]:
    at = 0
    while opening := _OPENS.search(text, at):
        at = opening.start() + 1
        quotation = _quotation(text, opening.start())
        if quotation is None:
            continue
        (begun, start), (end, at) = quotation
        if end - start > _LONG or start - begun > 1:
            yield start, end


def _quotation(text: str, at: int) -> tuple[Span, Span] | None:
    """Return where the marks stand that open the quotation which begins at ``at``, and that close it."""
    for opens, marks, closes in _QUOTATIONS:
        if text.startswith(opens, at):
            start = at + len(opens)
            mark = marks.search(text, start)
            if mark and mark[0] in closes:
                return (at, start), mark.span()
    if text[at] != _STRAIGHT or (at and _WORD.match(text, at - 1)):
        return None
    end = text.find(_STRAIGHT, at + 1)
    return None if end < 0 or _WORD.match(text, end + 1) else ((at, at + 1), (end, end + 1))
