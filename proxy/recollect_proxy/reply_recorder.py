"""Reads the reply out of an answer while it is relayed. Never: changes or delays a byte."""

from recollect.chat import Dialect, Reply, ReplyReader
from recollect_proxy.asgi import values
from recollect_proxy.upstream import Answer

_OK = 200
_REFUSED = (401, 403)


class ReplyRecorder:
    """Records one reply.

    Attributes:
        client_left: Whether the client left before the answer's end.
        broke_off: Whether the upstream broke the answer off.
        is_refused: Whether the upstream refused the caller (401 or 403).
        calls_tools: Whether there is no reply yet, since the answer calls tools; the client sends the turn again.
        parsed: The answer as it was read once it is over; None if there was none to read.
    """

    def __init__(self, dialect: Dialect) -> None:
        """Take the API of the answer."""
        self._dialect = dialect
        self._reader: ReplyReader | None = None
        self._answered = False
        self.client_left = False
        self.broke_off = False
        self.is_refused = False
        self.calls_tools = False
        self.parsed: Reply | None = None

    def start(self, answer: Answer) -> None:
        """Read this answer from now on, if it is one with a reply."""
        self._answered = True
        self.is_refused = answer.status in _REFUSED
        if answer.status == _OK:
            content_type = b"".join(values(answer.headers, b"content-type")[:1])
            encoding = b",".join(values(answer.headers, b"content-encoding"))
            self._reader = self._dialect.listen(content_type.decode("latin-1"), encoding.decode("latin-1"))

    def feed(self, chunk: bytes) -> None:
        """Take a chunk of the answer's body; never raises."""
        if self._reader is not None:
            self._reader.feed(chunk)

    def reply(self) -> str | None:
        """Return the reply as far as it came; "" if the user left before its first word; None if the answer failed.

        An answer that calls tools is no reply yet, and one that broke off before its first word is a failure. A server
        that keeps the chat itself never sends the turn again: there an answer that calls tools is the empty reply.
        """
        if self._reader is None:
            return "" if self.client_left and not self._answered else None
        self.parsed = parsed = self._reader.finish()
        if parsed.has_tool_calls and not parsed.failed:
            self.calls_tools = not self._dialect.kept_by_server
            return None if self.calls_tools else ""
        if parsed.failed or (self.broke_off and not parsed.text):
            return None
        return parsed.text
