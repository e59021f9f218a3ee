"""What a message asks of the memory as a whole: to forget what was listed, to stop, to leave a chat out, to undo. Pure.

In the languages of ``memory_requests.json``, each a small grammar: the patterns of a request are put together of its verbs, nouns
and ordinals, and have to match a whole sentence. What somebody else says, a supposition and an order about a text
("delete the second argument of the function") have more words than that, so they are none. What is worded otherwise is missed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any
from unicodedata import normalize

from recollect.text.patterns import Pattern, bounded, linear
from recollect.text.word_tables import read_table

LONGEST_MESSAGE = 300
"""Characters of a message that may ask for any of this. In a longer one a document or a task stands."""

LAST = -1
"""The number of the last one of a list."""

_LONGEST_REQUEST = 150
_MOST_SENTENCES = 3
_MOST_NUMBERS = 10
_MOST_WRAPPED = 5
_DIGITS = r"[0-9]{1,3}(?:(?: ?(?:,|&|、|和|،) ?|,? (?:and|und|y|et|e|i|ve|aur|و) ?(?:number |nummer |nr\.? |#)?)[0-9]{1,3}){0,9}"
_SENTENCE_END = bounded(
    r"(?:(?<!\d)(?<!\bno)(?<!\bnr)(?<!\bnúm)(?<![ ][nN])\.|[!?\u2026\u3002\uff01\uff1f\u061f])+(?=\s|$|[\u3400-\u9fff])|\n+",
    re.IGNORECASE,
)
_DIGIT = bounded(r"[0-9]{1,3}")
_ENDS = " \t.!\u3002\uff01\u2026,;\uff0c\u060c-\u2013"
_QUESTIONS = ("?", "\uff1f", "\u061f")
_INTRODUCES = (":", "\uff1a")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u00a0": " ", "\u064b": None})


class Request(StrEnum):
    """What is asked of the memory as a whole."""

    FORGET_LISTED = "forget_listed"
    """To forget some of what the chat was listed, by their numbers."""
    STOP = "stop"
    """To remember nothing of this person any more."""
    RESUME = "resume"
    LEAVE_OUT = "leave_out"
    """To remember nothing of this chat."""
    TAKE_IN = "take_in"
    """To remember this chat again."""
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A request to the memory as a whole.

    Attributes:
        asking: What is asked for.
        numbers: The numbers in the list, from 1; ``LAST`` for the last; () but for ``FORGET_LISTED``.
    """

    asking: Request
    numbers: tuple[int, ...] = ()


_DESTROYS = frozenset({Request.STOP, Request.LEAVE_OUT})
"""What deletes a chat, or lets what is said be lost; what is forgotten by number was listed just before, and can be brought back."""


def read_memory_request(authored: str) -> MemoryRequest | None:
    """Return what a message asks of the memory; None where that is nothing, or not certain.

    It is certain where one sentence, the first or the last of three at most, is nothing but the request; what deletes
    or switches something off has to be all that is said. A message of more than 300 characters asks for nothing.

    Args:
        authored: The person's own words, without what they quote.
    """
    if not 1 < len(authored) <= LONGEST_MESSAGE:
        return None
    sentences = list(_sentences(authored.strip()))
    if not 0 < len(sentences) <= _MOST_SENTENCES:
        return None
    if any(each.rstrip().endswith(_INTRODUCES) for each in sentences):
        return None  # what follows is a text to work on
    found = [request_in(each) for each in sentences]
    asked = [each for each in found if each is not None]
    if not asked or (found[0] is None and found[-1] is None):
        return None
    # What destroys, beside another sentence, may be the text that this one wants translated, corrected, ...
    is_mixed = asked[0].asking in _DESTROYS and len(asked) < len(found)
    if is_mixed or len({each.asking for each in asked}) > 1:
        return None
    numbers = tuple(dict.fromkeys(number for each in asked for number in each.numbers))
    return MemoryRequest(asked[0].asking, numbers[:_MOST_NUMBERS])


def request_in(sentence: str) -> MemoryRequest | None:
    """Return what one sentence is asking for, if it is nothing but a request."""
    if len(sentence) > _LONGEST_REQUEST:
        return None
    folded = normalize("NFKC", sentence).translate(_APOSTROPHES).casefold().replace("i\u0307", "i")
    whole = " ".join(folded.split())
    is_question = whole.endswith(_QUESTIONS)
    plain = whole.strip(_ENDS + "".join(_QUESTIONS))
    if not _any_request().fullmatch(plain):
        return None
    found = (grammar.request_in(plain, is_question=is_question) for grammar in _grammars())
    return next((each for each in found if each is not None), None)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text with their marks; what has no letter or digit is none."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if any(map(str.isalnum, text[start : end.start()])):
            yield text[start : end.end()].strip()
        start = end.end()
    if any(map(str.isalnum, text[start:])):
        yield text[start:].strip()


@dataclass(frozen=True)
class _Grammar:
    """How one language puts requests.

    Attributes:
        requests: The patterns of each.
        lead: What may stand before one.
        tail: What may stand behind one.
        politely: How one ends that is put as a question.
        ordinals: Words for the numbers of a list.
    """

    requests: Mapping[Request, Pattern]
    lead: Pattern
    tail: Pattern
    politely: Pattern
    ordinals: tuple[tuple[int, Pattern], ...]

    def request_in(self, plain: str, *, is_question: bool) -> MemoryRequest | None:
        """Return what a sentence without its marks asks for."""
        for words in self._unwrapped(plain):
            if is_question and words == plain and not self.politely.search(words):
                continue  # "Undo that?" asks whether to; "Can you undo that?" wants it
            for asking, pattern in self.requests.items():
                if pattern.fullmatch(words):
                    numbers = self.numbers_in(words) if asking is Request.FORGET_LISTED else ()
                    is_named = asking is not Request.FORGET_LISTED or numbers
                    return MemoryRequest(asking, numbers) if is_named else None
        return None

    def _unwrapped(self, words: str) -> Iterator[str]:
        """Yield the words, and the words without more and more of what is polite or leads in, in front and behind."""
        yield words
        for _ in range(_MOST_WRAPPED):
            before = words
            if lead := self.lead.match(words):
                words = words[lead.end() :].strip(_ENDS)
            elif tail := self.tail.search(words):
                words = words[: tail.start()].strip(_ENDS)
            if words == before or not words:
                return
            yield words

    def numbers_in(self, words: str) -> tuple[int, ...]:
        """Return the numbers that words name, as digits or ordinals, in their order."""
        found = [(each.start(), int(each[0])) for each in _DIGIT.finditer(words)]
        for number, pattern in self.ordinals:
            found += [(each.start(), number) for each in pattern.finditer(words)]
        at_once = dict(reversed(found))  # "2nd" is a digit, too
        return tuple(dict.fromkeys(at_once[at] for at in sorted(at_once)))


@cache
def _grammars() -> tuple[_Grammar, ...]:
    languages: dict[str, dict[str, Any]] = read_table("recollect.text.cues", "memory_requests")
    return tuple(_grammar_of(words, joins=name == "zh") for name, words in languages.items())


@cache
def _any_request() -> Pattern:
    """Return an expression that matches whatever any language's grammar takes for a request, and little else: most ask for none."""
    languages: dict[str, dict[str, Any]] = read_table("recollect.text.cues", "memory_requests")
    every = languages.values()
    leads = "|".join(each[name] for each in every for name in ("lead", "denial"))
    requests = "|".join(_pattern(each, words) for words in every for name in Request for each in words[name])
    tails = "|".join(words["tail"] for words in every)
    marks = r"[\s,.!:;\x{ff0c}\x{60c}\x{3002}\x{ff01}\x{2026}\x{2013}-]*"
    wrapped = rf"(?:(?:{leads}){marks}){{0,{_MOST_WRAPPED}}}(?:{requests})(?:{marks}(?:{tails})){{0,{_MOST_WRAPPED}}}"
    return linear(wrapped, captures=False)


def _grammar_of(words: Mapping[str, Any], *, joins: bool) -> _Grammar:
    """Return a language's grammar.

    Args:
        words: Its table.
        joins: Whether it writes words without spaces between them.
    """
    parted = "" if joins else r"(?:\s|$)"
    marked = r"[\s]*[,.!:;\x{ff0c}\x{60c}\x{3002}\x{2013}-]+"
    lead = rf"(?:(?:{words['lead']})(?:{marked}|{parted})|(?:{words['denial']}){marked})"
    before = "" if joins else r"[\s,\uff0c\u060c]+"
    return _Grammar(
        {asking: linear("|".join(_pattern(each, words) for each in words[asking])) for asking in Request},
        linear(lead),
        bounded(rf"{before}(?:{words['tail']})$"),
        bounded(r"(?:misin|musun|\uc904\ub798|\u597d\u5417)$"),
        tuple((int(number), bounded(_bordered(each))) for number, each in words["ordinals"].items()),
    )


def _bordered(words: str) -> str:
    is_parted = not any("\u3400" <= letter <= "\ud7ff" for letter in words)
    return rf"(?<!\w)(?:{words})(?!\w)" if is_parted else f"(?:{words})"


def _pattern(template: str, words: Mapping[str, Any]) -> str:
    """Return a template with its slots filled; ``<ORDS>`` and ``<DIGITS>`` are one or several numbers of the list."""
    ordinal = f"(?:{'|'.join(words['ordinals'].values())})"
    ordinals = rf"{ordinal}(?:(?:, ?| (?:{words['and']}) |{words['and']}|'){ordinal}){{0,9}}"
    slots = {**words["slots"], "ORDS": ordinals, "DIGITS": _DIGITS}
    for name, pattern in slots.items():
        template = template.replace(f"<{name}>", pattern)
    return f"(?:{template})"
