"""Finds the quote of a candidate in a text: as written, in parts, or as the nearest span of its words. Pure.

The search compares letters and digits alone, in one form of each: a model that quotes leaves out points and accents, closes up
spaces, and writes digits and marks its own way. A quote that is not found so is aligned with the words of the text. Endings, typos
and little words may differ. A word, a number or a denial that only one side has makes another statement.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from recollect.text.denials import denied_words, is_denial
from recollect.text.lexical.languages import HAN_FUNCTION_CHARACTERS, language_of, stems_of, written
from recollect.text.lexical.letters import HIRAGANA, MARK, UNSPACED, bare
from recollect.text.patterns import anchored, bounded

SEARCHED_CHARACTERS = 12_000
"""The most characters searched of a text: as many as an extractor is shown."""

QUOTE_CHARACTERS = 2_000
"""The most characters of a quote that are searched for."""

ALIGNED_CHARACTERS = 400
"""The most characters of a quote that are aligned with a text: the time grows with their square."""

_MOST_PARTS = 8  # each is a search of its own
_ALIKE = 60.0
"""The partial ratio of RapidFuzz, of 100, from which a place in the text is aligned word by word."""
_AROUND = 3  # words: the alignment of letters may miss the first or last ones
_CLAUSE_CHARACTERS = 200  # a denial stands near its words; the sentence may be endless
_SLIP, _LEAST_SLIPPED = 0.7, 5
"""The likeness of a word and its typo, and the fewest letters of such a word: "no" and "now" are two words."""
_ENDING, _LEAST_ROOT = 0.6, 3
"""The share of a word that its forms have in common at the beginning, and the fewest letters of that."""
_LEAST_ALIGNED = 4  # letters of words of content: fewer prove nothing
_SHORTEST_WORD = 4
"""The fewest letters of a function word with content, such as "after" and "without"."""
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u0640"
_SYLLABLE = "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|[\uff66-\uff9d][\uff9e\uff9f]"
"""Decomposed Hangul, and half-width kana with its mark apart: one character where it is composed."""
_TOKEN = bounded(
    rf"{_SYLLABLE}|[{UNSPACED}]{MARK}*|(?:(?![{UNSPACED}])(?:[^\W_]|{MARK}|(?<=[^\W_])[{_INVISIBLE}]|(?<=\d)[.,:\u066b\u066c](?=\d)))+"
)
_THOUSANDS = bounded(r"(?<=\d)[.,\u066c](?=\d{3}(?!\d))")
_NASAL = str.maketrans("\u0901\u0981", "\u0902\u0982")
"""Hindi and Bengali are typed with the plain dot for the moon and dot."""
_DECIMAL = str.maketrans(",\u066b", "..")
_ELLIPSIS = bounded(r"[ \t\n]*[\[(]?(?:\.{3,6}|[\u2025\u2026\u22ef])[\])]?[ \t\n]*")
_CLAUSE_END = bounded(
    '[.,;:!?()"\n\u2026\u201c\u201d\u00bf\u00a1\u060c\u061b\u061f\u0964\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]+'
)
_SENTENCE_END = bounded("[.!?\n\u2026\u061f\u0964\u3002\uff01\uff1f]")
_KANA = anchored(f"[{HIRAGANA}]")
_WIDE = anchored(f"[{UNSPACED}]")


class Token(NamedTuple):
    """A word of a text, or a character of a script without spaces.

    Attributes:
        start: Its place in the text; it ends before ``end``.
        letters: Its letters and digits in the form in which they are compared.
    """

    start: int
    end: int
    letters: str

    @property
    def is_wide(self) -> bool:
        """Whether it is of a script without spaces, in which half a sentence is one word."""
        return _WIDE.match(self.letters) is not None


@dataclass(frozen=True)
class SearchableText:
    """A text in which quotes are looked for, or a quote."""

    text: str

    @cached_property
    def tokens(self) -> list[Token]:
        """The words of the text."""
        found = (Token(each.start(), each.end(), _compared(each[0])) for each in _TOKEN.finditer(self.text))
        return [each for each in found if each.letters]

    @cached_property
    def letters(self) -> str:
        """The letters and digits of all words, joined. Only two numbers in a row have a space between them."""
        return "".join(self._pieces)

    @cached_property
    def _pieces(self) -> list[str]:
        letters = [each.letters for each in self.tokens]
        return [
            f" {one}" if one[0].isdecimal() and before[-1:].isdecimal() else one
            for before, one in zip(["", *letters], letters, strict=False)
        ]

    @cached_property
    def _ends(self) -> list[int]:
        ends, at = [], 0
        for piece in self._pieces:
            at += len(piece)
            ends.append(at)
        return ends

    def has(self, quote: "SearchableText") -> bool:
        """Return True if the text holds a quote as whole words: "I like teachers" does not hold "I like tea"."""
        return self._place(quote, 0) is not None

    def is_clause(self, quote: "SearchableText") -> bool:
        """Return True if a quote is the whole text, or a whole clause between two marks: "Mia", "42", "👍"."""
        if not quote.tokens:
            return bool(quote.text.strip()) and quote.text.strip() == self.text.strip()
        return any(
            SearchableText(each).letters == quote.letters for each in (self.text, *clauses_of(self.text))
        )

    def has_parts(self, quote: "SearchableText") -> bool:
        """Return True if the text holds all parts of a quote with gaps ("I moved ... last week"), in order."""
        parts = [SearchableText(each) for each in _ELLIPSIS.split(quote.text) if any(map(str.isalnum, each))]
        at: int | None = 0
        for part in parts[:_MOST_PARTS]:
            at = self._place(part, at or 0)
            if at is None:
                return False
        return 1 < len(parts) <= _MOST_PARTS

    def nearest(self, quote: "SearchableText") -> str | None:
        """Return the span of the text that has the words of a quote in other forms, or None."""
        quote = SearchableText(quote.text[:ALIGNED_CHARACTERS])
        found = fuzz.partial_ratio_alignment(quote.letters, self.letters, score_cutoff=_ALIKE)
        if found is None or not quote.letters:
            return None
        first = max(0, bisect_right(self._ends, found.dest_start) - _AROUND)
        region = self.tokens[first : bisect_left(self._ends, found.dest_end) + 1 + _AROUND]
        aligned = _aligned(quote, SearchableText(self.text), region)
        if aligned is None or denied_words(quote.text, self._sentence(*aligned)):
            return None
        return self.text[slice(*aligned)]

    def denies(self, quote: "SearchableText") -> bool:
        """Return True if each sentence of the text that holds a quote denies its words, as "not right" denies "right"."""
        sentences = [each for each in _SENTENCE_END.split(self.text) if SearchableText(each).has(quote)]
        return bool(sentences) and all(denied_words(quote.text, each) for each in sentences)

    def source_of(self, quote: "SearchableText") -> str | None:
        """Return the part of the text that a quote was copied from, as written there, or None."""
        end = self._place(quote, 0)
        if end is None:
            return self.nearest(quote)
        last = bisect_left(self._ends, end)
        first = bisect_right(self._ends, end - len(quote.letters))
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def _place(self, quote: "SearchableText", begins: int) -> int | None:
        """Return the end of a quote among the letters of the text, searched from ``begins`` on, or None."""
        sought = quote.letters
        if not sought:
            return None
        edges = {0, *self._ends}
        at = self.letters.find(sought, begins)
        while at >= 0:
            # The space between two numbers belongs to the second, which a quote may begin with.
            is_whole = at in edges or (self.letters[at - 1] == " " and at - 1 in edges)
            if is_whole and at + len(sought) in edges:
                return at + len(sought)
            at = self.letters.find(sought, at + 1)
        return None

    def _sentence(self, start: int, end: int) -> str:
        before: str = _SENTENCE_END.split(self.text[max(0, start - _CLAUSE_CHARACTERS) : start])[-1]
        behind: str = _SENTENCE_END.split(self.text[end : end + _CLAUSE_CHARACTERS])[0]
        return before + self.text[start:end] + behind


def clauses_of(text: str) -> list[str]:
    """Return the clauses of a text, parted by its marks."""
    return _CLAUSE_END.split(text)


def searchable(text: str) -> SearchableText:
    """Return a text prepared for searching: its first `SEARCHED_CHARACTERS`."""
    return SearchableText(text[:SEARCHED_CHARACTERS])


def plain_quote(evidence: str) -> SearchableText:
    """Return a quote prepared for being found: its first `QUOTE_CHARACTERS`."""
    return SearchableText(evidence[:QUOTE_CHARACTERS])


def weight(quote: SearchableText) -> int:
    """Return the number of letters and digits; letters of scripts without spaces count twice."""
    return sum(map(_weight, quote.tokens))


@lru_cache(8_192)
def _compared(word: str) -> str:
    """Return the letters and digits of a word without accents, points and stretching, its digits in ASCII."""
    if word[0].isdecimal():
        word = str(_THOUSANDS.sub("", word)).translate(_DECIMAL)
    return "".join(
        each for each in bare(word).translate(_NASAL) if each.isalnum() or each in ".:" or not each.isascii()
    )


def _aligned(quote: SearchableText, text: SearchableText, region: Sequence[Token]) -> tuple[int, int] | None:
    """Return the span of a text that has the words of a quote, or None if one side has a telling word more."""
    language = language_of({written(text.text[each.start : each.end]) for each in region})
    sought, there = _keys(quote.tokens, language), _keys(region, language)
    for number, token in enumerate(quote.tokens):
        if sought[number] not in there:
            forms = (key for key, each in zip(there, region, strict=True) if is_form(token, each))
            sought[number] = next(forms, sought[number])
    matched = {
        step.src_start + ahead: step.dest_start + ahead
        for step in Levenshtein.opcodes(sought, there)
        if step.tag == "equal"
        for ahead in range(step.src_end - step.src_start)
    }
    if not matched:
        return None
    within = range(min(matched.values()), max(matched.values()) + 1)
    left = [quote.tokens[number] for number in range(len(sought)) if number not in matched]
    left += [region[number] for number in within if number not in set(matched.values())]
    telling = sum(
        _weight(quote.tokens[number]) for number in matched if _tells(quote.tokens[number], language)
    )
    if telling < _LEAST_ALIGNED or any(
        _tells(each, language) or is_denial(each.letters, language) for each in left
    ):
        return None
    return region[within[0]].start, region[within[-1]].end


def _keys(tokens: Sequence[Token], language: str) -> list[Hashable]:
    """Return the stem of each word."""
    return [(stems_of(language, each.letters) or (each.letters,))[-1] for each in tokens]


def _weight(token: Token) -> int:
    return len(token.letters) * (2 if token.is_wide else 1)


def _tells(token: Token, language: str) -> bool:
    """Return True for words of content: one more or less makes another statement."""
    if token.is_wide:
        return not _KANA.match(token.letters) and token.letters not in HAN_FUNCTION_CHARACTERS
    return len(token.letters) >= _SHORTEST_WORD or bool(stems_of(language, token.letters))


def is_form(one: Token, other: Token) -> bool:
    """Return True for one word with two endings or a typo. "Kein" is no form of "ein", nor 16 of 15."""
    word, form = one.letters, other.letters
    if one.is_wide or other.is_wide or any(map(str.isdecimal, word + form)):
        return False
    longer = max(len(word), len(form))
    shared = next(
        (at for at, (a, b) in enumerate(zip(word, form, strict=False)) if a != b), min(len(word), len(form))
    )
    if shared >= max(_LEAST_ROOT, _ENDING * longer):
        return True
    is_long = min(len(word), len(form)) >= _LEAST_SLIPPED
    return is_long and shared > 0 and Levenshtein.normalized_similarity(word, form) >= _SLIP
