"""An engine that opens late, or fails to: nobody waits for it, and nothing said meanwhile is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import turn
from tests.waiting import until

from recollect import live_engine, remembering
from recollect.engine import Engine, Wishes
from recollect.errors import ConfigurationError, EmbedderError, StoreUnavailableError
from recollect.live_engine import LiveEngine
from recollect.model import Recall, RequestRecord, Skip, Turn
from recollect.recalling import Prepared
from recollect.testing import BrokenStore, InMemoryStore
from recollect.tokens import estimate_tokens

Opening = Callable[[], AbstractAsyncContextManager[Engine]]


class Opener:
    """Opens an engine over ``store``, unless it fails.

    Attributes:
        failures: What to raise, one an opening; afterwards it succeeds.
        opened: How often it was opened.
        closed: How often it was closed.
        allowed: Opening waits for it.
        leaves: Closing takes its store away.
    """

    def __init__(
        self, *failures: Exception, store: InMemoryStore | None = None, leaves: bool = False
    ) -> None:
        self.leaves = leaves
        self.store = store or InMemoryStore()
        self.failures = list(failures)
        self.opened = 0
        self.closed = 0
        self.allowed = asyncio.Event()
        self.allowed.set()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        await self.allowed.wait()
        if self.failures:
            raise self.failures.pop(0)
        self.opened += 1
        try:
            yield engine_over(self.store, PATIENT)
        finally:
            self.closed += 1
            if self.leaves:
                self.store.failure = StoreUnavailableError()
            await asyncio.sleep(0)

    async def remembered(self) -> int:
        """Count the exchanges in its store."""
        self.store.failure = None
        return (await self.store.backlog()).pending


class StubbornOpener(Opener):
    """Opens even when it is told to stop opening, and takes its time to close."""

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        async with super().__call__() as engine:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            yield engine
            await asyncio.sleep(0.05)


class FrozenNotes(InMemoryStore):
    """A store that keeps no request's record until it thaws.

    Attributes:
        kept: The requests whose record was kept.
    """

    def __init__(self) -> None:
        super().__init__()
        self.thawed = asyncio.Event()
        self.kept: list[UUID] = []

    async def record(self, request: RequestRecord) -> None:
        await self.thawed.wait()
        await super().record(request)
        self.kept.append(request.id)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing, where a real one waits for seconds and minutes."""
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.0)
    monkeypatch.setattr(remembering, "_APPEND_DELAYS", (0.01,) * 1000)


async def recalled(live: LiveEngine, said: Turn) -> Recall:
    return (await live.prepare(said, Wishes(), count=estimate_tokens)).recall


def remember(live: LiveEngine, text: str = "I drink tea") -> None:
    live.remember(turn(text), "Good.", recollections=(), credential=None)


def note(live: LiveEngine) -> None:
    live.note(turn(), Prepared(Recall()))


def lost(logs: Sequence[MutableMapping[str, Any]]) -> list[MutableMapping[str, Any]]:
    return [line for line in logs if line["event"] == "exchange_lost"]


async def test_it_recalls_and_remembers_while_it_is_open() -> None:
    opener = Opener()
    live = LiveEngine(opener)
    await live.start()
    assert live.engine is not None
    await live.engine.add("anna", "I drink tea")

    recall = await recalled(live, turn("I drink tea"))
    remember(live)
    await live.settle(20)

    assert len(recall.recollections) == 1
    assert (await opener.store.backlog()).pending == 1
    await live.aclose()
    assert opener.closed == 1
    assert (await recalled(live, turn())).skipped is Skip.STORE


async def test_it_tells_whether_what_was_said_was_new() -> None:
    live = LiveEngine(Opener())
    await live.start()
    said = turn("I drink tea")

    first = live.remember(said, "Good.", recollections=(), credential=None)
    assert first is not None
    assert await first
    again = live.remember(said, "Fine.", recollections=(), credential=None)
    assert again is not None
    assert not await again
    await live.aclose()


async def test_to_settle_with_nothing_to_remember_is_nothing() -> None:
    live = LiveEngine(Opener())

    await live.settle(0)
    await live.aclose()


async def test_what_is_said_before_it_is_open_waits_for_it() -> None:
    opener = Opener()
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()
    live.open()  # a second time is nothing

    recall = await recalled(live, turn())
    remember(live)
    assert await live.ready(0.01) is False
    opener.allowed.set()
    assert await live.ready(20) is True
    await live.settle(20)

    assert recall.skipped is Skip.STORE
    assert opener.opened == 1
    assert (await opener.store.backlog()).pending == 1
    await live.aclose()


async def test_a_store_that_is_away_is_tried_again_and_the_start_does_not_wait_for_it() -> None:
    opener = Opener(StoreUnavailableError(), StoreUnavailableError())
    live = LiveEngine(opener)

    with capture_logs() as logs:
        await live.start()
        failure = live.failure
        assert await live.ready(20)

    assert isinstance(failure, StoreUnavailableError)
    assert live.failure is None
    assert [line["event"] for line in logs] == ["store_unavailable"] * 2
    await live.aclose()


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), EmbedderError()])
async def test_what_waiting_would_not_mend_ends_the_start(error: Exception) -> None:
    live = LiveEngine(Opener(error))

    with pytest.raises(type(error)):
        await live.start()
    assert live.failure is error
    await live.aclose()


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), EmbedderError()])
async def test_what_fails_after_the_start_is_tried_again(error: Exception) -> None:
    live = LiveEngine(Opener(StoreUnavailableError(), error))

    with capture_logs() as logs:
        await live.start()
        assert await live.ready(20)

    assert [line["event"] for line in logs] == ["store_unavailable", "engine_unusable"]
    await live.aclose()


async def test_what_waiting_would_not_mend_is_told_of_where_nobody_waits_for_the_start() -> None:
    error = ConfigurationError("no such model")
    live = LiveEngine(Opener(error))

    with capture_logs() as logs:
        live.open()
        await until(lambda: live.failure is not None)

    assert live.failure is error
    assert {line["event"] for line in logs} == {"engine_unusable"}
    assert (await recalled(live, turn())).skipped is Skip.STORE
    await live.aclose()


async def test_it_can_be_closed_while_the_store_is_away() -> None:
    live = LiveEngine(Opener(*[StoreUnavailableError() for _ in range(1000)]))
    await live.start()

    async with asyncio.timeout(20):
        await live.aclose()

    assert live.engine is None


async def test_it_can_be_closed_while_it_is_being_opened() -> None:
    opener = Opener()
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()
    await asyncio.sleep(0)

    async with asyncio.timeout(20):
        await live.aclose()

    assert opener.opened == opener.closed


async def test_what_still_waits_for_the_store_when_it_closes_is_told_of() -> None:
    live = LiveEngine(Opener(*[StoreUnavailableError() for _ in range(1000)]))
    await live.start()
    remember(live)

    with capture_logs() as logs:
        await live.aclose()

    [line] = lost(logs)
    assert line["count"] == 1


async def test_what_is_being_remembered_is_finished_when_it_closes() -> None:
    store = BrokenStore()
    opener = Opener(store=store)
    live = LiveEngine(opener)
    await live.start()
    remember(live)
    closing = asyncio.create_task(live.aclose())
    await asyncio.sleep(0)
    store.failure = None

    await closing

    assert (await store.backlog()).pending == 1


async def test_what_waits_for_an_engine_that_never_opened_its_successor_remembers() -> None:
    wrong = LiveEngine(Opener(*[StoreUnavailableError() for _ in range(1000)]))
    await wrong.start()
    told = wrong.remember(turn("I live in Lisbon"), "Noted.", recollections=(), credential=None)
    opener = Opener()
    right = LiveEngine(opener)
    right.open()

    with capture_logs() as logs:
        await wrong.give_way(right)
        assert told is not None
        assert await told is True

    assert lost(logs) == []
    assert wrong.engine is None
    assert (await opener.store.backlog()).pending == 1
    await right.aclose()


async def test_what_waits_for_the_store_of_an_open_engine_it_remembers_before_it_gives_way() -> None:
    store = BrokenStore()
    live, successor = LiveEngine(Opener(store=store)), LiveEngine(Opener())
    await live.start()
    remember(live)
    giving_way = asyncio.create_task(live.give_way(successor))
    await asyncio.sleep(0.05)
    assert not giving_way.done()
    store.failure = None

    await giving_way

    assert (await store.backlog()).pending == 1
    await successor.aclose()


@pytest.mark.parametrize("turns", range(12))
async def test_an_engine_that_opens_just_as_it_gives_way_loses_nothing_and_nothing_is_remembered_twice(
    turns: int,
) -> None:
    opener, successors = Opener(leaves=True), Opener()
    opener.allowed.clear()
    live, successor = LiveEngine(opener), LiveEngine(successors)
    live.open()
    before = live.remember(turn("I live in Lisbon"), "Noted.", recollections=(), credential=None)
    await asyncio.sleep(0.01)
    opener.allowed.set()
    for _ in range(turns):  # of the loop: until it is open, and further
        await asyncio.sleep(0)
    successor.open()

    with capture_logs() as logs:
        giving_way = asyncio.create_task(live.give_way(successor))
        for _ in range(turns):
            await asyncio.sleep(0)
        late = live.remember(turn("I have a dog"), "Nice!", recollections=(), credential=None)
        assert before is not None
        assert late is not None
        assert [await before, await late] == [True, True]
        await giving_way

    assert lost(logs) == []
    assert await opener.remembered() + await successors.remembered() == 2
    await successor.aclose()


async def test_an_engine_that_can_not_be_kept_from_opening_remembers_nothing_once_it_has_given_way() -> None:
    opener, successors = StubbornOpener(leaves=True), Opener()
    live, successor = LiveEngine(opener), LiveEngine(successors)
    live.open()
    remember(live)
    await until(lambda: opener.opened == 1)
    successor.open()

    with capture_logs() as logs:
        await live.give_way(successor)
        await live.settle(20)

    assert live.engine is None
    assert lost(logs) == []
    assert (await opener.remembered(), await successors.remembered()) == (0, 1)
    await successor.aclose()


async def test_what_comes_while_an_open_engine_gives_way_its_successor_remembers() -> None:
    store = BrokenStore()
    successors = Opener()
    live, successor = LiveEngine(Opener(store=store)), LiveEngine(successors)
    await live.start()
    await successor.start()
    remember(live)
    giving_way = asyncio.create_task(live.give_way(successor))
    await asyncio.sleep(0.05)

    remember(live, "I have a dog")
    await successor.settle(20)
    assert await successors.remembered() == 1
    assert not giving_way.done()
    store.failure = None
    await giving_way

    assert (await store.backlog()).pending == 1
    await successor.aclose()


async def test_nothing_is_begun_with_an_engine_that_is_closing() -> None:
    closing: list[Engine | None] = []

    class Watched(Opener):
        @asynccontextmanager
        async def __call__(self) -> AsyncIterator[Engine]:
            async with super().__call__() as engine:
                yield engine
                closing.append(live.engine)

    live = LiveEngine(Watched())
    await live.start()
    await live.aclose()

    assert closing == [None]


async def test_no_more_than_some_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_engine, "_WAITING_AT_MOST", 2)
    opener = Opener()
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()

    with capture_logs() as logs:
        for number in range(3):
            remember(live, f"I drink tea number {number}")
    opener.allowed.set()
    await live.ready(20)
    await live.settle(20)

    assert len(lost(logs)) == 1
    assert (await opener.store.backlog()).pending == 2
    await live.aclose()


async def test_a_store_that_stays_away_for_ever_is_waited_for_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_engine, "_PATIENCE_SECONDS", 0.01)
    opener = Opener()
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()

    with capture_logs() as logs:
        remember(live)
        await live.settle(20)

    assert len(lost(logs)) == 1
    opener.allowed.set()
    await live.aclose()


async def test_notes_that_wait_take_no_place_of_an_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_engine, "_WAITING_AT_MOST", 2)
    monkeypatch.setattr(live_engine, "_NOTES_AT_MOST", 1)
    store = FrozenNotes()
    live = LiveEngine(Opener(store=store))
    await live.start()

    with capture_logs() as logs:
        for _ in range(3):
            note(live)
        for number in range(2):
            remember(live, f"I drink tea number {number}")
    store.thawed.set()
    await live.settle(20)

    assert lost(logs) == []
    assert [(line["event"], line["log_level"]) for line in logs] == [("note_dropped", "debug")] * 2
    assert len(store.kept) == 1
    assert (await store.backlog()).pending == 2
    await live.aclose()


async def test_nothing_is_noted_while_it_is_not_open() -> None:
    opener = Opener(store=(store := FrozenNotes()))
    store.thawed.set()
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()

    note(live)
    opener.allowed.set()
    assert await live.ready(20)
    await live.settle(20)

    assert store.kept == []
    await live.aclose()


async def test_a_note_that_still_waits_when_it_closes_is_no_lost_exchange(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_engine, "_CLOSE_SECONDS", 0.01)
    store = FrozenNotes()
    live = LiveEngine(Opener(store=store))
    await live.start()
    note(live)

    with capture_logs() as logs:
        await live.aclose()

    assert lost(logs) == []
    assert store.kept == []
