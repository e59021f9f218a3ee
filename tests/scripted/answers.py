"""What a scripted upstream answers: bytes, pauses and ends, and what a chat model says with them."""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, TypeAlias

import brotli
import zstandard


class End(Enum):
    """How an answer leaves the connection; one without an end keeps it alive."""

    CLOSE = "close"
    RESET = "reset"  # RST instead of FIN
    SILENCE = "silence"  # say nothing more until the client leaves


Step: TypeAlias = bytes | float | asyncio.Event | End
Answer: TypeAlias = tuple[Step, ...]
Fields: TypeAlias = list[tuple[bytes, bytes]]


def head(status: int, headers: Iterable[tuple[bytes, bytes]] = ()) -> bytes:
    """Return a status line and header lines, with the empty line behind them."""
    lines = [b"HTTP/1.1 %d Scripted" % status, *(name + b": " + value for name, value in headers)]
    return b"\r\n".join([*lines, b"", b""])


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


LAST_CHUNK = chunk(b"")
EVENT_STREAM: Fields = [(b"Content-Type", b"text/event-stream")]
JSON: Fields = [(b"Content-Type", b"application/json")]


def whole(body: bytes, *, status: int = 200, headers: Iterable[tuple[bytes, bytes]] = JSON) -> Answer:
    return (head(status, [*headers, (b"Content-Length", b"%d" % len(body))]) + body,)


def until_close(body: bytes, *, headers: Iterable[tuple[bytes, bytes]] = JSON) -> Answer:
    """Return an answer that ends where the connection does."""
    return (head(200, [*headers, (b"Connection", b"close")]) + body, End.CLOSE)


def streamed(*steps: Step, headers: Iterable[tuple[bytes, bytes]] = EVENT_STREAM) -> Answer:
    """Return a chunked answer: each ``bytes`` is one chunk; it is cut off if its last step is an end."""
    framed = [chunk(step) if isinstance(step, bytes) else step for step in steps]
    if not steps or not isinstance(steps[-1], End):
        framed.append(LAST_CHUNK)
    return (head(200, [*headers, (b"Transfer-Encoding", b"chunked")]), *framed)


def compressed(body: bytes, encoding: str) -> bytes:
    """Return the body in one of the content codings gzip, deflate, br and zstd."""
    codings: dict[str, Callable[[bytes], bytes]] = {
        "gzip": lambda plain: gzip.compress(plain, mtime=0),
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    return codings[encoding](body)


def completion_body(text: str | None, *, tool_calls: list[dict[str, Any]] | None = None) -> bytes:
    """Return a chat completion as JSON, in the layout of no common library."""
    message = {"role": "assistant", "content": text} | ({"tool_calls": tool_calls} if tool_calls else {})
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1700000000,
            "model": "scripted",
            "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if tool_calls else "stop"}
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        },
        indent=1,
    ).encode()


def completion(text: str) -> Answer:
    """Return a chat completion that says this."""
    return whole(completion_body(text))


def event(delta: dict[str, Any], *, finish: str | None = None) -> bytes:
    """Return one server-sent event of a streamed chat completion."""
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(data).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def events(*pieces: str) -> Iterator[bytes]:
    """Yield the events of a streamed completion that says the pieces one after the other."""
    yield event({"role": "assistant", "content": ""})
    yield from (event({"content": piece}) for piece in pieces)
    yield event({}, finish="stop")
    yield DONE


def completion_stream(*pieces: str) -> Answer:
    """Return a streamed chat completion that says the pieces one after the other."""
    return streamed(*events(*pieces))


def failure(status: int, *, headers: Iterable[tuple[bytes, bytes]] = (), message: str = "No.") -> Answer:
    """Return an error in OpenAI's shape."""
    error = {"message": message, "type": "scripted_error", "param": None, "code": f"scripted_{status}"}
    return whole(json.dumps({"error": error}).encode(), status=status, headers=[*JSON, *headers])
