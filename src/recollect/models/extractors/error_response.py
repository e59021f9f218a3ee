"""Reads why a server refused a call. Never: shown or logged, for servers quote what they were sent."""

import json
from dataclasses import dataclass, field
from typing import Any

from recollect.text.patterns import bounded, escape

_LENGTH = 4_000


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """What a server said of a call it refused.

    Attributes:
        parameter: The parameter it names as the cause, if it names one by itself.
        text: Its words.
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

    Of a FastAPI validation error only place and message count, not the input it repeats.
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
