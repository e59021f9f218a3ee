"""A local server that speaks Mistral's protocol (docs.mistral.ai/api)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from recollect.text.tokens import token_counter

Body = dict[str, Any]
Reply = Callable[[Body], web.StreamResponse | Awaitable[web.StreamResponse]]

TOKENS_A_CALL = 16_384

count_tokens = token_counter("mistral-7b")


def says(content: object) -> Reply:
    """Answer with a chat completion."""
    return lambda body: web.json_response(completion(body["model"], content))


def completion(model: str, content: object) -> Body:
    """A chat completion as Mistral writes it."""
    return {
        "id": "cmpl-1",
        "object": "chat.completion",
        "created": 1_770_000_000,
        "model": model,
        "usage": {"prompt_tokens": 300, "completion_tokens": 21, "total_tokens": 321},
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "tool_calls": None, "content": content},
            }
        ],
    }


def embedding(model: str, vectors: Sequence[object]) -> Body:
    """An embedding response as Mistral writes it, but for its order, of which none is promised."""
    data = [{"object": "embedding", "embedding": each, "index": index} for index, each in enumerate(vectors)]
    usage = {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}
    return {"id": "emb-1", "object": "list", "data": data[::-1], "model": model, "usage": usage}


def refuses(status: int, message: str = "no", **headers: str) -> Reply:
    """Answer with an error as Mistral words it."""
    error = {"object": "error", "message": message, "type": "invalid_request_error", "code": "1000"}
    return lambda _: web.json_response(error, status=status, headers=headers)


def raw(content: bytes, status: int = 200, kind: str = "application/json") -> Reply:
    return lambda _: web.Response(body=content, status=status, content_type=kind)


@dataclass
class MistralStandIn:
    """The requests of a server and its replies: in turn, the last one for ever.

    A call that breaks the protocol is refused before any reply, as is another key than ``key``.
    """

    base_url: str = ""
    key: str | None = None
    replies: list[Reply] = field(default_factory=lambda: [says('{"memories": []}')])
    bodies: list[Body] = field(default_factory=list)
    requests: list[web.Request] = field(default_factory=list)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, _broken_completion)

    async def embed(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, _broken_embedding)

    async def _answer(
        self, request: web.Request, broken: Callable[[Body], Reply | None]
    ) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.json())
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return web.json_response({"detail": "Unauthorized"}, status=401)
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1]
        answer = (broken(self.bodies[-1]) or reply)(self.bodies[-1])
        return answer if isinstance(answer, web.StreamResponse) else await answer


def _broken_completion(body: Body) -> Reply | None:
    """Return Mistral's answer to an unreadable call, of status 422; None to a readable one."""
    wanted = body.get("response_format", {}).get("json_schema", {})
    is_whole = isinstance(wanted.get("name"), str) and wanted.get("schema", {}).get("type") == "object"
    roles = [message["role"] for message in body["messages"]]
    if not is_whole or wanted.get("strict") is not True or roles[-1] != "user" or not body.get("model"):
        return refuses(422)
    return None


def _broken_embedding(body: Body) -> Reply | None:
    texts = body.get("input")
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        return refuses(422)
    if sum(map(count_tokens, texts)) > TOKENS_A_CALL:
        return refuses(400, "Too many tokens in batch. Max is 16384 tokens.")
    return None


@asynccontextmanager
async def running_mistral(**given: Any) -> AsyncIterator[MistralStandIn]:
    """Yield the server, running on a free port."""
    server = MistralStandIn(**given)
    application = web.Application(client_max_size=8 * 2**20)
    application.router.add_post("/v1/chat/completions", server.complete)
    application.router.add_post("/v1/embeddings", server.embed)
    runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield server
    await runner.cleanup()
