"""Embeds texts through Mistral's official SDK.

Never: the store, texts or keys in an error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Final

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.models.embedders.served import (
    TEXTS_A_CALL,
    RefusedError,
    ServedEmbedder,
    authorization,
    unit_vectors,
)
from recollect.models.mistral_sdk import (
    DEFAULT_BASE_URL,
    MistralAnswerTooLargeError,
    MistralCall,
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

_DIMENSIONS: Final = {"mistral-embed": 1024}

# mistral-embed has the tokenizer of Mistral 7B, Mistral's first.
_count_tokens = token_counter("mistral-7b")


class MistralEmbedder(ServedEmbedder):
    """Embeds texts by Mistral's embeddings endpoint (docs.mistral.ai/api). mistral-embed has 1,024 dimensions.

    Args:
        api_key: The API key, sent as a bearer token and to this server only; None sends none.
        base_url: The server's URL, with or without ``/v1`` at its end.

    Raises:
        ConfigurationError: The URL is invalid, or the key can't be sent in a header.
    """

    def __init__(
        self,
        model: str = "mistral-embed",
        *,
        api_key: str | None = None,
        base_url: str = DEFAULT_BASE_URL,
        seconds: float = 30.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__("mistral", model, sleep)
        credential = authorization(api_key)
        self._authorization = credential.encode() if credential else None
        self._server = MistralServer(base_url, seconds=seconds, answer_bytes=ANSWER_BYTES)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()

    def _sendable(self, text: str) -> str:
        prepared = super()._sendable(text)
        while (tokens := _count_tokens(prepared)) > _TOKENS_A_TEXT:
            prepared = prepared[: len(prepared) * _TOKENS_A_TEXT // tokens]
        return prepared

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Yield the texts in order, in lists of at most 32 texts and 14,000 tokens."""
        batch: list[str] = []
        room = _TOKENS_A_CALL
        for text in texts:
            tokens = _count_tokens(text)
            if batch and (tokens > room or len(batch) == TEXTS_A_CALL):
                yield batch
                batch, room = [], _TOKENS_A_CALL
            batch.append(text)
            room -= tokens
        if batch:
            yield batch

    async def _try(self, texts: Sequence[str]) -> list[Vector]:
        call = MistralCall(self._server, self._authorization)
        try:
            response = await call.sdk.embeddings.create_async(
                model=self._model, inputs=list(texts), retries=None
            )
        except MistralStatusError as error:
            reason = f"Mistral's embeddings answered with the status {error.status}."
            if (
                error.status == HTTPStatus.TOO_MANY_REQUESTS
                or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            ):
                raise RefusedError(reason, error.retry_after) from None
            raise EmbedderError(reason) from None
        except MistralUnreachableError as error:
            kind = EmbedderError if error.was_slow else RefusedError
            raise kind(f"Mistral's embeddings can't be reached: {error}.") from None
        except MistralAnswerTooLargeError:
            raise EmbedderError("Mistral's answer is too large.") from None
        except Exception:  # noqa: BLE001 - the SDK stumbles over answers in many ways, and quotes them
            raise EmbedderError("Mistral's answer can't be read.") from None
        items = [(item.index, item.embedding) for item in response.data if item.embedding]
        return unit_vectors("Mistral", items, len(texts), _DIMENSIONS.get(self._model))
