"""An engine opens late or fails to open: no chat waits for it, and no exchange is lost."""

import asyncio
from collections.abc import AsyncIterator, Iterable, MutableMapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import Opener, StubbornOpener
from tests.support.stores import Store
from tests.support.waiting import until
from tests.support.watched_stores import Through, with_parts

from recollect.engine import Engine, RecallOptions
from recollect.engine.live import live_engine, log_writer
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.turns.prepared import Prepared
from recollect.errors import ConfigurationError, EmbedderError, StoreError, StoreUnavailableError
from recollect.model import Recall, Scope, Skip, Turn, TurnNotes
from recollect.store.messages import MessageLog
from recollect.text.tokens import estimate_tokens

Logs = Sequence[MutableMapping[str, Any]]


class FrozenNotes(Through):
    """A log that takes notes without an exchange once it thaws, and tells of which requests it kept the record."""

    def __init__(self, log: MessageLog) -> None:
        super().__init__(log)
        self.thawed = asyncio.Event()
        self.kept: list[UUID] = []

    async def write_notes(self, scope: Scope, notes: TurnNotes) -> None:
        await self.thawed.wait()
        await self._part.write_notes(scope, notes)
        assert notes.request is not None
        self.kept.append(notes.request.id)


class FailingErasures(Through):
    """Erasures by others, with how often they were looked for: the first looks fail."""

    def __init__(self, log: MessageLog, *failures: Exception) -> None:
        super().__init__(log)
        self.looks = 0
        self._failures = iter(failures)

    async def erased_among(self, scopes: Iterable[Scope], since: datetime) -> dict[str, datetime]:
        self.looks += 1
        if failure := next(self._failures, None):
            raise failure
        return dict(await self._part.erased_among(scopes, since))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing, where a real one waits for seconds and minutes."""
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.0)
    monkeypatch.setattr(log_writer, "_AGAIN_SECONDS", 0.01)


async def recalled(live: LiveEngine, said: Turn) -> Recall:
    return (await live.prepare(said, RecallOptions(), count=estimate_tokens)).recall


def remember(live: LiveEngine, said: Turn) -> None:
    live.remember(said, "Good.", recollections=(), credential=None)


def note(live: LiveEngine, said: Turn) -> None:
    live.note_turn(said, Prepared(Recall()))


def lost(logs: Logs) -> list[MutableMapping[str, Any]]:
    return [line for line in logs if line["event"] == "exchange_lost"]


async def pending(store: Store) -> int:
    """Return how many of Anna's exchanges are remembered."""
    return len(await store.inbox.pending(store.anna, limit=99))


async def let_run(turns: int) -> None:
    """Let the loop turn so often."""
    for _ in range(turns):
        await asyncio.sleep(0)


async def test_it_recalls_and_remembers_while_it_is_open(store: Store) -> None:
    opener = Opener(store)
    live = LiveEngine(opener)
    await live.start()
    assert live.engine is not None
    await live.engine.add(store.anna, "I drink tea")

    recall = await recalled(live, store.turn("I drink tea"))
    remember(live, store.turn("I drink tea"))
    await live.settle(20)

    assert len(recall.recollections) == 1
    assert await pending(store) == 1
    await live.aclose()
    assert opener.closed == 1
    assert (await recalled(live, store.turn())).skipped is Skip.STORE


async def test_what_is_said_before_it_is_open_waits_for_it(store: Store) -> None:
    opener = Opener(store)
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()
    live.open()  # a second time is nothing

    recall = await recalled(live, store.turn())
    remember(live, store.turn("I drink tea"))
    assert await live.ready(0.01) is False
    opener.allowed.set()
    assert await live.ready(20) is True
    await live.settle(20)

    assert recall.skipped is Skip.STORE
    assert opener.opened == 1
    assert await pending(store) == 1
    await live.aclose()


async def test_a_store_that_is_away_is_tried_again_and_the_start_does_not_wait_for_it(store: Store) -> None:
    opener = Opener(store, StoreUnavailableError(), StoreUnavailableError())
    live = LiveEngine(opener)

    with capture_logs() as logs:
        await live.start()
        failure = live.failure
        assert await live.ready(20)

    assert isinstance(failure, StoreUnavailableError)
    assert live.failure is None
    assert [line["event"] for line in logs if line["event"].endswith("_open_failed")] == [
        "store_open_failed"
    ] * 2
    await live.aclose()


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), EmbedderError()])
async def test_what_waiting_would_not_mend_ends_the_start(store: Store, error: Exception) -> None:
    live = LiveEngine(Opener(store, error))

    with pytest.raises(type(error)):
        await live.start()
    assert live.failure is error
    await live.aclose()


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), EmbedderError()])
async def test_what_fails_after_the_start_is_tried_again(store: Store, error: Exception) -> None:
    live = LiveEngine(Opener(store, StoreUnavailableError(), error))

    with capture_logs() as logs:
        await live.start()
        assert await live.ready(20)

    assert [line["event"] for line in logs if line["event"].endswith("_open_failed")] == [
        "store_open_failed",
        "engine_open_failed",
    ]
    await live.aclose()


async def test_it_can_be_closed_while_the_store_is_away(store: Store) -> None:
    live = LiveEngine(Opener(store, *[StoreUnavailableError() for _ in range(1000)]))
    await live.start()

    async with asyncio.timeout(20):
        await live.aclose()

    assert live.engine is None


async def test_it_can_be_closed_while_it_is_being_opened(store: Store) -> None:
    opener = Opener(store)
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()
    await asyncio.sleep(0)

    async with asyncio.timeout(20):
        await live.aclose()

    assert opener.opened == opener.closed


async def test_what_still_waits_for_the_store_when_it_closes_is_told_of(store: Store) -> None:
    live = LiveEngine(Opener(store, *[StoreUnavailableError() for _ in range(20_000)]))
    await live.start()
    remember(live, store.turn("I drink tea"))

    with capture_logs() as logs:
        await live.aclose()

    [line] = lost(logs)
    assert line["count"] == 1


async def test_what_is_being_remembered_is_finished_when_it_closes(store: Store) -> None:
    opener = Opener(store)
    opener.outage.failure = StoreUnavailableError()
    live = LiveEngine(opener)
    await live.start()
    remember(live, store.turn("I drink tea"))
    opener.outage.failure = None

    await live.aclose()

    assert await pending(store) == 1


async def test_what_waits_for_an_engine_that_never_opened_its_successor_remembers(store: Store) -> None:
    wrong = LiveEngine(Opener(store, *[StoreUnavailableError() for _ in range(1000)]))
    await wrong.start()
    told = wrong.remember(store.turn("I live in Lisbon"), "Noted.", recollections=(), credential=None)
    opener = Opener(store)
    right = LiveEngine(opener)
    right.open()

    with capture_logs() as logs:
        await wrong.give_way(right)
        assert told is not None
        await told  # it waits, or is the successor's already
        assert await right.ready(20)
        await right.settle(20)

    assert lost(logs) == []
    assert wrong.engine is None
    assert await pending(store) == 1
    await right.aclose()


@pytest.mark.parametrize("turns", [*range(12), 50, 200, 800])
async def test_an_engine_that_opens_just_as_it_gives_way_loses_nothing_and_nothing_is_remembered_twice(
    store: Store, turns: int
) -> None:
    opener, successors = Opener(store, leaves=True), Opener(store)
    opener.allowed.clear()
    live, successor = LiveEngine(opener), LiveEngine(successors)
    live.open()
    before = live.remember(store.turn("I live in Lisbon"), "Noted.", recollections=(), credential=None)
    await let_run(10)
    opener.allowed.set()
    await let_run(turns)  # until it is open, and further
    successor.open()

    with capture_logs() as logs:
        giving_way = asyncio.create_task(live.give_way(successor))
        await let_run(turns)
        late = live.remember(store.turn("I have a dog"), "Nice!", recollections=(), credential=None)
        assert before is not None
        assert late is not None
        await asyncio.gather(before, late, giving_way)
        assert await successor.ready(20)
        await successor.settle(20)

    assert lost(logs) == []
    assert opener.remembered + successors.remembered == 2
    assert await pending(store) == 2
    await successor.aclose()


async def test_what_an_open_engine_can_not_write_as_it_gives_way_its_successor_writes(store: Store) -> None:
    opener, successors = Opener(store), Opener(store)
    opener.outage.failure = StoreUnavailableError()
    live, successor = LiveEngine(opener), LiveEngine(successors)
    await live.start()
    await successor.start()
    remember(live, store.turn("I drink tea"))

    with capture_logs() as logs:
        giving_way = asyncio.create_task(live.give_way(successor))
        await asyncio.sleep(0)
        remember(live, store.turn("I have a dog"))
        await giving_way
        await successor.settle(20)

    assert lost(logs) == []
    assert (opener.remembered, successors.remembered) == (0, 2)
    assert await pending(store) == 2
    await successor.aclose()


async def test_what_can_never_be_stored_is_told_of_at_once_and_keeps_nobody_back(store: Store) -> None:
    live = LiveEngine(Opener(store))
    await live.start()

    with capture_logs() as logs:
        assert live.begin_turn(store.turn(key="a\x00"), credential=None) is None
        assert live.remember(store.turn(key=""), "Good.", recollections=(), credential=None) is None
    remember(live, store.turn("I drink tea"))
    await live.settle(20)

    assert len(lost(logs)) == 2
    assert await pending(store) == 1
    await live.aclose()


async def test_an_engine_that_can_not_be_kept_from_opening_remembers_nothing_once_it_has_given_way(
    store: Store,
) -> None:
    opener, successors = StubbornOpener(store, leaves=True), Opener(store)
    live, successor = LiveEngine(opener), LiveEngine(successors)
    live.open()
    remember(live, store.turn("I drink tea"))
    await until(lambda: opener.opened == 1)
    successor.open()

    with capture_logs() as logs:
        await live.give_way(successor)
        assert await successor.ready(20)
        await successor.settle(20)

    assert live.engine is None
    assert lost(logs) == []
    assert (opener.remembered, successors.remembered) == (0, 1)
    await successor.aclose()


async def test_nothing_is_begun_with_an_engine_that_is_closing(store: Store) -> None:
    closing: list[Engine | None] = []

    class Watched(Opener):
        @asynccontextmanager
        async def __call__(self) -> AsyncIterator[Engine]:
            async with super().__call__() as engine:
                yield engine
                closing.append(live.engine)

    live = LiveEngine(Watched(store))
    await live.start()
    await live.aclose()

    assert closing == [None]


async def test_notes_that_wait_take_no_place_of_an_exchange(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_writer, "NOTES_AT_MOST", 1)
    log = FrozenNotes(store.log)
    live = LiveEngine(Opener(with_parts(store, log=log)))
    await live.start()

    with capture_logs() as logs:
        for _ in range(3):
            note(live, store.turn())
        for number in range(2):
            remember(live, store.turn(f"I drink tea number {number}"))
    log.thawed.set()
    await live.settle(20)

    assert lost(logs) == []
    dropped = [line["log_level"] for line in logs if line["event"] == "notes_dropped"]
    assert dropped == ["debug"] * 2
    assert len(log.kept) == 1
    assert await pending(store) == 2
    await live.aclose()


async def test_nothing_is_noted_while_it_is_not_open(store: Store) -> None:
    log = FrozenNotes(store.log)
    log.thawed.set()
    opener = Opener(with_parts(store, log=log))
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()

    note(live, store.turn())
    opener.allowed.set()
    assert await live.ready(20)
    await live.settle(20)

    assert log.kept == []
    await live.aclose()


async def test_a_note_that_still_waits_when_it_closes_is_no_lost_exchange(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_engine, "_CLOSE_SECONDS", 0.01)
    log = FrozenNotes(store.log)
    live = LiveEngine(Opener(with_parts(store, log=log)))
    await live.start()
    note(live, store.turn())

    with capture_logs() as logs:
        await live.aclose()

    assert lost(logs) == []
    assert log.kept == []


async def test_erasures_by_others_are_looked_for_whatever_a_look_raises(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_engine, "_LOOK_SECONDS", 0.0)
    erasures = FailingErasures(
        store.log, StoreError("away"), ValueError("I drink tea"), KeyError("I drink tea")
    )
    live = LiveEngine(Opener(with_parts(store, log=erasures)))
    with capture_logs() as logs:
        await live.start()
        await until(lambda: erasures.looks > 4)
        await live.aclose()

    told = [line for line in logs if line["event"] == "erasures_lookup_failed"]
    assert [line["error"] for line in told] == ["StoreError", "ValueError", "KeyError"]
    assert all(line["raised_at"].startswith("test_live.py:") for line in told[1:])
    assert "tea" not in str(told)
