"""Parses the reply in an answer while it is relayed. Never: changes or delays a byte."""

import time

from recollect.engine.live.answer_counts import AnswerCounts
from recollect.model import FailedAt, Failure
from recollect.wire import Dialect, Reply, ReplyReader
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import values

_OK = 200
_REFUSED = (401, 403)


class ReplyRecorder:
    """Records one reply.

    Attributes:
        client_left: Whether the client closed the connection before the answer's end.
        broke_off: Whether the upstream broke off the answer.
        is_unreached: Whether the upstream was not reached.
        is_refused: Whether the upstream refused the caller (401 or 403).
        calls_tools: Whether the answer calls tools and is no reply yet: the client sends the turn again with their results.
        parsed: The parsed reply, once the answer is over; None if there was none to parse.
        first_byte_seconds: The time from the recorder's making to the first byte of a body that may hold a reply.
    """

    def __init__(self, dialect: Dialect) -> None:
        """Expect an answer in the format of this API."""
        self._dialect = dialect
        self._reader: ReplyReader | None = None
        self._status: int | None = None
        self.is_unreached = False
        self.client_left = False
        self.broke_off = False
        self.is_refused = False
        self.calls_tools = False
        self.parsed: Reply | None = None
        self._began = time.monotonic()
        self.first_byte_seconds: float | None = None

    @property
    def answer_id(self) -> str:
        """The id under which the upstream keeps the answer, once that is over; "" if it keeps none."""
        return "" if self.parsed is None else self.parsed.answer_id

    def start(self, answer: Answer) -> None:
        """Start with an answer; only one with the status 200 has a reply."""
        self._status = answer.status
        self.is_refused = answer.status in _REFUSED
        if answer.status == _OK:
            content_type = b"".join(values(answer.headers, b"content-type")[:1])
            encoding = b",".join(values(answer.headers, b"content-encoding"))
            self._reader = self._dialect.listen(content_type.decode("latin-1"), encoding.decode("latin-1"))

    def feed(self, chunk: bytes) -> None:
        """Parse the next chunk of the answer's body; never raises."""
        if self._reader is not None:
            if self.first_byte_seconds is None:
                self.first_byte_seconds = time.monotonic() - self._began
            self._reader.feed(chunk)

    def count(self, answers: AnswerCounts) -> None:
        """Count the answer's times and tokens, now that it is over; a refused or failed request has none."""
        if self.first_byte_seconds is None or self.failure is not None or self.parsed is None:
            return
        parsed = self.parsed
        answers.count(
            self.first_byte_seconds,
            time.monotonic() - self._began,
            prompt_tokens=parsed.prompt_tokens,
            answer_tokens=parsed.completion_tokens,
        )

    @property
    def is_awaited(self) -> bool:
        """Whether the upstream works on the answer, and keeps it until it is fetched."""
        return self.parsed is not None and self.parsed.awaited and not self.parsed.text

    @property
    def failure(self) -> Failure | None:
        """How the answer failed, once that is over; None if it did not."""
        if self.client_left and not (self.parsed and self.parsed.complete):
            return Failure(FailedAt.CLIENT)
        if self._status is None:
            return Failure(FailedAt.CONNECT if self.is_unreached else FailedAt.HEAD)
        if self.parsed is None:
            return Failure(FailedAt.HEAD, self._status)
        if self.parsed.failed or self.broke_off:
            return Failure(FailedAt.STREAM)
        return Failure(FailedAt.CLIENT) if self.parsed.finish_reason == "cancelled" else None

    def reply(self) -> str | None:
        """Return the reply as far as it arrived; "" if the client left before its first word; None if there is no reply.

        There is none if the answer failed or broke off before its first word, or calls tools. For an API whose server keeps
        the chat, no client sends the turn again: there, an answer that calls tools is the empty reply.
        """
        if self._reader is None:
            return "" if self.client_left and self._status is None else None
        self.parsed = parsed = self._reader.finish()
        if parsed.has_tool_calls and not parsed.failed:
            self.calls_tools = not self._dialect.kept_by_server
            return None if self.calls_tools else ""
        if (parsed.failed or self.broke_off) and not parsed.text:
            return None
        return parsed.text
