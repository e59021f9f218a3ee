"""A stand-in for an LLM server, for a demo without one: it speaks the protocol, and is no model.

It answers from its prompt alone, and says in its name and in every answer to a person that it is scripted. Asked for
structured output it extracts the few sentences that its script understands.
"""

import time
import uuid
from typing import Any

import msgspec

from examples.demo.answering import answer, extract
from recollect.text.tokens import estimate_tokens
from recollect_proxy.web.asgi import Incoming, Receive, Scope, Send, respond

_MODEL = "scripted"
_LARGEST_BODY = 2**24


async def demo_upstream(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request (ASGI): a list of models, or a chat completion, which is streamed in one piece."""
    body = await Incoming(receive).read_body(_LARGEST_BODY)
    request = {} if scope["method"] == "GET" else msgspec.json.decode(body or b"{}")
    answered = msgspec.json.encode(_completion(request) if request else _models())
    if request.get("stream"):
        await respond(
            send, 200, b"data: %s\n\ndata: [DONE]\n\n" % answered, content_type=b"text/event-stream"
        )
    else:
        await respond(send, 200, answered, content_type=b"application/json")


def _models() -> dict[str, Any]:
    model = {"id": _MODEL, "object": "model", "created": 0, "owned_by": "recollect"}
    return {"object": "list", "data": [model]}


def _completion(request: dict[str, Any]) -> dict[str, Any]:
    messages = request["messages"]
    text = (extract if "response_format" in request else answer)(messages)
    prompt = sum(estimate_tokens(str(message.get("content") or "")) for message in messages)
    completion, is_streamed = estimate_tokens(text), bool(request.get("stream"))
    said = {"role": "assistant", "content": text}
    choice = {"index": 0, "delta" if is_streamed else "message": said, "finish_reason": "stop"}
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "created": int(time.time()),
        "object": "chat.completion.chunk" if is_streamed else "chat.completion",
        "model": _MODEL,
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }
