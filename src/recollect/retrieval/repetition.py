"""Detects text that repeats what the prompt already says. Pure."""

from collections.abc import Collection, Iterable

from recollect.text.patterns import bounded

_WORD = bounded("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]|[^\\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]+")
"""A word, or a character of a script that has no spaces."""

_COMPARED_AT_MOST = 300
"""The most texts of the request that are compared word by word. A verbatim repetition is found in all of them."""

_LIKE = 0.8
"""The Jaccard similarity of two texts' words above which one repeats the other."""


class PromptTexts:
    """The texts of a request, prepared for comparison.

    Args:
        texts: The texts.
        contents: All texts that ``says`` will be asked for. Texts of the request that are less than half as long as the
            shortest, or more than twice as long as the longest, are not compared word by word.
    """

    def __init__(self, texts: Iterable[str], contents: Collection[str]) -> None:
        lengths = [len(each) for each in contents]
        near = range(min(lengths, default=0) // 2, max(lengths, default=0) * 2 + 1)
        kept = [text for text in texts if text]
        self._plain = "\n".join(_plain(text) for text in kept)
        self._words = [
            words_of(text) for text in [each for each in kept if len(each) in near][:_COMPARED_AT_MOST]
        ]

    def says(self, content: str, words: frozenset[str]) -> bool:
        """Whether a text of the request contains ``content`` verbatim, or has nearly the same words.

        Args:
            content: The text.
            words: The text's words, as ``words_of`` returns them.
        """
        plain = _plain(content)
        return (bool(plain) and plain in self._plain) or any(are_alike(words, other) for other in self._words)


def words_of(text: str) -> frozenset[str]:
    """Return the case-folded words of a text; in scripts without spaces, its characters."""
    return frozenset(_WORD.findall(text.casefold()))


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether the Jaccard similarity of two sets of words is above 0.8."""
    if not one or not other or min(len(one), len(other)) <= _LIKE * max(len(one), len(other)):
        return False
    return len(one & other) > _LIKE * len(one | other)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
