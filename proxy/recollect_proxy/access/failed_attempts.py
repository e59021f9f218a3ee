"""Counts wrong tokens and keys, and refuses their senders for a minute after too many."""

from collections import deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from time import monotonic

from cachetools import LRUCache

_AT_MOST = 10
_WITHIN_SECONDS = 60.0
_SOURCES = 10_000  # many addresses must not fill the memory
_NETWORK = 64
"""Bits of an IPv6 address that name a network: its owner has all addresses in it (RFC 4291, section 2.5.4)."""


class TooManyAttemptsError(Exception):
    """The sender has sent too many wrong tokens or keys within a minute."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many attempts")
        self.seconds = seconds


class FailedAttempts:
    """Counts the failed attempts of the last minute, for each source separately."""

    def __init__(self, seconds: Callable[[], float] = monotonic) -> None:
        """Take a monotonic clock, in seconds."""
        self._seconds = seconds
        self._failed: LRUCache[str, deque[float]] = LRUCache(_SOURCES)

    def seconds_to_wait(self, source: str) -> int:
        """Return how long a source failed too often still; 0: it did not."""
        failed = self._of_last_minute(source)
        return int(failed[0] + _WITHIN_SECONDS - self._seconds()) + 1 if len(failed) >= _AT_MOST else 0

    def fail(self, source: str) -> None:
        """Count a failure, unless the source failed too often already."""
        failed = self._of_last_minute(source)
        if len(failed) < _AT_MOST:  # else its minute would never end
            failed.append(self._seconds())
            self._failed[source] = failed

    def _of_last_minute(self, source: str) -> deque[float]:
        failed = self._failed.get(source, deque())
        while failed and failed[0] <= self._seconds() - _WITHIN_SECONDS:
            failed.popleft()
        return failed


def source_of(person: str | None, peer: str | None) -> str:
    """Return the source for which failures are counted.

    Args:
        person: The sender of a form, by the session: a person's failures count for the person at any address.
        peer: The address of the connection, a gateway's if the request came through one; None: unknown.
    """
    if person is not None:
        return f"person {person}"
    try:
        address = ip_address((peer or "").partition("%")[0])
    except ValueError:
        return f"peer {peer}"
    if not isinstance(address, IPv6Address):
        return f"peer {address}"
    if address.ipv4_mapped is not None:
        return f"peer {address.ipv4_mapped}"
    return f"network {int(address) >> (128 - _NETWORK):x}"
