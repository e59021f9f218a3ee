"""An engine opens late or fails to open: no chat waits for it, and no exchange is lost."""

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.recollect.engine.test_tasks_by_shape import request
from tests.recollect.engine.test_tasks_by_shape import said as as_messages
from tests.recollect.engines import Opener, StubbornOpener
from tests.support.stores import NOON, Store
from tests.support.waiting import until
from tests.support.watched_stores import Before, Through, with_parts

from recollect import spool as spooling
from recollect.engine import Engine, RecallOptions, exchange_recorder
from recollect.engine.exchange_recorder import ExchangeRecord
from recollect.engine.live import live_engine, log_writer
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.live.log_writer import LogWriter
from recollect.engine.masking_lanes import masking_is_ready
from recollect.engine.turns.prompt_content import Prepared
from recollect.errors import ConfigurationError, EmbedderError, StoreError, StoreUnavailableError
from recollect.model import (
    Became,
    FailedAt,
    Failure,
    Flags,
    LogEntry,
    Logged,
    Phase,
    Recall,
    Scope,
    Skip,
    Turn,
    TurnNotes,
    Written,
)
from recollect.spool import Spool
from recollect.spool_segments import Line, Segment
from recollect.store import turn_writing
from recollect.store.message_log import MessageLog
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


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing, where a real one waits for seconds and minutes."""
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.0)
    monkeypatch.setattr(log_writer, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(log_writer, "_SOON_SECONDS", 0.0)


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

    assert (len(recall.recollections), await pending(store)) == (1, 1)
    await live.aclose()
    assert (opener.closed, (await recalled(live, store.turn())).skipped) == (1, Skip.STORE)


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

    assert (recall.skipped, opener.opened, await pending(store)) == (Skip.STORE, 1, 1)
    await live.aclose()


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), EmbedderError()])
async def test_what_waiting_would_not_mend_ends_the_start(store: Store, error: Exception) -> None:
    live = LiveEngine(Opener(store, error))

    with pytest.raises(type(error)):
        await live.start()
    assert live.failure is error
    await live.aclose()


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (StoreUnavailableError(), "store"),
        (ConfigurationError("no such model"), "engine"),
        (EmbedderError(), "engine"),
    ],
)
async def test_a_start_waits_for_no_store_that_is_away_and_what_fails_after_it_is_tried_again(
    store: Store, error: Exception, what: str
) -> None:
    live = LiveEngine(Opener(store, StoreUnavailableError(), error))

    with capture_logs() as logs:
        await live.start()
        failure = live.failure
        assert await live.ready(20)

    assert isinstance(failure, StoreUnavailableError | type(error)), "it may have been tried again by now"
    assert live.failure is None
    failed = [line["event"] for line in logs if line["event"].endswith("_open_failed")]
    assert failed == ["store_open_failed", f"{what}_open_failed"]
    await live.aclose()


async def test_it_can_be_closed_while_it_is_being_opened(store: Store) -> None:
    opener = Opener(store)
    opener.allowed.clear()
    live = LiveEngine(opener)
    live.open()
    await asyncio.sleep(0)

    async with asyncio.timeout(20):
        await live.aclose()

    assert opener.opened == opener.closed


async def test_it_can_be_closed_while_the_store_is_away_and_tells_of_what_still_waits(store: Store) -> None:
    live = LiveEngine(Opener(store, *[StoreUnavailableError() for _ in range(20_000)]))
    await live.start()
    remember(live, store.turn("I drink tea"))

    with capture_logs() as logs:
        async with asyncio.timeout(20):
            await live.aclose()

    assert live.engine is None
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

    assert (lost(logs), wrong.engine, await pending(store)) == ([], None, 1)
    await right.aclose()


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, 11, 50, 800])
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

    assert (lost(logs), opener.remembered + successors.remembered, await pending(store)) == ([], 2, 2)
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

    assert (lost(logs), opener.remembered, successors.remembered, await pending(store)) == ([], 0, 2, 2)
    await successor.aclose()


async def test_what_can_never_be_stored_is_told_of_at_once_and_keeps_nobody_back(store: Store) -> None:
    live = LiveEngine(Opener(store))
    await live.start()

    with capture_logs() as logs:
        assert live.begin_turn(store.turn(key="a\x00"), credential=None) is None
        assert live.remember(store.turn(key=""), "Good.", recollections=(), credential=None) is None
    remember(live, store.turn("I drink tea"))
    await live.settle(20)

    assert (len(lost(logs)), await pending(store)) == (2, 1)
    await live.aclose()


async def test_an_engine_that_opens_in_spite_of_all_remembers_nothing_once_it_gave_way(store: Store) -> None:
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

    assert (live.engine, lost(logs), opener.remembered, successors.remembered) == (None, [], 0, 1)
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


async def test_notes_that_wait_take_no_exchanges_place(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert (dropped, len(log.kept), await pending(store)) == (["debug"] * 2, 1, 2)
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


async def test_a_note_that_waits_at_the_end_is_no_loss(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_engine, "_CLOSE_SECONDS", 0.01)
    log = FrozenNotes(store.log)
    live = LiveEngine(Opener(with_parts(store, log=log)))
    await live.start()
    note(live, store.turn())

    with capture_logs() as logs:
        await live.aclose()

    assert (lost(logs), log.kept) == ([], [])


async def test_a_turn_waits_for_the_notes_of_its_own_chat_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_writer, "_PATIENCE_SECONDS", 3.0)
    log = FrozenNotes(store.log)
    live = LiveEngine(Opener(with_parts(store, log=log)))
    await live.start()
    note(live, store.turn())

    await recalled(live, store.turn(scope=store.anna.elsewhere))
    assert log.kept == []
    waiting = asyncio.create_task(recalled(live, store.turn()))
    await asyncio.wait({waiting}, timeout=0.2)
    assert not waiting.done()
    log.thawed.set()
    await waiting

    assert len(log.kept) == 1
    await live.aclose()


async def test_a_request_without_an_answer_is_no_recent_exchange(store: Store) -> None:
    live, asked = LiveEngine(Opener(store)), request(as_messages("Which way is shorter?"))
    live.recent.keep_request(asked, words=True)
    assert [*live.recent.scopes] == [asked.turn.scope]

    live.note_answer(asked, (), None)

    assert [*live.recent.scopes] == []


async def test_others_erasures_are_seen_in_spite_of_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_engine, "_LOOK_SECONDS", 0.0)
    failures, looks = iter((StoreError("away"), ValueError("I drink tea"), KeyError("I drink tea"))), [0]

    async def fail(*_: object) -> None:
        looks[0] += 1
        if failure := next(failures, None):
            raise failure

    live = LiveEngine(Opener(with_parts(store, log=Before(store.log, erased_among=fail))))
    with capture_logs() as logs:
        await live.start()
        await until(lambda: looks[0] > 4)
        await live.aclose()

    told = [line for line in logs if line["event"] == "erasures_lookup_failed"]
    assert [line["error"] for line in told] == ["StoreError", "ValueError", "KeyError"]
    assert all(line["raised_at"].startswith("test_live.py:") for line in told[1:])
    assert "tea" not in str(told)


# -- Exchanges reach the log once and in order, directly or by the spool, with a slow store, a full disk or a killed process --


ROOM = 1_000_000


def of_exchanges(logs: Sequence[Any]) -> list[str]:
    """Return the logged events of exchanges: the spool is looked through meanwhile, too."""
    return [line["event"] for line in logs if line["event"].startswith("exchange_")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


def away(store: Store) -> Opener:
    """Return what opens an engine whose store does not answer."""
    opener = Opener(store)
    opener.outage.failure = StoreUnavailableError()
    return opener


async def said(store: Store, scope: Scope | None = None) -> list[tuple[str, str]]:
    chat = await store.chats.chat(scope or store.anna.scope, exchanges=99)
    return [(each.said, each.reply) for each in chat.exchanges]


def on_disk(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir())


async def say(live: LiveEngine, store: Store, text: str, *, seconds: float = 0.0) -> ExchangeRecord:
    exchange_record = live.begin_turn(store.turn(text, at=NOON + timedelta(seconds=seconds)), credential=None)
    assert exchange_record is not None
    await exchange_record.durable()
    assert exchange_record.begun is not None
    await exchange_record.begun  # into the log, or to wait for it; a chat waits for neither
    return exchange_record


async def test_a_chat_that_comes_before_this_process_can_write_waits_until_it_can(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readied = asyncio.Event()

    async def is_ready() -> None:
        await readied.wait()
        await masking_is_ready()  # this may be the first test of its process

    monkeypatch.setattr(log_writer, "masking_is_ready", is_ready)
    monkeypatch.setattr(exchange_recorder, "_KEEPING_SECONDS", 0.5)
    live = LiveEngine(away(store), spool=Spool(folder, limit=ROOM))
    live.open()
    begun = live.begin_turn(store.turn("one"), credential=None)
    assert begun is not None
    waiting = asyncio.create_task(begun.durable())
    await asyncio.wait(
        {waiting}, timeout=0.6
    )  # longer than a chat waits for a turn of a process that is ready
    assert not waiting.done()

    readied.set()
    await waiting

    assert b'"one"' in on_disk(folder)
    await live.aclose()


async def test_a_chat_that_is_not_safe_is_counted(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readied = asyncio.Event()

    async def masked(_writer: LogWriter, entry: LogEntry, _record: ExchangeRecord) -> LogEntry:
        await readied.wait()
        return entry

    monkeypatch.setattr(LogWriter, "_as_kept", masked)
    monkeypatch.setattr(exchange_recorder, "_KEEPING_SECONDS", 0.01)
    live = LiveEngine(away(store), spool=Spool(folder, limit=ROOM))
    live.open()
    begun = live.begin_turn(store.turn("one"), credential=None)
    assert begun is not None
    with capture_logs() as logs:
        await begun.durable()
    assert live.log_writer.late == 1
    assert {"event": "exchange_spooled_late", "log_level": "warning", "count": 1} in logs

    readied.set()
    await say(live, store, "two", seconds=1)
    assert live.log_writer.late == 1
    await live.aclose()


async def test_a_turn_and_its_answer_come_together_wherever_each_waited(store: Store, folder: Path) -> None:
    opener = Opener(store)
    live = LiveEngine(opener, spool=Spool(folder, limit=ROOM), patience=10)
    await live.start()
    logged = await say(live, store, "one")
    opener.outage.failure = StoreUnavailableError()
    await logged.end("First.", recollections=())
    waiting = await say(live, store, "two", seconds=1)
    assert live.log_writer.waiting.exchanges == 2
    opener.outage.failure = None
    await waiting.end("Second.", recollections=())
    failed = await say(live, store, "three", seconds=2)
    failed.fail(Failure(FailedAt.HEAD))
    await live.settle(20)

    assert await said(store) == [("one", "First."), ("two", "Second."), ("three", "")]
    await live.aclose()
    assert list(folder.iterdir()) == []  # noqa: ASYNC240 -- it is a test


async def test_a_slow_store_is_waited_for_no_longer_than_a_chat_can_bear(store: Store, folder: Path) -> None:
    answers = asyncio.Event()
    log = Before(store.log, write_phase=lambda *_, **__: answers.wait())
    live = LiveEngine(Opener(with_parts(store, log=log)), spool=Spool(folder, limit=ROOM), patience=0.5)
    await live.start()

    with capture_logs() as logs:
        exchange_record = await say(live, store, "one")
    assert (live.log_writer.waiting.exchanges, of_exchanges(logs)) == (1, ["exchange_recording_failed"])
    answers.set()
    await exchange_record.end("First.", recollections=())
    await live.settle(20)

    assert await said(store) == [("one", "First.")]
    await live.aclose()


async def test_a_crash_before_a_deletion_doubles_nothing(store: Store, folder: Path, tmp_path: Path) -> None:
    before = LiveEngine(away(store), spool=Spool(folder, limit=ROOM))
    await before.start()
    for number in range(4):
        exchange_record = await say(before, store, f"said {number}", seconds=number)
        if number == 2:
            exchange_record.fail(Failure(FailedAt.HEAD))
        elif number != 3:
            await exchange_record.end("Good.", recollections=())
    await before.aclose()
    shutil.copytree(folder, tmp_path / "kept")

    for _ in range(3):
        after = LiveEngine(Opener(store), spool=Spool(folder, limit=ROOM))
        await after.start()
        await until(lambda: not any(folder.glob("*.spool")))
        await after.aclose()
        assert await said(store) == [("said 0", "Good."), ("said 1", "Good."), ("said 2", ""), ("said 3", "")]
        shutil.copytree(tmp_path / "kept", folder, dirs_exist_ok=True)  # as if it had not come to delete it


async def test_a_full_spool_costs_what_is_said_and_no_chat_and_is_told_of(store: Store, folder: Path) -> None:
    live = LiveEngine(away(store), spool=Spool(folder, limit=1500), patience=10)
    await live.start()

    with capture_logs() as logs:
        for number in range(4):
            await (await say(live, store, "a secret")).end(f"{number}", recollections=())
        await live.aclose()

    lost = [line for line in logs if line["event"] == "exchange_lost"]
    assert [line["count"] for line in lost] == list(range(1, live.log_writer.lost + 1))
    assert live.log_writer.lost > 0
    assert {line["reason"] for line in lost} == {"the spool is full"}
    assert "secret" not in str(logs)


async def test_who_is_known_to_want_nothing_kept_is_not_on_disk_either(store: Store, folder: Path) -> None:
    opener = Opener(store)
    live = LiveEngine(opener, spool=Spool(folder, limit=ROOM), patience=10)
    await live.start()
    await store.flags.change_flags(store.anna, Flags(record=False), ("record",), at=NOON)
    await say(live, store, "one")
    opener.outage.failure = StoreUnavailableError()

    await (await say(live, store, "two")).end("Good.", recollections=())

    assert live.log_writer.waiting.exchanges == 0
    await live.aclose()


async def test_who_turns_out_to_want_nothing_kept_leaves_nothing_waiting(store: Store, folder: Path) -> None:
    class Unwanting(Through):
        """Takes its time to say that a turn is not wanted, and is away afterwards."""

        said = asyncio.Event()

        async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:  # noqa: ARG002 -- the port's
            if entry.phase is not Phase.BEGUN:
                raise StoreUnavailableError
            await self.said.wait()
            return Logged(Written.UNWANTED, entry.exchange.id)

    log = Unwanting(store.log)
    live = LiveEngine(Opener(with_parts(store, log=log)), spool=Spool(folder, limit=ROOM), patience=10)
    await live.start()
    record = live.begin_turn(store.turn("one"), credential=None)
    assert record is not None
    await record.durable()

    ending = record.end("Good.", recollections=())
    await asyncio.wait_for(record.over.wait(), 20)  # kept by then
    log.said.set()

    assert (await ending, live.log_writer.waiting.exchanges) == (None, 0)
    await live.aclose()


async def test_a_credential_is_with_what_waited_here_and_never_on_disk(store: Store, folder: Path) -> None:
    found: list[str | None] = []

    async def note(entry: LogEntry, **_: object) -> None:
        found.append(entry.exchange.credential)

    opener = Opener(with_parts(store, log=Before(store.log, write_phase=note)))
    opener.outage.failure = StoreUnavailableError()
    live = LiveEngine(opener, spool=Spool(folder, limit=ROOM))
    await live.start()
    remembering = live.remember(store.turn(), "Good.", recollections=(), credential="Bearer secret")
    assert remembering is not None
    await remembering
    assert b"secret" not in b"".join(file.read_bytes() for file in folder.iterdir())  # noqa: ASYNC240 -- it is a test
    opener.outage.failure = None
    await live.settle(20)

    assert found == ["Bearer secret"]
    await live.aclose()


@pytest.mark.parametrize("is_early", [False, True])
async def test_a_bug_ends_no_chat_and_is_told_by_its_name(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, *, is_early: bool
) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise LookupError("my secret words")

    live = LiveEngine(Opener(store), spool=Spool(folder, limit=ROOM))
    await live.start()
    failing: object = LogWriter if is_early else live.engine
    monkeypatch.setattr(failing, "_as_kept" if is_early else "write_phase", fails)

    with capture_logs() as logs:
        await say(live, store, "one")

    assert (of_exchanges(logs), live.log_writer.lost) == (["exchange_recording_failed", "exchange_lost"], 1)
    assert "secret" not in str(logs)
    await live.aclose()


async def test_long_texts_are_made_lines_and_counted_beside_the_loop_and_once(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside: list[tuple[str, bool]] = []

    def watch(module: ModuleType, name: str) -> None:
        real = getattr(module, name)

        def watched(given: object) -> object:
            beside.append((name, threading.current_thread() is not threading.main_thread()))
            return real(given)

        monkeypatch.setattr(module, name, watched)

    watch(spooling, "encode")
    watch(turn_writing, "estimate_tokens")
    opener = away(store)
    live = LiveEngine(opener, spool=Spool(folder, limit=ROOM))
    await live.start()
    for text in ("short", "long " * 10_000):
        remembering = live.remember(store.turn(text), "", recollections=(), credential=None)
        assert remembering is not None
        await remembering
    assert (live.log_writer.waiting.exchanges, beside) == (2, [("encode", False), ("encode", True)])
    opener.outage.failure = None
    await live.settle(20)

    assert beside[2:] == [
        ("estimate_tokens", is_long) for is_long in (False, False, True, False)
    ]  # and of no reply
    await live.aclose()


async def test_closing_waits_for_readers(store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, may_end, read = threading.Event(), threading.Event(), Segment.read_lines

    def slow(segment: Segment, lines: list[Line]) -> list[bytes]:
        reading.set()
        may_end.wait(20)
        return read(segment, lines)

    live = LiveEngine(away(store), spool=Spool(folder, limit=ROOM))
    await live.start()
    monkeypatch.setattr(Segment, "read_lines", slow)
    await say(live, store, "one")
    await until(reading.is_set)

    closing = asyncio.create_task(live.aclose())
    done, _ = await asyncio.wait({closing}, timeout=0.05)
    assert not done
    may_end.set()
    await closing

    assert b'"one"' in on_disk(folder)


async def test_an_engine_is_closed_though_its_spool_can_not_be_read_and_what_waits_stays(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> NoReturn:
        raise OSError(5, "Input/output error")

    opener = Opener(store)
    live, successor = LiveEngine(opener, spool=Spool(folder, limit=ROOM)), LiveEngine(Opener(store))
    await live.start()
    await successor.start()
    opener.outage.failure = StoreUnavailableError()
    await say(live, store, "one")

    with monkeypatch.context() as patched:
        patched.setattr(Segment, "read_lines", fails)
        with pytest.raises(OSError, match="Input/output"):
            await live.give_way(successor)
    await successor.aclose()

    assert (live.engine, opener.closed) == (None, 1)
    after = LiveEngine(Opener(store), spool=Spool(folder, limit=ROOM))
    await after.start()
    await until(lambda: not any(folder.glob("*.spool")))
    assert await said(store) == [("one", "")]
    await after.aclose()


async def test_a_message_overtakes_none_of_its_chat_and_waits_for_no_other_chat(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_writer, "_SOON_SECONDS", 60.0)  # the end of an answer writes its turn
    let_go = asyncio.Event()

    async def hold(entry: LogEntry, **_: object) -> None:
        if entry.phase is Phase.ENDED and entry.exchange.turn.text == "one":
            await let_go.wait()

    log = Before(store.log, write_phase=hold)
    live = LiveEngine(Opener(with_parts(store, log=log)), spool=Spool(folder, limit=ROOM), patience=60)
    await live.start()

    def answered(text: str, seconds: int, scope: Scope) -> asyncio.Task[Became]:
        turn = replace(store.turn(text, at=NOON + timedelta(seconds=seconds)), scope=scope)
        begun = live.begin_turn(turn, credential=None)
        assert begun is not None
        return begun.end("Good.", recollections=())

    here, elsewhere = store.anna.scope, replace(store.anna.scope, session_id="elsewhere")
    first = answered("one", 0, here)
    second = answered("two", 1, here)
    await answered("three", 2, elsewhere)
    await asyncio.wait({second}, timeout=0.3)  # it would be written by now
    let_go.set()
    await asyncio.gather(first, second)

    assert [text for text, _ in await said(store)] == ["one", "two"]
    assert [text for text, _ in await said(store, elsewhere)] == ["three"]
    await live.aclose()
