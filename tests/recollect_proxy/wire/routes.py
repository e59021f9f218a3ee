"""The kinds of request that the proxy treats apart, and requests written byte by byte."""

import asyncio
from dataclasses import dataclass

from tests.recollect_proxy.in_turn import in_turn
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import Fields, RawConnection, Response

RESPONSES = b"/v1/responses"
MESSAGES = b"/v1/messages"
OPERATORS_KEY = "sk-of-the-operator"
"""With which ``keyed`` speaks to its upstream."""


@dataclass(frozen=True)
class Route:
    """A kind of request."""

    path: bytes
    body: bytes
    known: bool

    def headers(self, user: User, headers: Fields = ()) -> list[tuple[bytes, bytes]]:
        identity = [(b"X-OpenWebUI-User-Id", user.id.encode()), (b"X-OpenWebUI-Chat-Id", b"chat-1")]
        return [*headers, *(identity if self.known else [])]

    async def ask(self, proxy: RunningProxy, user: User, headers: Fields = ()) -> Response:
        """Send such a request with these headers, and return what came back."""
        return await proxy.fetch(b"POST", self.path, self.headers(user, headers), self.body)


WITH_MEMORY = {
    "a chat completion": Route(CHAT, chat_body("Is it morning?"), known=True),
    "a response": Route(RESPONSES, b'{"model": "scripted", "input": "Is it morning?"}', known=True),
    "a message": Route(MESSAGES, chat_body("Is it morning?", max_tokens=9), known=True),
}
WITHOUT_MEMORY = {
    "another path": Route(b"/v1/embeddings", b'{"input": "Is it morning?"}', known=False),
    "a chat of nobody": Route(CHAT, chat_body("Is it morning?"), known=False),
}
ROUTES = WITHOUT_MEMORY | WITH_MEMORY

on_every_route = in_turn("route", ROUTES.values())


def upstreams(answer: Response) -> list[tuple[bytes, bytes]]:
    """Return an answer's headers but for those that tell of memories."""
    return [(name, value) for name, value in answer.headers if not name.startswith(b"x-recollect-")]


def said_by(answer: Response) -> str:
    """Return the code of an error that is the upstream's fault, after a look at its shape."""
    assert answer.header(b"content-type") == b"application/json"
    assert answer.header(b"x-recollect-error") == b"upstream"
    error = answer.json["error"]
    assert error["type"] == "upstream_error"
    assert error["param"] is None
    assert error["message"].startswith("Recollect could not") or error["message"].startswith(
        "The LLM's server"
    )
    return str(error["code"])


HANDSHAKE = [
    (b"Upgrade", b"websocket"),
    (b"Connection", b"Upgrade"),
    (b"Sec-WebSocket-Version", b"13"),
    (b"Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ=="),
]
HOST = b"Host: proxy.test\r\n"
POST = b"POST /v1/embeddings HTTP/1.1\r\n" + HOST
GET = b"GET /v1/models HTTP/1.1\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


async def ask(proxy: RunningProxy, request: bytes) -> Response:
    """Send bytes on a connection of its own, and read one answer."""
    async with asyncio.timeout(30), RawConnection(proxy.port) as connection:
        await connection.send(request)
        return await connection.read_response()
