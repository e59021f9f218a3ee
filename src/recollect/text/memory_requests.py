"""Reads requests to the memory that are a whole message, by the closed list in ``memory_requests.json``. Pure.

Each request has its phrases, language by language. A message counts if all of it is one of them, but for marks and one polite
word at either end. In the table ``(a|b|)`` stands for one of several words or none, ``#`` for numbers of a list, and a question
mark for a phrase that may be a question. Without a model the openings of the same table say what to remember, forget or correct.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from itertools import count
from typing import Any
from unicodedata import category, normalize

from recollect.model import Asking
from recollect.text import read_table
from recollect.text.patterns import Anchored, Pattern, anchored, bounded

LONGEST_MESSAGE = 120
"""Characters of a message that may be a phrase of the list."""

LAST = -1
"""The number of the last one of a list."""

_UNSPACED = frozenset({"zh", "ja"})
_MARKS = " \t\n.!\u3002\uff01\u2026,;\uff0c\u060c\u3001-\u2013\u00bf\u00a1"
_QUESTION = "?\u061f;"
_APOSTROPHES = str.maketrans("\u2019\u02bc", "''")
_BREAK = bounded(r"\W")
_CHOICE = bounded(r"\(([^()]*)\)")
_OPENING = (Asking.REMEMBER, Asking.FORGET, Asking.CORRECT)
"""Wishes that a message may open with. Only a model understands that nothing is to be kept of it, as that can't be undone."""

_BEHIND = "[\\s:,]"
_OPENING_READ = 200
"""Characters of a message in which its opening ends."""

_APART = "(?<![^\\W\u0648])"
"""No letter stands before a number, but an Arabic "and"."""

_KEPT = 64
"""Messages that are remembered: one is read several times in a turn."""


class Request(StrEnum):
    """A kind of request to the memory as a whole."""

    KNOWN = "known"
    """To list the memories."""
    FORGET_LISTED = "forget_listed"
    """To forget some memories of the list in this chat, by their numbers."""
    STOP = "stop"
    """To remember nothing of this person any more."""
    RESUME = "resume"
    LEAVE_OUT = "leave_out"
    """To remember nothing of this chat."""
    TAKE_IN = "take_in"
    """To remember this chat again."""
    UNDO = "undo"
    EVERYTHING = "everything"
    """To forget every memory."""


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A request to the memory as a whole.

    Attributes:
        asking: The kind.
        numbers: The numbers in the list, from 1; ``LAST`` for the last; () but for ``FORGET_LISTED``.
    """

    asking: Request
    numbers: tuple[int, ...] = ()


def read_memory_request(text: str) -> MemoryRequest | None:
    """Return the request that a message is; None if it is no phrase of the list."""
    return _parse_request(text) if len(text) <= LONGEST_MESSAGE else None


@lru_cache(_KEPT)
def _parse_request(text: str) -> MemoryRequest | None:
    folded = " ".join(_folded(text).replace("#", " ").split()).strip(_MARKS)
    plain = folded.rstrip(_MARKS + _QUESTION)
    found = (each.request(plain, is_question=plain != folded) for each in _may_be_of(plain, tuple(Request)))
    return next(filter(None, found), None)


def read_opening(text: str) -> tuple[Asking, str] | None:
    """Return the wish that a message opens with, and the rest of its first paragraph; None for other openings."""
    paragraph = text.strip().partition("\n\n")[0]
    folded = _folded(paragraph[:_OPENING_READ])
    for language in _may_be_of(folded, _OPENING):
        if found := language.opening.match(folded):
            end = next(at for at in count() if len(_folded(paragraph[:at])) >= found.end())
            return Asking(found.lastgroup or ""), paragraph[end:].strip()
    return None


@dataclass(frozen=True)
class _Language:
    """The phrases of one language.

    Attributes:
        words: Its part of the table.
        space: The space between its words: "" for none.
    """

    words: Mapping[str, Any]
    space: str

    def request(self, plain: str, *, is_question: bool) -> MemoryRequest | None:
        found = self._request.fullmatch(plain)
        if found is None:
            return None
        said = {name: words for name, words in found.groupdict().items() if words is not None}
        if is_question and not any(name.startswith("asks") for name in said):
            return None
        numbers = next((words for name, words in said.items() if name.startswith("numbers")), "")
        return MemoryRequest(next(each for each in Request if each in said), self._values(numbers))

    def beginnings(self, askings: Iterable[str]) -> set[str]:
        """Return the first words of these phrases, of numbers and of the words before phrases; of unspaced languages, characters."""
        phrases = (phrase for asking in askings for phrase in self.words[asking])
        return {
            self.beginning(head)
            for phrase in (*phrases, *self.words["polite"], *self.words["asking"], *self._number_of)
            for head in _heads(phrase)
        }

    def beginning(self, text: str) -> str:
        """Return the first word of a text; in languages without spaces its first character."""
        return _BREAK.split(text, maxsplit=1)[0] if self.space else text[:1]

    @cached_property
    def _request(self) -> Anchored:
        """An expression for a whole message, with groups for the kinds of requests, the numbers, and what lets it be a question."""
        gap = ("[ ,\u060c]" if self.space else "") + f"[{re.escape(_MARKS)}]*"
        asks, numbers = (f"(?P<asks{number}>)" for number in count()), (f"(?P<numbers{n}>" for n in count())
        every = (f"(?P<{each.value}>{'|'.join(map(_expression, self.words[each]))})" for each in Request)
        phrases = re.sub(
            r"\\[#?]",
            lambda mark: f"{next(numbers)}{self._numbers})" if mark[0] == r"\#" else next(asks),
            "|".join(every),
        )
        polite, asking, tail = (_any(self.words[each]) for each in ("polite", "asking", "tail"))
        return anchored(rf"(?:(?:(?P<asks>{asking})|{polite}){gap})?(?:{phrases})(?:{gap}{tail})?")

    def _values(self, words: str) -> tuple[int, ...]:
        found = (
            self._number_of[each] if each in self._number_of else int(each)
            for each in self._number.findall(words)
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def _number_of(self) -> Mapping[str, int]:
        return {
            _folded(each): int(n) for n, those in self.words["numbers"].items() for each in those.split("|")
        }

    @cached_property
    def _number(self) -> Pattern:
        return bounded(self._one)

    @property
    def _numbers(self) -> str:
        between = rf",? ?(?:[,&\u060c\u3001]|{_any(_folded(self.words['joined']).split('|'))}) ?"
        return rf"{self._one}(?:{between}{self._one}){{0,9}}"

    @property
    def _one(self) -> str:
        """An expression for one number. A digit may have an ending behind it, as in Turkish; a word may not."""
        words = _any(self._number_of)
        return (
            rf"(?:{_APART}{words}(?!\w)|{_APART}\d{{1,3}}(?!\d))" if self.space else rf"(?:{words}|\d{{1,3}})"
        )

    @cached_property
    def opening(self) -> Anchored:
        """An expression for the openings that ask to remember, forget or correct something."""
        behind = rf"(?:(?<=\W)|(?={_BEHIND}|$))" if self.space else ""
        lead = _any((*self.words["polite"], *self.words["asking"]))
        every = (
            f"(?P<{asking.value}>(?:{'|'.join(map(_expression, self._longest_first(asking)))}){behind})"
            for asking in _OPENING
        )
        return anchored(rf"(?:{lead}[\s,]+)?(?:{'|'.join(every)}){_BEHIND}*")

    def _longest_first(self, asking: Asking) -> list[str]:
        return sorted(self.words[asking.value], key=_length, reverse=True)


@cache
def _languages() -> tuple[_Language, ...]:
    table: dict[str, dict[str, Any]] = read_table("recollect.text", "memory_requests")
    return tuple(_Language(words, "" if code in _UNSPACED else " ") for code, words in table.items())


@cache
def _by_beginning(askings: tuple[str, ...]) -> Mapping[str, list[_Language]]:
    found: dict[str, list[_Language]] = {}
    for language in _languages():
        for beginning in language.beginnings(askings):
            found.setdefault(beginning, []).append(language)
    return found


def _may_be_of(text: str, askings: tuple[str, ...]) -> Iterable[_Language]:
    """Return the languages with such a phrase that begins like a text; none for nearly all messages."""
    if text[:1].isdigit():
        return _languages()
    begins = dict.fromkeys((_BREAK.split(text, maxsplit=1)[0], text[:1]))
    return [language for each in begins for language in _by_beginning(askings).get(each, ())]


def _expression(template: str) -> str:
    """Return an expression for the phrases that a template of the table stands for, longer words first."""
    parts = _CHOICE.split(_folded(template))
    return "".join(
        _any(part.split("|")) if number % 2 else re.escape(part) for number, part in enumerate(parts)
    )


def _length(template: str) -> int:
    """Return the length of the longest phrase that a template stands for."""
    return len(_CHOICE.sub(lambda choice: max(choice[1].split("|"), key=len), template))


def _any(words: Iterable[str]) -> str:
    """Return an expression for one of several words, the longest that fits; without words, for nothing."""
    longest_first = sorted(words, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first))})" if longest_first else "(?!)"


def _heads(template: str) -> set[str]:
    """Return the beginnings of the phrases that a template stands for, up to their first space at least."""
    heads = {""}
    for number, part in enumerate(_CHOICE.split(_folded(template))):
        words = part.split("|") if number % 2 else [part]
        heads = {head if _BREAK.search(head) else head + word for head in heads for word in words}
    return heads


def _folded(text: str) -> str:
    """Return a text in one width, in small letters, with one apostrophe, and without vowel points."""
    if text.isascii():
        return text.lower()
    plain = normalize("NFKC", text).translate(_APOSTROPHES).casefold()
    return "".join(letter for letter in plain if category(letter) != "Mn")
