"""Asks a model through the OpenAI chat completions API.

No error has a text of the user's, an answer or a credential: servers quote them in their error messages.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import IntEnum
from http import HTTPStatus
from typing import Any

import httpx
from cachetools import LRUCache

from recollect.errors import (
    ConfigurationError,
    ExtractorError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.models.background_limits import spend
from recollect.models.extractors.chat_model import ANSWER_WITHIN, AnswerSchema, Messages, ModelAnswer
from recollect.models.extractors.server_answers import (
    BEGUN,
    DENIED,
    PASSING,
    SLOW,
    ErrorResponse,
    credential_for,
    is_broken,
    is_stream,
    read_completion,
    read_error_response,
    refusal,
    tokens_of,
    tokens_received,
)
from recollect.ports import Asker

ANSWER_BYTES = 1_000_000
"""The largest response read."""

STREAM_BYTES = 8 * ANSWER_BYTES
"""The same of a stream, where some hundred bytes stand around each token."""

_MOST_TOKENS = 4096
_DIALECTS_KEPT = 256
_FIXED = frozenset({"model", "messages", "stream", "response_format"})
_STREAMED = {"stream_options": {"include_usage": True}}


class _Form(IntEnum):
    """How the model is held to JSON, strictest first."""

    LIMITED = 0  # a schema that also says how long texts and lists may be, which not every server takes
    SCHEMA = 1
    OBJECT = 2
    ASKED = 3  # by the prompt alone, which is then part of the user message


@dataclass(frozen=True, slots=True)
class _Dialect:
    """The form and parameters that one model's server accepts, as far as known."""

    form: _Form = _Form.LIMITED
    streams: bool = True
    refused: frozenset[str] = frozenset()


class OpenAICompatibleModel:
    """A Model over ``POST {base_url}/chat/completions``.

    It first asks with a JSON schema that limits texts and lists; then, as far as the server refuses, without limits, for a
    JSON object, and for plain text. Parameters that the server refuses by name are left out. The accepted form is
    remembered for each model while the process lives. The answer is streamed, so that a server notices a cancelled call at
    its next token, and the tokens until then are known. Cancelling a call closes its connection.

    Args:
        client: The client whose connections are used; the caller closes it.
        base_url: For example ``https://api.openai.com/v1``.
        model: The model to ask; None asks the one that the asker's exchange was with.
        api_key: The credential to ask with; None: the request's own, while it is known.
        is_upstream: Whether ``base_url`` is the server the exchange itself was with. If not,
            neither the request's credential nor its model's name is ever sent there.

    Raises:
        ConfigurationError: ``base_url`` is no http or https address.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        *,
        base_url: str,
        model: str | None = None,
        api_key: str | None = None,
        is_upstream: bool = True,
        timeout: timedelta = ANSWER_WITHIN,
    ) -> None:
        self._client = client
        self._url = _completions_url(base_url)
        self._model = model
        self._api_key = api_key
        self._is_upstream = is_upstream
        self._seconds = timeout.total_seconds()
        self._dialects: LRUCache[str, _Dialect] = LRUCache(_DIALECTS_KEPT)

    async def ask(
        self, messages: Messages, schema: AnswerSchema, asker: Asker, most_tokens: int | None = None
    ) -> ModelAnswer:
        """Return the model's answer, in the strictest form that its server accepts. Errors are those of the port."""
        model = self._model or (asker.model if self._is_upstream else "")
        if not model:
            raise ExtractorUnusableError("No extraction model is named.")
        headers = self._headers(asker)
        dialect = self._dialects.get(model, _Dialect())
        while True:
            body = self._body(model, messages, schema, dialect, most_tokens, asker.share)
            status, content = await self._post(body, headers, messages)
            if status == HTTPStatus.OK:
                if _is_too_large(content):
                    raise _too_large(content, messages)
                self._dialects[model] = dialect
                answer = read_completion(content, messages, model)
                spend(answer.tokens)
                return answer
            conceded = _conceded(dialect, schema, body, status, read_error_response(content))
            if conceded is None:
                raise refusal(status, has_key=bool(self._api_key))
            dialect = conceded

    async def aclose(self) -> None:
        """Forget the accepted forms; the owner closes the client."""
        self._dialects.clear()

    def _headers(self, asker: Asker) -> dict[bytes, bytes]:
        headers = {
            b"content-type": b"application/json",
            b"accept": b"application/json, text/event-stream",
            b"accept-encoding": b"identity",  # so that the limit on the answer's size holds
            b"user-agent": b"recollect",
        }
        credential = credential_for(asker, api_key=self._api_key, is_upstream=self._is_upstream)
        if credential is not None:
            headers[b"authorization"] = credential
        return headers

    def _body(
        self,
        model: str,
        messages: Messages,
        schema: AnswerSchema,
        dialect: _Dialect,
        most_tokens: int | None,
        share: float,
    ) -> dict[str, Any]:
        most = min(_MOST_TOKENS, most_tokens or _MOST_TOKENS)
        options = {
            "temperature": 0,
            "max_tokens": max(1, int(share * most)),
            **(_STREAMED if dialect.streams else {}),
        }
        body: dict[str, Any] = {name: each for name, each in options.items() if name not in dialect.refused}
        body |= {"model": model, "messages": list(messages), "stream": dialect.streams}
        match dialect.form:
            case _Form.LIMITED | _Form.SCHEMA:
                limited = dialect.form is _Form.LIMITED
                form = schema.limited_json_schema if limited else schema.json_schema
                named = {"name": schema.name, "strict": True, "schema": form}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            case _Form.OBJECT:
                body["response_format"] = {"type": "json_object"}
            case _:
                body["messages"] = _without_system(messages)
        return body

    async def _post(
        self, body: Mapping[str, Any], headers: Mapping[bytes, bytes], messages: Messages
    ) -> tuple[int, bytes]:
        """Send one request past the client's cookies, log-in and redirects, which are not this user's.

        The tokens of a call that does not end are counted, too, cancelled or not.
        """
        request = httpx.Request(
            "POST",
            self._url,
            headers=headers,
            content=json.dumps(body).encode(),
            extensions={"timeout": httpx.Timeout(self._seconds).as_dict()},
        )
        content, is_sent, is_whole = bytearray(), True, False
        try:
            async with asyncio.timeout(self._seconds):
                status = await self._receive(request, content)
            is_whole = True
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            is_sent = False
            raise _unreachable(error) from None
        except (TimeoutError, httpx.TimeoutException):
            raise ExtractorTimeoutError("The extraction model did not finish its answer in time.") from None
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError) as error:
            raise _unreachable(error) from None
        finally:
            if (is_sent and not is_whole) or (is_whole and status in BEGUN):
                spend(tokens_of(messages) + tokens_received(bytes(content)))
        return status, bytes(content)

    async def _receive(self, request: httpx.Request, content: bytearray) -> int:
        """Add to ``content`` what comes, and return the status."""
        response = await self._client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            async for chunk in response.aiter_bytes():
                content += chunk
                if _is_too_large(content):
                    break
        finally:
            await response.aclose()
        return response.status_code


def _conceded(
    dialect: _Dialect, schema: AnswerSchema, body: Mapping[str, Any], status: int, complaint: ErrorResponse
) -> _Dialect | None:
    """Return the next dialect to try after a refusal; None: there is none."""
    if status in DENIED or status in SLOW:
        return None
    if status < HTTPStatus.INTERNAL_SERVER_ERROR and dialect.streams and complaint.names("stream"):
        return replace(dialect, streams=False)
    about_form = complaint.names("response_format", "json_schema", "json_object", "grammar")
    if status in PASSING or (is_broken(status) and not about_form):
        return None
    refused = next((name for name in body if name not in _FIXED and complaint.names(name)), None)
    if refused is not None and not about_form:
        return replace(dialect, refused=dialect.refused | {refused})
    if dialect.form is _Form.ASKED:
        return None
    unlimited = dialect.form is _Form.LIMITED and not schema.limits  # that is the plain schema already
    return replace(dialect, form=_Form.OBJECT if unlimited else _Form(dialect.form + 1))


def _completions_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError("The extraction model's base URL is no http or https address.")
    return url.copy_with(path=f"{url.path.rstrip('/')}/chat/completions")


def _without_system(messages: Messages) -> Messages:
    """Return ``messages`` with the system prompt moved into the first user message.

    Some models know no system role.
    """
    system, first, *rest = messages
    return [{"role": "user", "content": f"{system['content']}\n\n{first['content']}"}, *rest]


def _unreachable(error: Exception) -> ExtractorError:
    # its message may quote a header
    return ExtractorError(f"The extraction model can't be reached: {type(error).__name__}.")


def _is_too_large(content: bytes | bytearray) -> bool:
    return len(content) > ANSWER_BYTES and (
        len(content) > STREAM_BYTES or not is_stream(bytes(content[:100]))
    )


def _too_large(content: bytes, messages: Messages) -> InvalidExtractionError:
    error = InvalidExtractionError("The extraction model's answer is too large.")
    error.tokens = tokens_of(messages) + tokens_received(content)
    return error
