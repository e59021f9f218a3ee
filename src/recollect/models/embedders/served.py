"""Embeds texts on a server: the part that all servers share, and the embedder for any OpenAI-compatible ``POST /embeddings``.

That is the repetition of calls that failed, and the check of vectors. It does not use the store, and its errors have neither texts nor keys.
"""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

import httpx
import msgspec
import numpy as np

from recollect.errors import ConfigurationError, EmbedderError
from recollect.model import Vector
from recollect.models.background_limits import waiting_for_others
from recollect.text.secrets import mask

# Characters per text, and texts per call. The known models read about 8,000 tokens per text; in the scripts with most tokens a
# character is about one token.
CHARACTERS: Final = 8_000
TEXTS_A_CALL: Final = 32

_PAUSES: Final = (0.25, 0.5)
_LONGEST_PAUSE: Final = 5.0

# Only mistral-embed's gate was calibrated. Any other is a guess: that of the local model.
_GATES: Final = {"mistral-embed": 0.8}
_GUESSED_GATE: Final = 0.30


class RefusedError(EmbedderError):
    """An attempt failed, and another may succeed.

    Attributes:
        retry_after: The server's ``Retry-After`` header; None without it.
    """

    def __init__(self, reason: str, retry_after: str | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class ServedEmbedder(ABC):
    """An embedder whose model runs on a server.

    Args:
        scheme: The first part of the vector space's name. The second is the model, whichever server runs it.
        sleep: Waits so many seconds between two attempts.
    """

    def __init__(self, scheme: str, model: str, sleep: Callable[[float], Awaitable[None]]) -> None:
        self.name = f"{scheme}:{model}"
        self.gate = _GATES.get(model.rpartition("/")[2], _GUESSED_GATE)
        self._model = model
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r})"

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, (dimensions,) float32, in order. A text is cut to 8,000 characters.

        Raises:
            EmbedderError: The server can't be reached, failed, or returned no usable vectors.
        """
        vectors: list[Vector] = []
        for batch in self._batches(await asyncio.to_thread(lambda: [self._sendable(text) for text in texts])):
            with waiting_for_others():
                vectors += await self._repeated(batch)
        return vectors

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question; the server embeds it like any text. Raises as ``embed``."""
        [vector] = await self.embed([text])
        return vector

    @abstractmethod
    async def aclose(self) -> None:
        """Free the embedder's resources."""

    @abstractmethod
    async def _try(self, texts: Sequence[str]) -> list[Vector]:
        """Call the server once.

        Raises:
            RefusedError: Another attempt may succeed.
            EmbedderError: A repetition can't help.
        """

    def _sendable(self, text: str) -> str:
        """Return a text as it is sent: with its secrets masked, cut, and not empty, which OpenAI rejects."""
        masked = mask(text.strip()[: 2 * CHARACTERS]).text.strip()[:CHARACTERS]
        # JSON can carry lone surrogates, UTF-8 can't
        return masked.encode("utf-8", "replace").decode("utf-8") or " "

    def _batches(self, texts: Sequence[str]) -> Iterable[Sequence[str]]:
        return (texts[start : start + TEXTS_A_CALL] for start in range(0, len(texts), TEXTS_A_CALL))

    async def _repeated(self, texts: Sequence[str]) -> list[Vector]:
        """Call the server, at most three times."""
        for pause in _PAUSES:
            try:
                return await self._try(texts)
            except RefusedError as refused:
                # Jitter, so that many callers do not retry at the same moment.
                spread = pause * random.uniform(0.5, 1.5)  # noqa: S311 - nothing secret depends on it
                asked_for = _pause_asked_for(refused.retry_after)
            await self._sleep(spread if asked_for is None else asked_for)
        return await self._try(texts)


def authorization(api_key: str | None) -> str | None:
    """Return the header's value for an API key.

    Raises:
        ConfigurationError: The key can't be sent in a header.
    """
    if api_key and not (api_key.isascii() and api_key.isprintable()):
        raise ConfigurationError("The embeddings API key has characters that no header can carry.")
    return f"Bearer {api_key}" if api_key else None


def unit_vectors(
    server: str, items: Sequence[tuple[Any, Sequence[float]]], expected: int, dimensions: int | None = None
) -> list[Vector]:
    """Return a server's vectors, normalized to unit length, in the order of the ``expected`` texts.

    Each of ``items`` has the index of its text. Without ``dimensions`` the length of a vector is unknown.

    Raises:
        EmbedderError: Vectors are missing, differ in length, or can't be normalized.
    """
    found = dict(items)
    if len(items) != expected or found.keys() != set(range(expected)):
        raise EmbedderError(f"{server} returned {len(items)} vectors for {expected} texts.")
    lengths = {len(embedding) for embedding in found.values()}
    if len(lengths) != 1 or (dimensions is not None and lengths != {dimensions}):
        raise EmbedderError(f"{server}'s vectors differ in length, or do not have the expected dimensions.")
    # In double precision, so that the squares of large components do not overflow.
    raw = np.array([found[index] for index in range(expected)], dtype=np.float64)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise EmbedderError(f"{server} returned a vector that can't be normalized.")
    return list((raw / norms).astype(np.float32))


def _pause_asked_for(retry_after: str | None) -> float | None:
    """Return the seconds in ``Retry-After`` (RFC 9110, section 10.2.3), at most 5; None without it.

    A date counts as 5 seconds, since the two clocks may differ.
    """
    if retry_after is None:
        return None
    return min(float(retry_after), _LONGEST_PAUSE) if retry_after.isdecimal() else _LONGEST_PAUSE


_SERVER = "The embeddings endpoint"


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Item]


class OpenAIEmbedder(ServedEmbedder):
    """Embeds texts by an embeddings endpoint (platform.openai.com/docs/api-reference/embeddings).

    Args:
        client: Sends the requests, with its own timeouts. The caller closes it.
        base_url: The URL to which ``/embeddings`` is appended, such as ``https://api.openai.com/v1``.
        api_key: The API key, sent as a bearer token and to this endpoint only; None sends none.

    Raises:
        ConfigurationError: The URL is invalid, or the key can't be sent in a header.
    """

    def __init__(
        self,
        model: str,
        *,
        client: httpx.AsyncClient,
        base_url: str,
        api_key: str | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__("openai", model, sleep)
        self._client = client
        self._url = _endpoint(base_url)
        self._headers = {"Content-Type": "application/json"}
        if credential := authorization(api_key):
            self._headers["Authorization"] = credential

    async def aclose(self) -> None:
        """Do nothing: the caller owns the client."""

    async def _try(self, texts: Sequence[str]) -> list[Vector]:
        body = msgspec.json.encode({"model": self._model, "input": texts, "encoding_format": "float"})
        try:
            response = await self._client.post(self._url, content=body, headers=self._headers)
        except (httpx.NetworkError, httpx.ConnectTimeout, httpx.RemoteProtocolError) as error:
            raise RefusedError(f"{_SERVER} can't be reached: {type(error).__name__}.") from None
        except httpx.HTTPError as error:
            raise EmbedderError(f"{_SERVER} failed: {type(error).__name__}.") from None
        reason = f"{_SERVER} answered with the status {response.status_code}."
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            raise RefusedError(reason, response.headers.get("Retry-After"))
        if not response.is_success:
            raise EmbedderError(reason)
        try:
            items = msgspec.json.decode(response.content, type=_Answer).data
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise EmbedderError(f"{_SERVER}'s answer can't be read.") from None
        return unit_vectors(_SERVER, [(item.index, item.embedding) for item in items], len(texts))


def _endpoint(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError("The embeddings address must be a URL such as https://api.openai.com/v1")
    return url.copy_with(path=f"{url.path.rstrip('/')}/embeddings")
