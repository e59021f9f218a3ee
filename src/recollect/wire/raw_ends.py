"""Where a JSON value ends that begins at a certain byte. Never: what it says, where valid JSON is expected."""

import re

from recollect.wire.linear_bytes import linear_bytes

_MOST_STEPS = 50_000

_NEAR = 1024
"""Bytes of a string up to which Python's engine is the quicker. It lets no other thread run meanwhile."""

# What is repeated is never given back.
_SHORT_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_LONG_STRING = linear_bytes(rb'(?s)"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(rb"[^ \t\n\r,\]}]*+")
_MARK = re.compile(rb'[\[\]{}"]')


class TooManyStepsError(Exception):
    """An object holds more than is walked through."""


class Ends:
    """Finds where values end, in so many steps of Python's at most; a step is a bracket, a brace or a string."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def of_value(self, source: bytes, at: int) -> int:
        """Return where the value that begins at ``at`` ends.

        Raises:
            TooManyStepsError: It holds too much.
        """
        if source.startswith((b"{", b"["), at):
            return self._of_container(source, at)
        return self.of_string(source, at) if source.startswith(b'"', at) else past(_SCALAR, source, at)

    def of_string(self, source: bytes, at: int) -> int:
        """Return where the string that begins at ``at`` ends: behind the first quote that is not escaped.

        Raises:
            TooManyStepsError: There were too many before it.
        """
        self._step()
        found = _SHORT_STRING.match(source, at, at + _NEAR) or _LONG_STRING.match(source, at)
        return len(source) if found is None else found.end()

    def _of_container(self, source: bytes, at: int) -> int:
        depth = 0
        while (mark := _MARK.search(source, at)) is not None:
            if mark.group() == b'"':
                at = self.of_string(source, mark.start())
                continue
            self._step()
            at = mark.end()
            depth += 1 if mark.group() in b"[{" else -1
            if depth == 0:
                return at
        return len(source)

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooManyStepsError


def past(pattern: re.Pattern[bytes], source: bytes, at: int) -> int:
    """Return where what matches at ``at`` ends."""
    match = pattern.match(source, at)
    return match.end() if match else at
