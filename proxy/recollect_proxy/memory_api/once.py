"""A request that is to be done once, however often it is sent: ``Idempotency-Key``. Never: does it."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
import structlog
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.openapi.spec import Example
from litestar.params import HeaderParameter, SkipValidation

from recollect.engine import Engine
from recollect.errors import StoreError
from recollect.model import KeptAnswer
from recollect_proxy.memory_api.errors import KEY_REUSED, STILL_UNDER_WAY, RefusedError, invalid_parameter
from recollect_proxy.memory_api.parameters import OpenEngine

T = TypeVar("T")

_HEADER = "Idempotency-Key"
_LONGEST = 255

log = structlog.get_logger(__name__)

IdempotencyKey: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name=_HEADER,
        description="Any id that is another for each thing to be done, 1 to 255 visible ASCII characters: sent again with the "
        "same request within a day, nothing is done, and the first answer comes again.",
        schema_extra={"minLength": 1, "maxLength": _LONGEST, "pattern": r"^[\x21-\x7E]+$"},
        examples=[Example(value="8e03978e-40d5-43dd-bc93-6894a57f9324")],
    ),
]
ONCE = (KEY_REUSED, STILL_UNDER_WAY)
"""What may be answered where a key is sent."""


@dataclass(frozen=True, slots=True)
class Once:
    """How a request is done: once, if it has a key.

    Attributes:
        engine: Keeps the answers.
        key: The request's key; None: it is done as often as it is sent.
        request: A hash of what is asked for.
    """

    engine: Engine
    key: str | None
    request: bytes

    async def answer(self, user_id: str, act: Callable[[], Awaitable[T | Response[T]]]) -> Response[T]:
        """Return what ``act`` returns; where the key has an answer, that, and nothing is done.

        What fails is not kept: the same key may be tried again.

        Raises:
            RefusedError: The key stands for another request, or its request is still under way.
        """
        if self.key is None:
            return _response(await act())
        taken = await self.engine.reserve_answer(user_id, self.key, self.request)
        if isinstance(taken, KeptAnswer):
            return self._kept(taken)
        try:
            response = _response(await act())
        except BaseException:
            await self._release(user_id, self.key, taken)
            raise
        body = msgspec.json.encode(response.content)
        try:
            await self.engine.keep_answer(user_id, self.key, body, response.headers.get("ETag"), taken=taken)
        except (
            StoreError
        ) as error:  # it is done, and that counts; sent again it is told as under way, for a minute
            log.warning("answer_not_kept", error=type(error).__name__)
        return response

    async def _release(self, user_id: str, key: str, taken: Any) -> None:
        try:
            await self.engine.release_answer(user_id, key, taken=taken)
        except StoreError as error:  # it is free again after a minute
            log.warning("key_not_released", error=type(error).__name__)

    def _kept(self, kept: KeptAnswer) -> Response[Any]:
        if kept.request != self.request:
            raise RefusedError(KEY_REUSED)
        if kept.answer is None:
            raise RefusedError(STILL_UNDER_WAY)
        headers = {"Idempotency-Replayed": "true"} | ({"ETag": kept.etag} if kept.etag else {})
        return Response(kept.answer, headers=headers)


DoneOnce: TypeAlias = NamedDependency[SkipValidation[Once]]


async def once_of(
    request: Request[Any, Any, Any], engine: OpenEngine, idempotency_key: IdempotencyKey = None
) -> Once:
    """Return how this request is done.

    Raises:
        RefusedError: Its key can be none.
    """
    if idempotency_key is not None and not _is_key(idempotency_key):
        raise invalid_parameter(_HEADER, f"1 to {_LONGEST} visible ASCII characters")
    asked = b"\n".join([request.method.encode(), request.scope["path"].encode(), await request.body()])
    return Once(engine, idempotency_key, hashlib.sha256(asked).digest())


def _is_key(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and all("!" <= character <= "~" for character in text)


def _response(done: T | Response[T]) -> Response[T]:
    return done if isinstance(done, Response) else Response(done)
