"""A full spool or a full disk costs no entry that is kept, and no order."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.recollect.spool.spools import NOON, Taking, add, entry, files, full_disk, held, of_writing, opened

from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import LogEntry, Scope
from recollect.spool import FullError, Spool
from recollect.spool.records import encode


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
        assert (spool.waiting.exchanges, spool.waiting.on_disk) == (3, False)
        assert held(folder) == line
        assert await spool.replay(taking)

    assert taking.texts == ["said 0", "said 1", "said 2"]


async def test_what_waited_in_memory_is_on_the_disk_with_the_first_word_after_there_is_room(
    spool: Spool, folder: Path
) -> None:
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


async def test_what_waited_in_memory_for_a_disk_that_has_room_at_the_end_outlives_the_process(
    folder: Path,
) -> None:
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


async def test_what_was_written_is_counted_once_though_a_full_disk_keeps_its_line(
    spool: Spool, folder: Path
) -> None:
    taking = Taking()
    for text, user in (("one", "anna"), ("two", "ben"), ("three", "ben"), ("four", "ben")):
        await add(spool, entry(text, user=user))

    with full_disk():  # of what is held back no new file can be written
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
    assert taking.texts == ["two", "three", "four", "one"]
    assert files(folder) == []


async def test_what_is_held_back_in_one_file_holds_nothing_else_back_in_the_next(
    spool: Spool, folder: Path
) -> None:
    taking = Taking()
    taking.fails = failing(one=StoreError())
    await add(spool, entry("one", user="anna"))
    assert not await spool.replay(taking)
    for text, user in (("two", "ben"), ("three", "anna"), ("four", "ben")):
        await add(spool, entry(text, user=user))

    assert not await spool.replay(taking)
    assert taking.texts == ["two", "four"]
    assert (spool.has("anna"), spool.has("ben"), spool.waiting.exchanges) == (True, False, 2)
    await add(spool, entry("five", user="anna"))
    assert not await spool.replay(taking)
    assert not await spool.replay(taking)
    assert len(files(folder)) <= 3  # and no file more for each try
    taking.fails = lambda _: None
    assert await spool.replay(taking)

    assert taking.texts == ["two", "four", "one", "three", "five"]
    assert files(folder) == []


async def test_what_was_written_before_the_store_went_is_not_written_or_counted_again(spool: Spool) -> None:
    taking = Taking()
    for text, user in (("one", "anna"), ("two", "ben"), ("three", "ben")):
        await add(spool, entry(text, user=user))
    taking.fails = failing(one=StoreError(), three=StoreUnavailableError())

    for _ in range(3):
        assert not await spool.replay(taking)
        assert (spool.waiting.exchanges, spool.has("ben")) == (2, True)
    taking.fails = lambda _: None
    assert await spool.replay(taking)

    assert taking.texts == ["two", "one", "three"]


async def test_an_erasure_that_a_full_disk_refuses_changes_nothing_and_is_done_when_it_has_room(
    spool: Spool,
) -> None:
    taking = Taking()
    for text, user in (("one", "anna"), ("two", "ben"), ("three", "anna"), ("four", "ben")):
        await add(spool, entry(text, user=user))
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


async def test_memory_too_is_bounded_while_the_disk_refuses(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.spool.spooling._MOST_IN_MEMORY", len(encode(entry("said 0"))))
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
    assert taking.texts == ["said 0", "said 1"]
    assert spool.waiting == type(spool.waiting)(0, 0, on_disk=False)


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
