"""A chat completions server on a real socket, that answers as it is told."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Reply = Callable[[Body], web.StreamResponse | Awaitable[web.StreamResponse]]


def says(content: object, *, total_tokens: object = None, reason: str = "stop") -> Reply:
    """Answer with a chat completion."""
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": reason}
    usage = {} if total_tokens is None else {"usage": {"total_tokens": total_tokens}}
    return lambda _: web.json_response({"choices": [choice], **usage})


def refuses(status: int, message: str = "no", param: str | None = None) -> Reply:
    """Answer with an error as OpenAI words it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return lambda _: web.json_response({"error": error}, status=status)


def raw(content: bytes, status: int = 200) -> Reply:
    """Answer with these bytes."""
    return lambda _: web.Response(body=content, status=status, content_type="application/json")


@dataclass
class Server:
    """What was asked of the server, and what it answers: the replies in turn, the last for good."""

    base_url: str = ""
    replies: list[Reply] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    requests: list[web.Request] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.json())
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1](self.bodies[-1])
        return reply if isinstance(reply, web.StreamResponse) else await reply

    def streams(self, *events: object, then: Callable[[], Awaitable[object]] | None = None) -> None:
        """Answer each call with a stream of these events; ``then`` is waited for before its end."""

        async def stream(_: Body) -> web.StreamResponse:
            response = web.StreamResponse(headers={"content-type": "text/event-stream"})
            await response.prepare(self.requests[-1])
            for event in events:
                await response.write(b"data: " + json.dumps(event).encode() + b"\n\n")
            if then is not None:
                await then()
            await response.write(b"data: [DONE]\n\n")
            return response

        self.replies = [stream]

    @property
    def forms(self) -> list[str]:
        return [body.get("response_format", {"type": "asked"})["type"] for body in self.bodies]

    def shown(self, call: int = 0) -> str:
        """What the model was shown besides its prompt."""
        shown: str = self.bodies[call]["messages"][1]["content"]
        return shown


@asynccontextmanager
async def completions_server() -> AsyncIterator[Server]:
    """Serve until the block ends."""
    scripted = Server()
    application = web.Application()
    application.router.add_post("/v1/chat/completions", scripted.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scripted.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield scripted
    await runner.cleanup()


def fenced(shown: str) -> dict[str, str]:
    """The texts by their titles, read as a strict reader would."""
    fence = shown.splitlines()[-1]
    pieces = shown.split(f"\n{fence}\n")
    assert pieces[-1].endswith(f"\n{fence}")
    titles = [piece.strip().splitlines()[-1].removesuffix(":") for piece in pieces[:-1:2]]
    return dict(zip(titles, (piece.removesuffix(f"\n{fence}") for piece in pieces[1::2]), strict=True))
