"""Embeds texts through Mistral's official SDK.

Never: the store, texts or keys in an error.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final

import numpy as np

from recollect.errors import ConfigurationError, EmbedderError
from recollect.model import Vector
from recollect.models.attempts import waiting_for_others
from recollect.models.embedders.texts import pause_asked_for, prepare_to_send
from recollect.models.mistral_sdk import (
    DEFAULT_BASE_URL,
    MistralCallError,
    MistralServer,
    MistralStatusError,
    MistralUnreachableError,
)
from recollect.text.tokens import token_counter

ANSWER_BYTES: Final = 16_000_000
"""The size limit of a response. A component of a vector may take about thirty characters."""

# mistral-embed reads 8,192 tokens per text and 16,384 per call (docs.mistral.ai). Our limits are lower, since we estimate.
_TOKENS_A_TEXT: Final = 7_000
_TOKENS_A_CALL: Final = 14_000
_TEXTS_A_CALL: Final = 32
_CHARACTERS: Final = 8_000

_PAUSES: Final = (0.25, 0.5)

_GATES: Final = {"mistral-embed": 0.8}
_GUESSED_GATE: Final = 0.30
_DIMENSIONS: Final = {"mistral-embed": 1024}

# mistral-embed has the tokenizer of Mistral 7B, Mistral's first.
_count_tokens = token_counter("mistral-7b")


class MistralEmbedder:
    """Embeds texts by Mistral's embeddings endpoint (docs.mistral.ai/api). mistral-embed has 1,024 dimensions.

    Args:
        model: Mistral's name of the model.
        api_key: The API key, sent as a bearer token and to this server only; None sends none.
        base_url: The server's URL, with or without ``/v1`` at its end.
        gate: The cosine below which a query's best match means nothing. None: 0.8 for mistral-embed, else 0.30, a guess.
        seconds: The time limit of one call.
        sleep: Waits so many seconds between two attempts.

    Raises:
        ConfigurationError: The URL is invalid, or the key can't be sent in a header.
    """

    def __init__(
        self,
        model: str = "mistral-embed",
        *,
        api_key: str | None = None,
        base_url: str = DEFAULT_BASE_URL,
        gate: float | None = None,
        seconds: float = 30.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError("The embeddings API key has characters that no header can carry.")
        self._model = model
        self._authorization = f"Bearer {api_key}" if api_key else None
        self._server = MistralServer(base_url, seconds=seconds, answer_bytes=ANSWER_BYTES)
        self._gate = _GATES.get(model, _GUESSED_GATE) if gate is None else gate
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"MistralEmbedder({self._model!r})"

    @property
    def name(self) -> str:
        """The name of the vector space."""
        return f"mistral:{self._model}"

    def reads(self, text: str) -> bool:  # noqa: ARG002 -- the port's; Mistral's models read every script
        """True: the models support every script."""
        return True

    @property
    def gate(self) -> float:
        """The cosine below which a query's best match means nothing."""
        return self._gate

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, (dimensions,) float32, in order. A text is cut to about 7,000 tokens.

        Raises:
            EmbedderError: Mistral can't be reached, failed, or returned no usable vectors.
        """
        vectors: list[Vector] = []
        for batch in batches(await asyncio.to_thread(lambda: [sendable(text) for text in texts])):
            with waiting_for_others():
                answered = await self._answer(batch)
            vectors += _vectors(answered, len(batch), _DIMENSIONS.get(self._model))
        return vectors

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question; this model embeds it like any text.

        Raises:
            EmbedderError: As ``embed``.
        """
        [vector] = await self.embed([text])
        return vector

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()

    async def _answer(self, texts: Sequence[str]) -> Sequence[Any]:
        """Call the endpoint, at most three times.

        Raises:
            EmbedderError: The last attempt failed, or one failed in a way that a repetition can't help.
        """
        for pause in _PAUSES:
            try:
                return await self._try(texts)
            except MistralCallError as error:
                if not _passes(error):
                    raise _failure(error) from None
                # Jitter, so that many callers do not retry at the same moment.
                spread = pause * random.uniform(0.5, 1.5)  # noqa: S311 - nothing secret depends on it
                retry_after = _pause_asked_for(error)
            await self._sleep(spread if retry_after is None else retry_after)
        try:
            return await self._try(texts)
        except MistralCallError as error:
            raise _failure(error) from None

    async def _try(self, texts: Sequence[str]) -> Sequence[Any]:
        call = self._server.call(self._authorization)
        try:
            response = await call.sdk.embeddings.create_async(
                model=self._model, inputs=list(texts), retries=None
            )
        except MistralCallError:
            raise
        except Exception:  # noqa: BLE001 - the SDK stumbles over answers in many ways, and quotes them
            raise EmbedderError("Mistral's answer can't be read.") from None
        return response.data


def sendable(text: str) -> str:
    """Return a text as it is sent: with its secrets masked, not empty, cut to the model's limit."""
    prepared = prepare_to_send(text, _CHARACTERS) or " "
    while (tokens := _count_tokens(prepared)) > _TOKENS_A_TEXT:
        prepared = prepared[: len(prepared) * _TOKENS_A_TEXT // tokens]
    return prepared


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in lists of at most 32 texts and 14,000 tokens."""
    batch: list[str] = []
    room = _TOKENS_A_CALL
    for text in texts:
        tokens = _count_tokens(text)
        if batch and (tokens > room or len(batch) == _TEXTS_A_CALL):
            yield batch
            batch, room = [], _TOKENS_A_CALL
        batch.append(text)
        room -= tokens
    if batch:
        yield batch


def _passes(error: MistralCallError) -> bool:
    """Whether another attempt may succeed: after status 429, a 5xx, or a connection that failed quickly."""
    if isinstance(error, MistralStatusError):
        return (
            error.status == HTTPStatus.TOO_MANY_REQUESTS or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        )
    return isinstance(error, MistralUnreachableError) and not error.was_slow


def _failure(error: MistralCallError) -> EmbedderError:
    if isinstance(error, MistralStatusError):
        return EmbedderError(f"Mistral's embeddings answered with the status {error.status}.")
    if isinstance(error, MistralUnreachableError):
        return EmbedderError(f"Mistral's embeddings can't be reached: {error}.")
    return EmbedderError("Mistral's answer is too large.")


def _pause_asked_for(error: MistralCallError) -> float | None:
    return pause_asked_for(error.retry_after) if isinstance(error, MistralStatusError) else None


def _vectors(items: Sequence[Any], expected: int, dimensions: int | None) -> list[Vector]:
    """Return the vectors, normalized to unit length, in the order of the texts.

    Raises:
        EmbedderError: Vectors are missing, differ in length, or can't be normalized.
    """
    found = {item.index: item.embedding for item in items if item.embedding}
    if len(items) != expected or sorted(found, key=str) != sorted(range(expected), key=str):
        raise EmbedderError(f"Mistral returned {len(found)} vectors for {expected} texts.")
    lengths = {len(embedding) for embedding in found.values()}
    if len(lengths) != 1 or (dimensions is not None and lengths != {dimensions}):
        raise EmbedderError("Mistral's vectors do not have the expected dimensions.")
    # In double precision, so that the squares of large components do not overflow.
    raw = np.array([found[index] for index in range(expected)], dtype=np.float64)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise EmbedderError("Mistral returned a vector that can't be normalized.")
    return list((raw / norms).astype(np.float32))
