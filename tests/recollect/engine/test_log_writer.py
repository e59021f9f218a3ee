"""Exchanges reach the log once and in order, directly or by the spool, with a slow store, a full disk or a killed process."""

import asyncio
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import Opener
from tests.support.stores import NOON, Store
from tests.support.waiting import until
from tests.support.watched_stores import Through, with_parts

from recollect.engine.live import live_engine, log_writer
from recollect.engine.live.live_engine import LiveEngine
from recollect.engine.live.log_writer import LogWriter
from recollect.engine.recording import exchanges
from recollect.engine.recording.exchanges import ExchangeRecord
from recollect.engine.recording.masking_lanes import masking_is_ready
from recollect.errors import StoreUnavailableError
from recollect.model import Became, FailedAt, Failure, Flags, LogEntry, Logged, Phase, Scope, Written
from recollect.spool import Kept, Spool, spooling
from recollect.spool.segments import Segment
from recollect.store.log import turn_writing

ROOM = 1_000_000


def of_exchanges(logs: Sequence[Any]) -> list[str]:
    """Return the logged events of exchanges: the spool is looked through meanwhile, too."""
    return [line["event"] for line in logs if line["event"].startswith("exchange_")]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_writer, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.0)
    monkeypatch.setattr(log_writer, "_SOON_SECONDS", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


class HangingLog(Through):
    """A log that takes nothing while it hangs."""

    def __init__(self, log: object) -> None:
        super().__init__(log)
        self.hangs = True

    async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        if self.hangs:
            await asyncio.Event().wait()
        logged: Logged = await self._part.write_phase(entry, records=records)
        return logged


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
    monkeypatch.setattr(exchanges, "_PATIENCE_SECONDS", 0.5)
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


async def test_a_chat_that_goes_on_before_its_turn_is_safe_is_counted(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readied = asyncio.Event()

    async def masked(_writer: LogWriter, entry: LogEntry, _record: ExchangeRecord) -> LogEntry:
        await readied.wait()
        return entry

    monkeypatch.setattr(LogWriter, "_as_kept", masked)
    monkeypatch.setattr(exchanges, "_PATIENCE_SECONDS", 0.01)
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


async def test_a_turn_and_its_answer_come_together_wherever_each_of_them_waited(
    store: Store, folder: Path
) -> None:
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


async def test_a_store_that_is_slow_is_waited_for_no_longer_than_a_chat_can_bear(
    store: Store, folder: Path
) -> None:
    log = HangingLog(store.log)
    live = LiveEngine(Opener(with_parts(store, log=log)), spool=Spool(folder, limit=ROOM), patience=0.5)
    await live.start()

    with capture_logs() as logs:
        exchange_record = await say(live, store, "one")
    assert live.log_writer.waiting.exchanges == 1
    assert of_exchanges(logs) == ["exchange_recording_failed"]
    log.hangs = False
    await exchange_record.end("First.", recollections=())
    await live.settle(20)

    assert await said(store) == [("one", "First.")]
    await live.aclose()


async def test_a_crash_between_writing_what_waited_and_deleting_it_doubles_nothing(
    store: Store, folder: Path, tmp_path: Path
) -> None:
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


async def test_who_is_known_to_want_nothing_kept_is_not_kept_on_disk_either(
    store: Store, folder: Path
) -> None:
    opener = Opener(store)
    live = LiveEngine(opener, spool=Spool(folder, limit=ROOM), patience=10)
    await live.start()
    await store.flags.change_flags(store.anna, Flags(record=False), ("record",), at=NOON)
    await say(live, store, "one")
    opener.outage.failure = StoreUnavailableError()

    await (await say(live, store, "two")).end("Good.", recollections=())

    assert live.log_writer.waiting.exchanges == 0
    await live.aclose()


async def test_who_turns_out_to_want_nothing_kept_leaves_nothing_that_waits(
    store: Store, folder: Path
) -> None:
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

    assert await ending is None
    assert live.log_writer.waiting.exchanges == 0
    await live.aclose()


async def test_a_credential_is_with_what_waited_in_this_process_and_never_on_disk(
    store: Store, folder: Path
) -> None:
    found: list[str | None] = []

    class Watched(Through):
        async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
            found.append(entry.exchange.credential)
            logged: Logged = await self._part.write_phase(entry, records=records)
            return logged

    opener = Opener(with_parts(store, log=Watched(store.log)))
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
    monkeypatch.setattr(failing, "_as_kept" if is_early else "write", fails)

    with capture_logs() as logs:
        await say(live, store, "one")

    assert of_exchanges(logs) == ["exchange_recording_failed", "exchange_lost"]
    assert live.log_writer.lost == 1
    assert "secret" not in str(logs)
    await live.aclose()


# -- in threads ---------------------------------------------------------------------------------


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
    assert live.log_writer.waiting.exchanges == 2
    assert beside == [("encode", False), ("encode", True)]
    opener.outage.failure = None
    await live.settle(20)

    assert beside[2:] == [
        ("estimate_tokens", is_long) for is_long in (False, False, True, False)
    ]  # and of no reply
    await live.aclose()


# -- the end -----------------------------------------------------------------------------------------


async def test_closing_waits_for_a_file_that_is_being_read(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, may_end, read = threading.Event(), threading.Event(), Segment.read_lines

    def slow(segment: Segment, lines: list[Kept]) -> list[bytes]:
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


class HeldLog(Through):
    """A log that holds back the end of the exchange "one", until it is let go."""

    def __init__(self, log: object) -> None:
        super().__init__(log)
        self.let_go = asyncio.Event()

    async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        if entry.phase is Phase.ENDED and entry.exchange.turn.text == "one":
            await self.let_go.wait()
        logged: Logged = await self._part.write_phase(entry, records=records)
        return logged


async def test_a_message_overtakes_none_of_its_chat_and_waits_for_no_other_chat(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_writer, "_SOON_SECONDS", 60.0)  # the end of an answer writes its turn
    log = HeldLog(store.log)
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
    log.let_go.set()
    await asyncio.gather(first, second)

    assert [text for text, _ in await said(store)] == ["one", "two"]
    assert [text for text, _ in await said(store, elsewhere)] == ["three"]
    await live.aclose()
