"""The LLM server of the bench: answers at once or at a pace, and stamps each event.

In a process of its own. The model's name, which every proxy keeps, says how to answer:
`bench-whole` is JSON, `bench-nothing` an answer from which nothing is learned, `bench-now` a few events at once, `bench-paced-TOKENS-RATE` events at a rate a
second. Each event's content is `@NANOSECONDS@` of CLOCK_MONOTONIC, read as the event is written: the
client, on the same machine, reads the same clock.
"""

import asyncio
import gc
import socket
import time

import uvloop

_WHOLE = (
    b'{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"A short answer in a few words."},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":10,"completion_tokens":8,"total_tokens":18}}'
)
_NOTHING = _WHOLE.replace(b"A short answer in a few words.", b"{}")
_MODELS = b'{"object":"list","data":[{"id":"bench-whole","object":"model","created":0,"owned_by":"bench"}]}'
_JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
_STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
_EVENT = (
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"bench",'
    b'"choices":[{"index":0,"delta":{"role":"assistant","content":"@%d@"},"finish_reason":null}]}\n\n'
)
_LAST = (
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"bench",'
    b'"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)
NOW_TOKENS = 8


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


_END = _chunk(_LAST) + b"0\r\n\r\n"


def _event() -> bytes:
    return _chunk(_EVENT % time.monotonic_ns())


class MockUpstream(asyncio.Protocol):
    """One connection; answers one request at a time, and reads as little of it as possible."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._parts: list[bytes] = []
        self._missing: int | None = None  # bytes of the body; None: the head is not complete
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = transport  # type: ignore[assignment]  # a stream's

    def connection_lost(self, _error: Exception | None) -> None:
        """Stop answering."""
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer as soon as the request is there."""
        self._parts.append(data)
        if self._missing is None:
            data = b"".join(self._parts)
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._parts = [data]
                return
            head = data[:end].lower()
            self._parts = [data]
            if b"\r\ntransfer-encoding: chunked" in head:
                self._missing = -1
            else:
                _, named, length = head.partition(b"\r\ncontent-length:")
                self._missing = (int(length.split(b"\r\n", 1)[0]) if named else 0) + end + 4 - len(data)
        elif self._missing > 0:
            self._missing -= len(data)
        if self._missing == 0 or (self._missing < 0 and data.endswith(b"0\r\n\r\n")):
            request = b"".join(self._parts)
            self._parts, self._missing = [], None
            self._answer(request)

    def _answer(self, request: bytes) -> None:
        found = request.find(b'"bench-')
        if found < 0:
            self._transport.write(_JSON % (len(_MODELS), _MODELS))
            return
        kind, *numbers = request[found + 7 : request.index(b'"', found + 7)].split(b"-")
        if kind == b"whole":
            self._transport.write(_JSON % (len(_WHOLE), _WHOLE))
        elif kind == b"nothing":
            self._transport.write(_JSON % (len(_NOTHING), _NOTHING))
        elif kind == b"now":
            self._transport.write(_STREAM + b"".join(_event() for _ in range(NOW_TOKENS)) + _END)
        else:
            tokens, rate = map(int, numbers)
            self._transport.write(_STREAM)
            self._pace(self._loop.time(), 0, tokens, rate)

    def _pace(self, began: float, number: int, tokens: int, rate: int) -> None:
        if number == tokens:
            self._timer = None
            self._transport.write(_END)
            return
        self._transport.write(_event())
        due = began + (number + 1) / rate
        self._timer = self._loop.call_at(due, self._pace, began, number + 1, tokens, rate)


async def serve() -> None:
    """Serve on a free port of the loopback until terminated; print the port."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    server = await asyncio.get_running_loop().create_server(MockUpstream, sock=listening)
    print(listening.getsockname()[1], flush=True)
    gc.freeze()
    gc.disable()  # nothing here makes cycles that matter, and a pause would count as a proxy's
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
