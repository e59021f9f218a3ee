"""A realtime model on a real WebSocket (RFC 6455): it says what it was told to say."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.scripted.dialects import response_event_objects
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.typing import Subprotocol

REFUSED = "refused"
"""A model of this name does not exist: the handshake is refused with 401."""


@dataclass
class RealtimeUpstream:
    """What was asked of it, and how it answers."""

    port: int = 0
    handshakes: list[Request] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    closed: asyncio.Queue[tuple[int | None, str | None]] = field(default_factory=asyncio.Queue)

    @property
    def base_url(self) -> str:
        """Where it is served, as a proxy is told it."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def converse(self, socket: ServerConnection) -> None:
        """Answer each `response.create` until the client leaves."""
        try:
            if socket.request is not None and socket.request.path.startswith("/v1/realtime"):
                await socket.send(
                    json.dumps({"type": "session.created", "event_id": "1", "session": _SESSION})
                )
            async for message in socket:
                event = json.loads(message)
                self.events.append(event)
                if event["type"] == "response.create":
                    for answer in _answer(socket):
                        await socket.send(json.dumps(answer))
                if event["type"] == "input_audio_buffer.append":
                    await socket.close(4000, "no audio here")
        except ConnectionClosed:
            pass  # how, is noted below
        await self.closed.put((socket.close_code, socket.close_reason))


_SESSION = {"type": "realtime", "object": "realtime.session", "id": "sess_1", "model": "scripted"}
_DONE = {
    "type": "response.done",
    "event_id": "event_2",
    "response": {"object": "realtime.response", "id": "resp_1", "status": "completed", "output": []},
}


def _is_realtime(socket: ServerConnection) -> bool:
    return socket.request is not None and socket.request.path.startswith("/v1/realtime")


def _answer(socket: ServerConnection) -> Iterator[dict[str, Any]]:
    """Yield the events of an answer: of the Realtime API, or of responses over a socket."""
    events = list(response_event_objects("Lapsang", " Souchong."))
    if not _is_realtime(socket):
        yield from (event | {"sequence_number": number} for number, event in enumerate(events))
        return
    for event in events:
        if event["type"] == "response.output_text.delta":
            yield event | {"event_id": "event_3", "response_id": "resp_1"}
    yield _DONE


@asynccontextmanager
async def realtime_upstream() -> AsyncIterator[RealtimeUpstream]:
    """Serve a realtime model on a free port until left."""
    upstream = RealtimeUpstream()

    def note(connection: ServerConnection, request: Request) -> Any:
        upstream.handshakes.append(request)
        if f"model={REFUSED}" not in request.path:
            return None
        return connection.respond(401, json.dumps({"error": {"message": "No.", "code": "scripted_401"}}))

    async with serve(
        upstream.converse,
        "127.0.0.1",
        0,
        process_request=note,
        subprotocols=[Subprotocol("realtime")],
        select_subprotocol=lambda _, offered: Subprotocol("realtime") if "realtime" in offered else None,
    ) as server:
        upstream.port = server.sockets[0].getsockname()[1]
        yield upstream
