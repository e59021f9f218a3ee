"""Embeds texts through any server with an OpenAI-compatible ``POST /embeddings``.

Never: which server it is, the store, texts or keys in an error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import httpx
import msgspec

from recollect.errors import ConfigurationError, EmbedderError
from recollect.model import Vector
from recollect.models.embedders.served import RefusedError, ServedEmbedder, authorization, unit_vectors

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
        gate: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__("openai", model, gate, sleep)
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
