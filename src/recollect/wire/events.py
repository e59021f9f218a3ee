"""Splits a stream of server-sent events into their data.

Never: raises, knows what the data means, or holds more than one event.
The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from collections.abc import Callable, Sequence

LARGEST_EVENT = 16 * 1024 * 1024
"""How many bytes an event may have; a larger one is left out."""

MOST_LINES = 1 << 20
"""How many lines are read: half a million events. Lines cost time, whatever their size."""

_MARK = b"\xef\xbb\xbf"


class EventStream:
    """Takes a stream's bytes as they come, and tells of each event that has data.

    A last event is told of even without the blank line that should follow it.

    Attributes:
        truncated: Whether an event, or the rest of the stream, was left out.
    """

    def __init__(self, tell: Callable[[bytes, Sequence[bytes]], None]) -> None:
        """Call ``tell`` for each event, with its name (empty if it has none) and its lines of data."""
        self.truncated = False
        self._tell = tell
        self._lines_left = MOST_LINES
        self._after_return = False
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._forget_event()

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        if not data:
            return
        if self._after_return:
            data = data.removeprefix(b"\n")  # the other half of a line end
        self._after_return = data.endswith(b"\r")
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end:
            lines = b"".join((*self._rest, data[:end])).splitlines()
            self._rest, self._rest_size = [], 0
            self._read(lines)
        self._hold(data[end:])

    def finish(self) -> None:
        """Read what no line end and no blank line closed."""
        self._read([b"".join(self._rest), b""])
        self._rest, self._rest_size = [], 0

    def _hold(self, rest: bytes) -> None:
        self._rest_size += len(rest)
        if self._rest_size <= LARGEST_EVENT:
            self._rest.append(rest)
        else:
            self._rest.clear()
            self._spoiled = True

    def _read(self, lines: list[bytes]) -> None:
        if self._lines_left == MOST_LINES:
            lines[0] = lines[0].removeprefix(_MARK)
        if len(lines) > self._lines_left:
            self.truncated = True
            del lines[self._lines_left :]
        self._lines_left -= len(lines)
        for line in lines:
            if not line:
                self._close_event()
            elif len(line) > LARGEST_EVENT:
                self._spoiled = True
            elif line.startswith(b"data:"):
                self._add(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()

    def _add(self, data: bytes) -> None:
        self._data.append(data)
        self._size += len(data) + 1
        if self._size > LARGEST_EVENT:
            self._data.clear()
            self._spoiled = True

    def _close_event(self) -> None:
        if self._spoiled:
            self.truncated = True
        elif self._data:
            self._tell(self._name, self._data)
        self._forget_event()

    def _forget_event(self) -> None:
        self._name = b""
        self._data: list[bytes] = []
        self._size = 0
        self._spoiled = False
