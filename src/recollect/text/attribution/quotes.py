"""Finds quoted lines, forwarded mails, copied chats and quotations in a message. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from recollect.text.attribution.text_spans import Piece, PieceKind, Span, lines_of, pieces
from recollect.text.patterns import anchored, bounded, linear

_QUOTED = anchored(r"[ \t]{0,3}[>\uff1e](?![:;=.,_<({)}])")
_COMPARES = anchored(r"[ \t]{0,3}[>\uff1e][ \t]?[$\u20ac\u00a3\u00a5]?[0-9]")
_QUOTED_BEHIND = linear(r"[:\uff1a][ \t]{0,3}>[ \t][^\s\d][^\n]*")
_WROTE = anchored(r"(?=[^\n]{0,300}[0-9])[^\n]{4,300}[:\uff1a][ \t]*$")
"""A line that may say who wrote what follows, and when."""
_MAILBOX = bounded(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w")
_SENDER = bounded(r"<[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{1,60}>")
"""A mailbox as mail programs write it: whose mail has one is no doubt."""
_RULE = anchored(r"[ \t]{0,3}(?P<mark>[-=_*])(?P=mark){2,79}[ \t]*\r?$")
_MINUTE = bounded(r"\b20[0-9]{2}\b.{0,40}\b[0-9]{1,2}[:.h][0-9]{2}\b")
"""A day and a time of day: lists of one's own have no such heading."""
_RULED = anchored(r"[ \t]*[-_=*]{5,40}[ \t]*[^\W\d][^\n]{3,60}?[ \t]*[-_=*]{5,40}[ \t]*$")
"""The line above a mail that is passed on, between dashes."""
_HEADER = anchored(
    r"[ \t]*\*{0,2}[^\W\d_][^\s:\uff1a*]{0,18}(?: [^\s:\uff1a*]{1,10})?\*{0,2}[ \t]?[:\uff1a]\*{0,2}[ \t]*\S"
)
_FROM = anchored(
    r"[ \t]*\*{0,2}(?:from|von|de|da|od|van|от|kimden|发件人|寄件者|差出人|보낸 사람|من)\*{0,2}[ \t]?[:\uff1a]",
    re.IGNORECASE,
)
_HEAD_LINES = 3
"""A mail's head has its second line within so many lines."""
_LEAST_HEAD = 2
_HEAD = 200
"""Characters at the beginning of a quoted mail in which its sender stands."""
_LONGEST_LINE = 400
_TIME = r"[0-9]{1,2}[:.][0-9]{2}(?::[0-9]{2})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?"
_DAY = r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4}"
_COPIED = anchored(
    rf"\u200e?(?:\[(?:{_DAY},? )?{_TIME}(?:, {_DAY})?\]|(?:{_DAY},? ){_TIME} [-\u2013]) ?[^\n:\uff1a]{{1,40}}[:\uff1a]"  # WhatsApp, Signal, Teams
    rf"|[^\W\d_][^\n:.,!?\uff1a]{{1,40}}(?: {{2,4}}| [\u2014\u2013] )(?:[^\W\d_]{{2,12}} [^\W\d_]{{2,3}} |{_DAY},? )?\[?{_TIME}\]?[ \t]*$"  # Slack, Discord
    rf"|[^\W\d_][^\n:.,!?\uff1a]{{1,40}}, \[{_DAY} {_TIME}\]|[^\n]{{2,40}} \u00b7 [^\n]{{1,20}}$|[^\n@]{{2,40}} \(@\w{{1,30}}\)$"  # Telegram, forums
)
"""The name and the time in front of a message that was copied from a messenger."""


_MAY_QUOTE = bounded("[>\uff1e:\uff1a]|[-_=*]{5}")
"""Marks, of which every quoted line, head of a mail and introduction has one."""
_MAY_BE_COPIED = bounded("[0-9\u00b7@]")


def quoted_lines(text: str) -> list[Piece]:
    """Return the quoted lines, the lines that introduce them, copied messages, and forwarded mails to the end of the text."""
    if not _MAY_QUOTE.search(text) and not _MAY_BE_COPIED.search(text):  # most messages
        return []
    lines = lines_of(text)
    ends = len(text.rstrip())
    gap = text.rfind("\n\n", 0, ends)
    found: list[Piece] = []
    is_copied = False
    mails: list[Piece] = []
    for number, (start, end) in enumerate(lines):
        line = text[start:end].strip("\r\n")
        following = lines[number + 1 : number + 1 + _HEAD_LINES]
        is_said = len(line) <= _LONGEST_LINE and bool(line.strip())
        is_new = is_said and bool(_MAY_BE_COPIED.search(line)) and bool(_COPIED.match(line))
        is_copied = is_new or (is_copied and bool(line.strip()))
        if is_copied:
            found.append(Piece(start, end, PieceKind.QUOTED, is_sure=False))
        elif not is_said or not _MAY_QUOTE.search(line) or _QUOTED.match(line):
            continue
        elif _WROTE.match(line) and _is_quote_next(text, following):
            found.append(Piece(start, end, PieceKind.QUOTED, is_sure=bool(_SENDER.search(line))))
        elif end < ends and (
            _is_head(text, start, following, has_words=start <= gap)
            or _RULED.match(line)
            or (_WROTE.match(line) and _is_dated(text, start, line))
        ):
            mails = _mail(text, start, [(start, end), *following], lines[number + 1 :])
            break
    read = mails[0].start if mails else len(text)
    led = {each.end for each in found if each.is_sure}
    runs = (
        each._replace(is_sure=each.start in led or bool(_SENDER.search(text[each.start : each.end][:_HEAD])))
        for each in _runs(text[:read])
    )
    behind_colons = ((quote.start() + 1, quote.end()) for quote in _QUOTED_BEHIND.finditer(text[:read]))
    return [*found, *mails, *runs, *pieces(behind_colons, PieceKind.QUOTED, is_sure=False)]


def _is_dated(text: str, start: int, line: str) -> bool:
    """Return whether a line that ends in a colon introduces a mail: a minute alone does not at the beginning of a message."""
    return bool(
        _MAILBOX.search(line) or (_MINUTE.search(line) and any(map(str.isalnum, islice(text, start))))
    )


def _mail(text: str, start: int, head: Sequence[Span], lines: Sequence[Span]) -> list[Piece]:
    """Return a mail that is passed on. The text after its last rule is the person's own, if there is none above the mail."""
    heads = [text[slice(*span)] for span in head]
    is_sure = any(_SENDER.search(each) or (_FROM.match(each) and _MAILBOX.search(each)) for each in heads)
    rule = next((each for each in reversed(lines) if _RULE.match(text[slice(*each)].rstrip())), None)
    if rule is None or not any(map(str.isalnum, text[rule[1] :])) or _MAILBOX.search(text, rule[1]):
        return [Piece(start, len(text), PieceKind.QUOTED, is_sure=is_sure)]
    found = [Piece(start, rule[1], PieceKind.QUOTED, is_sure=is_sure)]
    if any(map(str.isalnum, text[:start])):
        found.append(Piece(rule[1], len(text), PieceKind.QUOTED, is_sure=False))
    return found


def _runs(text: str) -> Iterator[Piece]:
    """Yield the runs of lines that begin with ">" and are a quote.

    Exceptions: each line compares ("> 40 km"), the message has no other words, or a single line continues the line above and
    ends the message.
    """
    if ">" not in text and "\uff1e" not in text:
        return
    run: list[Span] = []
    others = [span for span in lines_of(text) if not _QUOTED.match(text, *span)]
    is_alone = not any(map(str.isalnum, chain.from_iterable(text[slice(*span)] for span in others)))
    for start, end in [*lines_of(text), (len(text), len(text))]:
        if start < end and _QUOTED.match(text, start, end):
            run.append((start, end))
            continue
        if run and _is_quote(text, run, is_alone=is_alone):
            yield Piece(run[0][0], run[-1][1], PieceKind.QUOTED)
        run = []


def _is_quote(text: str, run: Sequence[Span], *, is_alone: bool) -> bool:
    if all(_COMPARES.match(text, *span) for span in run):
        return False
    if is_alone:
        return any(_MAILBOX.search(text, *span) or _MINUTE.search(text, *span) for span in run)
    if len(run) > 1 or any(map(str.isalnum, text[run[-1][1] :])):
        return True
    above = text[max(0, run[0][0] - _LONGEST_LINE) : run[0][0]]
    return above.endswith(("\n\n", "\n \n")) or above.rstrip().endswith((":", "\uff1a", "?", "\uff1f"))


def _is_quote_next(text: str, lines: Sequence[Span]) -> bool:
    for start, end in lines:
        if text[start:end].strip():
            return bool(_QUOTED.match(text, start, end))
    return False


def _is_head(text: str, start: int, following: Sequence[Span], *, has_words: bool) -> bool:
    """Return whether a mail's header begins here: lines with a colon, one of which names the sender or the minute, followed by text."""
    lines = [
        text[slice(*span)] for span in ((start, following[0][0] if following else len(text)), *following)
    ]
    heads = [line for line in lines if _HEADER.match(line)]
    if len(heads) < _LEAST_HEAD or heads[0] != lines[0]:
        return False
    return any(_MAILBOX.search(head) for head in heads) or (
        has_words and any(_FROM.match(head) or _MINUTE.search(head) for head in heads)
    )


_OPENS = bounded('["<\u2018\u2039\u201e\u201c\u00ab\u00bb\u300c\u300e]')
_QUOTATIONS = tuple(
    (opens, bounded(marks), closes.split())
    for opens, marks, closes in (
        ('"""', '"""', '"""'),
        ("<<<", "<<<|>>>", ">>>"),
        ("\u201e", "[\u201e\u201c\u201d]", "\u201c \u201d"),
        ("\u201c", "[\u201c\u201d]", "\u201d"),
        ("\u00ab", "[\u00ab\u00bb]", "\u00bb"),
        ("\u00bb", "[\u00ab\u00bb]", "\u00ab"),
        ("\u2039", "[\u2039\u203a]", "\u203a"),
        ("\u2018", r"\u2018|\u2019(?!\w)", "\u2019"),
        ("\u300c", "[\u300c\u300d]", "\u300d"),
        ("\u300e", "[\u300e\u300f]", "\u300f"),
    )
)
"""The opening mark; the marks that a quotation does not contain; those of them that close it."""
_STRAIGHT = '"'
_LONG = 40
"""Characters of a quotation that is no title and no expression."""
_WORD = bounded(r"\w+")


def quotations(text: str) -> list[Piece]:
    """Return the pieces between quotation marks, without the marks.

    They are others' if they are long, or if the marks fence a text in. A whole message between ordinary marks is the person's own.
    """
    found = list(_quotations(text))
    if len(found) == 1 and found[0].is_sure is False:
        outside = text[: found[0].start] + text[found[0].end :]
        if not any(map(str.isalnum, outside)):
            return []
    return found


def _quotations(text: str) -> Iterator[Piece]:
    at = 0
    while opening := _OPENS.search(text, at):
        at = opening.start() + 1
        quotation = _quotation(text, opening.start())
        if quotation is None:
            continue
        (begun, start), (end, at) = quotation
        is_fence = start - begun > 1
        if end - start > _LONG or is_fence:
            yield Piece(start, end, PieceKind.QUOTED, inline=True, is_sure=is_fence)


def _quotation(text: str, at: int) -> tuple[Span, Span] | None:
    """Return the spans of the marks that open and close the quotation which begins at ``at``."""
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


_ALT_TEXT = bounded(r"!\[[^\]\n]{0,400}\](?:\([^()\n]{0,600}\))?|<img\s[^<>\n]{0,600}>", re.IGNORECASE)


def images(text: str) -> list[Piece]:
    """Return the images in the text, with the words that describe them."""
    return pieces((image.span() for image in _ALT_TEXT.finditer(text)), PieceKind.IMAGE, inline=True)
