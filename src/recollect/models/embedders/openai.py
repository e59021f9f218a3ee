"""Embeds texts through any server with an OpenAI-compatible ``POST /embeddings``.

Never: which server it is, the store, texts or keys in an error.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import httpx
import msgspec
import numpy as np

from recollect.errors import ConfigurationError, EmbedderError
from recollect.model import Vector
from recollect.models.attempts import waiting_for_others
from recollect.models.embedders.texts import pause_asked_for, prepare_to_send

# Texts per call, and characters per text. The known models read about 8,000 tokens per text and 300,000
# per call. In the scripts with most tokens, a character is about one token.
_BATCH: Final = 32
_CHARACTERS: Final = 8_000

_TRIES: Final = 3
_FIRST_PAUSE: Final = 0.25

# Only mistral-embed's gate was calibrated. The others are guesses: that of the local model.
_GATES: Final = {"mistral-embed": 0.8, "text-embedding-3-small": 0.30, "text-embedding-3-large": 0.30}
_GUESSED_GATE: Final = 0.30


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Item]


class _Refused(Exception):  # noqa: N818 - not a failure yet: another attempt may help
    """An attempt failed, and another may succeed.

    Attributes:
        pause: The seconds that the server asks to wait; None if it does not say.
    """

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


class OpenAIEmbedder:
    """Embeds texts by an embeddings endpoint (platform.openai.com/docs/api-reference/embeddings).

    Args:
        model: The endpoint's name of the model.
        client: Sends the requests, with its own timeouts. The caller closes it.
        base_url: The URL to which ``/embeddings`` is appended, such as ``https://api.openai.com/v1``.
        api_key: The API key, sent as a bearer token and to this endpoint only; None sends none.
        gate: The cosine below which a query's best match means nothing. None: 0.8 for mistral-embed, else 0.30, a guess.
        sleep: Waits so many seconds between two attempts.

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
        gate: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._model = model
        self._client = client
        self._url = _endpoint(base_url)
        self._headers = _authorization(api_key)
        self._gate = _GATES.get(model.rpartition("/")[2], _GUESSED_GATE) if gate is None else gate
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r})"

    @property
    def name(self) -> str:
        """The name of the vector space: that of the model, whichever server runs it."""
        return f"openai:{self._model}"

    def reads(self, text: str) -> bool:  # noqa: ARG002 -- the port's
        """True: a server does not tell which scripts its model supports."""
        return True

    @property
    def gate(self) -> float:
        """The cosine below which a query's best match means nothing."""
        return self._gate

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, (dimensions,) float32, in order. A text is cut to 8,000 characters.

        Raises:
            EmbedderError: The endpoint can't be reached, failed, or returned no usable vectors.
        """
        vectors: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            with waiting_for_others():
                vectors += await self._batch(texts[start : start + _BATCH])
        return vectors

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question; the endpoint embeds it like any text.

        Raises:
            EmbedderError: As ``embed``.
        """
        [vector] = await self.embed([text])
        return vector

    async def aclose(self) -> None:
        """Do nothing: the caller owns the client."""

    async def _batch(self, texts: Sequence[str]) -> list[Vector]:
        # OpenAI rejects a call with an empty text.
        inputs = await asyncio.to_thread(
            lambda: [prepare_to_send(text, _CHARACTERS) or " " for text in texts]
        )
        body = {"model": self._model, "input": inputs, "encoding_format": "float"}
        return _vectors(await self._post(msgspec.json.encode(body)), len(texts))

    async def _post(self, body: bytes) -> bytes:
        """Post a body, at most three times.

        Raises:
            EmbedderError: The last attempt failed, or one failed in a way that a repetition can't help.
        """
        pause = _FIRST_PAUSE
        tried = 0
        while True:
            try:
                return await self._try(body)
            except _Refused as refused:
                tried += 1
                if tried == _TRIES:
                    raise EmbedderError(str(refused)) from None
                # Jitter, so that many callers do not retry at the same moment.
                spread = pause * random.uniform(0.5, 1.5)  # noqa: S311 - nothing secret depends on it
                await self._sleep(spread if refused.pause is None else refused.pause)
                pause *= 2

    async def _try(self, body: bytes) -> bytes:
        try:
            response = await self._client.post(self._url, content=body, headers=self._headers)
        except (httpx.NetworkError, httpx.ConnectTimeout, httpx.RemoteProtocolError) as error:
            raise _Refused(f"The embeddings endpoint can't be reached: {type(error).__name__}.") from None
        except httpx.HTTPError as error:
            raise EmbedderError(f"The embeddings endpoint failed: {type(error).__name__}.") from None
        reason = f"The embeddings endpoint answered with the status {response.status_code}."
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            raise _Refused(reason, pause_asked_for(response.headers.get("Retry-After")))
        if not response.is_success:
            raise EmbedderError(reason)
        return response.content


def _endpoint(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError("The embeddings address must be a URL such as https://api.openai.com/v1")
    return url.copy_with(path=f"{url.path.rstrip('/')}/embeddings")


def _authorization(api_key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    if api_key:
        if not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError("The embeddings API key has characters that no header can carry.")
        headers["Authorization"] = f"Bearer {api_key}"
    return headers


def _vectors(answer: bytes, expected: int) -> list[Vector]:
    """Return a response's vectors, normalized to unit length, in the order of the texts.

    Raises:
        EmbedderError: The response can't be parsed, or its vectors are missing, differ in length, or can't be normalized.
    """
    try:
        items = sorted(msgspec.json.decode(answer, type=_Answer).data, key=lambda item: item.index)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise EmbedderError("The embeddings endpoint's answer can't be read.") from None
    if [item.index for item in items] != list(range(expected)):
        raise EmbedderError(f"The embeddings endpoint returned {len(items)} vectors for {expected} texts.")
    if len({len(item.embedding) for item in items}) != 1:
        raise EmbedderError("The embeddings endpoint's vectors differ in length.")
    # In double precision, so that the squares of large components do not overflow.
    raw = np.array([item.embedding for item in items], dtype=np.float64)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderError("The embeddings endpoint returned a vector that can't be normalized.")
    return list((raw / lengths).astype(np.float32))
