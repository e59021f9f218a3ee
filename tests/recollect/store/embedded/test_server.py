import os
import shutil
import signal
import subprocess
from pathlib import Path

import asyncpg
import pytest
from tests.recollect.store.embedded.servers import (
    Start,
    answers,
    bystander_of,
    kill_everything,
    mode,
    owner,
    postmaster,
    sees,
    until_dead,
)
from tests.servers.folders import put_database
from tests.support.waiting import until

from recollect.errors import ConfigurationError, StoreError, StoreUnavailableError
from recollect.runtime.file_lock import FileLock

pytestmark = pytest.mark.process


@pytest.fixture
def deep(empty_folder: Path) -> Path:
    """A data folder with a database in it, whose path is too long for a socket."""
    deep = empty_folder / ("d" * 50) / ("e" * 50)
    deep.mkdir(parents=True)
    for path in (deep.parent, deep):
        path.chmod(0o711)
    put_database(deep)
    return deep


async def test_it_is_a_postgres_18_with_pgvector_on_a_private_socket(folder: Path, start: Start) -> None:
    server = start(folder)
    connection = await asyncpg.connect(server.dsn)

    assert (await connection.fetchval("SHOW server_version")).startswith("18")
    assert await connection.fetchval("SHOW listen_addresses") == ""
    await connection.execute("CREATE EXTENSION vector")
    await connection.execute("CREATE TABLE kept AS SELECT '[1,2]'::vector AS value")
    await connection.close()
    data = folder / "postgres" / "data"
    assert mode(data) == 0o700
    assert mode(data / ".s.PGSQL.5432") == 0o700

    server.stop()
    assert not server.revive(), "it was stopped"
    assert not await answers(server.dsn)
    server.stop()
    assert await kept_in(start(folder).dsn) == "[1,2]"


async def kept_in(dsn: str) -> str:
    connection = await asyncpg.connect(dsn)
    try:
        return str(await connection.fetchval("SELECT value::text FROM kept"))
    finally:
        await connection.close()


async def test_the_last_of_two_processes_stops_it(
    folder: Path, start: Start, other_process: "subprocess.Popen[str]"
) -> None:
    server = start(folder)
    running = postmaster(folder)

    server.stop()
    assert await answers(server.dsn)
    assert postmaster(folder) == running

    other_process.communicate()  # it ends, and with it its use of the server
    assert not await answers(server.dsn)


async def test_two_users_in_one_process_count_twice_and_a_fork_none(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = start(folder), start(folder)
    first.stop()
    assert await answers(second.dsn)
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        second.stop()
    assert await answers(second.dsn)
    second.stop()
    assert not await answers(second.dsn)


async def test_the_server_of_a_killed_process_is_joined_and_stopped(
    folder: Path, start: Start, other_process: "subprocess.Popen[str]"
) -> None:
    other_process.kill()
    other_process.wait()
    running = postmaster(folder)

    server = start(folder)
    assert postmaster(folder) == running
    assert await answers(server.dsn)

    server.stop()
    assert not await answers(server.dsn)


async def test_a_stale_process_number_may_be_another_process_by_now(folder: Path, start: Start) -> None:
    start(folder)
    await kill_everything(folder)
    data = folder / "postgres" / "data"
    with bystander_of(owner(data)) as bystander:
        for stale in (data / "postmaster.pid", data / ".s.PGSQL.5432.lock"):
            _, rest = stale.read_text().split("\n", 1)
            stale.write_text(f"{bystander.pid}\n{rest}")

        server = start(folder)

        assert await answers(server.dsn)
        assert postmaster(folder) != bystander.pid
        server.stop()
        assert bystander.poll() is None


async def test_a_killed_postmaster_is_replaced_and_nothing_is_lost(folder: Path, start: Start) -> None:
    killed = start(folder, durable=True)
    connection = await asyncpg.connect(killed.dsn)
    await connection.execute("CREATE TABLE kept AS SELECT 'this'::text AS value")
    await connection.close()
    os.kill(postmaster(folder), signal.SIGKILL)
    await until_dead(killed.dsn)

    server = start(folder, durable=True)

    assert await kept_in(server.dsn) == "this"


async def test_who_uses_a_server_that_died_starts_it_again_at_its_address(deep: Path, start: Start) -> None:
    server = start(deep)
    assert not server.revive()
    os.kill(postmaster(deep), signal.SIGKILL)
    await until_dead(server.dsn)

    await until(server.revive)  # once its children have ended

    assert await answers(server.dsn)
    assert not server.revive()


async def test_a_creation_cut_off_is_begun_again(empty_folder: Path, start: Start) -> None:
    partial = empty_folder / "postgres" / "data.new"
    partial.mkdir(parents=True)
    (empty_folder / "postgres").chmod(0o711)
    (partial / "PG_VERSION").write_text("18\n")

    server = start(empty_folder)

    assert await answers(server.dsn)


async def test_a_path_too_long_for_a_socket_has_it_elsewhere(deep: Path, start: Start) -> None:
    server = start(deep)
    sockets = Path((deep / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[4])

    assert await answers(server.dsn)
    assert start(deep).dsn == server.dsn
    assert mode(sockets) == 0o700
    assert len(str(sockets)) < 60


def test_the_server_can_not_have_another_folder_removed(empty_folder: Path, deep: Path, start: Start) -> None:
    server = start(deep)
    written = deep / "postgres" / "data" / "postmaster.pid"
    lines = written.read_text().splitlines()
    sockets, other = Path(lines[4]), empty_folder / "other"
    other.mkdir()
    (other / ".s.PGSQL.5432").symlink_to(sockets / ".s.PGSQL.5432")
    written.write_text("\n".join([*lines[:4], str(other), *lines[5:]]) + "\n")

    server.stop()

    assert other.exists()
    assert not sockets.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could end another account's process")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux shows whose a process is")
def test_it_can_not_have_processes_ended(folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.embedded_server_process._STOP_SECONDS", 0.05)
    server = start(folder)
    written = folder / "postgres" / "data" / "postmaster.pid"
    running = postmaster(folder)
    with bystander_of(os.geteuid()) as bystander:
        _, rest = written.read_text().split("\n", 1)
        written.write_text(f"{bystander.pid}\n{rest}")

        with pytest.raises(StoreError, match="does not stop"):
            server.stop()

        assert bystander.poll() is None
    os.kill(running, signal.SIGQUIT)


async def test_a_path_may_have_any_characters(empty_folder: Path, start: Start) -> None:
    server = start(empty_folder / "my data, & 数据 #1?")

    assert await answers(server.dsn)

    server.stop()
    assert not await answers(server.dsn)


async def test_no_variable_moves_it_nor_does_it_see_our_secrets(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PGPORT", "5999"), ("PGUSER", "nobody"), ("PGDATABASE", "none"), ("PGHOST", "x")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RECOLLECT_EXTRACTION_API_KEY", "a secret")
    server = start(folder)

    assert await answers(server.dsn)
    assert not sees(postmaster(folder), b"secret")
    server.stop()


def test_one_that_fails_says_why(folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.embedded_server_process._SECONDS_BETWEEN_STARTS", 0.01)
    (folder / "postgres" / "data" / "postgresql.conf").write_text("shared_buffers = a lot\n")

    with pytest.raises(StoreError, match=r"does not start: .*configuration"):
        start(folder)

    (folder / "postgres" / "data" / "postgresql.conf").write_text("")


def test_patience_with_a_slow_start_ends(folder: Path, start: Start) -> None:
    with pytest.raises(StoreUnavailableError, match="goes on starting"):
        start(folder, patience=0)

    start(folder)  # joins what goes on starting, and has it stopped


def test_patience_with_another_process_that_starts_it_ends(folder: Path, start: Start) -> None:
    starting = FileLock(folder / "postgres" / "starting.lock")
    assert starting.take()

    with pytest.raises(StoreUnavailableError, match="Another process"):
        start(folder, patience=0.1)

    starting.close()


async def test_one_that_goes_on_is_told(folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.embedded_server_process._STOP_SECONDS", 0.05)
    server = start(folder)
    os.kill(postmaster(folder), signal.SIGSTOP)

    with pytest.raises(StoreError, match="does not stop"):
        server.stop()

    os.kill(postmaster(folder), signal.SIGCONT)
    await until(lambda: not (folder / "postgres" / "data" / "postmaster.pid").exists())  # told twice


def test_a_folder_of_another_postgres_is_left_alone(folder: Path, start: Start) -> None:
    version = folder / "postgres" / "data" / "PG_VERSION"
    version.write_text("16\n")

    with pytest.raises(ConfigurationError, match="Postgres 16"):
        start(folder)

    version.write_text("18\n")


def test_a_file_where_the_folder_should_be_is_a_clear_error(empty_folder: Path, start: Start) -> None:
    (empty_folder / "file").write_text("")

    with pytest.raises(ConfigurationError, match="Not a directory"):
        start(empty_folder / "file")


def test_a_deleted_folder_needs_no_stop(folder: Path, start: Start) -> None:
    server = start(folder)
    process_id = postmaster(folder)
    shutil.rmtree(folder)

    server.stop()

    os.kill(process_id, signal.SIGQUIT)  # it would notice by itself, later
