"""Whatever becomes of what is to be shown, the answer ends as it would have; how it looks is shown on real sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import recollection
from tests.scripted_answers import DONE, EVENT_STREAM, completion_stream
from tests.stores import Ports, Store
from tests.tables import table
from tests.watched_stores import Outage, Through, breakable

from recollect import writing
from recollect.engine import Engine
from recollect.errors import StoreUnavailableError
from recollect.live_engine import LiveEngine
from recollect.model import Outcome, Progress, Recollection, Scope, Strategy, Turn
from recollect.ports import Inbox
from recollect_proxy.asgi import Event, Headers
from recollect_proxy.held_end import HeldEnd
from recollect_proxy.http1 import Response
from recollect_proxy.status import Status, has_room
from recollect_proxy.upstream import Answer

SECRET_WORDS = "The code of my locker is 417."


class Progressing(Through):
    """An inbox in which every exchange has come as far as this says; it raises what is an error."""

    def __init__(self, inbox: Inbox, *progress: Progress | Exception) -> None:
        super().__init__(inbox)
        self.progress = list(progress)

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        now = self.progress.pop(0)
        if isinstance(now, Exception):
            raise now
        return replace(await self._port.outcome(scope, key) or Outcome(now), progress=now)


class Client:
    """Takes what is sent to it."""

    def __init__(self) -> None:
        self.body = b""
        self.ended = False

    async def send(self, event: Event) -> None:
        assert not self.ended
        self.body += event.get("body", b"")
        self.ended = event["type"] == "http.response.body" and not event.get("more_body", False)


def opening(store: Ports, **policy: Any) -> Callable[[], AbstractAsyncContextManager[Engine]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        yield engine_over(store, replace(PATIENT, **policy))

    return opened


@asynccontextmanager
async def live_over(store: Ports, **policy: Any) -> AsyncIterator[LiveEngine]:
    live = LiveEngine(opening(store, **policy))
    await live.start()
    yield live
    await live.aclose()


async def end_of(live: LiveEngine, asked: Turn) -> bytes:
    """Let somebody's answer end, which may wait for long; return what they are sent."""
    end, client = HeldEnd(), Client()
    end.take(DONE)
    remembering = live.remember(asked, "All right.", recollections=(), credential=None)
    async with asyncio.timeout(30):
        await Status(live, 3600).close(client.send, end, asked, remembering)
    assert client.ended
    return client.body


@pytest.fixture
def asked(store: Store) -> Turn:
    return store.turn(SECRET_WORDS)


async def test_a_store_that_is_away_is_not_waited_for_and_nothing_is_lost(
    store: Store, asked: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_AGAIN_SECONDS", 0.01)
    outage = Outage(StoreUnavailableError())

    async with live_over(breakable(store, outage)) as live:
        assert await end_of(live, asked) == DONE
        outage.failure = None
        await live.settle(30)
        [exchange] = await store.inbox.pending(store.anna, limit=9)

    assert exchange.exchange.turn.text == SECRET_WORDS


async def test_an_engine_that_is_not_open_is_not_waited_for(asked: Turn) -> None:
    @asynccontextmanager
    async def never() -> AsyncIterator[Engine]:
        await asyncio.Event().wait()
        yield  # type: ignore[misc]

    live = LiveEngine(never)
    live.open()

    assert await end_of(live, asked) == DONE

    await live.aclose()


async def test_what_nobody_keeps_is_not_waited_for(store: Store, asked: Turn) -> None:
    async with live_over(store, strategy=Strategy.OFF) as live:
        assert await end_of(live, asked) == DONE


@pytest.mark.parametrize("last", [Progress.FORMED, Progress.FAILED, Progress.ABANDONED])
async def test_what_is_formed_or_never_will_be_is_waited_for_no_longer(
    store: Store, asked: Turn, last: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect_proxy.status._PAUSE_SECONDS", 0.01)
    inbox = Progressing(store.inbox, Progress.PENDING, Progress.PENDING, Progress.PENDING, last)

    async with live_over(replace(store, inbox=inbox)) as live:
        assert await end_of(live, asked) == DONE

    assert inbox.progress == []


async def test_a_bug_costs_nobody_the_end_of_an_answer_and_is_logged_without_their_words(
    store: Store, asked: Turn
) -> None:
    faulty = replace(store, inbox=Progressing(store.inbox, TypeError(SECRET_WORDS)))

    with capture_logs() as logs:
        async with live_over(faulty) as live:
            assert await end_of(live, asked) == DONE

    [line] = [each for each in logs if each["event"] == "status_failed"]
    assert line["error"] == "TypeError"
    assert "417" not in str(logs)


async def test_a_bug_costs_nobody_their_answer(store: Store) -> None:
    client, response = (
        Client(),
        Response(asyncio.get_running_loop(), bodiless=False, drained=lambda: None),
    )
    for piece in completion_stream("All right."):
        assert isinstance(piece, bytes)
        response.feed(piece)
    broken = Recollection(None, 1.0)  # type: ignore[arg-type]  # that is the bug

    with capture_logs() as logs:
        live = LiveEngine(opening(store))
        end = await Status(live, 0).relay(
            Answer(200, response.headers, response),
            client.send,
            [recollection(SECRET_WORDS), broken],
            extra=(),
            listen=lambda _chunk: None,
        )

    assert b"All right." in client.body
    assert b"Recalled" not in client.body
    assert end.held == DONE
    assert [each["event"] for each in logs] == ["status_failed"]


@table(
    ("status", "headers", "expected"),
    [
        (200, EVENT_STREAM, True),
        (200, [(b"content-type", b"Text/Event-Stream; charset=utf-8")], True),
        (201, EVENT_STREAM, False),
        (500, EVENT_STREAM, False),
        (200, [(b"content-type", b"application/json")], False),
        (200, [(b"content-type", b"text/event-streams")], False),
        (200, [], False),
        (200, [*EVENT_STREAM, (b"Content-Length", b"9")], False),
        (200, [*EVENT_STREAM, (b"Content-Encoding", b"gzip")], False),
        (200, [*EVENT_STREAM, (b"Repr-Digest", b"sha-256=:x:")], False),
    ],
)
def test_a_plain_stream_has_room(status: int, headers: Headers, *, expected: bool) -> None:
    assert has_room(Answer(status, headers, object.__new__(Response))) is expected
