"""The spool keeps what waits: in order, on the disk, whole or not at all, and until it is written."""

import asyncio
import os
import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.recollect.spool.spools import NOON, ROOM, Taking, add, entry, files, held, of_writing, opened

from recollect.engine.recording.exchanges import begun, ended, new_exchange
from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import FailedAt, Failure, LogEntry, Phase, Scope
from recollect.spool import FullError, Spool, spooling


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- what is just being written ----------------------------------------------------------------------


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

    assert of_writing(logs) == []
    assert sum(each.size for each in spool._segments) == 0
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

    said = [
        f"{process}, {state}" for process in ("first", "second") for state in ("being written", "waiting")
    ]
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


async def test_an_entry_that_can_not_be_kept_is_logged_without_its_words(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
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


# -- in and out --------------------------------------------------------------------------------------


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

    assert taking.texts == [f"said {number}" for number in range(5)]
    assert spool.waiting.exchanges == 0
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
    for text, user in (("one", "anna"), ("two", "ben"), ("three", "anna"), ("four", "ben")):
        await add(spool, entry(text, user=user))
    taking.fails = lambda given: StoreError() if given.exchange.turn.text == "one" else None

    assert not await spool.replay(taking)
    assert taking.texts == ["two", "four"]
    assert spool.has("anna")
    assert not spool.has("ben")
    taking.fails = lambda _: None
    assert await spool.replay(taking)

    assert taking.texts == ["two", "four", "one", "three"]
    assert files(folder) == []


# -- erasing -----------------------------------------------------------------------------------------


async def test_who_is_erased_is_gone_from_its_files_and_nobody_else(spool: Spool, folder: Path) -> None:
    taking, later = Taking(), NOON + timedelta(seconds=1)
    await add(spool, entry("Anna's secret"))
    await add(spool, entry("Ben's", user="ben"))
    await add(spool, entry("Anna's other secret", chat="chat-2"))
    await add(spool, entry("Anna's later words", at=later))

    assert await spool.erase("anna", at=NOON) == 2
    assert await spool.erase("anna", at=NOON) == 0

    assert b"secret" not in held(folder)
    assert spool.waiting.exchanges == 2
    assert await spool.replay(taking)
    assert taking.texts == ["Ben's", "Anna's later words"]


async def test_what_an_erasure_takes_just_now_is_erased_and_not_lost(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way = await spool.keep(entry("Anna's secret"))
    off_loop, waits = spooling._off_loop, []

    async def before_it_is_counted(work: Any, *given: Any) -> None:
        await off_loop(work, *given)
        waits.append(await spool.wait(under_way))

    monkeypatch.setattr(spooling, "_off_loop", before_it_is_counted)

    assert await spool.erase("anna", at=NOON) == 1
    assert waits == [False]


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
