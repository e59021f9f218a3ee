"""Gets a chat request of a frontend for the doctor: from a file, or by standing in for the LLM server until a person sends one."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from recollect.errors import RecollectError
from recollect.wire import read_body
from recollect_proxy.serving.ephemeral_server import serve_upstream
from recollect_proxy.web.asgi import (
    ClientLeftError,
    Headers,
    Incoming,
    Receive,
    Scope,
    Send,
    peer_of,
    respond,
)

_LARGEST = 64 * 1024 * 1024
_CHATS = "/v1/chat/completions"
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?(?:\r?\n|\Z)")
_LINE_END = re.compile(rb"\r?\n")
_HEAD_END = re.compile(rb"\r\n\r\n|\n\n")


class CaptureError(RecollectError):
    """The captured request can't be read."""


@dataclass(frozen=True, slots=True)
class CapturedRequest:
    """A request that a frontend sent.

    Attributes:
        headers: The headers in order, with lower-case names.
        body: The body, without transfer coding.
        path: The path or URL in the request line.
        peer: The IP address of the sender; None if unknown, as for a file.
    """

    headers: Headers
    body: bytes
    path: str = _CHATS
    peer: str | None = None


def read_captured_request(path: Path) -> CapturedRequest:
    """Read a file with one request: an HTTP/1.1 message, or a JSON object with `headers`, `body` and optionally `path`.

    Raises:
        CaptureError: The file can't be read, or holds no request. The error quotes nothing of the file.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise CaptureError(f"{path} can't be read: {error.strerror}.") from None
    if len(content) > _LARGEST:
        raise CaptureError(f"{path} is larger than any chat request: {_LARGEST} bytes at most are read.")
    if content.lstrip().startswith(b"{"):
        return _of_json(content, path)
    return _of_wire(content, path)


def _of_wire(content: bytes, path: Path) -> CapturedRequest:
    """Parse an HTTP/1.1 message (RFC 9112). Its lines may end in LF alone, as editors write them."""
    head, *rest = _HEAD_END.split(content.lstrip(), maxsplit=1)
    first, *lines = head.splitlines() or [b""]
    words = first.split()
    if len(words) < 2 or not words[1].startswith((b"/", b"http://", b"https://")):  # noqa: PLR2004 -- method and target
        raise CaptureError(
            f"{path} holds no request: neither `POST {_CHATS} HTTP/1.1` and headers, nor a JSON object."
        )
    named = [line.partition(b":") for line in lines if b":" in line]
    headers = [(name.strip().lower(), value.strip()) for name, _, value in named]
    body = b"".join(rest).strip()
    codings = b",".join(value for name, value in headers if name == b"transfer-encoding").lower()
    # Many tools save the decoded body, but keep the header.
    if b"chunked" in codings and body and not body.startswith(b"{"):
        try:
            body = _without_chunks(body)
        except ValueError:
            raise CaptureError(
                f"{path} holds a body sent in chunks (Transfer-Encoding: chunked) that is not whole: "
                "capture the request to its end, or put the body there without its chunks."
            ) from None
    return CapturedRequest(headers, body, words[1].decode("latin-1"))


def _without_chunks(content: bytes) -> bytes:
    """Decode a body in chunked transfer coding (RFC 9112, section 7.1). Its lines may end in LF alone.

    Raises ValueError if the last chunk is missing, or a chunk's size is wrong.
    """
    chunks: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(content, at):
        end = size.end() + int(size[1], 16)
        if end == size.end():
            return b"".join(chunks)
        chunks.append(content[size.end() : end])
        if (gap := _LINE_END.match(content, end)) is None:
            break
        at = gap.end()
    raise ValueError


def _of_json(content: bytes, path: Path) -> CapturedRequest:
    try:
        given = json.loads(content)
    except (ValueError, RecursionError):
        raise CaptureError(f"{path} is no JSON that can be read.") from None
    if not isinstance(given.get("headers"), dict | list):
        raise CaptureError(f'{path} has no "headers": an object, or a list of names and values.')
    body = given.get("body", "")
    written = body if isinstance(body, str) else json.dumps(body)
    target = given.get("path")
    return CapturedRequest(
        list(_pairs(given["headers"])),
        written.encode(errors="replace"),
        target if isinstance(target, str) else _CHATS,
    )


def _pairs(headers: object) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and value of each header; a header whose value is a list gives a pair for each item. Malformed pairs are skipped."""
    listed = headers.items() if isinstance(headers, dict) else headers
    assert not isinstance(listed, str | bytes)  # noqa: S101 -- a dict's items, or a list
    for pair in listed:  # type: ignore[attr-defined]  # as above
        if isinstance(pair, list | tuple) and len(pair) == 2:  # noqa: PLR2004 -- name and value
            name, values = pair
            for value in values if isinstance(values, list) else [values]:
                yield _encoded(name).lower(), _encoded(value)


def _encoded(text: object) -> bytes:
    return str(text).strip().encode("utf-8", "replace")


_REMIND_SECONDS = 60.0
_JSON, _EVENTS = b"application/json", b"text/event-stream"
_MODEL = "recollect-doctor"
_ANSWER = "Recollect's doctor has seen this message. What it found stands in the terminal it was started in."
_REFUSAL = "The doctor answers chats only, those of the API of chat completions."
_RESPONSES_REFUSAL = (
    "The doctor answers chats of the API of chat completions only, this is the Responses API: "
    "set the connection's API type to chat completions meanwhile."
)


class NothingCameError(RecollectError):
    """No wanted chat request arrived in time."""


async def await_request(
    host: str,
    port: int,
    *,
    seconds: float,
    limit: int,
    is_wanted: Callable[[CapturedRequest], bool],
    ready: Callable[[str], None],
    remind: Callable[[float], None] = lambda _left: None,
) -> CapturedRequest:
    """Answer every request as an LLM server would; return the first that ``is_wanted``. The others are answered, and not kept.

    ``ready`` is called with the server's origin once it listens, ``remind`` once a minute with the seconds that are left.

    Raises:
        NotServedError: The address can't be listened on.
        NothingCameError: No wanted chat request arrived in time.
    """
    found: asyncio.Future[CapturedRequest] = asyncio.get_running_loop().create_future()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        captured = await _answer_request(scope, receive, send, limit)
        if captured is not None and not found.done() and is_wanted(captured):
            found.set_result(captured)

    async with serve_upstream(application, host, port) as origin:
        ready(origin)
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


async def _answer_request(scope: Scope, receive: Receive, send: Send, limit: int) -> CapturedRequest | None:
    """Answer a request. Return it if it is a chat completion whose answer was sent, else None."""
    incoming, path = Incoming(receive), scope["path"].rstrip("/")
    with suppress(ClientLeftError):
        if path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": _MODEL, "object": "model", "owned_by": "recollect"}]}
            await respond(send, 200, msgspec.json.encode(listed), content_type=_JSON)
            return None
        body = await incoming.read_body(limit)
        if not path.endswith("/chat/completions") or body is None:
            refusal = _RESPONSES_REFUSAL if path.endswith("/responses") else _REFUSAL
            error = {"error": {"message": refusal, "type": "invalid_request_error"}}
            await respond(send, 404, msgspec.json.encode(error), content_type=_JSON)
            return None
        chat = read_body(body)
        await _complete(send, streamed=chat is not None and chat.shape.stream)
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
