"""Reads requests to the memory that are a whole message, by the closed list in ``memory_requests.json``. Pure.

Each request has its phrases, language by language. A message counts where all of it is one of them, but for marks and one polite
word at either end. In the table ``(a|b|)`` stands for one of several words or none, ``#`` for numbers of a list, and a question
mark for a phrase that may be asked. Without a model the openings of the same table tell what to remember, forget or correct.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import product
from typing import Any
from unicodedata import category, normalize

from recollect.model import Asking
from recollect.text.patterns import Pattern, bounded, linear
from recollect.text.word_tables import read_table

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
"""What a message may open with. That nothing is to be kept of it a model alone understands: it can't be undone."""

_BEHIND = r"(?:[\s:,\x{ff1a}\x{ff0c}]|$)"


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
    if len(text) > LONGEST_MESSAGE:
        return None
    folded = " ".join(_folded(text).replace("#", " ").split()).strip(_MARKS)
    plain = folded.rstrip(_MARKS + _QUESTION)
    if not plain:
        return None
    found = (each.request(plain, is_question=plain != folded) for each in _languages())
    return next(filter(None, found), None)


def read_opening(text: str) -> tuple[Asking, str] | None:
    """Return the wish that a message opens with, and the rest of its first paragraph; None for other openings."""
    paragraph = text.strip().partition("\n\n")[0]
    for language in _languages():
        if found := language.openings.match(paragraph):
            asking = next(each for each in _OPENING if found[each.value] is not None)
            return asking, paragraph[found.end() :].strip()
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
        if not plain[:1].isdigit() and self._beginning(plain) not in self._begins:  # nearly all messages
            return None
        found = self._numbers.search(plain)
        texts: list[tuple[str, tuple[int, ...]]] = [(plain, ())]
        if found:
            named = f"{plain[: found.start()]}#{plain[found.end() :]}"
            texts.append((named, self._values(found[0])))
        for text, numbers in texts:
            for phrase, asks in self._unwrapped(text) if len(text) <= self._longest else ():
                asking, may_ask = self._phrases.get(phrase, (None, False))
                if asking is not None and (asks or may_ask or not is_question):
                    return MemoryRequest(asking, numbers)
        return None

    def _unwrapped(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield a text, and the text without a polite word in front or behind; and whether that word asks."""
        for lead in ("", *(self._leads if text.startswith(self._leads) else ())):
            rest = text.removeprefix(lead)
            if lead and (rest == text or rest[: len(self.space)] not in {self.space, ",", "\u060c"}):
                continue
            for tail in ("", *(self._tails if rest.endswith(self._tails) else ())):
                left = rest.removesuffix(tail)
                if not tail or (left != rest and left.endswith((self.space, ",", "\u060c"))):
                    yield left.strip(_MARKS), lead in self.words["asking"]

    @cached_property
    def _longest(self) -> int:
        """The most characters of a phrase with polite words around it."""
        around = (max(map(len, each), default=0) + len(", ") for each in (self._leads, self._tails))
        return max(map(len, self._phrases)) + sum(around)

    def _beginning(self, text: str) -> str:
        """Return the first word of a text; in languages without spaces its first character."""
        return _BREAK.split(text, maxsplit=1)[0] if self.space else text[:1]

    @cached_property
    def _begins(self) -> frozenset[str]:
        """The beginnings of all phrases, of numbers, and of the words in front of phrases."""
        return frozenset(map(self._beginning, (*self._phrases, *self._number_of, *self._leads)))

    @cached_property
    def _leads(self) -> tuple[str, ...]:
        return (*self.words["polite"], *self.words["asking"])

    @cached_property
    def _tails(self) -> tuple[str, ...]:
        return tuple(self.words["tail"])

    def _values(self, words: str) -> tuple[int, ...]:
        found = (
            self._number_of[each] if each in self._number_of else int(each)
            for each in self._number.findall(words)
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def _phrases(self) -> Mapping[str, tuple[Request, bool]]:
        return {
            phrase.rstrip("?"): (asking, phrase.endswith("?"))
            for asking in Request
            for template in self.words[asking]
            for phrase in expanded(template)
        }

    @cached_property
    def _number_of(self) -> Mapping[str, int]:
        return {
            _folded(each): int(n) for n, those in self.words["numbers"].items() for each in those.split("|")
        }

    @cached_property
    def _number(self) -> Pattern:
        return bounded(self._one)

    @cached_property
    def _numbers(self) -> Pattern:
        space = self.space
        between = rf"(?: ?[,&\u3001\uff0c] ?|{space}(?:{self.words['joined']}){space}|, (?:{self.words['joined']}){space})"
        return bounded(rf"{self._one}(?:{between}{self._one}){{0,9}}")

    @property
    def _one(self) -> str:
        """An expression for one number. A digit may have an ending behind it, as in Turkish; a word may not."""
        words = rf"(?:{'|'.join(sorted(map(re.escape, self._number_of), key=len, reverse=True))})"
        return (
            rf"(?:(?<!\w){words}(?!\w)|(?<!\w)\d{{1,3}}(?!\d))" if self.space else rf"(?:{words}|\d{{1,3}})"
        )

    @cached_property
    def openings(self) -> Pattern:
        """An expression for the openings that ask to remember, forget or correct something."""
        lead = "|".join(map(re.escape, (*self.words["polite"], *self.words["asking"])))
        every = (f"(?P<{asking.value}>{'|'.join(self._openings(asking))})" for asking in _OPENING)
        return linear(rf"(?i)\s*(?:(?:{lead})[\s,]+)?(?:{'|'.join(every)})[\s:,\x{{ff1a}}\x{{ff0c}}]*")

    def _openings(self, asking: Asking) -> Iterator[str]:
        every = {each for template in self.words[asking.value] for each in expanded(template)}
        for each in sorted(every, key=len, reverse=True):
            yield re.escape(each) + (_BEHIND if self.space and each[-1].isalnum() else "")


@cache
def _languages() -> tuple[_Language, ...]:
    table: dict[str, dict[str, Any]] = read_table("recollect.text.cues", "memory_requests")
    return tuple(_Language(words, "" if code in _UNSPACED else " ") for code, words in table.items())


def expanded(template: str) -> list[str]:
    """Return the phrases that a template of the table stands for, in the form in which they are compared."""
    parts = _CHOICE.sub("\n\\1\n", _folded(template)).split("\n")
    choices = [part.split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    return [" ".join("".join(each).split()) for each in product(*choices)]


def _folded(text: str) -> str:
    """Return a text in one width, in small letters, with one apostrophe, and without vowel points."""
    plain = normalize("NFKC", text).translate(_APOSTROPHES).casefold()
    return "".join(letter for letter in plain if category(letter) != "Mn")
