"""The LLM of a replay: repeats the assistant's words. Never: a word of its own."""

from collections.abc import Iterator

import msgspec

from bench.engines import MODEL
from recollect_proxy.web.asgi import Incoming, Receive, Scope, Send

_LARGEST_BODY = 2**26


class ReplayUpstream:
    """An ASGI application: streams ``reply`` to every request, and keeps the last one's body as ``received``.

    Without a reply it falls silent before the first word, as a model does whose user has left, so that
    the user's message is kept alone.
    """

    def __init__(self) -> None:
        self.reply = ""
        self.received = b""

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        self.received = await Incoming(receive).read_body(_LARGEST_BODY) or b""
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for event in _events(self.reply):
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def _events(reply: str) -> Iterator[bytes]:
    yield _event({"role": "assistant", "content": ""}, None)
    if reply:
        yield _event({"content": reply}, None)
        yield _event({}, "stop")
        yield b"data: [DONE]\n\n"


def _event(delta: dict[str, str], finish_reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    chunk = {
        "id": "chatcmpl-replay",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
    }
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"
