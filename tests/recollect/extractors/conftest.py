"""A chat completions server on a real socket, and exchanges to extract from."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import UUID

import httpx
import pytest
from aiohttp import web

from recollect.model import Exchange, Message, Role, Scope, Turn

SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

Reply = Callable[[dict[str, Any]], Awaitable[web.StreamResponse] | web.StreamResponse]


def completion(content: object) -> web.Response:
    """A chat completion that says this."""
    message = {"role": "assistant", "content": content}
    return web.json_response(
        {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    )


def refusal(status: int, message: str, param: str | None = None) -> web.Response:
    """An error as OpenAI words it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return web.json_response({"error": error}, status=status)


@dataclass
class CompletionsServer:
    """What the server was asked, and what it answers: ``replies`` in turn, the last one for good."""

    base_url: str = ""
    replies: list[Reply] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def says(self, *contents: object) -> None:
        """Answer with these texts, one after the other."""
        self.replies = [lambda _, content=content: completion(content) for content in contents]  # type: ignore[misc]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(json.loads(await request.read()))
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.paths.append(request.path_qs)
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1](self.bodies[-1])
        return reply if isinstance(reply, web.StreamResponse) else await reply

    @property
    def forms(self) -> list[str]:
        """How each call asked for JSON."""
        return [body.get("response_format", {}).get("type", "asked") for body in self.bodies]


@pytest.fixture
async def server() -> AsyncIterator[CompletionsServer]:
    scripted = CompletionsServer()
    application = web.Application()
    application.router.add_post("/v1/chat/completions", scripted.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    [(host, port)] = [address[:2] for address in runner.addresses]
    scripted.base_url = f"http://{host}:{port}/v1"
    yield scripted
    with suppress(TimeoutError):
        await runner.cleanup()


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as opened:
        yield opened


class MakeExchange(Protocol):
    def __call__(self, text: str = ..., **changes: Any) -> Exchange: ...


@pytest.fixture
def make_exchange() -> MakeExchange:
    def make(text: str = "I moved to Leipzig yesterday", **changes: Any) -> Exchange:
        turn = Turn(
            scope=Scope("anna", "chat-1"),
            text=text,
            key="m1",
            at=SAID_AT,
            model=changes.pop("model", "chat-model"),
            history=changes.pop("history", (Message(Role.ASSISTANT, "How are you?"),)),
            speaker=changes.pop("speaker", None),
        )
        return Exchange(
            id=UUID(int=1),
            turn=turn,
            reply=changes.pop("reply", "Welcome!"),
            message_id=UUID(int=2),
            reply_id=UUID(int=3),
            **changes,
        )

    return make
