"""A stand-in for an LLM server, for a demo without one: it speaks the protocol, and is no model.

OpenAI's chat completions, whole and streamed. It answers from its prompt alone, and says in its name and in every answer
to a person that it is scripted. Asked for structured output it extracts the few sentences that its script understands.
Never: a memory, Recollect.
"""

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from examples.demo.answering import answer, extract
from recollect.text.tokens import estimate_tokens
from recollect_proxy.web.asgi import Incoming, Receive, Scope, Send, respond

MODEL = "scripted"

_JSON = b"application/json"
_LARGEST_BODY = 2**24
_PIECES = 4


class _RefusedError(Exception):
    """The request can't be answered."""

    def __init__(self, status: int, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter

    @property
    def body(self) -> bytes:
        error = {
            "message": str(self),
            "type": "invalid_request_error",
            "param": self.parameter,
            "code": None,
        }
        return msgspec.json.encode({"error": error})


async def demo_upstream(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request (ASGI): ``GET /v1/models`` or ``POST /v1/chat/completions``."""
    body = await Incoming(receive).read_body(_LARGEST_BODY)
    try:
        if (scope["method"], scope["path"]) == ("GET", "/v1/models"):
            await respond(send, 200, msgspec.json.encode(_models()), content_type=_JSON)
        else:
            await _complete(_read(scope, body), send)
    except _RefusedError as refused:
        await respond(send, refused.status, refused.body, content_type=_JSON)


def _read(scope: Scope, body: bytes | None) -> Mapping[str, Any]:
    if (scope["method"], scope["path"]) != ("POST", "/v1/chat/completions"):
        raise _RefusedError(404, "The scripted LLM serves GET /v1/models and POST /v1/chat/completions.")
    try:
        request = msgspec.json.decode(body or b"", type=dict[str, Any])
    except (ValueError, RecursionError):
        raise _RefusedError(400, "The body is not a JSON object.") from None
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(each, dict) for each in messages):
        raise _RefusedError(400, "`messages` must be a list of at least one message.", "messages")
    return request


async def _complete(request: Mapping[str, Any], send: Send) -> None:
    form = request.get("response_format")
    is_structured = isinstance(form, dict) and form.get("type") != "text"
    text = (extract if is_structured else answer)(request["messages"])
    usage = _usage(request["messages"], text)
    if request.get("stream") is not True:
        whole = _completion("chat.completion", [_choice("message", text, "stop")], usage=usage)
        await respond(send, 200, msgspec.json.encode(whole), content_type=_JSON)
        return
    options = request.get("stream_options")
    counted = isinstance(options, dict) and options.get("include_usage") is True
    headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for event in _events(text, usage if counted else None):
        await send({"type": "http.response.body", "body": event, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _events(text: str, usage: Mapping[str, int] | None) -> Iterator[bytes]:
    own = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time())}
    # With usage asked for, every chunk has the member, and only the last one a value in it.
    unused = {} if usage is None else {"usage": None}
    pieces = [_choice("delta", "", None), *(_choice("delta", piece, None) for piece in _cut(text))]
    end = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    for choice in (*pieces, end):
        yield _event(_completion("chat.completion.chunk", [choice], **own, **unused))
    if usage is not None:
        yield _event(_completion("chat.completion.chunk", [], **own, usage=usage))
    yield b"data: [DONE]\n\n"


def _event(chunk: Mapping[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


def _cut(text: str) -> list[str]:
    size = -(-len(text) // _PIECES)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _completion(kind: str, choices: Sequence[Mapping[str, Any]], **members: Any) -> dict[str, Any]:
    own = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time())}
    return {**own, "object": kind, "model": MODEL, "choices": choices, **members}


def _choice(name: str, text: str, finish_reason: str | None) -> dict[str, Any]:
    said = {"role": "assistant", "content": text}
    return {"index": 0, name: said, "logprobs": None, "finish_reason": finish_reason}


def _usage(messages: Sequence[Mapping[str, Any]], text: str) -> dict[str, int]:
    prompt = sum(estimate_tokens(str(message.get("content") or "")) for message in messages)
    completion = estimate_tokens(text)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _models() -> dict[str, Any]:
    model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "recollect"}
    return {"object": "list", "data": [model]}
