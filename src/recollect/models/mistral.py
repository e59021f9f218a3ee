"""Embeds texts, and asks chat models, through Mistral's official SDK, opened for one call to one server, bounded in time and size.

Without this module the SDK reads keys and switches from the environment, follows redirects, may log and trace whole conversations, and
puts answers into its errors. With our HTTP client a request is sent once, and an error has its status or kind alone.
It does not use the store, and its errors have no text of the user's, no answer and no credential.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final

import httpx2
from mistralai.client import Mistral
from mistralai.client.utils.logger import NoOpLogger

from recollect.errors import (
    ConfigurationError,
    EmbedderError,
    ExtractorError,
    ExtractorTimeoutError,
    InvalidExtractionError,
)
from recollect.model import Vector
from recollect.models.background_limits import spend
from recollect.models.embedders.served import (
    TEXTS_A_CALL,
    RefusedError,
    ServedEmbedder,
    authorization,
    unit_vectors,
)
from recollect.models.extractors.chat_model import ANSWER_WITHIN, AnswerSchema, Messages, ModelAnswer
from recollect.models.extractors.server_answers import (
    BEGUN,
    credential_for,
    read_completion,
    refusal,
    tokens_of,
)
from recollect.ports import Asker
from recollect.text.tokens import token_counter

DEFAULT_BASE_URL = "https://api.mistral.ai"
"""Mistral's own server."""


class MistralCallError(Exception):
    """A call failed. Its text never quotes the request or the answer."""


class MistralStatusError(MistralCallError):
    """The server answered with another status than 200."""

    def __init__(self, status: int, retry_after: str | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after


class MistralUnreachableError(MistralCallError):
    """The server can't be reached, broke off, or was too slow.

    Attributes:
        was_slow: Whether the time was up; the server may have read the request.
    """

    def __init__(self, kind: str, *, was_slow: bool = False) -> None:
        super().__init__(kind)
        self.was_slow = was_slow


class MistralAnswerTooLargeError(MistralCallError):
    """The answer is larger than allowed."""


class MistralServer:
    """A server that speaks Mistral's protocol (docs.mistral.ai/api).

    Args:
        base_url: With or without ``/v1`` at its end.
        seconds: How long one call may take, from beginning to end.

    Raises:
        ConfigurationError: ``base_url`` is no http or https address.
    """

    def __init__(self, base_url: str, *, seconds: float, answer_bytes: int) -> None:
        self.base_url = _without_version(base_url)
        self.seconds = seconds
        self.answer_bytes = answer_bytes
        self.client = httpx2.AsyncClient(trust_env=False)

    async def aclose(self) -> None:
        """Close the connections; more than once does no harm."""
        await self.client.aclose()


class MistralCall:
    """One call: the SDK that makes it, and the server's answer.

    Attributes:
        sdk: Mistral's client; its retries are off unless asked for.
        content: The body of the server's answer, once there is one with the status 200.
    """

    def __init__(self, server: MistralServer, authorization: bytes | None) -> None:
        self._server = server
        self._authorization = authorization
        self.content: bytes | None = None
        # It has the methods that the SDK's protocol requires, and sends nothing synchronously.
        client: Any = self
        self.sdk = Mistral(
            api_key="",  # so that it looks for none in the environment
            server_url=server.base_url,
            client=client,
            async_client=client,
            debug_logger=NoOpLogger(),
        )
        # Else the environment may have it send prompts to a collector of traces. No field: it looks for one.
        self.sdk.sdk_configuration.telemetry = False  # type: ignore[attr-defined]

    def build_request(self, method: str, url: str, **options: Any) -> httpx2.Request:
        """Return the request that the SDK describes, with our credential and without the client's cookies."""
        given = {**options["headers"], "Accept-Encoding": "identity"}  # so that the limit on the size holds
        headers = [
            (name.encode(), value.encode()) for name, value in given.items() if name != "Authorization"
        ]
        if self._authorization is not None:
            headers.append((b"authorization", self._authorization))
        timeout = httpx2.Timeout(self._server.seconds).as_dict()
        return httpx2.Request(
            method, url, headers=headers, content=options["content"], extensions={"timeout": timeout}
        )

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send the request, past the client's log-in and redirects, and read the answer whole.

        Raises:
            MistralCallError: It failed, or the answer is too large.
        """
        try:
            async with asyncio.timeout(self._server.seconds):
                self.content = await self._exchange(request)
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
            raise MistralUnreachableError(type(error).__name__, was_slow=True) from None
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError) as error:
            raise MistralUnreachableError(type(error).__name__) from None  # its message may quote a header
        # Without the server's headers: some make the SDK read the answer once more, and log.
        return httpx2.Response(
            HTTPStatus.OK,
            headers={"content-type": "application/json"},
            content=self.content,
            request=request,
        )

    async def _exchange(self, request: httpx2.Request) -> bytes:
        content = bytearray()
        response = await self._server.client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            if response.status_code != HTTPStatus.OK:
                raise MistralStatusError(response.status_code, response.headers.get("retry-after"))
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > self._server.answer_bytes:
                    raise MistralAnswerTooLargeError
        finally:
            await response.aclose()
        return bytes(content)

    async def aclose(self) -> None:
        """Do nothing: the connections are the server's. The SDK wants the method to be there."""

    def close(self) -> None:
        """Do nothing, as ``aclose``."""


def _without_version(base_url: str) -> str:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL()
    if url.scheme not in {"http", "https"} or not url.host or url.query:
        raise ConfigurationError(f"Mistral's base URL must be an address such as {DEFAULT_BASE_URL}.")
    path = url.path.rstrip("/").removesuffix("/v1")
    return str(url.copy_with(path=path or "/")).rstrip("/")


EMBEDDING_BYTES: Final = 16_000_000
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
        self._server = MistralServer(base_url, seconds=seconds, answer_bytes=EMBEDDING_BYTES)

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


DEFAULT_MODEL = "mistral-small-latest"
"""The model that extracts where no other is named."""

ANSWER_BYTES = 1_000_000
"""The largest response read."""

_ANSWER_TOKENS = 4096
_NOT_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})


class MistralModel:
    """A Model over the SDK's ``chat.parse``: an answer is parsed into the form it was asked for in.

    An answer that the SDK can't parse is returned unchanged, since the caller reads more leniently.

    Args:
        base_url: The server, with or without ``/v1`` at its end.
        api_key: The credential to ask with; None: the request's own, while it is known.
        is_upstream: Whether ``base_url`` is the server the exchange itself was with. If not, the
            request's credential is never sent there.

    Raises:
        ConfigurationError: ``base_url`` is no http or https address, or no header can carry the key.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str = DEFAULT_BASE_URL,
        api_key: str | None = None,
        is_upstream: bool = False,
        timeout: timedelta = ANSWER_WITHIN,
    ) -> None:
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError("The extraction API key has characters that no header can carry.")
        self._model = model
        self._api_key = api_key
        self._is_upstream = is_upstream
        self._server = MistralServer(base_url, seconds=timeout.total_seconds(), answer_bytes=ANSWER_BYTES)

    async def ask(
        self, messages: Messages, schema: AnswerSchema, asker: Asker, most_tokens: int | None = None
    ) -> ModelAnswer:
        """Return the model's answer; in exactly the requested form if the SDK could parse it. Errors are those of the port."""
        credential = credential_for(asker, api_key=self._api_key, is_upstream=self._is_upstream)
        call = MistralCall(self._server, credential)
        is_over = False
        try:
            most = max(1, int(asker.share * min(_ANSWER_TOKENS, most_tokens or _ANSWER_TOKENS)))
            parsed = await self._parsed(call, messages, schema, most)
            is_over = True
        except MistralAnswerTooLargeError:
            raise InvalidExtractionError("The extraction model's answer is too large.") from None
        except MistralStatusError as error:
            is_over = error.status not in BEGUN
            raise refusal(error.status, has_key=bool(self._api_key)) from None
        except MistralCallError as error:
            is_over = str(error) in _NOT_SENT
            if isinstance(error, MistralUnreachableError) and error.was_slow:
                raise ExtractorTimeoutError(
                    "The extraction model did not finish its answer in time."
                ) from None
            raise ExtractorError(f"The extraction model can't be reached: {error}.") from None
        finally:
            if not is_over:  # cancelled or not; of the answer nothing is known before it is whole
                spend(tokens_of(messages))
        answer = read_completion(call.content or b"", messages, self._model)
        spend(answer.tokens)
        return answer if parsed is None else replace(answer, text=parsed)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()

    async def _parsed(
        self, call: MistralCall, messages: Messages, schema: AnswerSchema, most_tokens: int
    ) -> str | None:
        """Return the answer as the SDK parsed it, as JSON; None if it parsed none."""
        try:
            completion = await call.sdk.chat.parse_async(
                schema.form,
                model=self._model,
                messages=[dict(message) for message in messages],
                temperature=0,
                max_tokens=most_tokens,
                retries=None,  # the caller tries again, later
            )
        except MistralCallError:
            raise
        except Exception as error:  # noqa: BLE001 - the SDK stumbles over answers in many ways, and quotes them
            if call.content is None:
                raise ExtractorError(f"The Mistral SDK failed: {type(error).__name__}.") from None
            return None
        message = completion.choices[0].message if completion.choices else None
        return None if message is None or message.parsed is None else message.parsed.model_dump_json()
