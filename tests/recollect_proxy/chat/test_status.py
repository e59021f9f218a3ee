"""Whatever becomes of what is to be shown, the answer ends as it would have; how it looks is shown on real sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.answers import EVENT_STREAM, completion_stream
from tests.scripted.models import ScriptedExtractor
from tests.support.recollections import recollection
from tests.support.stores import Store
from tests.support.tables import table
from tests.support.waiting import until
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.composition import Placed
from recollect.composition.block import Block
from recollect.engine import Engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.prompt_content import Prepared
from recollect.errors import StoreUnavailableError
from recollect.model import Candidate, Kind, News, Recall, Recollection, Scope, Strategy, Turn
from recollect.store import Postgres
from recollect.store.inbox import Inbox
from recollect_proxy.chat.openwebui_status import beside, has_room
from recollect_proxy.upstream.connection import Response
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Event, Headers

SECRET_WORDS = "The code of my locker is 417."
LEARNED = "I keep bees behind the barn."


class Telling(Through):
    """An inbox that tells what is new when it is let, or raises what is an error."""

    def __init__(self, inbox: Inbox, error: Exception | None = None) -> None:
        super().__init__(inbox)
        self.go_on, self.error = asyncio.Event(), error
        self.told: list[News] = []

    async def take_news(self, scope: Scope, key: str, *, since: datetime | None = None) -> News:
        if self.error is not None:
            raise self.error
        await self.go_on.wait()
        self.told.append(await self._part.take_news(scope, key, since=since))
        return self.told[-1]


class Client:
    """Takes what is sent to it."""

    def __init__(self, *, leaves: bool = False) -> None:
        self.body = b""
        self.ended = False
        self.leaves = leaves

    async def send(self, event: Event) -> None:
        assert not self.ended
        self.body += event.get("body", b"")
        self.ended = event["type"] == "http.response.body" and not event.get("more_body", False)
        if self.leaves and b"Meanwhile" in self.body:
            raise ConnectionResetError


def opening(store: Postgres, **policy: Any) -> Callable[[], AbstractAsyncContextManager[Engine]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        learned = Candidate(LEARNED, Kind.FACT, 0.7, LEARNED)
        yield engine_over(
            store,
            replace(PATIENT, strategy=Strategy.EXTRACT, **policy),
            extractor=ScriptedExtractor([learned]),
        )

    return opened


@asynccontextmanager
async def live_over(store: Postgres, **policy: Any) -> AsyncIterator[LiveEngine]:
    live = LiveEngine(opening(store, **policy))
    await live.start()
    yield live
    await live.aclose()


def answering() -> Answer:
    """Return an answer of the upstream's, which has come whole."""
    response = Response(asyncio.get_running_loop(), bodiless=False, drained=lambda: None)
    for piece in completion_stream("All right."):
        assert isinstance(piece, bytes)
        response.feed(piece)
    return Answer(200, response.headers, response)


async def relayed(
    live: LiveEngine,
    asked: Turn,
    *recollections: Recollection,
    known: bool = True,
    client: Client | None = None,
) -> bytes:
    """Let somebody be answered; return what they are sent.

    Args:
        live: The engine.
        asked: What they said.
        recollections: What was recalled for it.
        known: Whether it is known before the answer what was learned, where that is known at all.
        client: Who takes it.
    """
    client = client or Client()
    async with asyncio.timeout(30), beside(live, asked) as status:
        if known:
            await until(lambda: status._looking is not None and status._looking.done())
        prepared = Prepared(Recall(), Placed(block=Block("", recollections, 0)))
        await status.relay(answering(), client.send, prepared, extra=(), listen=lambda _chunk: None)
    assert client.ended
    return client.body


@pytest.fixture(autouse=True)
def _short_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "recollect_openwebui.notices.Notices.changes", lambda _self, updates: "Remembered: it" * bool(updates)
    )


@pytest.fixture
def asked(store: Store) -> Turn:
    return store.turn("Which number has my locker?")


async def remembered(live: LiveEngine, store: Store) -> None:
    assert live.engine is not None
    assert await live.engine.remember(store.turn(LEARNED), "All right.")
    await live.engine.drain(store.anna)


async def test_an_answer_ends_while_nobody_knows_what_was_learned_and_the_next_one_tells_it(
    store: Store, asked: Turn
) -> None:
    inbox = Telling(store.inbox)

    async with live_over(with_parts(store, inbox=inbox)) as live:
        await remembered(live, store)
        assert b"Meanwhile" not in await relayed(live, asked, known=False)
        inbox.go_on.set()
        await live.settle(30)
        assert b"Meanwhile remembered: it" in await relayed(live, asked)
        assert b"Meanwhile" not in await relayed(live, asked)

    assert [len(each.exchanges) for each in inbox.told] == [1, 1, 0]


async def test_what_a_client_that_leaves_was_not_shown_the_next_answer_shows(
    store: Store, asked: Turn
) -> None:
    async with live_over(store) as live:
        await remembered(live, store)
        with pytest.raises(ConnectionResetError):
            await relayed(live, asked, client=Client(leaves=True))
        await live.settle(30)
        assert b"Meanwhile remembered: it" in await relayed(live, asked)


async def test_a_store_that_is_away_costs_no_answer(store: Store, asked: Turn) -> None:
    async with live_over(breakable(store, Outage(StoreUnavailableError()))) as live:
        assert b"All right." in await relayed(live, asked)


async def test_an_engine_that_is_not_open_is_not_waited_for(asked: Turn) -> None:
    @asynccontextmanager
    async def never() -> AsyncIterator[Engine]:
        await asyncio.Event().wait()
        yield  # type: ignore[misc]

    live = LiveEngine(never)
    live.open()

    assert b"All right." in await relayed(live, asked)

    await live.aclose()


async def test_a_bug_costs_nobody_their_answer_and_is_logged_without_their_words(
    store: Store, asked: Turn
) -> None:
    faulty = with_parts(store, inbox=Telling(store.inbox, TypeError(SECRET_WORDS)))
    broken = Recollection(None, 1.0)  # type: ignore[arg-type]  # that is another bug

    with capture_logs() as logs:
        async with live_over(faulty) as live:
            body = await relayed(live, asked, recollection(SECRET_WORDS), broken)

    assert b"All right." in body
    assert b"Recalled" not in body
    lines = [each for each in logs if each["event"] == "status_event_failed"]
    assert {each["error"] for each in lines} == {"TypeError", "AttributeError"}
    assert "417" not in str(logs)


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
