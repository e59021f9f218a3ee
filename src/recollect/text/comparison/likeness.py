"""Tells whether two statements say the same in almost the same letters. Pure. Never: a model, a vector.

A wrong merge drops what somebody said, a missed one only keeps it twice: so letters alone decide only where
no word that means anything differs.
"""

from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from recollect.text.comparison.denials import denied_words
from recollect.text.comparison.figures import figures
from recollect.text.normalization import normalize
from recollect.text.word_analysis import MOST_CHARACTERS, Word, analyze_words

SAME_LETTERS = 0.8
"""Above which share of equal letters (normalised Levenshtein similarity) two statements may be one."""

_SHORTEST_WORD, _SHORTEST_KANA = 4, 2
"""From how many letters on a function word may say something, as "after" and "without" do."""


def same_letters(one: str, other: str) -> bool:
    """Tell whether two statements are spelled almost alike, whatever it is that differs."""
    letters, others = _letters(one[:MOST_CHARACTERS]), _letters(other[:MOST_CHARACTERS])
    if min(len(letters), len(others)) <= SAME_LETTERS * max(len(letters), len(others)):
        return False
    return Levenshtein.normalized_similarity(letters, others, score_cutoff=SAME_LETTERS) > SAME_LETTERS


@lru_cache(4_096)
def _letters(text: str) -> str:
    return normalize(text)


def same_letter(one: str, other: str) -> bool:
    """Tell whether a statement only says the other again, but for letters that mean nothing.

    More than 0.8 of their letters are equal, and what differs are function words and forms of one word; never a number,
    a date, a name, a denial or the order of what is said.
    """
    if max(len(one), len(other)) > MOST_CHARACTERS or not same_letters(one, other):
        return False
    return (
        _telling(one) == _telling(other) and figures(one) == figures(other) and not denied_words(one, other)
    )


def _telling(text: str) -> list[frozenset[str]]:
    """Return the words of a text that mean something, in order: what all forms of each share."""
    return [stems for word in analyze_words(text).words if (stems := _meaning(word))]


def _meaning(word: Word) -> frozenset[str]:
    if word.stems:
        return word.stems
    # digits have no stems, nor have function words and kana: of these the short ones, articles and particles, say nothing
    is_short = len(word.text) < (_SHORTEST_KANA if word.is_unspaced else _SHORTEST_WORD)
    return frozenset() if is_short and not word.plain.isdecimal() else frozenset({word.plain})
