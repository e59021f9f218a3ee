"""An LLM server that costs next to nothing: answers at once, streamed. Prints its port.

In a process of its own, so that what it costs is not counted as the proxy's.
"""

import socket

import msgspec
import uvicorn
import uvloop

from recollect_proxy.asgi import Incoming, Receive, Scope, Send, respond

_LARGEST_BODY = 2**24
_WORDS = ("A", " short", " answer", " in", " a", " few", " pieces", ".")


def _event(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "fast", "choices": [choice]}
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


_EVENTS = (
    *(_event({"role": "assistant", "content": word}) for word in _WORDS),
    _event({}, "stop") + b"data: [DONE]\n\n",
)
_MODELS = b'{"object":"list","data":[{"id":"fast","object":"model","created":0,"owned_by":"bench"}]}'


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request (ASGI)."""
    await Incoming(receive).read(_LARGEST_BODY)
    if scope["method"] == "GET":
        await respond(send, 200, _MODELS, content_type=b"application/json")
        return
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for event in _EVENTS:
        await send({"type": "http.response.body", "body": event, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def main() -> None:
    """Serve on a free port of the loopback until terminated."""
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(
        answer,
        http="httptools",
        loop="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_keep_alive=600,
    )
    uvloop.run(uvicorn.Server(config).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
