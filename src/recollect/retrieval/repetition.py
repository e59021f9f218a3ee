"""Finds out what says again what the prompt says already. Pure."""

from collections.abc import Collection, Iterable

from recollect.text.patterns import bounded

_WORD = bounded("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]|[^\\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]+")
"""A word, or a character of a script that has no spaces."""

_COMPARED_AT_MOST = 300
"""Messages of the request, the newest, that are compared word by word; all are searched for the whole text."""

_LIKE = 0.8
"""Jaccard similarity of two texts' words above which one says what the other does."""


class PromptTexts:
    """The texts of a request.

    Args:
        texts: The texts.
        contents: All that will be looked for in them: texts of quite another length are not compared word by word.
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
        """Whether one of the texts holds the content, or has nearly the same words."""
        plain = _plain(content)
        return (bool(plain) and plain in self._plain) or any(are_alike(words, other) for other in self._words)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case."""
    return frozenset(_WORD.findall(text.casefold()))


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether two texts have nearly the same words."""
    if not one or not other or min(len(one), len(other)) <= _LIKE * max(len(one), len(other)):
        return False
    return len(one & other) > _LIKE * len(one | other)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
