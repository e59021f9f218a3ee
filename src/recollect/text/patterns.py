r"""Regular expressions on people's and models' text, in time that grows linearly with the text. Pure.

There are three kinds. ``linear``, an automaton, matches long stretches of a text of any length. ``bounded``, Python's own
engine, sees one window at a time, and may look around. ``anchored``, the same engine, matches at a given place and never
searches. Each expression is compiled when it is first used; two threads that use it first at the same time get the
same result. `recollect.assembly.lifecycle`, `recollect.formation.pipeline.warm_up` and `recollect.text.secrets.warm` use them before the
first chat does.
No other module calls ``re.compile`` for text that we did not write.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from sys import maxsize
from typing import Any, TypeAlias, cast

import re2

LONGEST = 1000
"""Characters that a bounded expression sees at once. Half of them is the longest match that is always found."""

MEGABYTES = 8
"""Memory for the states of a linear expression."""

Replacement: TypeAlias = str | Callable[[re.Match[str]], str]

_CLASSES = {
    "w": r"\pL\pN_",
    "d": r"\p{Nd}",
    "s": r"\s\x{0b}\x{1c}-\x{1f}\x{85}\p{Z}",
}
"""Python's classes of characters, written for RE2, whose own know only ASCII."""

_ESCAPE = re.compile(
    r"\\u(?P<short>[0-9a-fA-F]{4})|\\U(?P<long>[0-9a-fA-F]{8})|\\[xpP]\{[^}]*\}|\\(?P<name>.)|\[\^?\]?|\]|[*+?}]\+",
    re.DOTALL,
)
_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
_HALVES = re.compile("[\ud800-\udfff]")


def linear(pattern: str, flags: int = 0, *, captures: bool = True, megabytes: int = MEGABYTES) -> "Linear":
    r"""Compile an expression for text of any length: RE2, an automaton in linear time, which lets other threads run.

    It is written as for Python, without look-around, references, possessive repetition, and ``\W``, ``\D``, ``\S`` within
    brackets, for which it raises a ValueError, as for flags but ``IGNORECASE``, ``MULTILINE`` and ``DOTALL``. ``\w``, ``\d``,
    ``\s`` match as in Python, but ``\b`` knows only ASCII, and ``$`` without ``MULTILINE`` only the very end. A match has Python's
    methods; its ``start``, ``end`` and ``span`` take a group's number. Searching is faster without ``captures``.
    An expression whose states need more than ``megabytes`` becomes a hundred times slower.
    """
    written = "".join(letter for flag, letter in _FLAGS.items() if flags & flag)
    if flags & ~sum(_FLAGS):
        raise ValueError("RE2 has no such flag.")
    written = (f"(?{written})" if written else "") + _translated(pattern)
    return Linear(pattern, written, captures=captures, megabytes=megabytes)


def any_of(*patterns: "str | Linear") -> "Linear":
    """Compile one expression that finds whatever several find, to ask in one pass whether a text has anything for them."""
    written = (each if isinstance(each, str) else each.pattern for each in patterns)
    return linear("|".join(f"(?:{each})" for each in written), captures=False, megabytes=2 * MEGABYTES)


def escape(text: str) -> str:
    """Return an expression that matches this very text."""
    return re.escape(text)


class Linear:
    """An expression of RE2's. Each call reads the text from its beginning: matches in a row are ``finditer``'s.

    Attributes:
        pattern: The expression, as Python writes it.
        written: The same as RE2 reads it.
    """

    def __init__(self, pattern: str, written: str, *, captures: bool, megabytes: int) -> None:
        self.pattern = pattern
        self.written = written
        self._captures = captures
        self._megabytes = megabytes

    @cached_property
    def _compiled(self) -> "re2._Regexp":
        options = re2.Options()
        options.never_capture = not self._captures
        options.log_errors = False  # they are raised
        options.max_mem = self._megabytes << 20
        try:
            return re2.compile(self.written, options)
        except re2.error as error:
            raise ValueError(f"RE2 does not read {self.pattern}: {error}") from error

    def is_in(self, encoded: bytes) -> bool:
        """Return whether there is a match in a text that is UTF-8 already, as one that is asked about often is."""
        return self._compiled.search(encoded) is not None

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the first match."""
        return cast("re.Match[str] | None", self._compiled.search(whole(text), pos, endpos))

    def match(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the match that begins at ``pos``."""
        return cast("re.Match[str] | None", self._compiled.match(whole(text), pos, endpos))

    def fullmatch(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the match if it is the whole text."""
        return cast("re.Match[str] | None", self._compiled.fullmatch(whole(text), pos, endpos))

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right, none of which overlap."""
        return cast("Iterator[re.Match[str]]", self._compiled.finditer(whole(text), pos, endpos))

    def findall(self, text: str) -> list[Any]:
        """Return what matched, or its groups."""
        return cast("list[Any]", self._compiled.findall(whole(text)))

    def sub(self, replacement: Replacement, text: str, count: int = 0) -> str:
        """Return the text with each match replaced."""
        return cast("str", self._compiled.sub(replacement, whole(text), count))

    def split(self, text: str, maxsplit: int = 0) -> list[Any]:
        """Split the text at the matches; the parts and the matches' groups alternate."""
        return cast("list[Any]", self._compiled.split(whole(text), maxsplit))


class Anchored:
    """An expression of Python's ``re`` that sees at most ``longest`` characters from the position of the match on.

    Attributes:
        pattern: The expression.
        flags: As they were given.
        longest: Characters seen at once, at most.
    """

    def __init__(self, pattern: str, flags: int = 0, *, longest: int = LONGEST) -> None:
        self.pattern = pattern
        self.longest = longest
        self.flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled expression, made at its first use: there are hundreds, and no process uses all."""
        return re.compile(self.pattern, self.flags)

    def match(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the match that begins at ``pos``, as far as one window goes."""
        return self.compiled.match(text, pos, min(endpos, pos + self.longest))

    def fullmatch(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the match of the whole text; None if the text is longer than one window."""
        if min(len(text), endpos) - pos > self.longest:
            return None
        return self.compiled.fullmatch(text, pos, endpos)


class Bounded(Anchored):
    """An expression of Python's whose time grows linearly with the text, even where its own would not.

    A text longer than ``longest`` is searched in windows, each of which begins in the middle of the one before. A match that,
    with its look-around, takes up to half a window is found exactly. A longer one is cut to its window, or not found.
    """

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """Return the first match, as ``re.Pattern.search`` does."""
        if len(text) <= self.longest:
            return self.compiled.search(text, pos, endpos)
        return next(self.finditer(text, pos, endpos), None)

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right, none of which overlap."""
        end = min(len(text), endpos)
        while end - pos > self.longest:
            stop = pos + self.longest
            pos = stop - self.longest // 2  # from here on a match is seen whole in the next window alone
            for found in self.compiled.finditer(text, stop - self.longest, stop):
                if found.start() >= pos:
                    break
                yield found
                pos = max(pos, found.end())
        yield from self.compiled.finditer(text, pos, end)

    def findall(self, text: str) -> list[Any]:
        """Return what matched, or its groups, as ``re.Pattern.findall`` does."""
        if len(text) <= self.longest:
            return self.compiled.findall(text)
        found = self.finditer(text)
        if self.compiled.groups == 0:
            return [each[0] for each in found]
        if self.compiled.groups == 1:
            return [each[1] or "" for each in found]
        return [each.groups("") for each in found]

    def sub(self, replacement: Replacement, text: str, count: int = 0) -> str:
        """Return the text with each match replaced, as ``re.Pattern.sub`` does."""
        if len(text) <= self.longest:
            return self.compiled.sub(replacement, text, count)
        found = islice(self.finditer(text), count or None)
        if not isinstance(replacement, str):
            return replaced(text, ((*each.span(), replacement(each)) for each in found))
        is_plain = "\\" not in replacement
        said = ((*each.span(), replacement if is_plain else each.expand(replacement)) for each in found)
        return replaced(text, said)

    def split(self, text: str, maxsplit: int = 0) -> list[Any]:
        """Split the text at the matches, as ``re.Pattern.split`` does."""
        if len(text) <= self.longest:
            return self.compiled.split(text, maxsplit)
        parts: list[str | None] = []
        at = 0
        for number, each in enumerate(self.finditer(text), 1):
            parts += (text[at : each.start()], *each.groups())
            at = each.end()
            if number == maxsplit:
                break
        return [*parts, text[at:]]


anchored, bounded = Anchored, Bounded
"""The classes under names for the calls that make an expression."""

Pattern: TypeAlias = Linear | Bounded


def replaced(text: str, places: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with other words at these places, each from its start up to its end; they are in order, and apart."""
    kept: list[str] = []
    at = 0
    for start, end, words in places:
        kept += text[at:start], words
        at = end
    return "".join((*kept, text[at:])) if kept else text


def whole(text: str) -> str:
    """Return the text with lone surrogates replaced, which no encoding can carry; its length stays the same."""
    if not text.isascii():
        try:
            text.encode()  # five times as fast as a search
        except UnicodeEncodeError:
            return _HALVES.sub("\ufffd", text)
    return text


def _translated(pattern: str) -> str:
    """Return the expression with RE2's spelling of Python's classes and ends.

    Raises:
        ValueError: It says something that has no word, or another meaning, in RE2.
    """
    written: list[str] = []
    at, within = 0, False
    for each in _ESCAPE.finditer(pattern):
        written.append(pattern[at : each.start()])
        at = each.end()
        if each.lastgroup is not None:
            written.append(_escape_of(each, within=within))
            continue
        mark = each[0]
        if mark[0] in "*+?}" and not within:
            raise ValueError(f"RE2 has no possessive repetition: {pattern}")
        written.append(rf"\{mark}" if mark[0] == "[" and within else mark)
        within = mark[0] == "[" or (within and mark != "]")
    return "".join((*written, pattern[at:]))


def _escape_of(escape: re.Match[str], *, within: bool) -> str:
    """Return RE2's spelling of an escape of Python's, within brackets or outside."""
    if code := escape["short"] or escape["long"]:
        return rf"\x{{{code}}}"
    name = escape["name"]
    if name in _CLASSES:
        return _CLASSES[name] if within else f"[{_CLASSES[name]}]"
    if name.lower() in _CLASSES:
        if within:
            raise ValueError(f"RE2 has no {escape[0]} of Unicode within brackets: {escape.string}")
        return f"[^{_CLASSES[name.lower()]}]"
    return r"\z" if name == "Z" else escape[0]
