"""Splits a stream of server-sent events into their data.

Never: raises, knows what the data means, or holds more than one event.
The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from collections.abc import Callable

_LARGEST = 16 * 1024 * 1024
_MARK = b"\xef\xbb\xbf"


class EventStream:
    """Takes a stream's bytes as they come, and tells of each event that has data.

    A last event is told of even without the blank line that should follow it. An event of more
    than 16 MiB is left out.

    Attributes:
        truncated: Whether an event was left out.
    """

    def __init__(self, tell: Callable[[bytes, list[bytes]], None]) -> None:
        """Take whom to tell: of the event's name, "" if it has none, and of its lines of data."""
        self.truncated = False
        self._tell = tell
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._after_return = False
        self._skips_line = False
        self._name = b""
        self._data: list[bytes] = []
        self._data_size = 0

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        if self._after_return and data:
            data = data.removeprefix(b"\n")  # the second half of a line end
            self._after_return = False
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end:
            lines = data[:end].splitlines()
            ...

    def finish(self) -> None:
        """Tell of what was not closed by a blank line."""
