"""What is just being written outlives a process that is killed, and nothing of it stays once it is written."""

from pathlib import Path
from uuid import uuid4

import pytest
from tests.stores import NOON

from recollect.exchanges import begun, ended, new_exchange
from recollect.model import LogEntry, Scope, Turn
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
    return b"".join(each.read_bytes() for each in folder.iterdir())


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


def test_what_is_being_written_is_there_and_gone_afterwards(tmp_path: Path) -> None:
    journal = opened(tmp_path)

    with journal.noting(entry()) as is_kept, journal.noting(entry("And in Rome")):
        assert is_kept
        assert b"Oslo" in held(tmp_path)
        assert b"secret" not in held(tmp_path)
    assert held(tmp_path) == b""

    journal.close()
    assert list(tmp_path.iterdir()) == []


async def test_what_a_dead_process_was_writing_is_found_in_order(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with journal.noting(entry("one")), journal.noting(entry("two", reply="Good.")):
        assert await left(tmp_path) == []  # whose process lives
        journal.close()

    assert await left(tmp_path) == ["one>", "two>Good."]
    assert await left(tmp_path) == []


async def test_what_waits_in_the_spool_was_said_before(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with journal.noting(entry("later")):
        spool = Spool(tmp_path, limit=10_000_000)
        await spool.open()
        await spool.add(entry("before"))
        await spool.close()
        journal.close()

    assert await left(tmp_path) == ["before>", "later>"]


def test_a_long_journal_goes_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "_PAGE_BYTES", 2000)
    journal = opened(tmp_path)

    with journal.noting(entry("x" * 3000)), journal.noting(entry("y")):
        assert len(list(tmp_path.iterdir())) == 2
        with journal.noting(entry("z")):
            assert len(list(tmp_path.iterdir())) == 2
    [page] = tmp_path.iterdir()

    assert page.read_bytes() == b""
    journal.close()


def test_without_a_folder_or_with_one_that_is_gone_nothing_is_kept(tmp_path: Path) -> None:
    journal = Journal()
    with journal.noting(entry()) as is_kept:
        assert not is_kept
    journal.open(tmp_path / "gone")
    with journal.noting(entry()) as is_kept:
        assert not is_kept
