"""Cuts a message of the log into chunks of prose and of code, to be found, and any text into the windows of an embedder. Pure.

It needs no parser of a language and no model.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from recollect.text.patterns import Pattern, anchored, bounded, linear
from recollect.text.tokens import estimate_hundredths

_FENCE = linear(
    r"^(?P<margin>[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?)(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)",
    re.MULTILINE,
)
_FURTHER_IN = 3
"""A closing fence stands at most this many columns further in than the opening one."""


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A fenced block of code.

    Attributes:
        start: Where the line of its opening fence begins.
        stop: Behind its closing fence; the end of the text when there is none.
        body: Behind its opening fence.
        info: The text after the opening fence: mostly a language, as its author wrote it.
    """

    start: int
    stop: int
    body: int
    info: str


def fenced_blocks(text: str) -> Iterator[FencedBlock]:
    """Yield the fenced blocks of ``text``, in order.

    As in CommonMark 0.31 (4.5), but a fence may be indented by any depth: inside a list it is, and
    elsewhere such lines are code all the same. A block without a closing fence runs to the end.
    """
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            if _opens(fence):
                opening = fence
        elif _closes(fence, opening):
            yield _block(opening, fence.end())
            opening = None
    if opening is not None:
        yield _block(opening, len(text))


def _opens(fence: re.Match[str]) -> bool:
    return fence["marks"][0] == "~" or "`" not in fence["info"]


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return (
        fence["marks"].startswith(opening["marks"])
        and not fence["info"].strip()
        and not fence["margin"].strip()
        and len(fence["margin"]) <= len(opening["margin"]) + _FURTHER_IN
    )


def _block(opening: re.Match[str], stop: int) -> FencedBlock:
    return FencedBlock(opening.start(), stop, opening.end(), opening["info"].strip())


class _Span(NamedTuple):
    """A stretch of a text: ``text[start:stop]``."""

    start: int
    stop: int


class _Part(NamedTuple):
    start: int
    stop: int
    cost: int
    """The cost in hundredths of a token."""


_Cut: TypeAlias = Callable[[str, _Span, int], Iterator[int]]
"""Yields where a new part may begin within a span, for parts of so many hundredths of a token."""

_HEADING = anchored(r"[ \t]{0,3}#{1,6}[ \t][^\n]*+\s*+\Z")
_LONGEST_HEADING = 300
_PARAGRAPH = bounded(r"\n[^\S\n]*+(?:\n[^\S\n]*+)++")
_LINE = bounded(r"\n(?:[^\S\n]*+\n)*+")
_ROW = anchored(r"[ \t]*+(?:[-*+\u2022]|[0-9]{1,9}[.)])[ \t]|[ \t]*+\|")
_CONTINUATION = anchored(r"[ \t]{2,}+\S")
_SENTENCE = bounded(
    "[.!?\u2026\u061f\u06d4\u0964\u0965\u1362][\"'\u201d\u2019)\\]]{0,3}\\s++|[\u3002\uff01\uff1f\uff0e][\u300d\u300f\u201d\u2019\uff09]{0,3}"
)
_DEFINITION = bounded(
    r"\n(?=(?:async |export |pub |public |private |static )?"
    r"(?:def|class|function|fn|func|impl|struct|enum|trait|interface|type|module|create|select|insert|@\w{1,80})\b)",
    re.IGNORECASE,
)
_BLANK_LINE_BEFORE_MARGIN = bounded(r"\n[^\S\n]*+(?:\n[^\S\n]*+)++(?<=\n)(?=\S)")
_JOINING = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094d\u0e31\u0e34-\u0e4e\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f\udc00-\udfff\U0001f3fb-\U0001f3ff"
_WIDEST = 360
"""No character costs more than 3.6 tokens."""


def _packed(text: str, span: _Span, cuts: tuple[_Cut, ...], tokens: int) -> Iterator[_Span]:
    """Yield the parts of ``span``, each of at most ``tokens`` tokens, without the blanks around them; too long ones are cut by the next way."""
    whole = _trimmed(text, *span, keep_margin=cuts is _CODE)
    for part in _parts(text, whole, cuts, tokens * 100):
        start, stop = _trimmed(text, part.start, part.stop, keep_margin=cuts is _CODE)
        if start < stop:
            yield _Span(start, stop)


def _parts(text: str, span: _Span, cuts: tuple[_Cut, ...], limit: int) -> Iterator[_Part]:
    cost = estimate_hundredths(text[span.start : span.stop])
    if cost <= limit or not cuts:
        yield _Part(*span, cost)
        return
    smaller = (
        part for piece in _pieces(text, span, cuts[0], limit) for part in _parts(text, piece, cuts[1:], limit)
    )
    yield from _merged(smaller, limit)


def _pieces(text: str, span: _Span, cut: _Cut, limit: int) -> Iterator[_Span]:
    start = span.start
    for place in cut(text, span, limit):
        if start < place < span.stop:
            yield _Span(start, place)
            start = place
    yield _Span(start, span.stop)


def _merged(parts: Iterable[_Part], limit: int) -> Iterator[_Part]:
    """Join neighbours as long as they fit, so that no two of the parts left could be one."""
    held: _Part | None = None
    for part in parts:
        if held is not None and held.cost + part.cost <= limit:
            held = _Part(held.start, part.stop, held.cost + part.cost)
            continue
        if held is not None:
            yield held
        held = part
    if held is not None:
        yield held


def _trimmed(text: str, start: int, stop: int, *, keep_margin: bool) -> _Span:
    part = text[start:stop]
    begun = start + len(part) - len(part.lstrip())
    if keep_margin:
        begun = max(start, text.rfind("\n", start, begun) + 1)
    return _Span(begun, start + len(part.rstrip()))


def _at(pattern: Pattern) -> _Cut:
    def cut(text: str, span: _Span, _limit: int) -> Iterator[int]:
        return (found.end() for found in pattern.finditer(text, *span))

    return cut


def _below_no_heading(cut: _Cut) -> _Cut:
    """Cut as ``cut`` does, but not between a heading and what follows it."""

    def cut_on(text: str, span: _Span, limit: int) -> Iterator[int]:
        before = span.start
        for place in cut(text, span, limit):
            headed = place - before <= _LONGEST_HEADING and _HEADING.match(text, before, place)
            before = place
            if not headed:
                yield place

    return cut_on


def _between_lists(text: str, span: _Span, _limit: int) -> Iterator[int]:
    """Cut where a list or a table begins or ends."""
    place = span.start
    was_row = _ROW.match(text, place, span.stop) is not None
    for end in _LINE.finditer(text, *span):
        place = end.end()
        row = _ROW.match(text, place, span.stop) is not None
        row = row or (was_row and _CONTINUATION.match(text, place, span.stop) is not None)
        if row != was_row:
            yield place
        was_row = row


def _between_words(text: str, span: _Span, limit: int) -> Iterator[int]:
    """Cut at spaces, some words at a time, as one by one they would take long."""
    least = max(1, min(48, limit // _WIDEST // 4))
    return _at(bounded(rf"(?s:.{{{least}}})\S*+(?:\s++|\Z)"))(text, span, limit)


def _anywhere(text: str, span: _Span, limit: int) -> Iterator[int]:
    """Cut every few characters, though not inside a surrogate pair or a combining sequence."""
    most = max(1, min(64, limit // _WIDEST - 8))
    few = bounded(rf"(?s:.{{1,{most}}})(?:[{_JOINING}](?:(?<=\u200d)(?s:.))?){{0,8}}")
    return _at(few)(text, span, limit)


_PROSE: tuple[_Cut, ...] = (
    _below_no_heading(_at(_PARAGRAPH)),
    _below_no_heading(_between_lists),
    _below_no_heading(_at(_LINE)),
    _at(_SENTENCE),
    _between_words,
    _anywhere,
)
"""Ways to cut prose: paragraphs, lists and tables, lines, sentences, words, characters."""

_CODE: tuple[_Cut, ...] = (
    _at(_BLANK_LINE_BEFORE_MARGIN),
    _at(_DEFINITION),
    _at(_PARAGRAPH),
    _at(_LINE),
    _between_words,
    _anywhere,
)
"""Ways to cut code: what begins at the margin, definitions, blank lines, lines, spaces, characters."""


MOST_WINDOWS = 8
"""The text after so many windows is not embedded."""

_STEP = bounded(r"\S{1,24}+\s*+")
_BLANKS = anchored(r"\s*+")
_END = bounded(
    "\\n|[.!?\u2026\u061f\u06d4\u0964\u0965\u1362][\"'\u201d\u2019)\\]]{0,3}\\s|[\u3002\uff01\uff1f\uff0e][\u300d\u300f\u201d\u2019\uff09]{0,3}"
)
_SPACE = bounded(r"\s")


def windows(text: str, *, tokens: int, overlap: int = 0) -> list[str]:
    """Return pieces of any text of at most about ``tokens`` tokens, the limit of an embedder, in linear time; a blank one has none.

    A window ends at the end of a sentence or a line where there is one in its last third, else at a space, else anywhere (a
    single run of 24 characters may have more tokens). About ``overlap`` tokens are repeated at the beginning of the next. The
    text after ``MOST_WINDOWS`` is left out. An overlap is less than half a window.
    """
    end = len(text.rstrip())
    start = _beyond_blanks(text, 0)
    found: list[str] = []
    while start < end and len(found) < MOST_WINDOWS:
        stop = _end_of_window(text, start, end, tokens * 100)
        found.append(text[start:stop].rstrip())
        start = _start_of_next(text, start, stop, overlap / tokens) if stop < end else end
    return found


def _beyond_blanks(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    return blanks.end() if blanks else place


def _end_of_window(text: str, start: int, end: int, limit: int) -> int:
    cost = 0
    stop = start
    for step in _STEP.finditer(text, start, end):
        cost += estimate_hundredths(step[0])
        if cost > limit and stop > start:
            break
        stop = step.end()
    if stop == end:
        return end
    third = stop - (stop - start) // 3
    ends = [found.end() for found in _END.finditer(text, third, stop)]
    if ends:
        return ends[-1]
    spaces = [found.end() for found in _SPACE.finditer(text, third, stop)]
    return spaces[-1] if spaces else stop


def _start_of_next(text: str, start: int, stop: int, share: float) -> int:
    back = stop - int((stop - start) * share)
    if back < stop:
        space = _SPACE.search(text, back, stop)
        back = space.end() if space else back
    return _beyond_blanks(text, back)


class Chunk(NamedTuple):
    """A part of a text that is found separately: ``text[start:stop]``.

    Attributes:
        code: Whether it is a fenced block, or a part of one that was too long.
    """

    start: int
    stop: int
    code: bool


def chunks(text: str, *, tokens: int = 500) -> Iterator[Chunk]:
    """Yield the chunks of any text, in order, each of at most so many tokens (below 40 some may have a few more); linear in the text.

    They do not overlap, none is blank, and together they hold every character that is not blank. A fenced block is one chunk
    with its fences. If it is too long, it is cut where a line begins at the margin after a blank one, else before definitions,
    at blank lines, lines, spaces. Prose is cut between paragraphs if possible, else between lists and lines, sentences, words;
    a heading stays with its text.
    """
    place = 0
    for block in fenced_blocks(text):
        yield from (
            Chunk(*part, code=False) for part in _packed(text, _Span(place, block.start), _PROSE, tokens)
        )
        yield from (
            Chunk(*part, code=True) for part in _packed(text, _Span(block.start, block.stop), _CODE, tokens)
        )
        place = block.stop
    yield from (Chunk(*part, code=False) for part in _packed(text, _Span(place, len(text)), _PROSE, tokens))
