"""Whether a text of the log, in which secrets are masked, is the same as one of a request. Pure. Never: a store."""

from recollect.text.normalization import storable_text
from recollect.text.secrets import between_marks, mask

_COMPARED = 4_000
"""Characters by which two texts are told apart: so many of each are read from the log."""

_PIECES = 5
"""As many pieces of a masked text are looked for, and of the last no more than so many characters where a text was cut."""
_BEHIND = 200

_ENOUGH = 20
"""Characters beside the marks by which a text is known again, whatever its secrets are. Of a shorter one they are masked."""

_MASKED = 1_000
"""Characters that are masked for a request: those of a text made for it take some 15 microseconds each."""


def plain(text: str) -> str:
    """Return a text as the log keeps it, as far as it is compared, without the space around it."""
    return storable_text(text[:_COMPARED]).strip()


class SameText:
    """Compares the plain texts of one request with those of the log, each two once."""

    def __init__(self) -> None:
        self._left = _MASKED
        self._pieces: dict[str, list[str]] = {}
        self._known: dict[tuple[str, str], bool] = {}

    def __call__(self, logged: str, carried: str) -> bool:
        """Tell whether a plain text of the log is this one of the request."""
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
    """Tell whether a text has these pieces in this order, from its beginning to its end, and something between them."""
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
