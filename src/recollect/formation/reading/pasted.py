"""Finds texts that a person pastes to have them worked on, and says so. Pure. Never: what is marked as a quote."""

from collections.abc import Iterator
from typing import NamedTuple

from recollect.formation.reading.cutting import Span, lines_of
from recollect.formation.word_lists.pasting import ANNOUNCED, BEFORE_IT, OWN_PAPERS, REWORKING
from recollect.patterns import bounded

_LONG = 280
"""Characters of a text that nobody types to explain what they want."""
_LONGEST_ANNOUNCEMENT = 300
_SHORT = 200
"""Characters of a question behind a pasted text, at most."""
_TRIES = 20
"""Lines that may announce a text, at most: a long message is not read through for each of a thousand."""
_NO_SPACE = bounded(r"\S")
_PARAGRAPHS_END = bounded(r"\n[ \t\r]*\n")
_COLON = bounded(r"[:\uff1a](?![/\d)(])")
_MARKED = bounded(
    r"(?<!\w)(?:\"(?P<double>[^\"\n]{2,2000})\"|'(?P<single>[^'\n]{2,2000})'|\u2018(?P<curly>[^\u2018\u2019\n]{2,2000})\u2019"
    r"|`(?P<tick>[^`\n]{2,2000})`|\u201e(?P<low>[^\u201e\u201c\u201d]{2,2000})[\u201c\u201d]|\u201c(?P<high>[^\u201c\u201d]{2,2000})\u201d"
    r"|\u00ab(?P<angle>[^\u00ab\u00bb]{2,2000})\u00bb)(?!\w)"
    r"|\u300c(?P<corner>[^\u300c\u300d]{2,2000})\u300d"
)


def pasted_texts(text: str) -> list[Span]:
    """Return where texts stand that were announced: behind "translate:", "here is the article:" and the like.

    What is said before stays, and a short question behind, where an empty line parts it. A text that is only
    announced, not to be reworked, is one where it is long or has several paragraphs. Also found is a long
    text in front of a last paragraph that asks to rework "this".
    """
    tries = 0
    for line in lines_of(text):
        announced = _announced(text, line)
        if announced is None:
            continue
        begins = _begins_behind(text, announced)
        if begins:
            return [begins]
        tries += 1
        if tries == _TRIES:
            break
    return list(_in_front(text))


def reworked_quotes(text: str) -> list[Span]:
    """Return where words in quotation marks are to be translated or reworded, however short, the marks left out."""
    found: list[Span] = []
    for line in lines_of(text):
        work = REWORKING.search(text, *line)
        if work:
            quotes = _MARKED.finditer(text, work.start(), line[1])
            found += (quote.span(quote.lastgroup or 0) for quote in quotes)
    return found


class _Announcement(NamedTuple):
    """What a line announces.

    Attributes:
        begin: Where the text begins.
        is_work: Whether it is to be reworked.
        has_colon: Whether a colon stands in front of it.
    """

    begin: int
    is_work: bool
    has_colon: bool


def _announced(text: str, line: Span) -> _Announcement | None:
    """Return what a line announces; None if nothing."""
    start, end = line
    colon = _COLON.search(text, start, min(end, start + _LONGEST_ANNOUNCEMENT))
    said = text[start : colon.start() if colon else end].strip()
    if len(said) > _LONGEST_ANNOUNCEMENT or OWN_PAPERS.search(said):
        return None
    is_work = bool(REWORKING.search(said))
    if not is_work and not (colon and ANNOUNCED.search(said)):
        return None
    return _Announcement(colon.end() if colon else end, is_work, colon is not None)


def _begins_behind(text: str, announced: _Announcement) -> Span | None:
    """Return where the announced text stands; None if what follows may well be the person's own."""
    begin, is_work, has_colon = announced
    words = _NO_SPACE.search(text, begin)
    if words is None:
        return None
    first = words.start()
    stop = _stop(text, first)
    paragraph = _PARAGRAPHS_END.search(text, first, stop)
    if stop - first > _LONG or (has_colon and paragraph and text[paragraph.end() : stop].strip()):
        return begin, stop
    if is_work and has_colon:
        return begin, paragraph.start() if paragraph else stop
    return None


def _stop(text: str, first: int) -> int:
    """Return where a pasted text ends: before a short last paragraph that asks something."""
    last = first
    for end in _PARAGRAPHS_END.finditer(text, first):
        last = end.end()
    closing = text[last:].strip()
    if last == first or len(closing) > _SHORT or not _asks(closing):
        return len(text)
    return last


def _asks(paragraph: str) -> bool:
    return paragraph.endswith(("?", "\uff1f")) or bool(REWORKING.search(paragraph))


def _in_front(text: str) -> Iterator[Span]:
    """Yield a long text in front of a last paragraph that asks to rework it."""
    ends = [end.end() for end in _PARAGRAPHS_END.finditer(text.rstrip())]
    if not ends or ends[-1] <= _LONG:
        return
    closing = text[ends[-1] :].strip()
    if len(closing) <= _SHORT and REWORKING.search(closing) and BEFORE_IT.search(closing):
        yield 0, ends[-1]
