"""Overhears an answer as it is relayed, to know what was said. Never: changes or delays a byte."""

from recollect.chat import Dialect, ReplyReader
from recollect_proxy.asgi import values
from recollect_proxy.upstream import Answer

_OK = 200
_STRANGER = (401, 403)


class Listener:
    """Listens to one answer.

    Attributes:
        client_left: Whether who asked left before its end.
        broke_off: Whether the upstream broke it off.
        is_refused: Whether the upstream does not know who asks, or lets them do nothing.
        goes_on: Whether there is no reply yet, as the answer calls tools: the turn is asked about again.
    """

    def __init__(self, dialect: Dialect) -> None:
        """Take the API the answer is spoken in."""
        self._dialect = dialect
        self._reader: ReplyReader | None = None
        self._answered = False
        self.client_left = False
        self.broke_off = False
        self.is_refused = False
        self.goes_on = False

    def hear(self, answer: Answer) -> None:
        """Listen to this answer, if it is one worth hearing."""
        self._answered = True
        self.is_refused = answer.status in _STRANGER
        if answer.status == _OK:
            content_type = b"".join(values(answer.headers, b"content-type")[:1])
            encoding = b",".join(values(answer.headers, b"content-encoding"))
            self._reader = self._dialect.listen(content_type.decode("latin-1"), encoding.decode("latin-1"))

    def feed(self, chunk: bytes) -> None:
        """Take a chunk of the answer's body; never raises."""
        if self._reader is not None:
            self._reader.feed(chunk)

    def reply(self) -> str | None:
        """Return what was said, as far as it came; None where the answer failed.

        An answer that calls tools is not the reply yet, and one that failed, or broke off before its
        first word, is none. A user who left before the first word, or got none, has said something all the same; so has one whose
        words will not be seen again with the reply.
        """
        if self._reader is None:
            return "" if self.client_left and not self._answered else None
        heard = self._reader.finish()
        if heard.has_tool_calls and not heard.failed:
            self.goes_on = not self._dialect.kept_by_server
            return None if self.goes_on else ""
        if heard.failed or (self.broke_off and not heard.text):
            return None
        return heard.text
