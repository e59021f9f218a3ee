"""The Memory API as an ASGI application: finds the operation in the table, lets the request in, answers."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

import msgspec
import structlog

from recollect.api.endpoint_table import OPERATIONS, Operation, Permission
from recollect.api.failures import (
    BAD_REQUEST,
    BODY_TOO_LARGE,
    FORBIDDEN,
    KEY_REUSED,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    STILL_UNDER_WAY,
    UNAUTHORIZED,
)
from recollect.api.queries import LAST_EVENT
from recollect.engine import Engine
from recollect.errors import RecollectError, StoreError
from recollect.model import KeptAnswer, project_within
from recollect.text.patterns import Anchored, escape
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.identity.caller import readable_id
from recollect_proxy.memory_api import (
    chat_operations,
    memory_operations,
    people_and_sharing_operations,
    request_and_health_operations,
)
from recollect_proxy.memory_api.documentation import DOCUMENTATION, documentation, write_document
from recollect_proxy.memory_api.request_and_reply import ApiParts, Asked, Reply, reply_of
from recollect_proxy.memory_api.request_validation import (
    RefusedError,
    answer_to,
    invalid_parameter,
    key_named,
    parameter_named,
    project_named,
    read_body,
    read_query,
    versions_named,
)
from recollect_proxy.web.asgi import (
    ClientLeftError,
    Incoming,
    Receive,
    Scope,
    Send,
    peer_of,
    respond,
    unless_left,
    values,
)
from recollect_proxy.web.request_limits import LARGEST_API_BODY, LONGEST_PATH

PROBLEM = "application/problem+json"
"""The media type of every error: problem details, RFC 9457."""

_FUNCTIONS = {
    name: each
    for module in (
        memory_operations,
        chat_operations,
        people_and_sharing_operations,
        request_and_health_operations,
    )
    for name, each in vars(module).items()
}
ANSWERS = {each.name: _FUNCTIONS[each.name] for each in OPERATIONS}
"""The function that answers each operation, by its name; a missing one is a KeyError at the start."""

_PATHS = sorted(each.path for each in OPERATIONS)  # `{` sorts behind all letters: a parameter comes last
_ROUTES: list[tuple[Anchored, dict[str, Operation[Any]]]] = [
    (
        Anchored(escape(path).replace(r"\{", "(?P<").replace(r"\}", ">[^/]+)"), longest=LONGEST_PATH),
        {each.method: each for each in OPERATIONS if each.path == path},
    )
    for path in dict.fromkeys(_PATHS)
]
"""The operations of each path by method; no parameter is empty."""

_NOT_IN_A_HOST = frozenset(b"/?#@\\ ")
_METRICS = frozenset({"read_metrics", "read_metrics_as_json"})


class MemoryApi(ApiParts):
    """Answers requests for paths under `/memory`.

    It reads ``raw_path`` alone, so that a user id may hold any character, percent-encoded.
    """

    @cached_property
    def _documentation(self) -> Callable[[bytes], Reply]:
        return documentation(lambda: write_document(OPERATIONS, ANSWERS, self._permission))

    def _permission(self, operation: Operation[Any]) -> Permission:
        is_public = self.metrics_public and operation.name in _METRICS
        return Permission.PUBLIC if is_public else operation.permission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises ClientLeftError: the client left before its request was read."""
        incoming = Incoming(receive)
        try:
            reply = await self._reply(scope, incoming)
        except ClientLeftError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is answered in the one shape
            failure = answer_to(error)
            reply = Reply(failure.status, msgspec.json.encode(failure.body), PROBLEM, failure.headers)
        if isinstance(reply.body, bytes):
            await _send(send, reply, reply.body)
        else:
            async with aclosing(reply.body) as pieces:
                await _stream(send, reply, incoming, None if scope["method"] == "HEAD" else pieces)

    async def _reply(self, scope: Scope, incoming: Incoming) -> Reply:
        path: bytes = unaliased(scope, self.authentication)
        if _NOT_IN_A_HOST.intersection(b"".join(values(scope["headers"], b"host"))):
            raise RefusedError(BAD_REQUEST)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]  # the server leaves its body out
        if method == "GET" and path in DOCUMENTATION:
            read_query(scope["query_string"], None)
            return await asyncio.to_thread(self._documentation, path)
        segments, operations = _operations_at(path)
        allow = {"allow": ", ".join(sorted({*operations, "OPTIONS"}))}
        if method == "OPTIONS":
            return Reply(204, b"", headers=allow)
        if (operation := operations.get(method)) is None:
            raise RefusedError(replace(METHOD_NOT_ALLOWED, headers=allow))
        return await self._call(operation, segments, path, scope, incoming)

    async def _call(
        self,
        operation: Operation[Any],
        segments: Mapping[str, str],
        path: bytes,
        scope: Scope,
        incoming: Incoming,
    ) -> Reply:
        principal, user_id = None, None
        permission = self._permission(operation)
        reads = operation.method == "GET"
        if permission is not Permission.PUBLIC:
            principal = self.authentication.admitted(list(scope["headers"]), peer_of(scope))
            if principal is None:
                raise RefusedError(UNAUTHORIZED)
            if "user_id" in segments:
                user_id = parameter_named("user_id", segments["user_id"])
            concerns_more = principal.project and not operation.stays_in_project
            if concerns_more or not principal.may(permission, user_id, reads=reads):
                raise RefusedError(FORBIDDEN)
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        project = "" if user_id is None else project_named(headers, takes_one=operation.in_projects)
        within = project_within(principal.project if principal else "", project)
        if within is None:
            raise RefusedError(FORBIDDEN)
        asked = Asked(
            api=self,
            operation=operation,
            path={name: parameter_named(name, segment) for name, segment in segments.items()},
            principal=principal,
            sent=read_query(scope["query_string"], None if operation.takes_body else operation.takes),
            versions=versions_named(headers) if operation.if_match else None,
            incoming=incoming,
            project=within,
            last_event=(headers.get(LAST_EVENT.lower()) or None) if operation.is_stream else None,
            origin=f"{scope.get('scheme', 'http')}://{headers.get('host', 'localhost')}",
        )
        if reads and principal is not None and user_id is not None:
            await asked.note_read(user_id)
        return await self._done(asked, key_named(headers) if operation.once else None, path)

    async def _done(self, asked: Asked, key: str | None, path: bytes) -> Reply:
        """Run the operation: once, if the request has a key."""
        operation, body = asked.operation, b""
        if operation.takes_body or operation.once:
            read = await asked.incoming.read_body(LARGEST_API_BODY)
            if read is None:
                raise RefusedError(BODY_TOO_LARGE)
            body = read
        if operation.takes_body and operation.takes is not None:
            asked = replace(asked, sent=read_body(body, operation.takes))

        async def act() -> Reply:
            try:
                return reply_of(operation, await ANSWERS[operation.name](asked))
            except RecollectError as error:
                raise RefusedError(answer_to(error, operation.further)) from error

        if key is None:
            return await act()
        said = b"\n".join([operation.method.encode(), path, body])
        return await _answered_once(asked, key, said, act)


def _operations_at(path: bytes) -> tuple[Mapping[str, str], dict[str, Operation[Any]]]:
    """Return the path's parameters, still percent-encoded, and its operations by method."""
    written = path.decode("latin-1")
    for pattern, operations in _ROUTES:
        if (found := pattern.fullmatch(written)) is not None:
            return found.groupdict(), operations
    raise RefusedError(NOT_FOUND)


async def _send(send: Send, reply: Reply, body: bytes) -> None:
    if reply.status == 204:  # noqa: PLR2004 -- no content has no type
        await send({"type": "http.response.start", "status": reply.status, "headers": _headers_of(reply)})
        await send({"type": "http.response.body", "body": b""})
    else:
        typed, headers = reply.content_type.encode(), _headers_of(reply)
        await respond(send, reply.status, body, content_type=typed, headers=headers)


async def _stream(send: Send, reply: Reply, incoming: Incoming, pieces: AsyncIterator[bytes] | None) -> None:
    """Send a body as it comes, until the client leaves. Without ``pieces`` its head alone is sent."""
    typed = [(b"content-type", reply.content_type.encode()), *_headers_of(reply)]
    await send({"type": "http.response.start", "status": reply.status, "headers": typed})
    if pieces is not None:
        await incoming.read_body(LARGEST_API_BODY)
        await unless_left(incoming, _relay(send, pieces))
    await send({"type": "http.response.body", "body": b""})


async def _relay(send: Send, pieces: AsyncIterator[bytes]) -> None:
    async for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})


def _headers_of(reply: Reply) -> list[tuple[bytes, bytes]]:
    return [
        (name.lower().encode(), value.encode("latin-1"))
        for name, value in {"cache-control": "no-store", **reply.headers}.items()
    ]


PREFIX = b"/api/sessions/"

_USER_HEADER = "X-Recollect-User"
_ALIAS = Anchored("/api(/sessions/[^/]+/memories(?:/[^/]+)?)", longest=LONGEST_PATH)


def unaliased(scope: Scope, authentication: Authentication) -> bytes:
    """Return the path of the Memory API that a request's stands for; one that is no alias stands for itself.

    The user is whom the header names, else whom the token belongs to. Whether the token may do that is decided by the
    path that is returned, as for any request.

    Raises:
        TooManyAttemptsError: Too many wrong tokens came from the same address.
        RefusedError: No chat's memories stand at the path, no token is known, or no user is named.
    """
    path: bytes = scope["raw_path"]
    if not path.startswith(PREFIX):
        return path
    known = _ALIAS.fullmatch(path.decode("latin-1"))
    if known is None:
        raise RefusedError(NOT_FOUND)
    headers: Any = list(scope["headers"])
    principal = authentication.admitted(headers, peer_of(scope))
    if principal is None:
        raise RefusedError(UNAUTHORIZED)
    named = values(headers, _USER_HEADER.lower().encode())
    user_id = readable_id(named) if named else principal.user_id
    if user_id is None:
        raise invalid_parameter(
            _USER_HEADER, "given once, as the percent-encoded id of a user, with a token that is nobody's own"
        )
    return f"/memory/users/{quote(user_id, safe='')}{known[1]}".encode("latin-1")


log = structlog.get_logger(__name__)


async def _answered_once(asked: Asked, key: str, said: bytes, act: Callable[[], Awaitable[Reply]]) -> Reply:
    """Return what ``act`` returns; where the request's key has an answer, that, and nothing is done.

    A failure is not kept: the same key may be tried again. ``said`` is the whole request: another one with the key, or one
    whose first is still under way, is refused.
    """
    engine, user_id, request = asked.engine, asked.user_id, hashlib.sha256(said).digest()
    taken = await engine.reserve_answer(user_id, key, request)
    if isinstance(taken, KeptAnswer):
        return _kept(taken, request, asked.operation.status)
    try:
        reply = await act()
    except BaseException:
        await _release(engine, user_id, key, taken)
        raise
    assert isinstance(reply.body, bytes)  # noqa: S101 -- what streams takes no key
    try:
        await engine.keep_answer(user_id, key, reply.body, reply.headers.get("ETag"), at=taken)
    except StoreError as error:  # it is done; sent again it is answered as under way, for a minute
        log.warning("idempotent_answer_save_failed", error=type(error).__name__)
    return reply


async def _release(engine: Engine, user_id: str, key: str, taken: Any) -> None:
    try:
        await engine.release_answer(user_id, key, at=taken)
    except StoreError as error:  # it is free again after a minute
        log.warning("idempotency_key_release_failed", error=type(error).__name__)


def _kept(kept: KeptAnswer, request: bytes, status: int) -> Reply:
    if kept.request != request:
        raise RefusedError(KEY_REUSED)
    if kept.answer is None:
        raise RefusedError(STILL_UNDER_WAY)
    headers = {"Idempotency-Replayed": "true"} | ({"ETag": kept.etag} if kept.etag else {})
    return Reply(status, kept.answer, headers=headers)
