"""Reads the reply out of a model's answer while it is relayed.

Never: raises, changes or delays a byte, or holds more of an answer than its bounds say.
"""

from collections.abc import Callable

from recollect.wire.encodings import DECODING_ERRORS, Sink, decoding
from recollect.wire.events import EventStream
from recollect.wire.reply_parser import CompletionParser, Reply, ReplyParser

_SLAB = 16 * 1024  # a fraction of a millisecond's reading: the event loop waits for it
_MOST_BYTES = 64 * 1024 * 1024
_LARGEST_BODY = 16 * 1024 * 1024


class ReplyReader:
    """Reads one answer.

    ``feed`` only keeps the bytes; they are read in slabs of 16 KiB. It listens to at most 64 MiB
    unpacked, to 16 MiB of an event (or of a body that isn't a stream), to 2**20 characters.
    """

    def __init__(
        self, content_type: str, content_encoding: str = "", said: ReplyParser | None = None
    ) -> None:
        """Prepare to read an answer with these headers, "" where it has none; without ``said``, of chat completions."""
        self._said = said or CompletionParser()
        self._body: EventStream | _Whole
        if "text/event-stream" in content_type.lower():
            self._body = EventStream(self._said.parse_event)
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
        """Return the reply. What is fed afterwards is ignored."""
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
