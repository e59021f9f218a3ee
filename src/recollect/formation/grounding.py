"""Checks that a candidate is grounded in the person's own words: its quote is there, and it is no echo of the prompt. Pure.

A quote is searched exactly, as whole words, ignoring the differences that copying makes; then as the best aligned part (the
partial ratio of RapidFuzz: normalized indel similarity of the shorter text with the best part of the longer), because
models correct typos.

A quote that is found proves little where the statement has nothing to do with it: a model may pass off a memory it was
shown, or a reply of the assistant, as what it read. One shared name or verb is no sign of an echo, since the model is asked
to write names where the person says "he".
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from recollect.model import Candidate, Relation
from recollect.text.comparison.figures import figures
from recollect.text.lexical import document_terms
from recollect.text.lexical.folding import fold
from recollect.text.patterns import bounded, linear

ALIKE = 90.0
"""The partial ratio, of 100, from which on a quote is found."""

SEARCHED_CHARACTERS = 12_000
"""What is searched of a text: as much as an extractor is shown."""

QUOTE_CHARACTERS = 2_000
"""What is looked for of a quote."""

LIKENED_CHARACTERS = 400
"""What is looked for of a quote with slips: the time that takes grows with the square of it."""

_FUZZY_WEIGHT = 12
_NEAR_EDGE = 5
_SLIP = 0.7
_LEAST_MENDED = 5
"""Letters of a word that may be spelled otherwise. Shorter ones differ by a letter and mean another thing: no, now."""
_ALIKE_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
_INVISIBLE = bounded("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_OCCURRENCES = 100  # so that a megabyte of one letter stays cheap
_OUTER = " \t\n.,;:!?"
_EDGES = " \t\n.,;:!?'\"()[]*_"
# Han, kana, Hangul, Thai, Lao, Burmese, Khmer: no spaces between words, or particles joined to them
_UNSPACED = bounded(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_CLUSTER = bounded(r"[\W\w][\u0300-\u036f\u3099\u309a\u0591-\u05c7\u064b-\u065f\u093c\u0e31-\u0e4e]*")
_WORD = bounded(r"\w+(?:'\w+)*")
_MOST_CHARACTERS = 1_000
_SCRIPTS = tuple(
    map(
        bounded,
        (
            "[A-Za-z\u00c0-\u024f\u1e00-\u1eff]",
            "[\u0400-\u052f]",
            "[\u0370-\u03ff\u1f00-\u1fff]",
            "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]",
            "[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]",
            "[\u0600-\u06ff\u0750-\u077f]",
            "[\u0590-\u05ff]",
            "[\u0e00-\u0e7f]",
            "[\u0900-\u097f]",
        ),
    )
)
"""Latin, Cyrillic, Greek, Han and kana, Hangul, Arabic, Hebrew, Thai, Devanagari (Unicode's Blocks.txt)."""


@dataclass(frozen=True, slots=True)
class SearchableText:
    """A text in which quotes are looked for.

    Attributes:
        text: It as it stands.
        plain: It without the differences that copying makes.
    """

    text: str
    plain: str

    def has(self, quote: str) -> bool:
        """Tell whether a quote, as `plain_quote` gives it, stands in it as whole words.

        Half a word proves nothing: "I like tea" is not in "I like teachers".
        """
        return next(_places_of(quote, self.plain), None) is not None

    def closest(self, quote: str) -> str | None:
        """Return the part of the text, as written there, that a quote with typos was copied from.

        A long quote is found by its first `LIKENED_CHARACTERS`. None where nothing is like enough,
        or where a word is there or not, or another one.
        """
        quote = _beginning(quote)
        if weight(quote) < _FUZZY_WEIGHT or len(quote) > len(self.plain) + _NEAR_EDGE:
            return None
        spans = [(0, len(self.plain))]
        if len(quote) < len(self.plain):
            found = fuzz.partial_ratio_alignment(quote, self.plain, score_cutoff=ALIKE)
            spans = [] if found is None else self._whole_words(found.dest_start, found.dest_end)
        span = max(spans, key=lambda each: fuzz.ratio(quote, self.plain[slice(*each)]), default=None)
        if span is None:
            return None
        part = self.plain[slice(*span)]
        if fuzz.ratio(quote, part) < ALIKE or not _says_the_same(quote, part):
            return None
        return self._as_it_stands(*span)

    def source_of(self, quote: str) -> str | None:
        """Return the part of the text, as written there, that a quote from `plain_quote` was copied from; None where there is none."""
        place = next(_places_of(quote, self.plain), None) if quote else None
        return self.closest(quote) if place is None else self._as_it_stands(place, place + len(quote))

    def _whole_words(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans of whole words that begin and end in or near a span."""
        starts, ends = (
            [
                place
                for place in range(max(0, near - _NEAR_EDGE), min(len(self.plain), near + _NEAR_EDGE) + 1)
                if not _inside_word(self.plain, place)
            ]
            for near in (start, end)
        )
        return [(first, last) for first in starts for last in ends if first < last]

    def _as_it_stands(self, start: int, end: int) -> str:
        """Return a span of the plain text as the text has it."""
        places = _places(self.text)
        if len(places) != len(self.plain):  # a text whose parts fold together otherwise than alone
            return self.plain[start:end].strip(_OUTER)
        return self.text[places[start][0] : places[end - 1][1]].strip(_OUTER)


def searchable(text: str) -> SearchableText:
    """Return a text prepared for searching: its first `SEARCHED_CHARACTERS`."""
    cut = text[:SEARCHED_CHARACTERS]
    return SearchableText(cut, plain_text(cut))


def plain_quote(quote: str) -> str:
    """Return a quote in the form in which it is searched: its first `QUOTE_CHARACTERS`, plain, without enclosing marks."""
    return plain_text(quote[:QUOTE_CHARACTERS]).strip(_EDGES)


def plain_text(text: str) -> str:
    """Return ``text`` without the differences that copying makes: width, case, spaces, quotes, dashes."""
    return " ".join(_folded(text).split())


def weight(quote: str) -> int:
    """Return the weight of a quote: its letters and digits, those of scripts without spaces counted twice."""
    return sum(map(str.isalnum, quote)) + sum(map(str.isalnum, "".join(_UNSPACED.findall(quote))))


def share_no_script(one: str, other: str) -> bool:
    """Tell whether each of two texts is written in scripts of which the other has no letter."""
    of_one, of_other = _scripts(one), _scripts(other)
    return bool(of_one and of_other) and not of_one & of_other


def _scripts(text: str) -> set[int]:
    cut = text[:_MOST_CHARACTERS]
    return {number for number, letter in enumerate(_SCRIPTS) if letter.search(cut)}


def _places_of(quote: str, plain: str) -> Iterator[int]:
    """Yield where a quote stands in a plain text as whole words, of its first 100 places."""
    position = -1
    for _ in range(_OCCURRENCES):
        position = plain.find(quote, position + 1)
        if position < 0:
            return
        if not (_inside_word(plain, position) or _inside_word(plain, position + len(quote))):
            yield position


def _folded(text: str) -> str:
    # first the marks, for NFKC turns some into a space; twice NFKC, for folding case undoes it in places
    if text.isascii():
        return text.translate(_ALIKE_MARKS).casefold()
    folded = unicodedata.normalize("NFKC", text.translate(_ALIKE_MARKS)).casefold()
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", folded))


def _inside_word(plain: str, position: int) -> bool:
    """Tell whether ``position`` lies inside a word."""
    if position in {0, len(plain)}:
        return False
    before, after = plain[position - 1], plain[position]
    joined = before.isalnum() and after.isalnum()
    return joined and not (_UNSPACED.match(before) or _UNSPACED.match(after))


def _beginning(quote: str) -> str:
    """Return the first whole words of a quote, as many as are compared where it has typos."""
    if len(quote) <= LIKENED_CHARACTERS:
        return quote
    cut = quote[:LIKENED_CHARACTERS]
    return cut.rpartition(" ")[0] or cut


def _says_the_same(quote: str, part: str) -> bool:
    """Tell whether two texts have the same words, apart from typos in the longer ones.

    A slip leaves a word's first letter, most of it, and its digits. So a denial stays one in any language that has a
    word for it, or a syllable in front: one more word, "kein" for "ein", "unlike" for "like" are no slips.
    """
    words, others = _WORD.findall(quote), _WORD.findall(part)
    return len(words) == len(others) and all(map(_is_slip, words, others))


def _is_slip(one: str, other: str) -> bool:
    one, other = fold(one.replace("'", "")), fold(other.replace("'", ""))
    if one == other:
        return True
    if one[0] != other[0] or min(len(one), len(other)) < _LEAST_MENDED or _UNSPACED.search(one + other):
        return False
    if any(map(str.isdigit, one + other)):
        return False
    return Levenshtein.normalized_similarity(one, other) >= _SLIP


@lru_cache(64)
def _places(text: str) -> list[tuple[int, int]]:
    """Return for each character of the plain text its place in the text."""
    places: list[tuple[int, int]] = []
    is_space = True
    for cluster in _CLUSTER.finditer(text):
        for character in _folded(cluster[0]):
            if not (character.isspace() and is_space):
                places.append(cluster.span())
            is_space = character.isspace()
    if places and is_space:
        places.pop()
    return places


_ROOT = 5
_READ, _PIECE = 12_000, 4_000
_SENTENCE = linear("[^.!?\u2026\n\u3002\uff01\uff1f\u061f]+[.!?\u2026\n\u3002\uff01\uff1f\u061f]*")
_QUESTIONS = ("?", "\uff1f", "\u061f")


@dataclass(frozen=True)
class ComparableText:
    """A text prepared for comparison: the roots of its content words, and its numbers and dates."""

    text: str

    @cached_property
    def telling(self) -> list[frozenset[str]]:
        """The roots of each content word."""
        return [_roots(term) for term in document_terms(self.text[:_READ]) if not term.isdecimal()]

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of all words."""
        return frozenset().union(*self.telling)

    @cached_property
    def figures(self) -> frozenset[str]:
        """The numbers and dates."""
        found = [figures(piece) for piece in _pieces(self.text)]
        return frozenset().union(*(each.numbers | each.dates for each in found))

    def shares(self, other: "ComparableText") -> bool:
        """Tell whether a word, a number or a date is in both."""
        return bool(self.roots & other.roots or self.figures & other.figures)

    def holds(self, other: "ComparableText") -> bool:
        """Tell whether this text holds everything that another says."""
        return other.figures <= self.figures and all(each & self.roots for each in other.telling)


def _roots(term: str) -> frozenset[str]:
    """Return a term and its beginning, so that "allergy" and "allergic" share a root."""
    return frozenset({term, term[:_ROOT]})


def asserted(text: str) -> ComparableText:
    """Return what a text says outside of questions."""
    sentences = _SENTENCE.findall(text[:_READ])
    return ComparableText("".join(each for each in sentences if not each.rstrip().endswith(_QUESTIONS)))


@dataclass(frozen=True)
class EchoSources:
    """The texts that a candidate may come from.

    Attributes:
        own: All that the person says, and confirms.
        shown: What was added to the prompt: memories, line by line.
        told: What the assistant said, sentence by sentence.
    """

    own: ComparableText
    shown: Sequence[ComparableText] = ()
    told: Sequence[ComparableText] = ()

    def is_echo(self, candidate: Candidate) -> bool:
        """Tell whether a candidate says only what stood in the prompt.

        It does where it has nothing in common with what the person says, and something with what they did not. A
        candidate that a model relates to what is known may take words from there: it does where a memory says all of it,
        and the person's words hold less than half. One that shall be new does where a memory has all that it has in
        common with the person's words, and more of it.
        """
        content, quote = ComparableText(candidate.content), ComparableText(candidate.evidence)
        if not content.shares(self.own):
            return any(self._lends(line, content) for line in (*self.shown, *self.told))
        if self.own.holds(content):
            return False
        if candidate.relation is Relation.REPEATS:
            return not quote.shares(content)
        said = sum(bool(each & quote.roots) for each in content.telling)
        if 2 * said > len(content.telling):
            return False
        if candidate.relation is Relation.NEW:
            return any(
                self._lends(line, content) and self._has_all_else(line, content, quote) for line in self.shown
            )
        return any(line.holds(content) for line in self.shown)

    def _lends(self, line: ComparableText, content: ComparableText) -> bool:
        """Tell whether a line holds at least half of what the candidate says beyond the person's words."""
        beyond = [each for each in content.telling if not each & self.own.roots]
        lent = sum(bool(each & line.roots) for each in beyond)
        return 2 * lent >= len(beyond) and bool(lent or (content.figures & line.figures) - self.own.figures)

    def _has_all_else(self, line: ComparableText, content: ComparableText, quote: ComparableText) -> bool:
        """Tell whether a line also holds what the person does assert of it: in the quote, and outside of questions."""
        asserted, counted = quote.roots | self._asserted.roots, quote.figures | self._asserted.figures
        own = [each for each in content.telling if each & asserted]
        return all(each & line.roots for each in own) and content.figures & counted <= line.figures

    @cached_property
    def _asserted(self) -> ComparableText:
        return asserted(self.own.text)


def _pieces(text: str) -> list[str]:
    """Return the first 12,000 characters of a text, split into pieces of the length of statements."""
    return [text[start : start + _PIECE] for start in range(0, min(len(text), _READ), _PIECE)]
