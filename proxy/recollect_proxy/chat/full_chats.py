"""Knows which chats had no room for memories, so that each of their turns is sent once. Never: a store, a message's text."""

from cachetools import TTLCache

from recollect.model import Turn

_KEPT, _SECONDS = 10_000, 24 * 3600.0


class FullChats:
    """Chats whose prompt was too long for their model with memories, by the least size at which it was.

    A chat grows. Once its client has shortened it, it gets memories again.
    """

    def __init__(self) -> None:
        """Know none yet."""
        self._sizes: TTLCache[tuple[str, str, str, str], int] = TTLCache(_KEPT, _SECONDS)

    def note_too_long(self, turn: Turn, size: int) -> None:
        """Note that a request of this many bytes was too long with memories."""
        key = _key(turn)
        self._sizes[key] = min(size, self._sizes.get(key, size))

    def is_full(self, turn: Turn, size: int) -> bool:
        """Return whether a request of this many bytes has no room for memories either."""
        full = self._sizes.get(_key(turn))
        return full is not None and size >= full


def _key(turn: Turn) -> tuple[str, str, str, str]:
    return turn.scope.user_id, turn.scope.session_id, turn.upstream, turn.model
