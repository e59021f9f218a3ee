"""What is just being written outlives a process that is killed, and nothing of it stays once it is written."""

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from structlog.testing import capture_logs
from tests.stores import NOON
from tests.waiting import until

from recollect.engine.exchanges import begun, ended, failed, new_exchange
from recollect.model import FailedAt, Failure, LogEntry, Scope, Turn
from recollect.spool import Journal, Spool
from recollect.spool import journal as journals


def entry(text: str = "I live in Oslo", *, reply: str | None = None, user: str = "anna") -> LogEntry:
    turn = Turn(Scope(user, "chat-1"), text, str(uuid4()), NOON, "scripted")
    exchange = new_exchange(turn, credential="Bearer secret")
    return begun(exchange) if reply is None else ended(exchange, reply, ())


def opened(folder: Path) -> Journal:
    folder.mkdir(exist_ok=True)
    journal = Journal()
    journal.open(folder)
    return journal


def held(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in files(folder))


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def left(folder: Path) -> list[str]:
    """Return what another process finds, once nobody holds it any more."""
    spool, found = Spool(folder, limit=10_000_000), []

    async def take(each: LogEntry) -> None:
        found.append(f"{each.exchange.turn.text}>{each.exchange.reply}")

    await spool.open()
    await spool.adopt()
    await spool.replay(take)
    await spool.close()
    return found


async def test_what_is_being_written_is_there_and_gone_afterwards(tmp_path: Path) -> None:
    journal = opened(tmp_path)

    async with journal.noting(entry()) as noted, journal.noting(entry("And in Rome")):
        assert noted.is_kept
        assert b"Oslo" in held(tmp_path)
        assert b"secret" not in held(tmp_path)
    assert held(tmp_path) == b""

    await journal.close()
    assert files(tmp_path) == []


async def test_what_a_dead_process_was_writing_is_found_in_order(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    async with journal.noting(entry("one")), journal.noting(entry("two", reply="Good.")):
        assert await left(tmp_path) == []  # whose process lives
        await journal.close()

    assert await left(tmp_path) == ["one>", "two>Good."]
    assert await left(tmp_path) == []


async def test_a_process_is_read_before_the_next_and_its_spool_before_its_journal(tmp_path: Path) -> None:
    """However early a page of the journal was made: what waits in the spool was said before what is being written."""
    for process in ("first", "second"):
        spool = Spool(tmp_path, limit=10_000_000)
        await spool.open()
        async with spool.journal.noting(entry(f"{process}, later")):
            await spool.add(entry(f"{process}, before"))
            await spool.close()

    assert await left(tmp_path) == ["first, before>", "first, later>", "second, before>", "second, later>"]


async def test_a_long_journal_goes_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "_PAGE_BYTES", 2000)
    journal = opened(tmp_path)

    async with journal.noting(entry("x" * 3000)), journal.noting(entry("y")):
        assert len(files(tmp_path)) == 2
        async with journal.noting(entry("z")):
            assert len(files(tmp_path)) == 2
    [page] = files(tmp_path)

    assert page.read_bytes() == b""
    await journal.close()


async def test_without_a_folder_or_with_one_that_is_gone_nothing_is_kept(tmp_path: Path) -> None:
    journal = Journal()
    async with journal.noting(entry()) as noted:
        assert not noted.is_kept
    journal.open(tmp_path / "gone")
    async with journal.noting(entry()) as noted:
        assert not noted.is_kept


# -- what goes, and in which order -------------------------------------------------------------------


@pytest.fixture
def many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each entry be noted in a page of its own."""
    monkeypatch.setattr(journals, "_PAGE_BYTES", 10)


@pytest.mark.usefixtures("many_pages")
async def test_how_a_turn_ended_does_not_go_from_the_disk_before_its_beginning_in_an_older_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, refused = opened(tmp_path), entry("refused")
    async with journal.noting(entry("slow")):
        with monkeypatch.context() as patched:
            patched.setattr(journals, "_PAGE_BYTES", 10_000)
            async with journal.noting(refused):
                pass
        async with journal.noting(failed(refused.exchange, Failure(FailedAt.HEAD))):
            pass
        lines = held(tmp_path)
        await journal.close()

    assert lines.count(b"refused") in {0, 2}
    assert lines.count(b"refused") == held(tmp_path).count(b"refused")
    assert b"slow" in lines


@pytest.mark.usefixtures("many_pages")
async def test_a_page_that_grows_leaves_behind_what_is_written(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    async with journal.noting(entry("slow")):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(journals, "_PAGE_BYTES", 10_000)
            async with journal.noting(entry("quick")):
                pass
        assert b"quick" in held(tmp_path)
        async with journal.noting(entry("next")):
            await until(lambda: b"quick" not in held(tmp_path))
            assert b"slow" in held(tmp_path)
            assert b"next" in held(tmp_path)
    await until(lambda: held(tmp_path) == b"")

    await journal.close()
    assert files(tmp_path) == []


async def test_who_is_erased_is_gone_from_the_journal_too_and_nobody_else(tmp_path: Path) -> None:
    spool = Spool(tmp_path, limit=10_000_000)
    await spool.open()
    async with spool.journal.noting(entry("Ben's", user="ben")):
        async with spool.journal.noting(entry("Anna's secret")):
            pass
        async with spool.journal.noting(entry("Anna's other secret")):
            assert await spool.erase("anna", at=NOON - timedelta(seconds=1)) == 0
            assert await spool.erase("anna", at=NOON) == 1  # what was written went before
            assert b"secret" not in held(tmp_path)
            async with spool.journal.noting(entry("Anna's later words")):
                assert b"later" in held(tmp_path)
                await spool.close()

    assert await left(tmp_path) == ["Ben's>", "Anna's later words>"]


async def test_what_was_written_of_a_user_is_erased_while_others_are_being_written(tmp_path: Path) -> None:
    spool = Spool(tmp_path, limit=10_000_000)
    await spool.open()
    async with spool.journal.noting(entry("Ben's", user="ben")):
        async with spool.journal.noting(entry("Anna's secret")):
            pass
        assert await spool.erase("anna", at=NOON) == 1
        assert b"secret" not in held(tmp_path)
        assert b"Ben's" in held(tmp_path)
    await spool.close()
    assert files(tmp_path) == []


async def test_whatever_fails_as_an_entry_is_noted_is_told_and_the_entry_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: LogEntry) -> bytes:
        raise LookupError("Anna's secret")

    monkeypatch.setattr("recollect.spool.beside.encode", fails)
    journal = opened(tmp_path)

    with capture_logs() as logs:
        async with journal.noting(entry()) as noted:
            assert (noted.is_kept, noted.line) == (False, None)

    assert [(line["event"], line["error"]) for line in logs] == [("journal_failed", "LookupError")]
    assert "secret" not in str(logs)
    await journal.close()
