"""Function and question words by language: what a text is not about.

The table has them as people write them; readers fold them (`recollect.text.lexical.folding.fold`) before they compare.
Negations are among them: who asks "didn't I like" and who asks "did I like" look for the same text.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from recollect.text.word_tables import read_table

_NAMES = "english german french spanish portuguese italian dutch swedish danish norwegian finnish hungarian romanian turkish russian greek arabic"
LANGUAGES = tuple(_NAMES.split())
"""The languages that have such words, as Snowball names them."""

HAN_FUNCTION_CHARACTERS = frozenset("的了吗嗎呢吧啊是我你您他她它们們这這那么麼什谁誰哪怎何")
"""Chinese (and a few Japanese) characters that bind words and ask, and hardly ever make one."""

HAN_FUNCTION_WORDS = ("还记得", "還記得", "记得", "記得", "告诉", "告訴", "知道", "一下", "请问", "請問")
"""Chinese words by which something is asked for, and which say nothing of what."""

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
