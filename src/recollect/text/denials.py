"""Finds the words that a text denies, by the denying words of many languages. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from recollect.text.patterns import bounded
from recollect.text.word_analysis import Word, analyze_words

_DENYING = """
    no not never none nobody nothing without cannot nor neither nowhere dont doesnt didnt cant couldnt wont isnt
    arent wasnt hasnt havent hadnt wouldnt shouldnt
    nicht nichts nie niemals nimmer ohne weder kein keine keinen keinem keiner keines
    pas jamais sans aucun aucune nunca jamas sin ningun ninguno ninguna nadie tampoco nao sem nem nenhum nenhuma
    non senza nessun nessuno nessuna niet geen nooit zonder inte aldrig ingen inget inga utan ikke
    ei eivat nem nincs soha nu niciodata fara degil yok hayir nie nigdy bez
    не нет никогда без ни δεν οχι χωρις لا ليس لم لن بدون לא אין בלי नहीं không chẳng
    """
_DENIALS = frozenset(_DENYING.split())
_BEHIND = "nicht nichts nie niemals nimmer niet nooit inte aldrig ikke degil yok नहीं لا не нет никогда"
_WHOLE_CLAUSE = frozenset(_BEHIND.split())
"""Denials that may follow the denied words."""
_ONLY_IN = {"ne": "french", "n": "french", "mai": "italian"}
"""Denials that are other words elsewhere."""
_UNSPACED_DENIAL = bounded(
    "不(?![错錯过過管仅僅但])|[没沒無无]|未(?![来來])|(?<![特区區性级級分个個])[别別](?![人的墅])"
    "|(?<![少危])ない|なく|ません|ず(?=[にっ]|$)|않|(?:^| )안 |못|없|ไม่|ບໍ່|មិន"
)


class Denial(NamedTuple):
    """The stems of a statement's denied words, and of the rest."""

    denied: frozenset[str]
    affirmed: frozenset[str]


def denied_words(new: str, known: str) -> frozenset[str]:
    """Return the stems that one of two texts denies and the other affirms."""
    one, other = denial(new), denial(known)
    return ((one.denied & other.affirmed) - other.denied - one.affirmed) | (
        (other.denied & one.affirmed) - one.denied - other.affirmed
    )


@lru_cache(4_096)
def denial(text: str) -> Denial:
    """Return what ``text`` denies and affirms."""
    denied: set[str] = set()
    affirmed: set[str] = set()
    said = analyze_words(text)
    for _, clause in groupby(said.words, key=lambda word: word.clause):
        words = list(clause)
        start = _denied_from(words, said.language)
        for number, word in enumerate(words):
            (affirmed if start is None or number < start else denied).update(word.stems)
    return Denial(frozenset(denied), frozenset(affirmed))


def _denied_from(words: Sequence[Word], language: str) -> int | None:
    """Return the place of the word from which a clause is denied; None if it is not."""
    for number, word in enumerate(words):
        if is_denial(word.plain, language):
            has_more = any(later.stems for later in words[number + 1 :])
            return number if has_more and word.plain not in _WHOLE_CLAUSE else 0
    unspaced = "".join(f"{word.text} " if word.is_hangul else word.text for word in words if word.is_unspaced)
    return 0 if unspaced and _UNSPACED_DENIAL.search(unspaced) else None


def is_denial(word: str, language: str) -> bool:
    """Return True for a word, in folded case, that denies in a language."""
    if word == "no" and language == "portuguese":  # in the
        return False
    return word in _DENIALS or word.endswith("n't") or _ONLY_IN.get(word) == language
