"""How often somebody may try to enter with a token. Never: the token."""

from collections import deque
from time import monotonic

from cachetools import LRUCache

_AT_MOST = 10
_OF_ALL_AT_MOST = 100
_WITHIN_SECONDS = 60.0
_PEERS = 1000


class Attempts:
    """Counts attempts of the last minute, of each address and of all together."""

    def __init__(self) -> None:
        self._by_peer: LRUCache[str, deque[float]] = LRUCache(_PEERS)
        self._of_all: deque[float] = deque()

    def seconds_to_wait(self, peer: str | None) -> int:
        """Count an attempt, and return 0; or the seconds to wait before the next one counts, which this one then does not."""
        now = monotonic()
        own = self._by_peer.setdefault(peer or "", deque())
        for made, most in ((own, _AT_MOST), (self._of_all, _OF_ALL_AT_MOST)):
            while made and made[0] <= now - _WITHIN_SECONDS:
                made.popleft()
            if len(made) >= most:
                return int(made[0] + _WITHIN_SECONDS - now) + 1
        own.append(now)
        self._of_all.append(now)
        return 0
