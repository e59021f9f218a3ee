"""Forwards a prepared chat request, and relays the answer with a report on its memories. Never: the engine."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from recollect.engine.turns.prepared import Prepared
from recollect.model import Memory, Recall, Recollection, Skip
from recollect.wire import add_memories
from recollect_proxy.chat.context_length import refuses_length
from recollect_proxy.chat.openwebui_status import has_room
from recollect_proxy.chat.passthrough import Passthrough, is_json, relay, relay_whole
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_preparer import OutboundRequest
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Headers, Scope, Send
from recollect_proxy.web.headers import forwardable, rewritable

_PREVIEW_CHARACTERS = 160
_HEADER_BYTES = 6_000
"""The most bytes that memories take in a header: most clients and gateways take 8 kB for all of them."""


class RecallReports:
    """Makes the headers about recall, and counts why requests had no memory.

    Attributes:
        skipped: How many had none, by reason, since the start.
    """

    def __init__(self) -> None:
        self.skipped: Counter[Skip] = Counter()

    def skip(self, reason: Skip | None) -> Headers:
        """Return the headers of a request that had no turn to recall for, and count it."""
        return self.about(Prepared(Recall(skipped=reason)))

    def about(self, prepared: Prepared, request_id: UUID | None = None, *, listed: bool = False) -> Headers:
        """Return the headers about a prompt's additions, and count them; if ``listed``, one lists the memories themselves."""
        recall, placed = prepared.recall, prepared.placed
        if recall.skipped is not None:
            self.skipped[recall.skipped] += 1
        included = prepared.included
        headers = [(b"x-recollect-memories", b"%d" % (len(placed.own.items) if placed.own else 0))]
        if prepared.in_place:
            headers.append((b"x-recollect-memories-in-place", b"%d" % len(prepared.in_place)))
        if recall.skipped is not None:
            headers.append((b"x-recollect-skipped", recall.skipped.encode()))
        if request_id is None:
            return headers
        headers += [
            (b"x-recollect-request-id", str(request_id).encode()),
            (b"x-recollect-memory-tokens", b"%d" % (placed.own.tokens if placed.own else 0)),
            (b"x-recollect-standing-tokens", b"%d" % (placed.block.standing_tokens if placed.block else 0)),
            (b"x-recollect-chat-memory-tokens", b"%d" % placed.tokens),
            (b"x-recollect-history-tokens", b"%d" % placed.history_tokens),
            (b"x-recollect-milliseconds", b"%.1f" % recall.milliseconds),
        ]
        if recall.degraded:
            headers.append((b"x-recollect-degraded", ",".join(recall.degraded).encode()))
        return [*headers, (b"x-recollect-memory-list", memory_list_header(included))] if listed else headers


def listed_memories(recollections: Sequence[Recollection]) -> list[dict[str, object]]:
    """Return recollections as an answer shows them: id, kind, source, preview (160 characters at most), score.

    Items of the standing part are marked.
    """
    return [
        {
            "id": str(each.item.id),
            "kind": each.item.kind.value if isinstance(each.item, Memory) else "message",
            "source": each.item.source.value if isinstance(each.item, Memory) else "log",
            "preview": preview(each.item.content),
            "score": round(each.score, 4),
            **({"standing": True} if each.standing else {}),
        }
        for each in recollections
    ]


def memory_list_header(recollections: Sequence[Recollection]) -> bytes:
    """Return recollections as a JSON list in ASCII, best first, as many as a header holds."""
    listed: list[dict[str, object]] = []
    for each in listed_memories(recollections):
        if len(json.dumps([*listed, each])) > _HEADER_BYTES:
            break
        listed.append(each)
    return json.dumps(listed).encode("ascii")


def preview(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _PREVIEW_CHARACTERS else line[: _PREVIEW_CHARACTERS - 1] + "\u2026"


_ANSWERED = range(200, 300)


@dataclass(frozen=True, slots=True)
class AnswerRelay:
    """Relays the answers to chat requests."""

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
