"""Reads the reply out of a model's answer while it is relayed.

Never: raises, changes or delays a byte, or holds more of an answer than its bounds say.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from recollect.wire.encodings import DECODING_ERRORS, Sink, decoding
from recollect.wire.reply_parser import CompletionParser, Reply, ReplyParser

_SLAB = 16 * 1024  # a fraction of a millisecond's reading: the event loop waits for it
_MOST_BYTES = 64 * 1024 * 1024
_LARGEST_BODY = _LARGEST_EVENT = 16 * 1024 * 1024
_MOST_LINES = 1 << 20
"""How many lines are read: half a million events. Lines cost time, whatever their size."""

_MARK = b"\xef\xbb\xbf"


class ReplyReader:
    """Reads one answer.

    ``feed`` only keeps the bytes; they are read in slabs of 16 KiB. It listens to at most 64 MiB
    unpacked, to 16 MiB of an event (or of a body that isn't a stream), to 2**20 characters.
    """

    def __init__(
        self, content_type: str, content_encoding: str = "", said: ReplyParser | None = None
    ) -> None:
        """Prepare to read an answer; ``said`` is of chat completions by default, each header "" if absent."""
        self._said = said or CompletionParser()
        self._body: _Lines | _Whole
        kind = content_type.lower()
        if "text/event-stream" in kind:
            self._body = _EventStream(self._said.parse_event)
        elif "ndjson" in kind:
            self._body = _JsonLines(self._said.parse_event)
        else:
            self._body = _Whole(self._said.parse_whole)
        self._encoding = content_encoding
        self._decoding: Sink | None = None
        self._deaf = False
        self._slab: list[bytes] = []
        self._slab_size = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer, as they came over the wire."""
        if self._deaf:
            return
        self._slab.append(chunk)
        self._slab_size += len(chunk)
        if self._slab_size >= _SLAB:
            self._read_slab()

    def finish(self) -> Reply:
        """Return the reply. Later bytes are ignored."""
        self._read_slab()
        self._deaf = True
        self._body.finish()
        return self._said.reply(truncated=self._body.truncated)

    def _read_slab(self) -> None:
        slab = b"".join(self._slab)
        self._slab, self._slab_size = [], 0
        if self._decoding is None:
            self._decoding = decoding(self._encoding, self._body, _MOST_BYTES)
        if self._decoding is None or self._deaf:
            self._deaf = True
            return
        try:
            self._decoding.write(slab)
        except OverflowError:
            self._deaf = self._said.truncated = True
        except DECODING_ERRORS:
            self._deaf = True


class _Whole:
    """A body that isn't a stream: one JSON object."""

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self.truncated = False
        self._tell = tell
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes, /) -> None:
        self._size += len(data)
        if self._size <= _LARGEST_BODY:
            self._pieces.append(data)
        else:
            self._pieces.clear()
            self.truncated = True

    def finish(self) -> None:
        self._tell(b"".join(self._pieces))
        self._pieces.clear()


class _Lines(ABC):
    """Splits a stream into lines, and has a subclass read them.

    Attributes:
        truncated: Whether a part of the stream was left out.
    """

    def __init__(self, tell: Callable[[bytes, Sequence[bytes]], None]) -> None:
        """Call ``tell`` for each event, with its name (empty if it has none) and its lines of data."""
        self.truncated = False
        self._tell = tell
        self._lines_left = _MOST_LINES
        self._after_return = False
        self._rest: list[bytes] = []
        self._rest_size = 0

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        if not data:
            return
        if self._after_return:
            data = data.removeprefix(b"\n")  # the other half of a line end
        self._after_return = data.endswith(b"\r")
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end:
            # Bytes are split at CR and LF alone, where text is split at eight more signs.
            lines = b"".join((*self._rest, data[:end])).splitlines()
            self._rest, self._rest_size = [], 0
            self._read_bounded(lines)
        self._hold(data[end:])

    def finish(self) -> None:
        """Read what no line end closed."""
        # The empty line closes an event whose own blank line is missing.
        self._read_bounded([b"".join(self._rest), b""])
        self._rest, self._rest_size = [], 0

    def _hold(self, rest: bytes) -> None:
        self._rest_size += len(rest)
        if self._rest_size <= _LARGEST_EVENT:
            self._rest.append(rest)
        else:
            self._rest.clear()
            self._leave_out()

    def _read_bounded(self, lines: list[bytes]) -> None:
        # A byte order mark may only stand at the beginning.
        if self._lines_left == _MOST_LINES:
            lines[0] = lines[0].removeprefix(_MARK)
        if len(lines) > self._lines_left:
            self.truncated = True
            del lines[self._lines_left :]
        self._lines_left -= len(lines)
        self._read_lines(lines)

    @abstractmethod
    def _read_lines(self, lines: list[bytes]) -> None:
        """Read whole lines; a line that no line end closed is followed by an empty one."""

    @abstractmethod
    def _leave_out(self) -> None:
        """Take note that a line is too large to be read."""


class _JsonLines(_Lines):
    """A stream of JSON objects, a line each (NDJSON), as Ollama sends it."""

    def _read_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if len(line) > _LARGEST_EVENT:
                self._leave_out()
            elif line.strip():
                self._tell(b"", [line])

    def _leave_out(self) -> None:
        self.truncated = True


class _EventStream(_Lines):
    """Splits a stream of server-sent events, and reports each event with data.

    The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

    It reports a last event even if the blank line after it is missing. If an event is left out, ``truncated`` is set.
    """

    def __init__(self, tell: Callable[[bytes, Sequence[bytes]], None]) -> None:
        super().__init__(tell)
        self._forget_event()

    def _read_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if not line:
                self._close_event()
            elif len(line) > _LARGEST_EVENT:
                self._leave_out()
            elif line.startswith(b"data:"):
                self._add(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()

    def _leave_out(self) -> None:
        self._spoiled = True

    def _add(self, data: bytes) -> None:
        self._data.append(data)
        self._size += len(data) + 1
        if self._size > _LARGEST_EVENT:
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
