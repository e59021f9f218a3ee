"""Serves in place of the proxy until OpenWebUI sends one message of a person."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress

import msgspec

from recollect.errors import RecollectError
from recollect.wire import read_body
from recollect_proxy.openwebui.captured_request import CapturedRequest
from recollect_proxy.serving.ephemeral_server import guest_server
from recollect_proxy.web.asgi import (
    Application,
    ClientLeftError,
    Incoming,
    Receive,
    Scope,
    Send,
    peer_of,
    respond,
)

_REMIND_SECONDS = 60.0
_JSON, _EVENTS = b"application/json", b"text/event-stream"
_MODEL = "recollect-doctor"
_ANSWER = "Recollect's doctor has seen this message. What it found stands in the terminal it was started in."
_CHATS = "/chat/completions"
_REFUSAL = "The doctor answers chats only, those of the API of chat completions."
_RESPONSES_REFUSAL = (
    "The doctor answers chats of the API of chat completions only, this is the Responses API: "
    "set the connection's API type to chat completions meanwhile."
)


class NotListeningError(RecollectError):
    """The doctor can't listen on the address."""


class NothingCameError(RecollectError):
    """No chat message arrived in time."""


async def await_request(
    host: str,
    port: int,
    *,
    seconds: float,
    limit: int,
    is_wanted: Callable[[CapturedRequest], bool],
    ready: Callable[[int], None],
    remind: Callable[[float], None] = lambda _left: None,
) -> CapturedRequest:
    """Answer requests like an LLM server until a wanted one arrives, and return it.

    Args:
        host: The address to listen on.
        port: The port to listen on; 0: any free one.
        seconds: The most seconds to wait.
        limit: The size limit of a body, in bytes.
        is_wanted: Whether to return this request. All others are answered and dropped.
        ready: Called with the port once the server listens.
        remind: Called once a minute with the seconds that are left.

    Raises:
        NotListeningError: The address can't be listened on.
        NothingCameError: No wanted request arrived in time.
    """
    found: asyncio.Future[CapturedRequest] = asyncio.get_running_loop().create_future()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        captured = await _answer_request(scope, receive, send, limit)
        if captured is not None and not found.done() and is_wanted(captured):
            found.set_result(captured)

    async with _served(application, host, port) as served:
        ready(served)
        left = seconds
        while left > 0:
            with suppress(TimeoutError):
                return await asyncio.wait_for(asyncio.shield(found), min(left, _REMIND_SECONDS))
            left -= _REMIND_SECONDS
            if left > 0:
                remind(left)
    raise NothingCameError(
        f"No chat message came within {seconds:g} seconds. Is the base URL of OpenWebUI's connection this address, "
        f"and did an administrator (others do not see it) send a message to the model {_MODEL}?"
    )


@asynccontextmanager
async def _served(application: Application, host: str, port: int) -> AsyncIterator[int]:
    """Serve within the context, and yield the port. On leaving, the answers in progress are finished."""
    with closing(_bound(host, port)) as listening:
        server = guest_server(application)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            await serving


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise NotListeningError(
            f"Can't listen on {host}:{port} ({error.strerror}): stop the program that serves there, or choose another --port."
        ) from None


async def _answer_request(scope: Scope, receive: Receive, send: Send, limit: int) -> CapturedRequest | None:
    """Answer a request. Return it if it is a chat completion whose answer was sent, else None."""
    incoming, path = Incoming(receive), scope["path"].rstrip("/")
    with suppress(ClientLeftError):
        if path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": _MODEL, "object": "model", "owned_by": "recollect"}]}
            await respond(send, 200, msgspec.json.encode(listed), content_type=_JSON)
            return None
        body = await incoming.read_body(limit)
        if not path.endswith(_CHATS) or body is None:
            told = _RESPONSES_REFUSAL if path.endswith("/responses") else _REFUSAL
            error = {"error": {"message": told, "type": "invalid_request_error"}}
            await respond(send, 404, msgspec.json.encode(error), content_type=_JSON)
            return None
        chat = read_body(body)
        await _complete(send, streamed=chat is not None and chat.stream)
        return CapturedRequest(list(scope["headers"]), body, scope["path"], peer_of(scope))
    return None


async def _complete(send: Send, *, streamed: bool) -> None:
    completion = {"id": "chatcmpl-doctor", "created": 0, "model": _MODEL}
    said = {"role": "assistant", "content": _ANSWER}
    if not streamed:
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        whole = {**completion, "object": "chat.completion", "choices": [choice]}
        await respond(send, 200, msgspec.json.encode(whole), content_type=_JSON)
        return
    choice = {"index": 0, "delta": said, "finish_reason": "stop"}
    chunk = {**completion, "object": "chat.completion.chunk", "choices": [choice]}
    events = b"data: " + msgspec.json.encode(chunk) + b"\n\ndata: [DONE]\n\n"
    await respond(send, 200, events, content_type=_EVENTS)
