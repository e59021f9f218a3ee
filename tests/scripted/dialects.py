"""What a scripted upstream says in the other APIs it is asked in: OpenAI's responses, Anthropic's messages."""

import json
from collections.abc import Iterator
from typing import Any

from tests.scripted.answers import Answer, streamed, whole

_PART: dict[str, Any] = {"type": "output_text", "annotations": [], "logprobs": []}


def response_body(text: str | None, *, status: str = "completed") -> dict[str, Any]:
    """Return a response of OpenAI's that says this; of None, one that has not said anything yet."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "status": status,
        "error": None,
        "model": "scripted",
        "output": [] if text is None else [_output_item(text)],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def _output_item(text: str | None, *, status: str = "completed") -> dict[str, Any]:
    content = [] if text is None else [{**_PART, "text": text}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": content}


def response(text: str) -> Answer:
    return whole(json.dumps(response_body(text), indent=1).encode())


def response_stream(*pieces: str) -> Answer:
    return streamed(*response_events(*pieces))


def response_events(*pieces: str) -> Iterator[bytes]:
    """Yield the events of a response that says the pieces one after the other."""
    for number, event in enumerate(response_event_objects(*pieces)):
        yield named_event(event | {"sequence_number": number})


def response_event_objects(*pieces: str) -> Iterator[dict[str, Any]]:
    """Yield the events as objects, not numbered yet."""
    text = "".join(pieces)
    item = {"output_index": 0}
    part = item | {"item_id": "msg_1", "content_index": 0}
    begun = response_body(None, status="in_progress")
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    yield {"type": "response.output_item.added", "item": _output_item(None, status="in_progress"), **item}
    yield {"type": "response.content_part.added", "part": {**_PART, "text": ""}, **part}
    for piece in pieces:
        yield {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **part}
    yield {"type": "response.output_text.done", "text": text, "logprobs": [], **part}
    yield {"type": "response.content_part.done", "part": {**_PART, "text": text}, **part}
    yield {"type": "response.output_item.done", "item": _output_item(text), **item}
    yield {"type": "response.completed", "response": response_body(text)}


def message_body(text: str | None) -> dict[str, Any]:
    """Return a message of Anthropic's that says this; of None, one that has not said anything yet."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [] if text is None else [{"type": "text", "text": text}],
        "stop_reason": None if text is None else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def message(text: str) -> Answer:
    return whole(json.dumps(message_body(text), indent=1).encode())


def message_stream(*pieces: str) -> Answer:
    return streamed(*message_events(*pieces))


def message_events(*pieces: str) -> Iterator[bytes]:
    """Yield the events of a message that says the pieces one after the other."""
    yield named_event({"type": "message_start", "message": message_body(None)})
    yield named_event(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    )
    yield named_event({"type": "ping"})
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        yield named_event({"type": "content_block_delta", "index": 0, "delta": delta})
    yield named_event({"type": "content_block_stop", "index": 0})
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    yield named_event({"type": "message_delta", "delta": ended, "usage": {"output_tokens": len(pieces)}})
    yield named_event({"type": "message_stop"})


def named_event(event: dict[str, Any]) -> bytes:
    """Return a server-sent event that goes by the type of its data."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
