"""Regular expressions on people's and models' text, in time that grows no faster than the text. Pure.

Two doors, and no third: ``linear`` for text of any length, ``bounded`` for what needs look-around or references.
Never: ``re.compile`` anywhere else on text that we did not write.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from sys import maxsize

import re2

LONGEST = 1000
"""Characters that a bounded expression sees at once. Half of them is the longest match that is always found."""

_CLASSES = {
    "w": r"\pL\pM\pN_",
    "d": r"\p{Nd}",
    "s": r"\s\x{0b}\x{1c}-\x{1f}\x{85}\p{Z}",
}
"""What Python's classes are in RE2, whose own know ASCII alone. By category, as Python's are but for a few marks."""

_ESCAPE = re.compile(r"\\(.)|\[\^?\]?|\]", re.DOTALL)
_HALVES = re.compile("[\ud800-\udfff]")
_STANDS_FOR_A_HALF = "\ufffd"


def linear(pattern: str) -> "re2._Regexp":
    r"""Compile an expression for text of any length: RE2, an automaton in linear time, which lets other threads run.

    Its syntax has no look-around and no references; ``\w``, ``\d``, ``\s`` (and in capitals, outside of brackets) mean
    what they mean to Python, but ``\b`` knows ASCII alone. Flags stand in front: ``(?i)``, ``(?s)``, ``(?m)``. Text
    with halves of surrogate pairs is no text to it: see ``whole``.

    Raises:
        re2.error: The expression has something that RE2 lacks.
    """
    return re2.compile(_translated(pattern), _OPTIONS)


def whole(text: str) -> str:
    """Return the text, as long as it was, without halves of surrogate pairs, which no encoding can carry."""
    return text if text.isascii() else _HALVES.sub(_STANDS_FOR_A_HALF, text)


def bounded(pattern: str, flags: int = 0, *, longest: int = LONGEST) -> "Bounded":
    """Compile an expression for Python's own engine, which sees ``longest`` characters at once at most."""
    return Bounded(pattern, flags, longest)


class Bounded:
    """An expression of Python's, whose time grows linearly with the text, however its own grows.

    A text longer than ``longest`` is searched in windows that overlap by half. A match of up to half a window is found
    as if there were none; of a longer one as much as a window holds, or nothing.

    Attributes:
        pattern: The expression.
        flags: Its flags.
        longest: Characters seen at once, at most.
    """

    def __init__(self, pattern: str, flags: int, longest: int) -> None:
        self.pattern = pattern
        self._given = flags
        self.longest = longest

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._given)

    @property
    def flags(self) -> int:
        """The flags, with those that stand in the expression itself."""
        return self._compiled.flags

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the first match, as ``re.Pattern.search`` does."""
        if len(text) <= self.longest:
            return self._compiled.search(text, pos, endpos)
        return next(self.finditer(text, pos, endpos), None)

    def match(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the match that begins at ``pos``, as far as one window goes."""
        return self._compiled.match(text, pos, min(endpos, pos + self.longest))

    def fullmatch(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the match of the whole; None for what is longer than one window."""
        if min(len(text), endpos) - pos > self.longest:
            return None
        return self._compiled.fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right, none of which overlap."""
        end = min(len(text), endpos)
        if end - pos <= self.longest:
            yield from self._compiled.finditer(text, pos, endpos)
            return
        half = self.longest // 2
        least = pos
        while pos <= end:
            stop = min(pos + self.longest, end)
            found = self._compiled.search(text, pos, stop)
            if found is None:
                if stop == end:
                    return
                pos = stop - half
            elif stop < end and found.start() > pos + half:
                pos = found.start()  # seen again with what follows it
            else:
                if found.end() > found.start() or found.start() >= least:
                    yield found
                least = found.end() + 1
                pos = max(found.end(), found.start() + 1)

    def findall(self, text: str) -> list[str | tuple[str, ...]]:
        """Return what matched, or its groups, as ``re.Pattern.findall`` does."""
        if len(text) <= self.longest:
            return self._compiled.findall(text)
        found = self.finditer(text)
        if self._compiled.groups == 0:
            return [each[0] for each in found]
        if self._compiled.groups == 1:
            return [each[1] or "" for each in found]
        return [each.groups("") for each in found]

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Return the text with each match replaced, as ``re.Pattern.sub`` does."""
        if len(text) <= self.longest:
            return self._compiled.sub(replacement, text, count)
        kept: list[str] = []
        at = 0
        for number, each in enumerate(self.finditer(text), 1):
            said = each.expand(replacement) if isinstance(replacement, str) else replacement(each)
            kept += (text[at : each.start()], said)
            at = each.end()
            if number == count:
                break
        return "".join((*kept, text[at:]))

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        """Return what stands between the matches, and their groups, as ``re.Pattern.split`` does."""
        if len(text) <= self.longest:
            return self._compiled.split(text, maxsplit)
        parts: list[str] = []
        at = 0
        for number, each in enumerate(self.finditer(text), 1):
            parts += (text[at : each.start()], *each.groups())
            at = each.end()
            if number == maxsplit:
                break
        return [*parts, text[at:]]


def _translated(pattern: str) -> str:
    """Return the expression with RE2's words for Python's classes."""
    written: list[str] = []
    at, within = 0, False
    for each in _ESCAPE.finditer(pattern):
        written.append(pattern[at : each.start()])
        at = each.end()
        name = each[1]
        if name is None:
            if each[0] == "]":
                within = False
                written.append("]")
            elif within:
                written.append(rf"\{each[0]}" if each[0] == "[" else each[0])
            else:
                within = True
                written.append(each[0])
        elif name in _CLASSES:
            written.append(_CLASSES[name] if within else f"[{_CLASSES[name]}]")
        elif name.lower() in _CLASSES and not within:
            written.append(f"[^{_CLASSES[name.lower()]}]")
        else:
            written.append(each[0])
    return "".join((*written, pattern[at:]))


def _options() -> "re2.Options":
    options = re2.Options()
    options.log_errors = False  # they are raised
    options.max_mem = 64 << 20
    return options


_OPTIONS = _options()
