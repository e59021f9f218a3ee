"""Shows users of OpenWebUI recalled and new memories, as status events within the stream of the answer.

OpenWebUI shows the ``event`` of a chat completion chunk like its own, and keeps it with the message.

It sends events to Open WebUI alone; it neither changes, reorders nor delays the upstream's bytes, and never fails a chat.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import structlog

from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.prompt_content import Prepared
from recollect.errors import RecollectError, raised_at
from recollect.model import News, Turn
from recollect.wire import ChatBody
from recollect_openwebui.notices import NEWS_AGE, Event, notices_of, status
from recollect_proxy.chat.passthrough import media_type
from recollect_proxy.identity.caller import Caller
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Send
from recollect_proxy.web.headers import BOUND_TO_THE_BODY

_OK = 200

_LOOK_SECONDS = 1.0
"""How often it is looked during an answer whether anything was remembered meanwhile."""

_ENDS = (b"\n\n", b"\n\r\n", b"\r\r")
"""How an event ends: with an empty line (WHATWG HTML, section 9.2.6)."""

log = structlog.get_logger(__name__)


def sees_status(caller: Caller, chat: ChatBody) -> bool:
    """Whether the sender sees it, because they chat on OpenWebUI's own page."""
    return caller.by_openwebui and caller.session_id is not None and chat.shape.stream


@asynccontextmanager
async def beside(engine: LiveEngine, turn: Turn) -> "AsyncIterator[StatusEvents]":
    """Look for new memories of a turn's chat, during the request and its answer."""
    shown = StatusEvents(engine, turn)
    try:
        yield shown
    finally:
        shown.hand_over()


class StatusEvents:
    """The status events in the stream of one answer; none delays the answer.

    Recalled memories are shown before its first word, and new memories from the chat as soon as they are known.
    """

    def __init__(self, engine: LiveEngine, turn: Turn) -> None:
        self._engine = engine
        self._turn = turn
        self._looked = time.monotonic()
        self._looking: asyncio.Task[News | None] | None = asyncio.create_task(self._look())

    async def relay(
        self,
        answer: Answer,
        send: Send,
        prepared: Prepared,
        *,
        is_off: bool = False,
        extra: Iterable[tuple[bytes, bytes]],
        listen: Callable[[bytes], None],
    ) -> None:
        """Send the lines before an answer, the memories in its prompt, the answer, and new memories between its events.

        Arguments and errors are those of ``recollect_proxy.chat.passthrough.relay``.
        """
        headers = [*answer.headers, *extra]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await _send_on(send, _before_answer(prepared, self._turn, is_off=is_off))
        end = _ENDS[0]  # a stream begins as if an event had just ended
        while chunk := await answer.chunk():
            listen(chunk)
            if end.endswith(_ENDS) and not is_off:  # if off, `hand_over` leaves the news to the next answer
                await self._show_news(send)
            await _send_on(send, chunk)
            end = (end + chunk[-3:])[-3:]  # an end of three bytes may come in several chunks
        await send({"type": "http.response.body", "body": b""})

    async def _show_news(self, send: Send) -> None:
        """Show new memories, if any are known by now."""
        if self._looking is None:
            if time.monotonic() - self._looked >= _LOOK_SECONDS:
                self._looked = time.monotonic()
                self._looking = asyncio.create_task(self._look())
        elif self._looking.done():
            news = self._looking.result()
            await _send_on(send, _learned(news, self._turn) if news is not None else b"")
            self._looking = None  # now it is shown; a client that left before has not seen it

    async def _look(self) -> News | None:
        engine, turn = self._engine.engine, self._turn
        try:
            return (
                None
                if engine is None
                else await engine.take_news(turn.scope, turn.key, since=turn.at - NEWS_AGE)
            )
        except RecollectError:
            return None  # the next answer tells it
        except Exception as error:  # noqa: BLE001 -- a bug here must not cost anybody their answer
            _untold(error)
            return None

    def hand_over(self) -> None:
        """Leave to the chat's next answer what could not be shown with this one."""
        if self._looking is not None:
            self._engine.leave_untold(self._looking)


def has_room(answer: Answer) -> bool:
    """Whether something can be put between the events of an answer: a plain stream, of no stated length or digest."""
    is_bound = any(name.lower() in BOUND_TO_THE_BODY for name, _ in answer.headers)
    return answer.status == _OK and media_type(answer) == b"text/event-stream" and not is_bound


def _before_answer(prepared: Prepared, turn: Turn, *, is_off: bool) -> bytes:
    """Return the lines before an answer, and its sources; only that memory is off, if the request wants none of it."""
    included = prepared.included
    try:
        notices = notices_of(turn, texts=[each.item.content for each in included])
        if is_off:
            return _chunk(status(notices("off.here")))
        sources = notices.citations(included, hides_standing=True)
        return b"".join(map(_chunk, [*notices.before_answer(prepared, turn), *sources]))
    except Exception as error:  # noqa: BLE001 -- a bug here must not cost anybody their answer
        return _untold(error)


def _learned(news: News, turn: Turn) -> bytes:
    try:
        texts = [each.after or each.before or "" for each in news.updates]
        line = notices_of(turn, texts=texts).meanwhile(news.updates[::-1])
        return _chunk(status(line)) if line else b""
    except Exception as error:  # noqa: BLE001 -- as above
        return _untold(error)


def _untold(error: Exception) -> bytes:
    log.error("status_event_failed", error=type(error).__name__, raised_at=raised_at(error))
    return b""


def _chunk(event: Event) -> bytes:
    """Return an event as a chunk that says nothing."""
    # In ASCII, as some clients take U+2028 for a line's end.
    return b"data: " + json.dumps({"choices": [], "event": event}).encode("ascii") + b"\n\n"


async def _send_on(send: Send, data: bytes) -> None:
    if data:
        await send({"type": "http.response.body", "body": data, "more_body": True})
