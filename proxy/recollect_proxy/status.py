"""Shows people who use OpenWebUI what memory does, within the stream of the answer.

OpenWebUI takes the ``event`` of a chat completion chunk for one of its own: it shows it, and keeps it with the message.

Never: anything for another client; changes or reorders what the upstream says, or lets a word of it wait; fails a chat.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from recollect.chat import ChatBody
from recollect.errors import RecollectError
from recollect.failures import place
from recollect.live_engine import LiveEngine
from recollect.model import Became, Outcome, Progress, Recollection, Turn, Written
from recollect.openwebui import telling
from recollect_proxy.asgi import Send, values
from recollect_proxy.headers import BOUND_TO_THE_BODY
from recollect_proxy.held_end import HeldEnd
from recollect_proxy.identity import Caller
from recollect_proxy.upstream import Answer, TruncatedError

_OK = 200
_PAUSE_SECONDS = 0.2

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Status:
    """Shows what was recalled before an answer's first word, and what was learned behind its last one.

    Attributes:
        engine: Tells what was learned.
        seconds: How long the end of an answer, and never a word of it, waits for that; 0: not at all.
    """

    engine: LiveEngine
    seconds: float

    def is_for(self, caller: Caller, chat: ChatBody) -> bool:
        """Whether a request is of somebody who sees it: who chats on OpenWebUI's own page."""
        return caller.by_openwebui and caller.session_id is not None and chat.stream

    async def relay(
        self,
        answer: Answer,
        send: Send,
        recollections: Sequence[Recollection],
        *,
        extra: Iterable[tuple[bytes, bytes]],
        listen: Callable[[bytes], None],
    ) -> HeldEnd:
        """Send an answer on as it comes, behind what was recalled for it, and return what is held of its end.

        Arguments and errors are those of ``recollect_proxy.relaying.relay``.
        """
        headers = [*answer.headers, *extra]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await _send_on(send, _told(recollections))
        end = HeldEnd()
        try:
            while chunk := await answer.chunk():
                listen(chunk)
                await _send_on(send, end.take(chunk))
        except TruncatedError:
            await _send_on(send, end.held)
            raise
        return end

    async def close(
        self, send: Send, end: HeldEnd, turn: Turn, remembering: "asyncio.Task[Became] | None"
    ) -> None:
        """Send what is held of an answer's end, behind what its exchange taught.

        Args:
            send: To the client.
            end: As ``relay`` returned it.
            turn: The exchange's.
            remembering: Tells what became of its exchange; None: nothing of it is remembered.
        """
        if remembering is not None and self.seconds and end.is_between_events:
            await _send_on(send, await self._learned(turn, remembering))
        await send({"type": "http.response.body", "body": end.held})

    async def _learned(self, turn: Turn, remembering: "asyncio.Task[Became]") -> bytes:
        try:
            async with asyncio.timeout(self.seconds):
                outcome = await self._outcome(turn, remembering)
            told = telling.changes(outcome.updates[::-1]) if outcome else ""
            return _chunk(telling.status(told)) if told else b""
        except (TimeoutError, RecollectError):
            return b""  # it is remembered all the same, and shown to nobody
        except Exception as error:  # noqa: BLE001 -- a bug here must not cost anybody the end of their answer
            return _untold(error)

    async def _outcome(self, turn: Turn, remembering: "asyncio.Task[Became]") -> Outcome | None:
        """Wait until an exchange is formed, or will not be; None where it is not a new one, or nobody knows."""
        is_new: bool | None = None
        while is_new is not False and (engine := self.engine.engine) is not None:
            outcome = await engine.outcome(turn.scope, turn.key)
            if is_new is None:
                # Behind that question, as the log waits for a store that is away, and this must not.
                is_new = await asyncio.shield(remembering) is Written.NEW
            elif outcome is None or outcome.progress is not Progress.PENDING:
                return outcome
            else:
                await asyncio.sleep(_PAUSE_SECONDS)
        return None


def has_room(answer: Answer) -> bool:
    """Whether something can be put between the events of an answer: a plain stream, of no stated length or digest."""
    content_type = b"".join(values(answer.headers, b"content-type")[:1]).split(b";")[0]
    is_stream = content_type.strip().lower() == b"text/event-stream"
    is_bound = any(name.lower() in BOUND_TO_THE_BODY for name, _ in answer.headers)
    return answer.status == _OK and is_stream and not is_bound


def _told(recollections: Sequence[Recollection]) -> bytes:
    """Return what was recalled as events; b"" where nothing was."""
    if not recollections:
        return b""
    try:
        return b"".join(map(_chunk, [telling.recalled(recollections), *map(telling.citation, recollections)]))
    except Exception as error:  # noqa: BLE001 -- a bug here must not cost anybody their answer
        return _untold(error)


def _untold(error: Exception) -> bytes:
    log.error("status_failed", error=type(error).__name__, place=place(error))
    return b""


def _chunk(event: Mapping[str, Any]) -> bytes:
    """Return an event as a chunk that says nothing; in ASCII, as some clients take U+2028 for a line's end."""
    return b"data: " + json.dumps({"choices": [], "event": event}).encode("ascii") + b"\n\n"


async def _send_on(send: Send, data: bytes) -> None:
    if data:
        await send({"type": "http.response.body", "body": data, "more_body": True})
