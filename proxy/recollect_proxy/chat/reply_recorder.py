"""Parses the reply in an answer while it is relayed, or while it is fetched later. It neither changes nor delays a byte."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog

from recollect.engine.counters import AnswerCounts
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import StoreError
from recollect.model import Exchange, FailedAt, Failure, project_scope
from recollect.wire import RESPONSES, Dialect, Reply, ReplyReader
from recollect_proxy.chat.passthrough import Passthrough
from recollect_proxy.identity.caller import readable_project
from recollect_proxy.identity.user_and_chat import Identity
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Incoming, Receive, Scope, Send, content_encodings, peer_of, values

_LOOKS, _LOOK_SECONDS = 60, 5.0
"""How often, and how long apart, it is looked for the exchange of a fetched answer while the store is away."""

_OK = 200
_REFUSED = (401, 403)  # nothing is kept: the caller may be anybody

log = structlog.get_logger(__name__)


class ReplyRecorder:
    """Records one reply.

    Attributes:
        client_left: Whether the client closed the connection before the answer's end.
        is_refused: Whether the upstream refused the caller (401 or 403).
        calls_tools: Whether the answer calls tools and is no reply yet: the client sends the turn again with their results.
        parsed: The parsed reply, once the answer is over; None if there was none to parse.
        first_byte_seconds: The time from the recorder's making to the first byte of a body that may hold a reply.
    """

    def __init__(self, dialect: Dialect) -> None:
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
            encodings = content_encodings(answer.headers)
            self._reader = self._dialect.listen(content_type.decode("latin-1"), encodings)

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

        There is none if the answer failed or broke off before its first word, or calls tools.
        """
        if self._reader is None:
            # A client that left before any answer has still said its message.
            return "" if self.client_left and self._status is None else None
        self.parsed = parsed = self._reader.finish()
        if parsed.has_tool_calls and not parsed.failed:
            # Where the server keeps the chat, no client sends the turn again: nothing more will come.
            self.calls_tools = not self._dialect.kept_by_server
            return None if self.calls_tools else ""
        if (parsed.failed or self.broke_off) and not parsed.text:
            return None
        return parsed.text


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """Relays answers that an upstream keeps until they are fetched, and has them remembered for who asked for them.

    ``POST /v1/responses`` with ``background`` returns before its answer is there. Later ``GET /v1/responses/ID`` brings it,
    or ``POST /v1/responses/ID/cancel`` ends it.

    Attributes:
        lends: Whether the request's own credential is for this upstream.
    """

    engine: LiveEngine
    identity: Identity
    passthrough: Passthrough
    lends: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one request."""
        recorder = ReplyRecorder(RESPONSES)

        def hear(answer: Answer) -> Callable[[bytes], None]:
            recorder.start(answer)
            return recorder.feed

        try:
            await self.passthrough.forward(scope, Incoming(receive), send, hear=hear)
        finally:
            reply = recorder.reply()  # sets `parsed`
            parsed = recorder.parsed
            caller = self.identity.identify(scope["headers"], peer_of(scope))
            is_over = parsed is not None and not parsed.awaited and (parsed.complete or parsed.failed)
            if is_over and recorder.answer_id and caller.user_id is not None and caller.skip is None:
                named = readable_project(values(scope["headers"], b"x-recollect-project")) or ""
                noting = self._note(
                    project_scope(caller.user_id, caller.project or named),
                    recorder.answer_id,
                    reply or "",
                    failure=recorder.failure,
                    credential=caller.credential if self.lends else None,
                )
                self.engine.note_soon(noting)

    async def _note(
        self, user_id: str, answer_id: str, reply: str, *, failure: Failure | None, credential: str | None
    ) -> None:
        """Remember an answer that its person fetched, as far as it came; the LLM server's ``answer_id`` names it."""
        asked = await self._exchange_of(user_id, answer_id)
        if asked is None or (failure is None and reply and asked.reply == reply):
            return  # an answer may be fetched again and again
        record = self.engine.record_of(replace(asked, credential=credential))
        record.end(reply, recollections=(), answer_id=answer_id, failure=failure)

    async def _exchange_of(self, user_id: str, answer_id: str) -> Exchange | None:
        """Return the exchange of an answer, once the store can tell; None if it has none, or can't be asked for long."""
        live = self.engine
        for _ in range(_LOOKS):
            await live.caught_up()
            try:
                if await live.ready(_LOOK_SECONDS) and live.engine is not None:
                    return await live.engine.exchange_of_answer(user_id, answer_id)
            except StoreError as error:
                log.warning("fetched_answer_postponed", error=type(error).__name__)
                await asyncio.sleep(_LOOK_SECONDS)
        return None
