"""Finds what a person makes up: stories to be written, parts to be played. Pure. Never: what they say of themselves."""

import re
from collections.abc import Iterator

from recollect.formation.reading.cutting import Span
from recollect.formation.word_lists.inventing import (
    GOES_ON,
    LETS_PLAY,
    ONE_SELF,
    PLAY_A_PART,
    STORY_BEFORE,
    WHAT_IF,
    WRITE_A_STORY,
    WRITE_A_STORY_UNSPACED,
    YOU_ARE,
)
from recollect.patterns import Pattern, bounded

_SENTENCE_END = bounded("[.!?\u2026\u3002\uff01\uff1f]+(?=\\s|$|[\u3040-\u9fff])|\n")
_CLAUSE_END = bounded("[,;.!?\u2026\u3002\uff01\uff1f\uff0c\u3001\n]")
_PARAGRAPH_END = bounded(r"\n[ \t]*\n")
_CLAUSES = bounded(
    r"[,;:\uff0c\u3001()\u2013\u2014]|\b(?:because|since|as i|as my|for my|but|weil|denn|da ich|f\u00fcr mein\w*|aber|parce que|car|mais|pour m\w+|"
    r"porque|pero|para mi|\u043f\u043e\u0442\u043e\u043c\u0443|\u043d\u043e|\u0434\u043b\u044f \u043c\u043e\w+)\b|\u56e0\u4e3a|\u4f46|\u306e\u3067|\u304b\u3089",
    re.IGNORECASE,
)
_LONGEST = 600
_SENTENCE_ENDS = "\u3002\uff01\uff1f!?\n"
_LEAST_BEFORE, _LONGEST_BEFORE = 2, 200
"""Characters of what is invented in front of the word for it."""
_READ = 20_000


def inventions(text: str) -> list[Span]:
    """Return where somebody stands who is made up; the order to do so stays, and what the person says of themselves.

    Args:
        text: Of it the first 20,000 characters are read.
    """
    return sorted(span for span in _inventions(text[:_READ]) if text[slice(*span)].strip())


def _inventions(text: str) -> Iterator[Span]:
    for game in LETS_PLAY.finditer(text):
        yield game.end(), _end(_PARAGRAPH_END, text, game.end())
    for shape in (WRITE_A_STORY, WRITE_A_STORY_UNSPACED, PLAY_A_PART, YOU_ARE):
        for order in shape.finditer(text):
            yield from _told(text, order.end())
    for case in WHAT_IF.finditer(text):
        yield case.start(), _end(_CLAUSE_END, text, case.end())
    yield from _told_before(text)


def _told_before(text: str) -> Iterator[Span]:
    """Yield what stands before the word for a story that is to be written, in its sentence."""
    at = 0
    for story in STORY_BEFORE.finditer(text):
        lowest = max(at, story.start() - _LONGEST_BEFORE)
        begin = max(text.rfind(end, lowest, story.start()) + 1 for end in _SENTENCE_ENDS)
        begin, at = max(begin, lowest), story.end()
        if story.start() - begin >= _LEAST_BEFORE and not ONE_SELF.search(text, begin, story.start()):
            yield begin, story.start()
            yield from _going_on(text, _end(_SENTENCE_END, text, story.end()))


def _told(text: str, begin: int) -> Iterator[Span]:
    """Yield the rest of a sentence, up to a clause in which the person speaks of themselves, and what goes on with it."""
    end = _end(_SENTENCE_END, text, begin)
    oneself = ONE_SELF.search(text, begin, end)
    if oneself is None:
        yield begin, end
        yield from _going_on(text, end)
        return
    clauses = [clause.start() for clause in _CLAUSES.finditer(text, begin, oneself.end())]
    if clauses:
        yield begin, clauses[-1]


def _going_on(text: str, at: int) -> Iterator[Span]:
    """Yield the sentences that go on telling of the same."""
    while at < len(text):
        mark = _SENTENCE_END.match(text, at)
        begin = mark.end() if mark else at
        if not GOES_ON.match(text, begin):
            return
        end = _end(_SENTENCE_END, text, begin + 1)
        if ONE_SELF.search(text, begin, end):
            return
        yield begin, end
        at = end


def _end(shape: Pattern, text: str, begin: int) -> int:
    found = shape.search(text, begin, begin + _LONGEST)
    return found.start() if found else min(len(text), begin + _LONGEST)
