"""Tells whether two statements say the same in almost the same letters. Pure. Never: a model, a vector.

A wrong merge destroys what somebody said, a missed one only repeats it: so letters alone decide only
where no word that means anything differs.
"""

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from recollect.formation.difference.slots import changes
from recollect.formation.difference.spelling import is_spelled_alike
from recollect.formation.difference.vetoes import Statement, differs
from recollect.formation.wording import MOST_CHARACTERS, Word, Wording, wording
from recollect.normalization import normalize
from recollect.patterns import bounded

SAME_LETTERS = 0.8
"""Above which share of equal letters (normalised Levenshtein similarity) two statements may be one."""

_MOST_WORDS = 400
_ENDING = bounded("(?:です|だ|よ|ね|な)+$")  # each in one way alone: with だよ too, repeated, in very many
_PARTICLES = bounded("^[はがをにでともへのか]")
_UNTELLING = frozenset("了着著过過呢吧啊呀嘛的地得也就都很")


def same_letters(one: str, other: str) -> bool:
    """Tell whether two statements are spelled almost alike, whatever it is that differs."""
    letters, others = _letters(one[:MOST_CHARACTERS]), _letters(other[:MOST_CHARACTERS])
    if min(len(letters), len(others)) <= SAME_LETTERS * max(len(letters), len(others)):
        return False
    return Levenshtein.normalized_similarity(letters, others, score_cutoff=SAME_LETTERS) > SAME_LETTERS


@lru_cache(4_096)
def _letters(text: str) -> str:
    return normalize(text)


def same_letter(new: Statement, known: Statement) -> bool:
    """Tell whether a statement only says again what a known one says, but for letters that mean nothing.

    More than 0.8 of their letters are equal, and what differs are function words, forms of one word, or a
    slip of the keys that is evident; never a number, a date, a name or a denial.
    """
    if max(len(new.content), len(known.content)) > MOST_CHARACTERS or not same_letters(
        new.content, known.content
    ):
        return False
    if not all(
        _same_word(one, other) for one, other in _differing(wording(new.content), wording(known.content))
    ):
        return False
    return not differs(new, known).forbids_being_one


def _differing(new: Wording, known: Wording) -> Iterable[tuple[Word | None, Word | None]]:
    """Yield the words that differ, each with the one in its place, or None where there is none."""
    words_new, words_known = new.words[:_MOST_WORDS], known.words[:_MOST_WORDS]
    plain_new, plain_known = [word.plain for word in words_new], [word.plain for word in words_known]
    for start, end, from_, to in changes(plain_new, plain_known):
        left = [word for word in words_new[start:end] if not _is_empty(word)]
        right = [word for word in words_known[from_:to] if not _is_empty(word)]
        for number in range(max(len(left), len(right))):
            yield (
                left[number] if number < len(left) else None,
                right[number] if number < len(right) else None,
            )


def _is_empty(word: Word) -> bool:
    """Tell whether a word means nothing by itself."""
    if word.plain.isdecimal():
        return False
    if word.is_unspaced:
        return word.text in _UNTELLING or not _bare(word)
    return not word.stems


def _bare(word: Word) -> str:
    """Return a word of an unspaced script without the particles and the politeness around it."""
    return _ENDING.sub("", _PARTICLES.sub("", word.text))


def _same_word(one: Word | None, other: Word | None) -> bool:
    if one is None or other is None:
        return False
    if one.stems & other.stems or (one.is_unspaced and _bare(one) == _bare(other)):
        return True
    if one.is_unspaced or other.is_unspaced or one.is_capital or other.is_capital:
        return False
    return is_spelled_alike(one.plain, other.plain)
