"""The spool keeps what waits: in order, on the disk, whole or not at all, and until it is written."""

import asyncio
import os
import resource
import shutil
import signal
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect import spool as spooling
from recollect.engine.exchange_recorder import begun, ended, new_exchange
from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import FailedAt, Failure, LogEntry, Message, Phase, Role, Scope, Turn
from recollect.runtime.file_lock import FileLock
from recollect.spool import FullError, Spool
from recollect.spool_segments import Line, decode, encode

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ROOM = 1_000_000


def entry(
    text: str = "I drink tea", *, user: str = "anna", chat: str = "chat-1", at: datetime = NOON
) -> LogEntry:
    turn = Turn(Scope(user, chat), text, str(uuid7()), at, "scripted")
    return ended(new_exchange(turn, credential=None), "Good.", ())


class Taking:
    """Takes what was said, in order, as a store does; ``fails`` returns what it raises for an entry, if anything."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.fails: Callable[[LogEntry], Exception | None] = lambda _: None

    async def __call__(self, given: LogEntry) -> None:
        if (error := self.fails(given)) is not None:
            raise error
        self.texts.append(given.exchange.turn.text)


async def opened(folder: Path | None, *, limit: int = ROOM) -> Spool:
    spool = Spool(folder, limit=limit)
    await spool.open()
    await spool.adopt()
    return spool


async def add(spool: Spool, entry: LogEntry) -> Line:
    """Keep an entry, which then waits for the log."""
    kept = await spool.keep(entry)
    await spool.wait(kept)
    return kept


async def add_all(spool: Spool, **users: str) -> None:
    """Add texts, each of its user."""
    for text, user in users.items():
        await add(spool, entry(text, user=user))


def files(folder: Path) -> list[Path]:
    """Return the files that have lines."""
    return sorted(each for each in folder.glob("*.spool") if each.stat().st_size)


def held(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in files(folder))


@contextmanager
def full_disk(room: int = 0) -> Iterator[list[EventDict]]:
    """Let the kernel refuse this process every byte of a file behind the first so many; a log may be one."""
    before, acts = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with capture_logs() as logs:
            yield logs
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, acts)


def of_writing(logs: Sequence[Any]) -> list[str]:
    """Return the logged events of a spool that writes: those of other spools that are adopted meanwhile are left out."""
    return [
        line["event"] for line in logs if line["event"] in {"spool_moved_to_memory", "spool_write_failed"}
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "spool"


@pytest.fixture
async def spool(folder: Path) -> AsyncIterator[Spool]:
    spool = await opened(folder)
    yield spool
    await spool.close()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_an_entry_is_in_a_file_while_it_is_written_without_a_sync_and_gone_afterwards(
    spool: Spool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", None)
    one, two = await spool.keep(entry("I live in Oslo")), await spool.keep(entry("And in Rome"))

    assert one.is_on_disk
    assert held(folder).count(b"\n") == 2
    assert (spool.waiting.exchanges, spool.waiting.bytes, spool.has("anna")) == (0, 0, False)
    assert await spool.replay(Taking())  # which leaves it to its writer
    spool.finish(two)
    spool.finish(two)
    assert b"Oslo" in held(folder)
    spool.finish(one)
    assert files(folder) == []


async def test_without_a_folder_lines_that_are_done_leave_memory(folder: Path) -> None:
    spool = await opened(None)
    one = await spool.keep(entry("I live in Oslo"))
    await spool.erase("ben", at=NOON)  # further lines begin another segment
    two = await spool.keep(entry("And in Rome"))

    with capture_logs() as logs:
        spool.finish(one)
        spool.finish(two)

    assert (of_writing(logs), sum(each.size for each in spool._segments)) == ([], 0)
    assert not folder.exists()  # noqa: ASYNC240 -- it is a test


async def test_entries_of_a_dead_process_are_found_in_the_order_in_which_they_were_said(folder: Path) -> None:
    for process in ("first", "second"):
        spool = await opened(folder)
        await spool.keep(entry(f"{process}, being written"))
        await add(spool, entry(f"{process}, waiting"))
        await spool.close()
    after, taking = await opened(folder), Taking()

    assert await after.replay(taking)
    await after.close()

    said = [f"{each}, {state}" for each in ("first", "second") for state in ("being written", "waiting")]
    assert taking.texts == said
    assert list(folder.iterdir()) == []  # noqa: ASYNC240 -- it is a test


async def test_entries_that_are_kept_before_the_folder_is_open_are_in_it_afterwards(folder: Path) -> None:
    spool = Spool(folder, limit=ROOM)
    early = await spool.keep(entry("early"))
    assert not early.is_on_disk
    await spool.open()
    await spool.keep(entry("late"))
    await spool.close()

    after, taking = await opened(folder), Taking()
    assert await after.replay(taking)
    assert taking.texts == ["early", "late"]
    await after.close()


async def test_an_entry_not_kept_is_logged_by_kind(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: LogEntry) -> bytes:
        raise LookupError("Anna's secret")

    monkeypatch.setattr(spooling, "encode", fails)

    with capture_logs() as logs:
        kept = await spool.keep(entry("Anna's secret"))

    assert not kept.is_on_disk
    assert [(line["event"], line["error"]) for line in logs if line["event"].startswith("spool_write")] == [
        ("spool_write_failed", "LookupError")
    ]
    assert "secret" not in str(logs)
    spool.finish(kept)
    with pytest.raises(FullError):
        await spool.wait(kept)


async def test_the_end_of_a_turn_does_not_go_before_its_beginning_in_an_older_segment(
    spool: Spool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, refused = await spool.keep(entry("slow")), entry("refused")
    spool.finish(await spool.keep(refused))
    monkeypatch.setattr(spooling, "_SEGMENT_BYTES", 10)
    failed = replace(refused.exchange, failure=Failure(FailedAt.HEAD))
    spool.finish(await spool.keep(LogEntry(Phase.FAILED, failed)))
    last = await spool.keep(entry("last"))

    assert held(folder).count(b'"refused"') == 2
    spool.finish(slow)
    assert held(folder).count(b"\n") == 1
    spool.finish(last)
    assert files(folder) == []


async def test_what_is_held_back_keeps_no_words_of_others_in_the_files(spool: Spool, folder: Path) -> None:
    taking = Taking()
    taking.fails = lambda _: StoreError()
    await add(spool, entry("held back"))
    written, under_way = (
        await spool.keep(entry("Ben's", user="ben")),
        await spool.keep(entry("now", user="ben")),
    )
    spool.finish(written)
    assert b"Ben's" in held(folder)

    assert not await spool.replay(taking)

    assert b"Ben's" not in held(folder)
    spool.finish(under_way)
    taking.fails = lambda _: None
    assert await spool.replay(taking)
    assert (taking.texts, files(folder)) == (["held back"], [])


async def test_what_waits_is_written_once_in_order_and_its_files_are_gone(spool: Spool, folder: Path) -> None:
    taking = Taking()
    for number in range(5):
        await add(spool, entry(f"said {number}"))

    assert spool.has("anna")
    assert not spool.has("ben")
    assert (spool.waiting.exchanges, spool.waiting.on_disk) == (5, True)
    assert spool.waiting.bytes == sum(file.stat().st_size for file in files(folder))
    assert await spool.replay(taking)
    assert await spool.replay(taking)

    assert (taking.texts, spool.waiting.exchanges) == ([f"said {number}" for number in range(5)], 0)
    assert not spool.has("anna")
    assert files(folder) == []


async def test_only_its_owner_reads_it(spool: Spool, folder: Path) -> None:
    await add(spool, entry())

    assert [mode_of(each) for each in (folder, *files(folder))] == [0o700, 0o600]


async def test_many_that_come_at_once_share_a_sync(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    sync = os.fsync

    def counted(descriptor: int) -> None:
        synced.append(descriptor)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", counted)

    await asyncio.gather(*(add(spool, entry(f"said {number}")) for number in range(50)))

    assert spool.waiting.exchanges == 50
    assert len(synced) < 10


async def test_what_comes_while_it_is_written_waits_for_its_turn(spool: Spool) -> None:
    taking = Taking()
    await add(spool, entry("first"))

    async def slowly(given: LogEntry) -> None:
        if given.exchange.turn.text == "first":
            await add(spool, entry("second"))
        await taking(given)

    assert await spool.replay(slowly)
    assert await spool.replay(taking)

    assert taking.texts == ["first", "second"]


async def test_a_store_that_is_away_is_tried_again_from_where_it_was(spool: Spool) -> None:
    taking = Taking()
    for number in range(4):
        await add(spool, entry(f"said {number}"))
    taking.fails = lambda given: StoreUnavailableError() if "2" in given.exchange.turn.text else None
    assert not await spool.replay(taking)
    await add(spool, entry("said 4"))
    taking.fails = lambda _: None

    assert await spool.replay(taking)

    assert taking.texts == [f"said {number}" for number in range(5)]


async def test_what_can_not_be_written_keeps_back_its_own_user_alone(spool: Spool, folder: Path) -> None:
    taking = Taking()
    await add_all(spool, one="anna", two="ben", three="anna", four="ben")
    taking.fails = lambda given: StoreError() if given.exchange.turn.text == "one" else None

    assert not await spool.replay(taking)
    assert taking.texts == ["two", "four"]
    assert spool.has("anna")
    assert not spool.has("ben")
    taking.fails = lambda _: None
    assert await spool.replay(taking)

    assert (taking.texts, files(folder)) == (["two", "four", "one", "three"], [])


async def test_who_is_erased_is_gone_from_its_files_and_nobody_else(spool: Spool, folder: Path) -> None:
    taking, later = Taking(), NOON + timedelta(seconds=1)
    await add(spool, entry("Anna's secret"))
    await add(spool, entry("Ben's", user="ben"))
    await add(spool, entry("Anna's other secret", chat="chat-2"))
    await add(spool, entry("Anna's later words", at=later))

    assert (await spool.erase("anna", at=NOON), await spool.erase("anna", at=NOON)) == (2, 0)

    assert b"secret" not in held(folder)
    assert spool.waiting.exchanges == 2
    assert await spool.replay(taking)
    assert taking.texts == ["Ben's", "Anna's later words"]


async def test_what_an_erasure_takes_now_is_not_lost(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    under_way = await spool.keep(entry("Anna's secret"))
    off_loop, waits = spooling._off_loop, []

    async def before_it_is_counted(work: Any, *given: Any) -> None:
        await off_loop(work, *given)
        waits.append(await spool.wait(under_way))

    monkeypatch.setattr(spooling, "_off_loop", before_it_is_counted)

    assert (await spool.erase("anna", at=NOON), waits) == (1, [False])


async def test_who_is_erased_is_gone_from_what_is_being_written_too(spool: Spool, folder: Path) -> None:
    other = await spool.keep(entry("Ben's", user="ben"))
    spool.finish(await spool.keep(entry("Anna's secret")))
    under_way = await spool.keep(entry("Anna's other secret"))

    assert await spool.erase("anna", at=NOON - timedelta(seconds=1)) == 0
    assert b"other secret" in held(folder)
    assert await spool.erase("anna", at=NOON) == 1

    assert b"secret" not in held(folder)
    assert not await spool.wait(under_way)  # as the log would say: it is erased
    assert await spool.wait(other)
    assert (spool.has("anna"), spool.has("ben")) == (False, True)


async def test_an_erased_chat_takes_no_other_with_it(spool: Spool) -> None:
    taking = Taking()
    await add(spool, entry("here"))
    await add(spool, entry("elsewhere", chat="chat-2"))

    assert await spool.erase(Scope("anna", "chat-1"), at=NOON) == 1

    assert await spool.replay(taking)
    assert taking.texts == ["elsewhere"]


async def test_an_erasure_does_not_wait_for_a_long_replay_and_nothing_is_written_twice(spool: Spool) -> None:
    taking = Taking()
    for number in range(9):
        await add(spool, entry(f"said {number}", user="anna" if number % 2 else "ben"))
    erasing: list[asyncio.Task[int]] = []

    async def interrupted(given: LogEntry) -> None:
        await taking(given)
        if len(taking.texts) == 3:
            erasing.append(asyncio.create_task(spool.erase("anna", at=NOON)))
            await asyncio.sleep(0)

    assert not await spool.replay(interrupted)
    assert await erasing[0] == 3
    assert await spool.replay(taking)

    assert taking.texts == ["said 0", "said 1", "said 2", "said 4", "said 6", "said 8"]


async def test_a_turn_and_its_answer_come_back_in_that_order() -> None:
    spool, steps = await opened(None), []
    exchange = new_exchange(entry().exchange.turn, credential=None)
    await add(spool, begun(exchange))
    await add(spool, ended(exchange, "Good.", ()))

    async def note(given: LogEntry) -> None:
        steps.append((given.phase, given.exchange.id, given.exchange.reply))

    assert spool.waiting.exchanges == 1
    assert await spool.replay(note)
    assert steps == [(Phase.BEGUN, exchange.id, ""), (Phase.ENDED, exchange.id, "Good.")]


# -- A full spool or a full disk costs no entry that is kept, and no order --


async def test_a_full_spool_refuses_and_what_it_has_stays(folder: Path) -> None:
    spool, taking = await opened(folder, limit=2 * len(encode(entry()))), Taking()
    await add(spool, entry("said 0"))

    with pytest.raises(FullError):
        await add(spool, entry("said 1" * 1000))
    await add(spool, entry("said 2"))
    with pytest.raises(FullError):
        await add(spool, entry("said 3"))

    assert await spool.replay(taking)
    assert taking.texts == ["said 0", "said 2"]
    await add(spool, entry("said 4"))
    await spool.close()


async def test_what_a_full_disk_refuses_waits_in_memory_behind_what_is_there_and_a_warning_says_so_once(
    spool: Spool, folder: Path
) -> None:
    taking = Taking()
    await add(spool, entry("said 0"))
    line = held(folder)
    with full_disk(len(line) + 20) as logs:  # half a line finds room behind the first
        await add(spool, entry("said 1"))
        assert of_writing(logs) == ["spool_moved_to_memory"]
    with full_disk(20) as logs:  # or in a new file
        await add(spool, entry("said 2"))
        assert of_writing(logs) == []

        assert spool.has("anna")
        assert (spool.waiting.exchanges, spool.waiting.on_disk, held(folder)) == (3, False, line)
        assert await spool.replay(taking)

    assert taking.texts == ["said 0", "said 1", "said 2"]


async def test_what_waited_in_memory_is_on_the_disk_once_there_is_room(spool: Spool, folder: Path) -> None:
    taking = Taking()
    await add(spool, entry("said 0"))
    with full_disk():
        await add(spool, entry("said 1"))
    await add(spool, entry("said 2"))

    assert (spool.waiting.exchanges, spool.waiting.on_disk) == (3, True)
    assert b"said 1" in held(folder)
    assert await spool.replay(taking)
    assert taking.texts == ["said 0", "said 1", "said 2"]
    assert spool.waiting == type(spool.waiting)(0, 0, on_disk=True)


async def test_what_waited_for_a_disk_that_has_room_at_the_end_outlives_the_process(folder: Path) -> None:
    spool, taking = await opened(folder), Taking()
    with full_disk():
        await add(spool, entry("said 0"))
        await add(spool, entry("said 1"))

    assert (await spool.close()).on_disk

    after = await opened(folder)
    assert await after.replay(taking)
    assert taking.texts == ["said 0", "said 1"]
    await after.close()


def failing(**errors: Exception) -> Callable[[LogEntry], Exception | None]:
    """Return what a store raises for some texts."""
    return lambda given: errors.get(given.exchange.turn.text)


async def test_what_was_written_counts_once_though_a_full_disk_keeps_it(spool: Spool, folder: Path) -> None:
    taking = Taking()
    await add_all(spool, one="anna", two="ben", three="ben", four="ben")

    with full_disk():  # no new file can be written for held exchanges
        for _ in range(3):
            taking.fails = failing(one=StoreError(), three=StoreError())
            assert not await spool.replay(taking)
            assert (spool.waiting.exchanges, spool.has("ben")) == (3, True)
        taking.fails = failing(one=StoreError())
        assert not await spool.replay(taking)
        assert (spool.waiting.exchanges, spool.has("ben")) == (1, False)

    assert not await spool.replay(taking)  # and with room again the file has what waits alone
    assert [path.read_bytes().count(b"\n") for path in files(folder) if path.stat().st_size] == [1]
    taking.fails = lambda _: None
    assert await spool.replay(taking)
    assert (taking.texts, files(folder)) == (["two", "three", "four", "one"], [])


async def test_what_is_held_back_holds_nothing_else_back_in_the_next_file(spool: Spool, folder: Path) -> None:
    taking = Taking()
    taking.fails = failing(one=StoreError())
    await add(spool, entry("one", user="anna"))
    assert not await spool.replay(taking)
    await add_all(spool, two="ben", three="anna", four="ben")

    assert not await spool.replay(taking)
    assert taking.texts == ["two", "four"]
    assert (spool.has("anna"), spool.has("ben"), spool.waiting.exchanges) == (True, False, 2)
    await add(spool, entry("five", user="anna"))
    assert not await spool.replay(taking)
    assert not await spool.replay(taking)
    assert len(files(folder)) <= 3  # and no file more for each try
    taking.fails = lambda _: None
    assert await spool.replay(taking)

    assert (taking.texts, files(folder)) == (["two", "four", "one", "three", "five"], [])


async def test_what_was_written_before_the_store_went_is_not_written_or_counted_again(spool: Spool) -> None:
    taking = Taking()
    await add_all(spool, one="anna", two="ben", three="ben")
    taking.fails = failing(one=StoreError(), three=StoreUnavailableError())

    for _ in range(3):
        assert not await spool.replay(taking)
        assert (spool.waiting.exchanges, spool.has("ben")) == (2, True)
    taking.fails = lambda _: None
    assert await spool.replay(taking)

    assert taking.texts == ["two", "one", "three"]


async def test_an_erasure_that_a_full_disk_refuses_changes_nothing_and_is_done_later(spool: Spool) -> None:
    taking = Taking()
    await add_all(spool, one="anna", two="ben", three="anna", four="ben")
    taking.fails = failing(one=StoreError(), four=StoreUnavailableError())
    assert not await spool.replay(taking)

    with full_disk(), pytest.raises(OSError, match="too large"):
        await spool.erase("anna", at=NOON)
    assert (spool.waiting.exchanges, spool.has("anna"), spool.has("ben")) == (3, True, True)

    assert await spool.erase("anna", at=NOON) == 2
    assert (spool.waiting.exchanges, spool.has("anna"), spool.has("ben")) == (1, False, True)
    taking.fails = lambda _: None
    assert await spool.replay(taking)
    assert taking.texts == ["two", "four"]


async def test_memory_is_bounded_where_a_disk_refuses(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.spool._MOST_IN_MEMORY", len(encode(entry("said 0"))))
    with full_disk():
        await add(spool, entry("said 0"))
        with pytest.raises(FullError):
            await add(spool, entry("said 1"))


async def test_without_a_folder_it_waits_in_memory_and_one_warning_says_so(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder can be made here")
    taking = Taking()
    with capture_logs() as logs:
        spool = await opened(file / "spool")
        await add(spool, entry("said 0"))
        await add(spool, entry("said 1"))

    assert of_writing(logs) == ["spool_moved_to_memory"]
    assert not spool.waiting.on_disk
    assert await spool.erase(Scope("anna", "chat-2"), at=NOON) == 0
    assert await spool.replay(taking)
    assert (taking.texts, spool.waiting) == (["said 0", "said 1"], type(spool.waiting)(0, 0, on_disk=False))


async def test_a_folder_that_is_gone_does_not_keep_a_spool_from_closing(folder: Path) -> None:
    spool = await opened(folder)
    await add(spool, entry("said 0"))
    _replace_by_file(folder)

    with capture_logs() as logs:
        await spool.close()

    assert "spool_close_failed" in [line["event"] for line in logs]


def _replace_by_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("no folder")


# -- A line has all of an entry that the log needs, and shows whether it is whole --


def test_an_entry_comes_back_as_it_was_but_for_its_credential() -> None:
    turn = Turn(
        Scope("anna", "chat 1"),
        "Line one\nline two \u2028 \U0001f375",
        "key",
        NOON,
        "scripted",
        history=(Message(Role.USER, "secret history"),) * 3,
        speaker="Anna",
        anchors=((3, "anchor"),),
        marked=True,
        parent="parent",
    )
    exchange = new_exchange(turn, credential="Bearer secret-key")
    given = LogEntry(Phase.ENDED, replace(exchange, reply="Good."), (uuid7(),))

    line = encode(given)
    read = decode(line)

    assert read is not None
    assert b"secret" not in line
    assert read.exchange == replace(given.exchange, turn=read.exchange.turn)
    assert (len(read.exchange.turn.history), replace(read.exchange.turn, history=turn.history)) == (3, turn)
    assert (read.phase, read.recalled, read.exchange.credential) == (given.phase, given.recalled, None)


def test_what_can_not_be_stored_is_mended_in_the_file_too() -> None:
    read = decode(encode(entry("a\x00b\ud800")))

    assert read is not None
    assert read.exchange.turn.text == "a\ufffdb\ufffd"


def test_what_no_key_can_be_is_no_parent_in_the_file_and_spoils_no_line() -> None:
    given = entry()
    turn = replace(given.exchange.turn, parent="a\ud800", anchors=((0, "b\ud800"),))

    read = decode(encode(replace(given, exchange=replace(given.exchange, turn=turn))))

    assert read is not None
    assert (read.exchange.turn.parent, read.exchange.turn.anchor) == (None, "b\ufffd")


def test_a_line_that_is_cut_or_changed_anywhere_is_known() -> None:
    line = encode(entry())

    assert all(decode(line[:end]) is None for end in range(len(line)))
    assert all(decode(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]) is None for at in range(len(line)))


# -- Several processes share a folder, and each takes over what dead ones left --


async def test_two_that_share_a_folder_leave_each_others_files_alone(folder: Path) -> None:
    mine, theirs, taking = await opened(folder), await opened(folder), Taking()
    await add(mine, entry("mine"))
    await add(theirs, entry("theirs"))

    await mine.adopt()
    assert await mine.replay(taking)
    assert taking.texts == ["mine"]
    await theirs.close()
    await mine.adopt()
    assert mine.waiting.exchanges == 1
    assert await mine.replay(taking)

    assert (taking.texts, files(folder)) == (["mine", "theirs"], [])
    await mine.close()


async def test_a_look_meanwhile_costs_it_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may lock the name that the other has just made, and remove it."""
    looker, take, looks = await opened(folder), FileLock.take, iter(range(2))

    def late(lock: FileLock) -> bool:
        if next(looks, None) is not None:
            with monkeypatch.context() as looking:
                looking.setattr(FileLock, "take", take)
                assert looker._folder is not None
                assert list(looker._folder.take_over()) == []
        return take(lock)

    monkeypatch.setattr(FileLock, "take", late)
    spool, taking = await opened(folder), Taking()
    monkeypatch.undo()
    await add(spool, entry("said"))
    await looker.adopt()

    assert looker.waiting.exchanges == 0
    assert await spool.replay(taking)
    assert taking.texts == ["said"]
    await spool.close()
    await looker.close()


@table("damage, left", [(lambda d: d[:-7], [0, 1]), (lambda d: d[:9] + b"?" + d[10:], [1, 2])])
async def test_a_line_that_is_cut_off_or_damaged_is_logged_and_the_rest_is_written(
    folder: Path, damage: Callable[[bytes], bytes], left: list[int]
) -> None:
    before = await opened(folder)
    for number in range(3):
        await add(before, entry(f"said {number}"))
    await before.close()
    [file] = files(folder)
    file.write_bytes(damage(file.read_bytes()))
    taking = Taking()

    with capture_logs() as logs:
        after = await opened(folder)
        assert await after.replay(taking)
        await after.close()

    assert taking.texts == [f"said {number}" for number in left]
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["spool_damaged"]
    assert files(folder) == []


WRITER = """
import asyncio, sys
from pathlib import Path
from tests.recollect.spool.test_spool import add, entry, opened

async def main():
    spool = await opened(Path(sys.argv[1]))
    number = 0
    while True:
        await add(spool, entry(f"said {number}"))
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


@pytest.mark.process
async def test_what_was_on_the_disk_when_its_process_was_killed_is_all_there(folder: Path) -> None:
    root = Path(__file__).parents[3]
    writing = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WRITER,
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])},
    )
    assert writing.stdout is not None
    kept = 0
    while kept < 50:
        kept = int(await writing.stdout.readline())
    other, taking = await opened(folder), Taking()
    assert other.waiting.exchanges == 0  # its process lives, and holds it
    writing.send_signal(signal.SIGKILL)
    kept = max(map(int, (await writing.stdout.read()).split()), default=kept)
    await writing.wait()

    await other.adopt()
    assert await other.replay(taking)

    assert taking.texts[: kept + 1] == [f"said {number}" for number in range(kept + 1)]
    assert len(taking.texts) - (kept + 1) in {0, 1}  # it died before it could tell of the last
    assert files(folder) == []
    await other.close()
