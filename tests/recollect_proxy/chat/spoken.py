"""The Responses API and Anthropic's Messages API as clients and servers speak them. Never: a test."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.scripted.answers import Answer, completion_body, whole
from tests.support.received import Received


def named_event(data: dict[str, Any]) -> bytes:
    """Return a server-sent event that goes by the type of its data."""
    return b"event: %s\ndata: %s\n\n" % (data["type"].encode(), json.dumps(data).encode())


@dataclass(frozen=True)
class Spoken:
    """One of the APIs.

    Attributes:
        path: Where it is spoken.
        instructs: The member that instructs the model.
        said: Returns the member that holds what a user says: words, or a list of parts.
        part: Returns a part with words.
        whole: Returns an answer, not streamed.
        stream: Yields the events of an answer that says the pieces one after the other.
    """

    path: bytes
    instructs: str
    said: Callable[[str | list[dict[str, Any]]], dict[str, Any]]
    part: Callable[[str], dict[str, Any]]
    whole: Callable[[str], bytes]
    stream: Callable[..., Iterator[bytes]]

    def body(self, words: str | list[dict[str, Any]], **fields: Any) -> bytes:
        """Return a request in which a user says these words, or these parts."""
        return json.dumps({"model": "scripted", "max_tokens": 9} | self.said(words) | fields).encode()


# -- responses -------------------------------------------------------------------------------------


def _response(status: str, *output: dict[str, Any], **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    return {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "error": None,
        "model": "scripted",
        "output": list(output),
        "usage": usage,
    } | fields


def _spoken(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}


def _begun() -> Iterator[bytes]:
    for kind in ("response.created", "response.in_progress"):
        yield named_event({"type": kind, "response": _response("in_progress")})


def _delta(text: str) -> bytes:
    return named_event({"type": "response.output_text.delta", "item_id": "m", "delta": text})


def _response_stream(*pieces: str) -> Iterator[bytes]:
    yield from _begun()
    yield named_event({"type": "response.reasoning_summary_text.delta", "delta": "Hmm."})
    yield from map(_delta, pieces)
    message = _spoken("".join(pieces))
    yield named_event({"type": "response.output_text.done", "text": "".join(pieces)})
    yield named_event({"type": "response.output_item.done", "item": message})
    yield named_event({"type": "response.completed", "response": _response("completed", message)})


RESPONSES = Spoken(
    b"/v1/responses",
    "instructions",
    lambda words: {"input": words if isinstance(words, str) else [{"role": "user", "content": words}]},
    lambda text: {"type": "input_text", "text": text},
    lambda text: json.dumps(_response("completed", _spoken(text)), indent=1).encode(),
    _response_stream,
)


# -- messages --------------------------------------------------------------------------------------


def _message(*content: dict[str, Any], stop: str | None = None) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 2}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": list(content),
        "stop_reason": stop,
        "usage": usage,
    }


def _block(block: dict[str, Any], *deltas: dict[str, Any]) -> Iterator[bytes]:
    yield named_event({"type": "content_block_start", "index": 0, "content_block": block})
    for delta in deltas:
        yield named_event({"type": "content_block_delta", "index": 0, "delta": delta})
    yield named_event({"type": "content_block_stop", "index": 0})


def _message_stream(*pieces: str, stop: str = "end_turn") -> Iterator[bytes]:
    yield named_event({"type": "message_start", "message": _message()})
    yield named_event({"type": "ping"})
    yield from _block({"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "Hmm."})
    yield from _block(
        {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces)
    )
    yield named_event(
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 2}}
    )
    yield named_event({"type": "message_stop"})


MESSAGES = Spoken(
    b"/v1/messages",
    "system",
    lambda words: {"messages": [{"role": "user", "content": words}]},
    lambda text: {"type": "text", "text": text},
    lambda text: json.dumps(_message({"type": "text", "text": text}, stop="end_turn"), indent=1).encode(),
    _message_stream,
)


def replies(text: str) -> Callable[[Received], Answer]:
    """Return how a server answers each request with this, in the API it is asked in."""
    spoken = {api.path: api.whole(text) for api in (RESPONSES, MESSAGES)}
    return lambda request: whole(spoken.get(request.target, completion_body(text)))
