"""Cuts a text into the windows that an embedder reads. Pure. Never: an embedder."""

from recollect.text.patterns import anchored, bounded
from recollect.text.tokens import estimate_hundredths

MOST_WINDOWS = 8
"""The text after so many windows is not embedded."""

_STEP = bounded(r"\S{1,24}+\s*+")
_BLANKS = anchored(r"\s*+")
_END = bounded(
    "\\n|[.!?\u2026\u061f\u06d4\u0964\u0965\u1362][\"'\u201d\u2019)\\]]{0,3}\\s|[\u3002\uff01\uff1f\uff0e][\u300d\u300f\u201d\u2019\uff09]{0,3}"
)
_SPACE = bounded(r"\s")


def windows(text: str, *, tokens: int, overlap: int = 0) -> list[str]:
    """Return pieces of ``text`` of at most about ``tokens`` tokens, the limit of an embedder.

    The first begins at the beginning. A window ends at the end of a sentence or a line where there
    is one in its last third, else at a space, else anywhere. There are at most ``MOST_WINDOWS``; the rest is left
    out. A blank text has no window.

    Args:
        text: Any text whatever; takes time in proportion to its length.
        tokens: How many a window has at most, as ``estimate_tokens`` counts them (a single run of
            24 characters may have more).
        overlap: About how many tokens of a window are repeated at the beginning of the next.

    Raises:
        ValueError: ``tokens`` is less than one, or ``overlap`` negative or not less than half of it.
    """
    if tokens < 1 or not 0 <= 2 * overlap < tokens:
        raise ValueError("A window has at least one token, and its overlap is less than half of it.")
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
