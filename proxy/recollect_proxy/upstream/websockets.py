"""Relays WebSockets both ways (RFC 6455). It does not use the engine."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from recollect_proxy.upstream.upstream import Upstream, UpstreamError
from recollect_proxy.web.asgi import Headers, Receive, Scope, Send
from recollect_proxy.web.error_answers import (
    UPSTREAM_BROKE_OFF,
    UPSTREAM_SILENT,
    UPSTREAM_UNREACHABLE,
    Failure,
    failure_body,
)
from recollect_proxy.web.headers import OWN_KEY, forwardable, is_own_key, relayable, without_own_keys
from recollect_proxy.web.request_limits import LARGEST_MESSAGE

_HANDSHAKE = frozenset(
    b"sec-websocket-" + name for name in (b"key", b"version", b"extensions", b"protocol", b"accept")
)
_REFUSAL = "websocket.http.response"
_KEY_IN_SUBPROTOCOL = "openai-insecure-api-key."  # where browsers put it: they can set no header

_ABNORMAL = 1011  # RFC 6455, section 7.4.1; no frame may hold 1006 itself
_NO_STATUS = 1005  # likewise: how ASGI says that there was none
_UNSENDABLE = frozenset({1004, 1006, 1015})  # RFC 6455, section 7.4.1: never in a close frame

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSocketRelay:
    """Opens the upstream's socket first, and the client's only if that was opened.

    Attributes:
        base_path: The path below which sockets are relayed.
        strip: Whether a header, by its lower-case name, is not forwarded.
        sends_keys: Whether a client's own key is for the server.
    """

    upstream: Upstream
    base_path: bytes
    strip: Callable[[bytes], bool]
    connect_timeout: float
    sends_keys: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one socket until either side closes it."""
        await receive()  # the client's request to connect
        can_refuse = _REFUSAL in scope.get("extensions", ())
        try:
            upstream = await self._open(scope)
        except InvalidStatus as refusal:
            answer = refusal.response
            fields = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.raw_items()]
            status = answer.status_code
            await _refuse(
                send, status, relayable(fields, status=status), bytes(answer.body), can_refuse=can_refuse
            )
        except UpstreamError as error:
            await _fail(send, error.failure, can_refuse=can_refuse)
        except (OSError, InvalidHandshake, EOFError) as error:
            failure = _failure(error)
            log.warning(
                "upstream_failed", server=self.upstream.origin, code=failure.code, error=type(error).__name__
            )
            await _fail(send, failure, can_refuse=can_refuse)
        else:
            await _relay(upstream, receive, send)

    async def _open(self, scope: Scope) -> ClientConnection:
        kept = forwardable(scope["headers"], without=lambda name: name in _HANDSHAKE or self.strip(name))
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in self.upstream.keyed(kept)
        ]
        offered = [Subprotocol(name) for name in scope["subprotocols"] if not self._is_withheld(name)]
        path = scope["raw_path"][len(self.base_path) :]
        # It raises if the path leads out of the base, below which alone the upstream's own key is for.
        self.upstream.target(path)
        opening = connect(
            "ws" + self.upstream.target(b"").removeprefix("http"),
            subprotocols=offered or None,
            additional_headers=headers,
            user_agent_header=None,
            compression=None,
            max_size=LARGEST_MESSAGE,
            ping_interval=None,  # a silent model may be thinking
            open_timeout=self.connect_timeout,
            proxy=None,
        )
        opening.process_redirect = lambda exc: exc  # type: ignore[method-assign]  # an answer like any other
        # Put in whole: an address that is parsed loses the parameters of its path.
        opening.ws_uri = replace(
            opening.ws_uri,
            path=opening.ws_uri.path + path.decode("latin-1"),
            query=without_own_keys(scope["query_string"]).decode("latin-1"),
        )
        return await opening

    def _is_withheld(self, subprotocol: str) -> bool:
        """Whether a subprotocol is a key that is not the upstream's to see."""
        if is_own_key(b"sec-websocket-protocol", subprotocol.encode("latin-1", "replace")):
            return True
        if not subprotocol.startswith(_KEY_IN_SUBPROTOCOL):
            return False
        key = subprotocol.removeprefix(_KEY_IN_SUBPROTOCOL)
        is_withheld = self.upstream.has_own_key or not self.sends_keys
        return is_withheld or key.startswith(OWN_KEY.decode())


async def _relay(upstream: ClientConnection, receive: Receive, send: Send) -> None:
    directions: list[asyncio.Task[None]] = []
    try:
        await send({"type": "websocket.accept", "subprotocol": upstream.subprotocol})
        directions += [
            asyncio.create_task(_to_upstream(receive, upstream)),
            asyncio.create_task(_to_client(upstream, send)),
        ]
        finished, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        for direction in finished:
            direction.result()
    finally:
        for direction in directions:
            direction.cancel()
        await asyncio.gather(*directions, return_exceptions=True)
        await upstream.close()


async def _to_upstream(receive: Receive, upstream: ClientConnection) -> None:
    while (event := await receive())["type"] != "websocket.disconnect":
        text = event.get("text")
        with suppress(ConnectionClosed):  # the other direction sees how, and ends both
            await upstream.send(event["bytes"] if text is None else text)
    code = event.get("code") or _NO_STATUS
    if code in _UNSENDABLE:
        upstream.transport.abort()  # it was lost here, so it is lost there
    elif code == _NO_STATUS:
        await upstream.close(None)  # type: ignore[arg-type]  # a close frame without a status
    else:
        await upstream.close(code, event.get("reason") or "")


async def _to_client(upstream: ClientConnection, send: Send) -> None:
    with suppress(ConnectionClosed):  # how, is read below
        async for message in upstream:
            kind = "text" if isinstance(message, str) else "bytes"
            await send({"type": "websocket.send", kind: message})
    code = upstream.close_code or _ABNORMAL
    if code in _UNSENDABLE:
        code = _ABNORMAL  # ASGI can't cut a connection; this says that something failed
    status = None if code == _NO_STATUS else code  # our server then sends a close frame without one
    await send({"type": "websocket.close", "code": status, "reason": upstream.close_reason or ""})


def _failure(error: Exception) -> Failure:
    if isinstance(error, TimeoutError):
        return UPSTREAM_SILENT
    return UPSTREAM_UNREACHABLE if isinstance(error, OSError) else UPSTREAM_BROKE_OFF


async def _refuse(send: Send, status: int, headers: Headers, body: bytes, *, can_refuse: bool) -> None:
    if not can_refuse:
        await send({"type": "websocket.close"})  # before it was accepted: the server answers with 403
        return
    await send({"type": _REFUSAL + ".start", "status": status, "headers": headers})
    await send({"type": _REFUSAL + ".body", "body": body})


async def _fail(send: Send, failure: Failure, *, can_refuse: bool) -> None:
    body = failure_body(failure)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"x-recollect-error", failure.source.encode()),
    ]
    await _refuse(send, failure.status, headers, body, can_refuse=can_refuse)
