"""Relays WebSockets both ways (RFC 6455). Never: the engine, what a message says."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from recollect_proxy.asgi import Headers, Receive, Scope, Send
from recollect_proxy.errors import UPSTREAM_SILENT, UPSTREAM_UNREACHABLE, Failure, failure_body
from recollect_proxy.headers import forwardable, relayable
from recollect_proxy.upstream import Upstream

_HANDSHAKE = frozenset(
    b"sec-websocket-" + name for name in (b"key", b"version", b"extensions", b"protocol", b"accept")
)
_ABNORMAL = 1011
_NO_STATUS = 1005
_UNSENDABLE = frozenset({1004, 1006, 1015})  # RFC 6455, section 7.4.1: never in a close frame

log = structlog.get_logger(__name__)


class WebSocketRelay:
    """Opens the upstream's socket first, and the client's only if that was opened."""

    def __init__(
        self, upstream: Upstream, *, base_path: bytes, strip: Callable[[bytes], bool], connect_timeout: float
    ) -> None:
        """Relay to ``upstream`` what stands below ``base_path``, without the headers that ``strip`` names."""
        self._upstream = upstream
        self._base_length = len(base_path)
        self._strip = strip
        self._connect_timeout = connect_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one socket until either side closes it."""
        await receive()  # the client's wish to connect
        try:
            upstream = await self._open(scope)
        except InvalidStatus as refusal:
            answer = refusal.response
            headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.raw_items()]
            await _refuse(
                send,
                answer.status_code,
                relayable(headers, status=answer.status_code),
                bytes(answer.body or b""),
            )
        except TimeoutError:
            await _fail(send, UPSTREAM_SILENT)
        except (OSError, InvalidHandshake, EOFError) as error:
            log.warning("upstream_failed", code=UPSTREAM_UNREACHABLE.code, error=type(error).__name__)
            await _fail(send, UPSTREAM_UNREACHABLE)
        else:
            await send({"type": "websocket.accept", "subprotocol": upstream.subprotocol})
            await _relay(upstream, receive, send)

    async def _open(self, scope: Scope) -> ClientConnection:
        path: bytes = scope["raw_path"][self._base_length :]
        query: bytes = scope["query_string"]
        address = self._upstream.target(path + b"?" + query if query else path)
        kept = forwardable(scope["headers"], without=lambda name: name in _HANDSHAKE or self._strip(name))
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in self._upstream.keyed(kept)
        ]
        return await connect(
            "ws" + address.removeprefix("http"),
            subprotocols=[Subprotocol(name) for name in scope.get("subprotocols") or ()] or None,
            additional_headers=headers,
            user_agent_header=None,
            compression=None,
            max_size=None,
            ping_interval=None,  # who is quiet may be thinking
            open_timeout=self._connect_timeout,
            proxy=None,
        )


async def _relay(upstream: ClientConnection, receive: Receive, send: Send) -> None:
    directions = [
        asyncio.create_task(_to_upstream(receive, upstream)),
        asyncio.create_task(_to_client(upstream, send)),
    ]
    try:
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for direction in directions:
            direction.cancel()
        await asyncio.gather(*directions, return_exceptions=True)
        await upstream.close()


async def _to_upstream(receive: Receive, upstream: ClientConnection) -> None:
    with suppress(ConnectionClosed):  # the other direction tells the client
        while True:
            event = await receive()
            if event["type"] == "websocket.disconnect":
                code = event.get("code") or _NO_STATUS
                if code == _NO_STATUS:
                    await upstream.close()
                elif code in _UNSENDABLE:
                    upstream.transport.abort()  # it was lost here, so it is lost there
                else:
                    await upstream.close(code, event.get("reason") or "")
                return
            text = event.get("text")
            await upstream.send(event["bytes"] if text is None else text)


async def _to_client(upstream: ClientConnection, send: Send) -> None:
    try:
        async for message in upstream:
            kind = "text" if isinstance(message, str) else "bytes"
            await send({"type": "websocket.send", kind: message})
    except ConnectionClosed:
        pass  # how, is read below
    code = upstream.close_code or _ABNORMAL
    if code in _UNSENDABLE:
        code = _ABNORMAL  # ASGI can't cut a connection; this says that something failed
    await send({"type": "websocket.close", "code": code, "reason": upstream.close_reason or ""})


async def _refuse(send: Send, status: int, headers: Headers, body: bytes) -> None:
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})


async def _fail(send: Send, failure: Failure) -> None:
    body = failure_body(failure)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"x-recollect-error", failure.source.encode()),
    ]
    await _refuse(send, failure.status, headers, body)
