"""The marks of questions in any script, by their names in Unicode. Pure."""

import unicodedata
from functools import lru_cache

_BEHIND = 200
"""Characters behind a sentence that may be an emoji, quotation marks or brackets."""


def last_question(text: str) -> int:
    """Return the place of the last mark of a question in a short text; -1 without one."""
    return next((at for at in reversed(range(len(text))) if _asks(text, at)), -1)


def ends_asking(text: str) -> bool:
    """Return whether a mark of a question is among those that a text ends with, as before an emoji."""
    for at in range(len(text) - 1, max(-1, len(text) - 1 - _BEHIND), -1):
        if text[at].isalnum():
            return False
        if _asks(text, at):
            return True
    return False


def _asks(text: str, at: int) -> bool:
    if text[at] == ";":  # the mark of a question in Greek
        return unicodedata.name(text[at - 1 : at] or " ", "").startswith("GREEK")
    return _is_mark(text[at])


@lru_cache(maxsize=4_096)
def _is_mark(letter: str) -> bool:
    """Return whether a character is called a question mark in Unicode, and is not one that opens a question."""
    name = unicodedata.name(letter, "")
    is_sign = unicodedata.category(letter) in {"Po", "So"}
    return is_sign and "QUESTION" in name and not name.startswith("INVERTED")
