"""Detects the language of a text by its function words, and returns the stems of a word.

Negations are function words: who asks "didn't I like" and who asks "did I like" look for the same text.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

import Stemmer

from recollect.text import read_table
from recollect.text.lexical.letters import clipped, fold
from recollect.text.patterns import bounded

_NAMES = "english german french spanish portuguese italian dutch swedish danish norwegian finnish hungarian romanian turkish russian greek arabic"
LANGUAGES = tuple(_NAMES.split())
"""The languages that have such words, as Snowball names them."""

HAN_FUNCTION_CHARACTERS = frozenset("的了吗嗎呢吧啊是我你您他她它们們这這那么麼什谁誰哪怎何")
"""Chinese (and a few Japanese) characters that bind words and ask, and hardly ever make one."""


_SYLLABIC = """
    です ます まし した して いる いま ある あり こと もの から まで では には とは のは のが のを んで って でし
    ない なか なん なに どこ いつ どの だれ どう ので けど たい たの すか せん ませ たか るの れる られ
    니다 습니 입니 합니 니까 어요 아요 에요 예요 나요 가요 해요 했어 았어 었어 는데 에서 으로 에게 무엇 언제 어디
    누구 어떤 뭐야
"""
SYLLABIC_STOP_BIGRAMS = frozenset(_SYLLABIC.split())
"""Pairs of kana and Hangul that inflect and ask."""


@cache
def stop_words() -> Mapping[str, tuple[str, ...]]:
    """Return each language's function, auxiliary and question words, by the language's name."""
    return {language: tuple(words.split()) for language, words in _table()["languages"].items()}


@cache
def english_stop_words() -> frozenset[str]:
    """Return the English ones."""
    return frozenset(stop_words()["english"])


@cache
def all_stop_words() -> frozenset[str]:
    """Return those of all languages."""
    return frozenset().union(*stop_words().values())


@cache
def english_lookalikes() -> frozenset[str]:
    """Return words of other languages' lists that English text holds too (names and titles included): weak evidence."""
    return frozenset(_table()["english_lookalikes"].split())


def _table() -> dict[str, Any]:
    table: dict[str, Any] = read_table("recollect.text.lexical", "stop_words")
    return table


UNDECIDED = "english"
"""The language of Latin text without a sign of any other."""

_KEPT_WORDS = 32_768
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
"""How those write who lack the keys."""
_CLEAR, _WEAK = 2, 1
"""The weights of a function word, and of one that may also occur in English text."""

_OF_A_SCRIPT = {"CYRILLIC": "russian", "GREEK": "greek", "ARABIC": "arabic"}
"""A stemmer that is wrong for a language still treats two texts alike."""
_LATIN_LANGUAGES = tuple(language for language in LANGUAGES if language not in _OF_A_SCRIPT.values())
_VOTES = {
    "ß": "german",
    "ñ": "spanish",
    "ãõ": "portuguese",
    "őű": "hungarian",
    "ğ\u0131": "turkish",
    "ş": "turkish romanian",
    "ățș": "romanian",
    "œ": "french",
    "ê": "french portuguese",
    "è": "french italian",
    "ç": "french portuguese turkish",
    "å": "swedish danish norwegian",
    "øæ": "danish norwegian",
    "ä": "german swedish finnish",
    "ö": "german swedish finnish hungarian turkish",
    "ü": "german hungarian turkish",
}
"""Letters -> the languages they speak for: one alone with two votes, several with one each."""
_LETTER_VOTES = {
    letter: dict.fromkeys(languages.split(), 1 if " " in languages else 2)
    for letters, languages in _VOTES.items()
    for letter in letters
}

_ARTICLE = bounded("[وف]?(?:[بك]?ال|لل)(?=.{3})")
"""The Arabic article with the conjunctions and prepositions written to it, before a word that is long enough."""


def written(word: str) -> str:
    """Return ``word`` in folded case with its accents, which stemmers of most languages need."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", folded).replace("i\u0307", "i")


def language_of(words: Iterable[str]) -> str:
    """Return the language of a Latin text, or `UNDECIDED`, by a vote of its distinct words, as `written` gives them.

    Function words vote, and letters that few languages have. English wins ties: its stems are part of every reading, so that to
    miss another language costs less than to see one that is not there.
    """
    votes = dict.fromkeys(_LATIN_LANGUAGES, 0)
    for word in words:
        for language, weight in _word_votes().get(word if word.isascii() else fold(word), ()):
            votes[language] += weight
        for letter in () if word.isascii() else set(word):
            for language, weight in _LETTER_VOTES.get(letter, {}).items():
                votes[language] += weight
    best = max(votes, key=votes.__getitem__)
    return best if votes[best] >= _CLEAR else UNDECIDED


@lru_cache(_KEPT_WORDS)
def stems_of(language: str, word: str) -> tuple[str, ...]:
    """Return the stems of one word, as `written` gives it, of a text in ``language``: of English, and of that; none of a function word."""
    folded = fold(word)
    if not folded or "'" in folded or folded in _function_words(language):
        return ()
    own = _OF_A_SCRIPT.get(unicodedata.name(folded[0], "").partition(" ")[0])
    stems = [_stem(own or UNDECIDED, _ARTICLE.sub("", folded, count=1))]
    if not own and language != UNDECIDED:
        stems.append(_stem(language, word))
    if language in {UNDECIDED, "german"} and word != (spelled := word.translate(_DIGRAPHS)):
        stems.append(_stem(UNDECIDED, fold(spelled)))
    return tuple(dict.fromkeys(stems))


@cache
def _word_votes() -> dict[str, tuple[tuple[str, int], ...]]:
    """Return every function word, folded, with the Latin languages it speaks for and its weight."""
    votes: dict[str, dict[str, int]] = {}
    for language in _LATIN_LANGUAGES:
        for word in _folded_stop_words(language):
            weak = language != UNDECIDED and (len(word) == 1 or word in english_lookalikes())
            votes.setdefault(word, {})[language] = _WEAK if weak else _CLEAR
    return {word: tuple(weights.items()) for word, weights in votes.items()}


@cache
def _folded_stop_words(language: str) -> frozenset[str]:
    return frozenset(map(fold, stop_words()[language]))


@cache
def _function_words(language: str) -> frozenset[str]:
    """Return a language's function words, folded, and those of languages that their script tells."""
    return _folded_stop_words(language).union(*map(_folded_stop_words, _OF_A_SCRIPT.values()))


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    """Return a language's stemmer; Danish has Norwegian's, since a sentence in one often reads the same in the other."""
    return Stemmer.Stemmer("norwegian" if language == "danish" else language, 0)


def _stem(language: str, word: str) -> str:
    return clipped(fold(_stemmer(language).stemWord(word)) or fold(word))
