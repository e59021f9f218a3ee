"""Detects the language of a text by its function words, and returns the terms of a word in that language.

The script tells the language; in Latin script it is the language most of whose function words the text holds. A question is
often too short to tell while the text it looks for is not, so a word of another language has two terms: its stem in that
language, and the stem that undecided (and English) text has. Negations are function words: who asks "didn't I like" and who
asks "did I like" look for the same text.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

import Stemmer

from recollect.text import read_table
from recollect.text.lexical.letters import clipped, fold, language_of_script, with_digraphs
from recollect.text.patterns import bounded

_NAMES = "english german french spanish portuguese italian dutch swedish danish norwegian finnish hungarian romanian turkish russian greek arabic"
LANGUAGES = tuple(_NAMES.split())
"""The languages that have such words, as Snowball names them."""

HAN_FUNCTION_CHARACTERS = frozenset("的了吗嗎呢吧啊是我你您他她它们們这這那么麼什谁誰哪怎何")
"""Chinese (and a few Japanese) characters that bind words and ask, and hardly ever make one."""

HAN_FUNCTION_WORDS = ("还记得", "還記得", "记得", "記得", "告诉", "告訴", "知道", "一下", "请问", "請問")
"""Chinese words that ask for something without naming it."""

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
_CLEAR, _WEAK = 2, 1
"""The weights of a function word, and of one that may also occur in English text."""

_LATIN_LANGUAGES = tuple(language for language in LANGUAGES if language not in {"russian", "greek", "arabic"})
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
def word_terms(language: str, word: str) -> tuple[str, ...]:
    """Return the terms of one word, as `written` gives it, of a text in ``language``: none for a stop word, at most three."""
    folded = fold(word)
    if not folded:
        return ()
    own_language = language_of_script(folded)
    if own_language is None:
        return (clipped(folded),)
    language = own_language or language
    if folded in _folded_stop_words(language) or "'" in folded:
        return ()
    if own_language:
        return (_stem(language, _ARTICLE.sub("", folded, count=1) if language == "arabic" else folded),)
    terms = [_stem(UNDECIDED, folded)]
    if language != UNDECIDED:
        terms.append(_stem(language, word))
    if language in {UNDECIDED, "german"}:
        spelled = with_digraphs(word)
        terms += [] if spelled == word else [_stem(UNDECIDED, fold(spelled))]
    return tuple(dict.fromkeys(terms))


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
def _stemmer(language: str) -> Stemmer.Stemmer:
    """Return a language's stemmer; Danish has Norwegian's, since a question in one often reads the same in the other."""
    return Stemmer.Stemmer("norwegian" if language == "danish" else language, 0)


def _stem(language: str, word: str) -> str:
    return clipped(fold(_stemmer(language).stemWord(word)) or fold(word))
