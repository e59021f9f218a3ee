"""Forwards a prepared chat request, once more without memories if it is too long with them, and reports on these. It does not use the engine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

from recollect.wire import add_memories
from recollect_proxy.chat.openwebui_status import has_room
from recollect_proxy.chat.passthrough import Passthrough, is_json, relay, relay_whole
from recollect_proxy.chat.prompt_too_long import refuses_length
from recollect_proxy.chat.recall_headers import RecallReports, listed_memories
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_preparer import OutboundRequest
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Scope, Send
from recollect_proxy.web.headers import forwardable, rewritable

_ANSWERED = range(200, 300)


@dataclass(frozen=True, slots=True)
class Forwarding:
    """Forwards chat requests, and relays their answers."""

    passthrough: Passthrough
    reports: RecallReports

    async def __call__(
        self, scope: Scope, send: Send, request: OutboundRequest, recorder: ReplyRecorder
    ) -> None:
        """Forward a request and relay its answer, every byte of which the recorder gets."""
        lists = request.options.includes_memories
        in_stream = nullcontext() if request.status is None else request.status()
        async with in_stream as status, self._forwarded(scope, request) as answer:
            recorder.start(answer)
            prepared = request.prepared

            def feed(chunk: bytes) -> None:
                recorder.feed(chunk)
                request.note_behind_chunk()

            in_body = lists and is_json(answer)
            extra = self.reports.about(prepared, request.id, listed=lists and not in_body)
            if in_body:
                memories, history = listed_memories(prepared.included), prepared.placed.history_tokens
                add = partial(add_memories, memories=memories, used_history_tokens=history)
                await relay_whole(answer, send, rewrite=add, extra=extra, listen=feed)
            elif status is None or not has_room(answer):
                await relay(answer, send, extra=extra, listen=feed)
            else:
                is_off = not (request.options.recall.recall or request.options.remember)
                await status.relay(answer, send, prepared, is_off=is_off, extra=extra, listen=feed)

    @asynccontextmanager
    async def _forwarded(self, scope: Scope, request: OutboundRequest) -> AsyncIterator[Answer]:
        """Yield the upstream's answer; it is asked once more without memories if the prompt is too long with them."""
        headers = forwardable(scope["headers"], without=self.passthrough.strip)
        lists = request.options.includes_memories
        ask = partial(self.passthrough.upstream.forward, scope["method"], self.passthrough.target(scope))
        async with ask(rewritable(headers, body=request.is_changed, answer=lists), request.body) as answer:
            if request.plain is None or not await refuses_length(answer):
                yield answer
                return
        # Only now, as the first answer has given its connection back.
        request.goes_without_memories()
        headers = rewritable(headers, body=request.plain_is_changed, answer=lists)
        async with ask(headers, request.plain) as answer:
            if answer.status in _ANSWERED:  # else the refusal may have been for something else
                request.note_length()
            yield answer
