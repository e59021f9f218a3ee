"""What a statement names: people, places, products. Pure. Never: who or where they are."""

from recollect.text.comparison.figure_words import MONTHS, NUMBERS, UNITS, WEEKDAYS
from recollect.text.word_analysis import Word, analyze_words

_FIGURES = frozenset().union(MONTHS, NUMBERS, UNITS, WEEKDAYS)


def _tells(word: Word) -> bool:
    return bool(word.stems) and word.plain not in _FIGURES and not word.plain[:1].isdigit()


def names_in(content: str, evidence: str) -> list[Word]:
    """Return the words of a statement that are names, as far as their capitals tell.

    They have one where no sentence begins, there or in the words it rests on. In German all nouns have, so that nothing is told.
    """
    if "german" in {analyze_words(content).language, analyze_words(evidence).language}:
        return []
    within = {word.plain for word in analyze_words(evidence).words if word.is_capital}
    return [
        word
        for word in analyze_words(content).words
        if _tells(word)
        and (word.is_capital or (word.begins and word.text[0].isupper() and word.plain in within))
    ]
