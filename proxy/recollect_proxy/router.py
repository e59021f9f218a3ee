"""Routes a request to an LLM server: by its path, or by the model that it names if several servers share a path.

Only where the model decides is a body read before the server is chosen. If the model is uncertain, the request is refused: a message
to one LLM must not reach another. It changes no byte of a request.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote

import msgspec
import structlog

from recollect.wire import decoded, is_light
from recollect.wire.request_body import AmbiguousModelError, named_model
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.passthrough import is_json
from recollect_proxy.chat.recall_headers import RecallReports
from recollect_proxy.chat.request_options import RefusedError
from recollect_proxy.destination import Destination, chat_path, is_below, named
from recollect_proxy.identity.user_and_chat import Identity
from recollect_proxy.upstream.upstream import TruncatedError, UpstreamError
from recollect_proxy.web.asgi import (
    Application,
    Headers,
    Incoming,
    Receive,
    Scope,
    Send,
    content_encodings,
    peer_of,
    replayed,
    respond,
    unless_left,
    values,
)
from recollect_proxy.web.error_answers import (
    IDENTITY_REQUIRED,
    MODEL_NOT_READ,
    MODEL_READ_LATE,
    PATH_OF_TWO,
    Refusing,
)
from recollect_proxy.web.headers import forwardable, rewritable
from recollect_proxy.web.paths import canonical, ollama_call
from recollect_proxy.web.request_limits import LARGEST_CHAT

_log = structlog.get_logger(__name__)

_VERSION = b"/v1"
_MODELS = b"/models"
_TAGS = b"/api/tags"
"""Ollama's list."""


class Router:
    """Finds the application that answers a request; ``by_model`` are chosen below the default's path, in order of precedence."""

    def __init__(
        self, default: Destination, by_path: Sequence[Destination] = (), by_model: Sequence[Destination] = ()
    ) -> None:
        self._default = default
        self._destinations = sorted([default, *by_path], key=lambda each: len(each.base), reverse=True)
        self._by_model = ByModel(default, by_model) if by_model else None
        self._is_one = not (by_path or by_model)

    def application(self, scope: Scope) -> Application | None:
        """Return the application that answers a request or a WebSocket; None if no server has its path.

        If a lenient server may read the path as another server's, the request is refused: a message to one LLM must
        not reach another.
        """
        path: bytes = scope["raw_path"]
        found = self._below(path)
        if found is None or (scope["type"] == "websocket" and path == found.base):
            return None
        plain = canonical(path)
        read_as = found if self._is_one else self._below(plain, small=True)
        if read_as is not None and read_as is not found:
            return Refusing(PATH_OF_TWO)
        if found is self._default and self._by_model is not None:
            failure = found.refusal(path, plain, found.base)
            return self._by_model if failure is None else Refusing(failure)
        application = found.application(scope, plain, found.base)
        return application if self._is_one else named(application, found.name)

    def lists_models(self, path: bytes) -> bool:
        """Return whether this is, letter by letter, the path by which a server's models are listed."""
        lists = ((each.base or _VERSION) + _MODELS for each in self._destinations)
        return path in lists or any(path == each.base + _TAGS for each in self._destinations)

    def serves(self, path: bytes) -> bool:
        """Return whether some server has this path."""
        return self._below(path) is not None

    def _below(self, path: bytes, *, small: bool = False) -> Destination | None:
        """Return the server with the longest base of this path; None if there is none."""
        return next(
            (
                each
                for each in self._destinations
                if is_below(path, each.base.lower() if small else each.base)
            ),
            None,
        )


_READ = frozenset({"GET", "HEAD"})


class IdentifiedOnly:
    """A router that refuses requests without an identity.

    It lets pass the list of models, for which a frontend may ask in no user's name, and a browser's preflight without
    credentials (the Fetch standard, "CORS-preflight fetch"). Neither may have a body, which a lenient server might
    take for a chat.
    """

    def __init__(self, router: Router, identity: Identity, reports: RecallReports) -> None:
        self._router = router
        self._identity = identity
        self._reports = reports

    def application(self, scope: Scope) -> Application | None:
        """Return the application that answers a request or a WebSocket; None if no server has its path."""
        application = self._router.application(scope)
        if application is None or isinstance(application, Refusing) or self._is_for_everybody(scope):
            return application
        caller = self._identity.identify(scope["headers"], peer_of(scope))
        if caller.user_id is not None:
            return application
        _log.info("request_refused", reason=str(caller.skip))
        return Refusing(IDENTITY_REQUIRED, self._reports.skip(caller.skip))

    def serves(self, path: bytes) -> bool:
        """Return whether some server has this path."""
        return self._router.serves(path)

    def _is_for_everybody(self, scope: Scope) -> bool:
        if scope["type"] != "http" or _has_body(scope):
            return False
        if scope["method"] == "OPTIONS":
            named = (b"origin", b"access-control-request-method")
            return all(values(scope["headers"], name) for name in named)
        return scope["method"] in _READ and self._router.lists_models(scope["raw_path"])


def _has_body(scope: Scope) -> bool:
    lengths = values(scope["headers"], b"content-length")
    return bool(values(scope["headers"], b"transfer-encoding")) or any(each.strip(b" 0") for each in lengths)


_SECONDS = 5.0
"""The time limit for one server's list. A server that hangs hides only its own models."""

_OK = 200
_MISSING = b"x-recollect-upstreams-missing"


class _Named(msgspec.Struct):
    id: str


class _List(msgspec.Struct):
    data: list[msgspec.Raw]


_Models: TypeAlias = Sequence[msgspec.Raw]
_LIST = msgspec.json.Decoder(_List)
_MODEL = msgspec.json.Decoder(_Named)


async def _all(asking: Sequence[Coroutine[Any, Any, _Models | None]]) -> list[_Models | None]:
    return await asyncio.gather(*asking)


def _id(model: msgspec.Raw) -> str | None:
    try:
        return _MODEL.decode(model).id
    except msgspec.MsgspecError:
        return None


_READ_SECONDS = 10.0
"""The time limit for reading a large body for its model."""

_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_FILES = (b"multipart/", b"audio/", b"image/", b"video/", b"application/octet-stream")
"""Content types of bodies that are not read: forms with files, and files."""


class ByModel:
    """Answers requests below the default upstream's path: by the first other server that takes their model, else by the default."""

    def __init__(self, default: Destination, others: Sequence[Destination]) -> None:
        self._default = default
        self._others = others
        self._executor = FairExecutor(_READ_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or relay one WebSocket."""
        path = canonical(scope["raw_path"])
        if scope["type"] == "http" and scope["method"] == "GET" and self._below(path) == _MODELS:
            await self._list(scope, receive, send)
            return
        chosen, again = self._default, receive
        if not ollama_call(path):  # the other servers speak OpenAI's API, and a model may be gigabytes
            try:
                model, again = await self._model(scope, path, receive)
            except RefusedError as error:
                await Refusing(error.failure)(scope, receive, send)
                return
            chosen = self._whose(model or "")
        if chosen is not self._default:
            scope = {**scope, "raw_path": self._rest(scope["raw_path"], path)}
        application = chosen.application(scope, path, self._default.base)
        await named(application, chosen.name)(scope, again, send)

    def _whose(self, model: str) -> Destination:
        return next((each for each in self._others if model and each.takes(model)), self._default)

    async def _list(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the servers' lists: the default's models first, each server's in their order and with their bytes.

        A model is listed only if requests for it go to that server. If no server returns a list, the default's answer is relayed.
        """
        incoming = Incoming(receive)
        await incoming.first_piece()
        servers = (self._default, *self._others)
        lists = await unless_left(incoming, _all([self._fetch_models(each, scope) for each in servers]))
        if all(found is None for found in lists):
            await self._default.passthrough(scope, replayed(b"", receive), send)
            return
        listed: dict[str, bytes] = {}
        for server, found in zip(servers, lists, strict=True):
            for model in found or ():
                name = _id(model)
                if name is not None and self._whose(name) is server:
                    listed.setdefault(name, bytes(model))
        missing = [server.name for server, found in zip(servers, lists, strict=True) if found is None]
        told: Headers = [(_MISSING, ",".join(missing).encode())] if missing else []
        body = b'{"object":"list","data":[' + b",".join(listed.values()) + b"]}"
        await respond(send, _OK, body, content_type=b"application/json", headers=told)

    async def _fetch_models(self, server: Destination, scope: Scope) -> _Models | None:
        """Return the models that a server lists; None if it returns no list in time."""
        headers = rewritable(forwardable(scope["headers"], without=server.strip), body=True, answer=True)
        target = scope["raw_path"][len(server.base) :] if server is self._default else _MODELS
        query: bytes = scope["query_string"]
        asking = server.upstream.forward("GET", target + (b"?" + query if query else b""), headers, None)
        try:
            async with asyncio.timeout(_SECONDS), asking as answer:
                if answer.status != _OK or not is_json(answer):
                    return None
                return _LIST.decode(await answer.read_body()).data
        except (UpstreamError, TruncatedError, TimeoutError, msgspec.MsgspecError) as error:
            _log.warning("model_listing_failed", upstream=server.name, error=type(error).__name__)
            return None

    async def _model(self, scope: Scope, path: bytes, receive: Receive) -> tuple[str | None, Receive]:
        """Return the model that a request names, or None, and a ``receive`` that replays the request.

        Raises:
            RefusedError: The model is uncertain.
        """
        below = self._below(path)
        if below.startswith(_MODELS + b"/"):
            return unquote(below.removeprefix(_MODELS + b"/").decode("latin-1")), receive
        if scope["type"] == "websocket":
            return _of_query(scope["query_string"]), receive
        is_chat = chat_path(path, self._default.base) is not None
        if scope["method"] not in _WITH_BODY or (not is_chat and _is_file(scope["headers"])):
            return None, receive
        incoming = Incoming(receive)
        body = await incoming.read_body(LARGEST_CHAT)
        if body is None:
            raise RefusedError(MODEL_NOT_READ)
        encodings = content_encodings(scope["headers"])
        read = partial(_of_body, body, encodings, is_json=is_chat or _is_json(scope["headers"]))
        if is_light(body) and not encodings:
            return read(), replayed(body, receive)
        try:
            return await self._executor.submit(read, peer_of(scope)), replayed(body, receive)
        except TimeoutError:
            raise RefusedError(MODEL_READ_LATE) from None

    def _below(self, path: bytes) -> bytes:
        """Return the rest of a canonical path behind the API's base: the default's base, or ``/v1`` if all paths are its own."""
        base = self._default.base.lower()
        if not base:
            return path.removeprefix(_VERSION)
        return path[len(base) :] if is_below(path, base) else b""

    def _rest(self, raw: bytes, path: bytes) -> bytes:
        """Return the rest of a path as the client wrote it; the canonical one if the client spelled the base in another way."""
        base = self._default.base or _VERSION
        return raw[len(base) :] if raw.startswith(base + b"/") else self._below(path)


def _is_json(headers: Headers) -> bool:
    """Return whether a body is said to be JSON, or nothing is said of it."""
    kinds = values(headers, b"content-type")
    return not kinds or any(b"json" in kind.lower() for kind in kinds)


def _is_file(headers: Headers) -> bool:
    return not _is_json(headers) and any(
        kind.strip().lower().startswith(_FILES) for kind in values(headers, b"content-type")
    )


def _of_query(query: bytes) -> str | None:
    """Return the model that a query names; None if it names none.

    Raises:
        RefusedError: It names two.
    """
    models = set(parse_qs(query.decode("latin-1")).get("model", []))
    if len(models) > 1:
        raise RefusedError(MODEL_NOT_READ)
    return next(iter(models), None)


def _of_body(body: bytes, encodings: str, *, is_json: bool) -> str | None:
    """Return the model that a body names; None if it names none.

    A body that is not said to be JSON is read so if it begins like an object: many servers do it, and curl calls JSON a form.

    Raises:
        RefusedError: The model is uncertain.
    """
    if not body.strip():
        return None
    plain = decoded(body, encodings, LARGEST_CHAT)
    if plain is None:
        raise RefusedError(MODEL_NOT_READ)
    if not is_json and not plain.lstrip().startswith(b"{"):
        return None
    try:
        return named_model(plain)
    except AmbiguousModelError:
        raise RefusedError(MODEL_NOT_READ) from None
