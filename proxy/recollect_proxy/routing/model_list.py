"""Answers `GET /v1/models` if several LLM servers serve models below one path. Never: changes how a server lists a model."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeAlias

import msgspec
import structlog

from recollect_proxy.chat.passthrough import is_json
from recollect_proxy.routing.destination import Destination
from recollect_proxy.upstream.upstream import TruncatedError, UpstreamError
from recollect_proxy.web.asgi import Headers, Incoming, Receive, Scope, Send, replayed, respond, unless_left
from recollect_proxy.web.headers import forwardable, rewritable

_SECONDS = 5.0
"""The time limit for one server's list. A server that hangs hides only its own models."""

_OK = 200
_TARGET = b"/models"
_MISSING = b"x-recollect-upstreams-missing"

log = structlog.get_logger(__name__)


class _Named(msgspec.Struct):
    id: str


class _List(msgspec.Struct):
    data: list[msgspec.Raw]


_Models: TypeAlias = Sequence[msgspec.Raw]
_LIST = msgspec.json.Decoder(_List)
_MODEL = msgspec.json.Decoder(_Named)


class ModelList:
    """Merges the servers' lists: the default's models first, then those of the others.

    Each server's models keep their order and their bytes. A model is listed only if requests for it go to that server.
    """

    def __init__(self, default: Destination, others: Sequence[Destination]) -> None:
        self._default = default
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. If no server returns a list, the default upstream's answer is relayed."""
        incoming = Incoming(receive)
        await incoming.first_piece()
        asking = [self._fetch_models(each, scope) for each in (self._default, *self._others)]
        lists = await unless_left(incoming, _all(asking))
        if not any(found is not None for found in lists):
            await self._default.passthrough(scope, replayed(b"", receive), send)
            return
        listed: dict[str, bytes] = {}
        for destination, found in zip((self._default, *self._others), lists, strict=True):
            for model in found or ():
                name = _id(model)
                if name is not None and self._whose(name) is destination:
                    listed.setdefault(name, bytes(model))
        missing = [
            each.name
            for each, found in zip((self._default, *self._others), lists, strict=True)
            if found is None
        ]
        told: Headers = [(_MISSING, ",".join(missing).encode())] if missing else []
        body = b'{"object":"list","data":[' + b",".join(listed.values()) + b"]}"
        await respond(send, _OK, body, content_type=b"application/json", headers=told)

    def _whose(self, model: str) -> Destination:
        return next((each for each in self._others if each.takes(model)), self._default)

    async def _fetch_models(self, destination: Destination, scope: Scope) -> _Models | None:
        """Return the models that a server lists; None if it returns no list in time."""
        headers = rewritable(forwardable(scope["headers"], without=destination.strip), body=True, answer=True)
        target = _TARGET
        if destination is self._default:
            target = scope["raw_path"][len(destination.base) :]
        query: bytes = scope["query_string"]
        try:
            async with (
                asyncio.timeout(_SECONDS),
                destination.upstream.forward(
                    "GET", target + (b"?" + query if query else b""), headers, None
                ) as answer,
            ):
                if answer.status != _OK or not is_json(answer):
                    return None
                return _LIST.decode(await answer.read_body()).data
        except (UpstreamError, TruncatedError, TimeoutError, msgspec.MsgspecError) as error:
            log.warning("model_listing_failed", upstream=destination.name, error=type(error).__name__)
            return None


async def _all(asking: Sequence[Coroutine[Any, Any, _Models | None]]) -> list[_Models | None]:
    return await asyncio.gather(*asking)


def _id(model: msgspec.Raw) -> str | None:
    try:
        return _MODEL.decode(model).id
    except msgspec.MsgspecError:
        return None
