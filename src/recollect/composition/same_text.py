"""Compares a logged text, in which secrets are masked, with a text of a request. Pure. Never: a store."""

from recollect.text.normalization import storable_text
from recollect.text.secrets import between_marks, mask

_COMPARED = 4_000
"""Texts are compared by their first characters; so many of each are read from the log."""

_PIECES = 5
"""A masked text is split at its marks, and at most so many pieces of it are searched for."""

_BEHIND = 200
"""If a text was cut, at most so many characters of its last piece are searched for."""

_ENOUGH = 20
"""With so many characters outside the marks, two texts count as equal whatever the secrets were.
For a shorter text, the secrets of the request's text are masked and both are compared whole."""

_MASKED = 1_000
"""The most characters masked per request. In a text made to be slow, masking takes about 15 microseconds a character."""


def plain(text: str) -> str:
    """Return the compared part of a text in the form in which the log keeps it, stripped of outer whitespace."""
    return storable_text(text[:_COMPARED]).strip()


class SameText:
    """Compares texts of one request with texts of the log, each pair at most once. Both come from ``plain``."""

    def __init__(self) -> None:
        self._left = _MASKED
        self._pieces: dict[str, list[str]] = {}
        self._known: dict[tuple[str, str], bool] = {}

    def __call__(self, logged: str, carried: str) -> bool:
        """Return whether a logged text is the same as a text that the request carries."""
        if logged == carried:
            return True
        if "[secret: " not in logged:
            return False
        pair = (logged, carried)
        if pair not in self._known:
            self._known[pair] = self._compare(logged, carried)
        return self._known[pair]

    def _compare(self, logged: str, carried: str) -> bool:
        pieces = self._pieces.get(logged) or self._pieces.setdefault(logged, between_marks(logged, _PIECES))
        if not _fits(pieces, carried, is_cut=max(len(logged), len(carried)) > _COMPARED - _BEHIND):
            return False
        if sum(map(len, pieces)) >= _ENOUGH:
            return True
        self._left -= len(carried)
        return self._left >= 0 and mask(carried).text == logged


def _fits(pieces: list[str], text: str, *, is_cut: bool) -> bool:
    """Return whether a text consists of these pieces in this order, with at least one character between any two."""
    first, *others = pieces[:_PIECES]
    if not others or not text.startswith(first):
        return False
    last = others.pop()
    if is_cut or len(pieces) > _PIECES:
        others.append(last[:_BEHIND])
        last = ""
    at = len(first)
    for piece in others:
        at = text.find(piece, at + 1)
        if at < 0:
            return False
        at += len(piece)
    return text.endswith(last) and (at < len(text) - len(last) or not last)
