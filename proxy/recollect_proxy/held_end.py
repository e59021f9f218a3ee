"""Holds back the end of a stream of chat completion chunks, so that something can be said before it. Pure.

Never: a socket, what is said; holds back a byte of what a client could read already.
"""

import re

_END = re.compile(rb"(?:d|da|dat|data|data: {0,8}(?:|\[|\[D|\[DO|\[DON|\[DONE|\[DONE\] {0,8}[\r\n]{0,40}))\Z")
"""``data: [DONE]`` and the line ends behind it, or as much of its beginning as has come."""

_LONGEST_END = 72
_BETWEEN = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)\Z")
"""The line end of an event and that of the empty line which closes it (WHATWG HTML, section 9.2.6)."""

_LONGEST_BETWEEN = 4


class HeldEnd:
    """The end of one stream: the event ``[DONE]``, which says that nothing follows, and what is behind it.

    It is held only where it begins an event, and let go as soon as another follows. So is what may become it: the
    first few bytes of an event, which nobody can read yet.
    """

    def __init__(self) -> None:
        self._gone = b"\n\n"  # a stream begins as if an event had just ended
        self._held = b""

    @property
    def held(self) -> bytes:
        """What is held back."""
        return self._held

    @property
    def is_between_events(self) -> bool:
        """Whether what was let go ends where an event does, so that another can be put behind it."""
        return _ends_event(self._gone)

    def take(self, data: bytes) -> bytes:
        """Take the next bytes of the stream, and return those that may go now."""
        begin = len(self._gone)
        text = b"".join((self._gone, self._held, data))
        found = _END.search(text, max(begin, len(text) - _LONGEST_END))
        is_end = found is not None and _ends_event(
            text[max(0, found.start() - _LONGEST_BETWEEN) : found.start()]
        )
        end = found.start() if found is not None and is_end else len(text)
        self._gone, self._held = text[max(0, end - _LONGEST_BETWEEN) : end], text[end:]
        return text[begin:end]


def _ends_event(gone: bytes) -> bool:
    return _BETWEEN.search(gone) is not None
