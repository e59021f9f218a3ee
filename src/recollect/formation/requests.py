# ruff: noqa: RUF001 - people speak many languages
"""What a person asks of the memory itself: to remember, to forget, to correct. Pure. Never: a model, what is known.

Only what is said plainly counts; when unsure, nothing is asked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from recollect.formation.memory_talk import corrected, dropped, mended, several, to_forget, to_remember
from recollect.formation.word_lists.wishes import (
    LEAD_IN,
    REMEMBER,
    REMEMBER_BEHIND,
    REMEMBER_WHAT_WAS_SAID,
)
from recollect.formation.word_lists.wishes_by_form import (
    CORRECTED,
    FORGET_BETWEEN,
    FORGET_OWN,
    REMEMBER_OWN,
)
from recollect.formation.word_lists.wishes_otherwise import (
    CORRECT,
    FORGET,
    FORGET_ALL,
    FORGET_BEFORE,
    NEVER_MIND,
    NOT_BUT,
)
from recollect.formation.word_lists.wishes_structure import NEXT_WISH
from recollect.model import Asking
from recollect.patterns import anchored, bounded

MOST_REQUESTS = 5
"""Wishes that are read from one message."""

LONGEST_STATEMENT = 500
"""Characters of a statement."""

_READ = 20_000
_LONGEST_SENTENCE = 600
"""A longer one is no wish that is put plainly; of what follows a colon, so much is read."""
_MOST_LEAD_INS = 4
_LONGEST_OPENING = 60
_OPENING_WORDS = 4
_ASKED_POLITELY = anchored(r"(?:kannst|könntest|magst|würdest) du\b", re.IGNORECASE)
_SENTENCE_END = bounded(
    r"(?P<mark>(?<![.!?\u2026])[.!?\u2026]+[\"')\]]*)(?=\s)|(?P<unspaced>[\u3002\uff01\uff1f]+)|\n+"
)
_ABBREVIATION = bounded(
    r"(?:\b(?:dr|mr|mrs|ms|st|prof|nr|no|ca|bzw|usw|etc|approx|vs|jr|sr|sra|mme|mlle|dott|sig|ul|ww|tel|str|inc|ltd|co|e\.g|i\.e|z\.b|d\.h|u\.a|p\.m|a\.m|p\.ej|т\.е|г|ул|им)|"
    r"\b[^\W\d])$",
    re.IGNORECASE,
)
_ORDINAL = bounded(r"(?:^|[\s(])[0-9]{1,2}$")
_GOES_ON = anchored(
    r"\s+(?:(?-i:[a-zß-öø-ÿа-яё])|jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[kc]t|nov|de[zc])", re.IGNORECASE
)
"""Behind "3.": a month, or a small letter."""
_ABOUT_SOMETHING = anchored(
    r"\s+(?:about|of|on|über|zu|von|sur|de|sobre|su|di|over|о|об|про) (?!me\b|mich\b|mir\b|moi\b|mí\b|mim\b|mij\b|мне\b)",
    re.IGNORECASE,
)
_MARKS = " \t.!\u3002\uff01\u2026,;"
_AROUND = " ,;\u3001\uff0c"
_QUESTION = ("?", "\uff1f")


@dataclass(frozen=True, slots=True)
class Request:
    """A wish that a person put plainly.

    Attributes:
        asking: What is asked for.
        about: What to remember or to forget, or what is so, in the person's words; "" where nothing is named.
        broad: Whether everything known of the person is to be forgotten.
    """

    asking: Asking
    about: str
    broad: bool = False


_SHAPES = (
    (Asking.FORGET, FORGET),
    (Asking.FORGET, FORGET_OWN),
    (Asking.REMEMBER, REMEMBER),
    (Asking.REMEMBER, REMEMBER_OWN),
)


def read_requests(authored: str) -> tuple[Request, ...]:
    """Return what a person asks of the memory, in order; mostly nothing, and at most ``MOST_REQUESTS``.

    None are questions about what is remembered, orders that belong to the task at hand ("don't forget to add
    tests"), reminders, and "forget it". English, German, French, Spanish, Italian, Portuguese, Dutch,
    Polish, Russian, Chinese and Japanese are read, and the commonest forms of Korean, Turkish and Ukrainian.

    Args:
        authored: The person's own words, without what they quote. Its first 20,000 characters are read.
    """
    return tuple(islice(_requests(authored[:_READ]), MOST_REQUESTS))


def statement_of(request: Request) -> str:
    """Return what a request is about as a statement that can be kept: one line, at most 500 characters."""
    plain = " ".join(request.about.split()).strip(" ,;:-\u2013\u2014")
    if len(plain) > LONGEST_STATEMENT:
        plain = plain[:LONGEST_STATEMENT].rpartition(" ")[0] or plain[:LONGEST_STATEMENT]
    return plain[:1].upper() + plain[1:]


def _requests(text: str) -> Iterator[Request]:
    sentences = _sentences(text)
    for number, (start, end) in enumerate(sentences):
        sentence = text[start:end]
        if len(sentence) > _LONGEST_SENTENCE and not REMEMBER.match(_without_lead_in(sentence)):
            continue
        if REMEMBER_WHAT_WAS_SAID.match(_without_lead_in(sentence).rstrip(_MARKS)):
            before = text[slice(*sentences[number - 1])].strip() if number else ""
            yield Request(Asking.REMEMBER, "" if before.endswith(_QUESTION) else before.rstrip(_MARKS))
            continue
        for request in _one_by_one(mended(sentence)):
            if not request.about and request.asking is Asking.REMEMBER:
                yield Request(Asking.REMEMBER, _paragraph(text, end))
            else:
                yield request


def _one_by_one(sentence: str) -> Iterator[Request]:
    """Return the wishes of a sentence, which is parted only where both parts are wishes.

    In "I get distracted and forget my keys" the second part has the first one's subject. In "remember that I travel
    and forget the keys" it may: to keep too much is better than to forget what nobody wanted forgotten.
    """
    wishes, announced, for_memory = several(sentence)
    at = 0
    for joint in NEXT_WISH.finditer(wishes):
        first = _request(wishes[at : joint.start()], for_memory=for_memory)
        asking = first.asking if first else None
        is_plain = asking is Asking.FORGET or (
            asking is Asking.REMEMBER and bool(joint["asked"] or not joint["drop"])
        )
        if announced or is_plain:
            if first:
                yield first
            at = joint.end()
    if last := _request(wishes[at:], for_memory=for_memory):
        yield last


def _request(sentence: str, *, for_memory: bool) -> Request | None:
    """Return what a sentence asks for; None if it asks for nothing.

    Args:
        sentence: Or a part of one that is a wish by itself.
        for_memory: Whether it says that the memory is meant.
    """
    if for_memory and (gone := dropped(sentence.strip())):
        return Request(Asking.FORGET, gone)
    return _by_words(sentence) or _by_build(sentence)


def _by_build(sentence: str) -> Request | None:
    plain = _without_lead_in(sentence)
    bare = plain.rstrip(_MARKS)
    for words in (sentence.strip().rstrip(_MARKS), bare):
        if NEVER_MIND.match(words):
            return None
        if gone := to_forget(words.rstrip("?\uff1f ")):
            return Request(Asking.FORGET, gone)
        if sentence.rstrip().endswith(_QUESTION):
            continue
        if kept := to_remember(words):
            return Request(Asking.REMEMBER, kept)
        if so := corrected(words):
            return Request(Asking.CORRECT, so)
    return None


def _by_words(sentence: str) -> Request | None:
    is_question = sentence.rstrip().endswith(_QUESTION)
    plain = _without_lead_in(sentence)
    bare = plain.rstrip(_MARKS)
    if NEVER_MIND.match(bare):
        return None
    everything = FORGET_ALL.match(bare)
    if everything and not _ABOUT_SOMETHING.match(bare, everything.end()):
        return Request(Asking.FORGET, "", broad=True)
    # "Can you remember that I ...?" asks for it, "Remember that we ...?" whether it is known.
    is_asked_whether = is_question and plain == sentence.lstrip() and not _ASKED_POLITELY.match(plain)
    ahead = None if is_asked_whether else _named(sentence.strip().rstrip(_MARKS), bare)
    if ahead or is_question:
        return ahead
    return (
        _correction(sentence.strip().rstrip(_MARKS), bare)
        or _named_before(bare)
        or _named_behind(_behind_opening(bare))
    )


def _named(whole: str, bare: str) -> Request | None:
    """Return a wish that begins or is the sentence."""
    for words in (whole, bare):
        within = FORGET_BETWEEN.fullmatch(words.rstrip("?\uff1f"))
        if within:
            named = next(named for group, named in within.groupdict().items() if named and group != "gone")
            return Request(Asking.FORGET, named.strip(_AROUND))
    return _named_behind(bare)


def _behind_opening(bare: str) -> str:
    """Return what follows a few words and a comma: "quick thing, keep in mind that ..."; else ""."""
    opening, mark, rest = bare[:_LONGEST_OPENING].partition(",")
    if not mark or len(opening.split()) > _OPENING_WORDS or not rest:
        return ""
    return _without_lead_in(bare[len(opening) + 1 :].lstrip())


def _named_behind(bare: str) -> Request | None:
    for asking, shape in _SHAPES:
        found = shape.match(bare)
        if found:
            return Request(asking, bare[found.end() :].rstrip("?\uff1f").strip())
    return None


def _correction(whole: str, bare: str) -> Request | None:
    """Return a correction; its "no" or "sorry" may be taken for a lead-in, so the whole sentence is looked at too."""
    for words in (whole, bare):
        for shape in (CORRECT, CORRECTED):
            found = shape.match(words)
            if found:
                return Request(Asking.CORRECT, words[found.end() :].strip())
    return Request(Asking.CORRECT, bare) if NOT_BUT.match(bare) else None


def _named_before(bare: str) -> Request | None:
    for asking, shape in ((Asking.FORGET, FORGET_BEFORE), (Asking.REMEMBER, REMEMBER_BEHIND)):
        found = shape.fullmatch(bare)
        if found:
            return Request(asking, found[found.lastgroup or 0].strip(_AROUND))
    return None


def _without_lead_in(sentence: str) -> str:
    at = len(sentence) - len(sentence.lstrip())
    for _ in range(_MOST_LEAD_INS):
        found = LEAD_IN.match(sentence, at)
        if found is None:
            break
        at = found.end()
    return sentence[at:]


def _paragraph(text: str, at: int) -> str:
    """Return the lines that follow, up to an empty one: what "remember the following:" is about."""
    following = text[at : at + _LONGEST_SENTENCE].lstrip(" \t:\uff1a.\n")
    return following.partition("\n\n")[0].strip()


def _goes_on(text: str, at: int, dot: re.Match[str]) -> bool:
    """Tell whether a dot ends no sentence: that of an abbreviation, of "3. Mai"."""
    near = max(at, dot.start() - 12), dot.start()
    if _ABBREVIATION.search(text, *near):
        return True
    return bool(_ORDINAL.search(text, *near)) and bool(_GOES_ON.match(text, dot.end()))


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return where each sentence stands, its mark included; an abbreviation or "3." ends none."""
    found: list[tuple[int, int]] = []
    at = 0
    for end in _SENTENCE_END.finditer(text):
        if end["mark"] == "." and _goes_on(text, at, end):
            continue
        if text[at : end.end()].strip():
            found.append((at, end.end()))
        elif found and (end["mark"] or end["unspaced"]):
            found[-1] = found[-1][0], end.end()
        at = end.end()
    if text[at:].strip():
        found.append((at, len(text)))
    return found


def asks_to_forget(text: str) -> bool:
    """Tell whether somebody asks in a message to forget something."""
    return any(request.asking is Asking.FORGET for request in read_requests(text))
