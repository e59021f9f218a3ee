"""Finds what others wrote: quoted lines, mails passed on, long quotations. Pure. Never: what was pasted without a mark."""

from collections.abc import Iterator, Sequence

from recollect.formation.reading.cutting import Span, lines_of
from recollect.formation.word_lists.mails import FORWARDED, HEADER, ONESELF, OWN_WORDS, SUBJECT, WROTE
from recollect.formation.word_lists.speaking import OWN_TEXT
from recollect.patterns import anchored, bounded, linear

_QUOTED = anchored(r"[ \t]{0,3}[>\uff1e](?![:;=.,_<({)}0-9]|[ \t]?[0-9]+[ \t]?(?:%|\u20ac|\$|eur|usd))")
_QUOTED_BEHIND = linear(r"[:\uff1a][ \t]{0,3}>[ \t]\S[^\n]*")
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
_WORDS_OF_OTHERS = 4
"""So many words in which somebody speaks of themselves are no title."""
_BEFORE = 100
_WORD = bounded(r"\w+")


def quoted_lines(text: str) -> list[Span]:
    """Return where quoted lines stand, the lines that say who wrote them, and mails that are passed on."""
    lines = lines_of(text)
    found: list[Span] = []
    for number, (start, end) in enumerate(lines):
        line = text[start:end].strip("\r\n")
        if _QUOTED.match(line):
            found.append((start, end))
        elif len(line) > _LONGEST_LINE or not line.strip():
            continue
        elif WROTE.match(line) and not OWN_TEXT.search(line):
            if not _is_quote_next(text, lines[number + 1 :]):
                return [*found, (start, len(text))]
            found.append((start, end))
        elif FORWARDED.match(line) or (
            HEADER.match(line) and _is_head(text, lines[number : number + _HEAD_LINES + 1])
        ):
            return [*found, (start, len(text))]
    behind = [(quote.start() + 1, quote.end()) for quote in _QUOTED_BEHIND.finditer(text)]
    return sorted([*found, *behind])


def _is_quote_next(text: str, lines: Sequence[Span]) -> bool:
    for start, end in lines[:_HEAD_LINES]:
        if text[start:end].strip():
            return bool(_QUOTED.match(text, start, end))
    return False


def _is_head(text: str, lines: Sequence[Span]) -> bool:
    """Tell whether these lines begin with a mail's head: two lines of it at least, one with a subject or an address."""
    heads = [text[start:end] for start, end in lines if HEADER.match(text[start:end])]
    return len(heads) > 1 and any(SUBJECT.search(head) for head in heads)


def quotations(text: str) -> list[Span]:
    """Return where words of others stand between quotation marks, the marks left out.

    They are others' where they are long behind a colon or on lines of their own, or where somebody speaks of
    themselves in them and what stands before does not say that it is the person: a title stays.
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
        before = text[max(0, begun - _BEFORE) : begun].rstrip(" \t")
        if _is_others(text[start:end], before, behind=text[at : at + 2]):
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


def _is_others(inside: str, before: str, *, behind: str) -> bool:
    on_its_own = (not before or before.endswith("\n")) and not behind.strip(" .\t")
    if OWN_WORDS.search(before) or OWN_TEXT.search(before):
        return False
    if len(inside) > _LONG:
        return (
            on_its_own
            or before.endswith((":", "\uff1a", "\n"))
            or "\n" in inside
            or bool(ONESELF.search(inside))
        )
    if on_its_own and len(inside) > _ON_ITS_OWN:
        return True
    words = _WORD.findall(inside)
    is_title = all(word[0].isupper() for word in words)
    unspaced = len(inside) >= 2 * _WORDS_OF_OTHERS and not inside.isascii() and len(words) < _WORDS_OF_OTHERS
    return (len(words) >= _WORDS_OF_OTHERS or unspaced) and bool(ONESELF.search(inside)) and not is_title
