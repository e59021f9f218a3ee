"""Reads a server's answer to a call: a chat completion, whole or as a stream of events, or a refusal.

A server's words are never logged or shown: servers quote the request.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from recollect.errors import (
    CredentialGoneError,
    ExtractorError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
)
from recollect.models.extractors.chat_model import Messages, ModelAnswer
from recollect.ports import Asker
from recollect.text.patterns import bounded, escape
from recollect.text.tokens import estimate_tokens

_LENGTH = 4_000

SLOW = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT, 524})  # the last is Cloudflare's
BEGUN = frozenset({HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY}) | SLOW
"""Statuses behind which a server may have worked on a call."""

DENIED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_OF_A_CREDENTIAL = frozenset({HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.TOO_MANY_REQUESTS})
"""Statuses about the caller, not about the server."""

PASSING = SLOW | _OF_A_CREDENTIAL | {HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY}
"""Statuses below 500 after which another attempt may succeed; and those of ``SLOW``."""


def credential_for(asker: Asker, *, api_key: str | None, is_upstream: bool) -> bytes | None:
    """Return the ``Authorization`` value of a call: the key's, else the request's own if the chat's own server is asked.

    Raises:
        CredentialGoneError: The request had one, which is gone, or no header can carry it.
    """
    if is_upstream and not api_key and asker.credential is None and asker.authorized:
        raise CredentialGoneError("The request's credential is gone, and none is configured.")
    own = asker.credential if is_upstream else None
    credential = f"Bearer {api_key}" if api_key else own
    try:
        return None if credential is None else credential.encode("latin-1")  # as it came in (RFC 9110, 5.5)
    except UnicodeEncodeError:
        raise CredentialGoneError("The credential can't be sent in a header.") from None


def is_broken(status: int) -> bool:
    """Return whether a status says that the server is broken, and may recover."""
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED


def refusal(status: int, *, has_key: bool) -> ExtractorError:
    """Return the error for a status other than 200: slow, passing, for good, or of a credential.

    If it ``has_key``, the operator's was sent: exchanges wait until a denied one is corrected. A denied credential of a chat's own
    request counts as gone.
    """
    message = f"The extraction model's server answered with status {status}."
    if status in DENIED:
        return (ExtractorError if has_key else CredentialGoneError)(message)
    if status in SLOW:
        return ExtractorTimeoutError(message)
    error = (ExtractorError if status in PASSING or is_broken(status) else ExtractorUnusableError)(message)
    error.is_of_one = not has_key and status in _OF_A_CREDENTIAL
    return error


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """A server's refusal of a call.

    Attributes:
        parameter: The parameter that it names as the cause; None: none.
    """

    parameter: str | None = None
    text: str = field(default="", repr=False)

    def names(self, *words: str) -> bool:
        """Say whether it is about one of these: by the parameter named, else by a whole word in the text."""
        if self.parameter is not None:
            return self.parameter.partition(".")[0] in words
        return any(bounded(rf"(?<!\w){escape(word)}(?!\w)").search(self.text) for word in words)


def read_error_response(content: bytes) -> ErrorResponse:
    """Read an error body: OpenAI's and FastAPI's shapes, or any text.

    In a validation error of FastAPI only place and message count, not the repeated input.
    """
    text = content[: _LENGTH * 4].decode("utf-8", "replace")
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return ErrorResponse(text=text[:_LENGTH])
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return ErrorResponse(text=str(error)[:_LENGTH])
    parameter = error.get("param")
    words = [error.get(name) for name in ("message", "msg", "code", "type")]
    words += _details(error.get("detail"))
    return ErrorResponse(
        parameter=parameter if isinstance(parameter, str) and parameter else None,
        text=" ".join(str(word) for word in words if word)[:_LENGTH],
    )


def _details(detail: Any) -> list[str]:
    if not isinstance(detail, list):
        return [str(detail)] if detail else []
    lines = []
    for item in detail:
        if isinstance(item, dict):
            place = item.get("loc")
            lines += [str(part) for part in place] if isinstance(place, list) else []
            lines.append(str(item.get("msg", "")))
    return lines


TOKENS_BELIEVED = 10_000_000
"""The most tokens a server's own count of a call is believed to."""

_BYTES_OF_TOKEN = 4
_CUT = "length"
_NO_COMPLETION = "The extraction model's server answered with no chat completion."


def read_completion(content: bytes, messages: Messages, model: str) -> ModelAnswer:
    """Return the first choice of a chat completion, and whether it was cut off at its length; "" if the model wrote nothing.

    The body is as platform.openai.com/docs/api-reference/chat has it; a stream is read as far as it goes. By the request's
    messages the tokens are estimated if the server counts none.

    Raises:
        ExtractorError: It is no chat completion.
    """
    if is_stream(content):
        return _read_stream(content, messages, model)
    try:
        completion = json.loads(content)
        choice = completion["choices"][0]
        said = _text(choice["message"].get("content"))
        is_cut = choice.get("finish_reason") == _CUT
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise ExtractorError(_NO_COMPLETION) from None
    return ModelAnswer(said, _tokens(completion.get("usage"), messages, said), model, is_cut=is_cut)


def is_stream(content: bytes) -> bool:
    """Return whether a response is a stream of events, whatever its content type says."""
    return content.lstrip()[:1] != b"{" and b"data:" in content


def tokens_of(messages: Messages) -> int:
    """Estimate the tokens of the messages."""
    return sum(estimate_tokens(message["content"]) for message in messages)


def tokens_received(content: bytes) -> int:
    """Estimate the tokens of an answer so far; an event of a stream counts as one."""
    return content.count(b"data:") if is_stream(content) else len(content) // _BYTES_OF_TOKEN


def _read_stream(content: bytes, messages: Messages, model: str) -> ModelAnswer:
    said: list[str] = []
    usage: Any = None
    heard = is_cut = False
    for event in _events(content):
        if isinstance(event.get("usage"), dict):
            usage = event["usage"]
        for choice in event.get("choices") or ():
            heard, is_cut = True, is_cut or choice.get("finish_reason") == _CUT
            said.append(_text((choice.get("delta") or choice.get("message") or {}).get("content")))
    if not heard:
        raise ExtractorError(_NO_COMPLETION)
    text = "".join(said)
    return ModelAnswer(text, _tokens(usage, messages, text), model, is_cut=is_cut)


def _events(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream, up to one that can't be read.

    Raises:
        ExtractorError: The server broke off with an error.
    """
    for line in content.splitlines():
        if not line.startswith(b"data:"):
            continue
        try:
            event = json.loads(line.removeprefix(b"data:"))
        except (ValueError, RecursionError):
            return  # [DONE], or a line that was cut off
        if not isinstance(event, dict) or event.get("error"):
            raise ExtractorError("The extraction model's server broke off its answer with an error.")
        yield event


def _text(said: object) -> str:
    if isinstance(said, list):
        parts = (part.get("text") for part in said if isinstance(part, dict) and part.get("type") == "text")
        return "".join(part for part in parts if isinstance(part, str))
    return said if isinstance(said, str) else ""


def _tokens(usage: object, messages: Messages, text: str) -> int:
    """Return the server's own count of tokens, or an estimate if it has none that can be true."""
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    if not isinstance(tokens, int) or isinstance(tokens, bool) or not 0 < tokens <= TOKENS_BELIEVED:
        return tokens_of(messages) + estimate_tokens(text)
    return tokens
