# ruff: noqa: RUF001 - people speak many languages
"""Finds what others wrote, as its marks tell it: quoted lines, mails passed on, long quotations. Pure.

Never: what was pasted without a mark. Whose words those are, the model says.
"""

import re
from collections.abc import Iterator, Sequence

from recollect.formation.reading.cutting import Span, lines_of
from recollect.patterns import anchored, bounded, linear

_QUOTED = anchored(r"[ \t]{0,3}[>\uff1e](?![:;=.,_<({)}0-9]|[ \t]?[0-9]+[ \t]?(?:%|\u20ac|\$|eur|usd))")
_QUOTED_BEHIND = linear(r"[:\uff1a][ \t]{0,3}>[ \t]\S[^\n]*")
_WROTE = anchored(r"(?=[^\n]{0,300}[0-9])[^\n]{4,300}[:\uff1a][ \t]*$")
"""A line that may say who wrote what follows, and when."""
_MAILBOX = bounded(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w")
_RULED = anchored(r"[ \t]*[-_=*]{2,40}[ \t]*[^\W\d][^\n]{3,60}?[ \t]*[-_=*]{2,40}[ \t]*$")
"""The line above a mail that is passed on, between dashes."""
_HEADER = anchored(r"[ \t]*\*{0,2}[^\W\d_][\w-]{0,15}(?: [\w-]{1,10})?\*{0,2}[ \t]?[:\uff1a]\*{0,2}[ \t]*\S")
_FROM = anchored(
    r"[ \t]*\*{0,2}(?:from|von|de|da|od|van|от|kimden|发件人|寄件者|差出人|보낸 사람|من)\*{0,2}[ \t]?[:\uff1a]", re.IGNORECASE
)
_HEAD_LINES = 3
"""A mail's head has its second line within so many lines."""
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
_LONG = 200
"""Characters of a quotation that nobody types to quote themselves."""
_ON_ITS_OWN = 40
"""The same of one that is a paragraph of its own."""
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
        elif _is_head(text, [(start, end), *following]) or (
            (_RULED.match(line) or (_WROTE.match(line) and _MAILBOX.search(line)))
            and text[end:].strip()
        ):
            return [*found, (start, len(text))]
    behind = [(quote.start() + 1, quote.end()) for quote in _QUOTED_BEHIND.finditer(text)]
    return sorted([*found, *behind])


def _is_quote_next(text: str, lines: Sequence[Span]) -> bool:
    for start, end in lines:
        if text[start:end].strip():
            return bool(_QUOTED.match(text, start, end))
    return False


def _is_head(text: str, lines: Sequence[Span]) -> bool:
    """Tell whether these lines begin with a mail's head: two lines of it at least, of which one says from whom."""
    heads = [text[start:end] for start, end in lines if _HEADER.match(text[start:end])]
    begins = bool(heads) and text.startswith(heads[0], lines[0][0])
    return begins and len(heads) > 1 and (
        any(_FROM.match(head) for head in heads) or (len(heads) > 2 and any(_MAILBOX.search(head) for head in heads))
    )


def quotations(text: str) -> list[Span]:
    """Return where words of others stand between quotation marks, the marks left out: what is long, or stands on its own."""
    return list(_quotations(text))


def _quotations(text: str) -> Iterator[Span]:
    at = 0
    while opening := _OPENS.search(text, at):
        at = opening.start() + 1
        quotation = _quotation(text, opening.start())
        if quotation is None:
            continue
        (begun, start), (end, at) = quotation
        line = text[text.rfind("\n", 0, begun) + 1 : begun].strip()
        on_its_own = not line and not text[at : at + 2].strip(" .\t\n")
        if end - start > (_ON_ITS_OWN if on_its_own else _LONG):
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
