import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import asyncpg
import pytest
from tests.recollect.postgres.servers import (
    Start,
    answers,
    bystander_of,
    kill_everything,
    mode,
    owner,
    postmaster,
    until_dead,
)

from recollect.errors import ConfigurationError, StoreError, StoreUnavailableError
from recollect.postgres.embedded.locks import FileLock


async def test_it_is_a_postgres_18_with_pgvector_on_a_private_socket(folder: Path, start: Start) -> None:
    server = start()
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
    assert not await answers(server.dsn)
    server.stop()


async def test_what_is_stored_outlives_the_server(start: Start) -> None:
    first = start()
    connection = await asyncpg.connect(first.dsn)
    await connection.execute("CREATE TABLE kept AS SELECT 'this'::text AS value")
    await connection.close()
    first.stop()

    second = start()
    connection = await asyncpg.connect(second.dsn)
    assert await connection.fetchval("SELECT value FROM kept") == "this"
    await connection.close()
    second.stop()


async def test_the_last_of_two_processes_stops_it(
    folder: Path, start: Start, other_process: "subprocess.Popen[str]"
) -> None:
    server = start()
    running = postmaster(folder)

    server.stop()
    assert await answers(server.dsn)
    assert postmaster(folder) == running

    other_process.communicate()  # it ends, and with it its use of the server
    assert not await answers(server.dsn)


async def test_a_process_stays_on_it_when_another_ends(
    start: Start, other_process: "subprocess.Popen[str]"
) -> None:
    server = start()

    other_process.communicate()

    assert await answers(server.dsn)
    server.stop()
    assert not await answers(server.dsn)


async def test_two_users_in_one_process_count_twice(start: Start) -> None:
    first, second = start(), start()

    first.stop()
    assert await answers(second.dsn)

    second.stop()
    assert not await answers(second.dsn)


async def test_the_server_of_a_killed_process_is_joined_and_stopped(
    folder: Path, start: Start, other_process: "subprocess.Popen[str]"
) -> None:
    other_process.kill()
    other_process.wait()
    running = postmaster(folder)

    server = start()
    assert postmaster(folder) == running
    assert await answers(server.dsn)

    server.stop()
    assert not await answers(server.dsn)


async def test_it_starts_after_everything_was_killed(
    folder: Path, start: Start, other_process: "subprocess.Popen[str]"
) -> None:
    other_process.kill()
    await kill_everything(folder)

    server = start()

    assert await answers(server.dsn)


async def test_a_stale_process_number_may_be_another_process_by_now(folder: Path, start: Start) -> None:
    start()
    await kill_everything(folder)
    data = folder / "postgres" / "data"
    with bystander_of(owner(data)) as bystander:
        for stale in (data / "postmaster.pid", data / ".s.PGSQL.5432.lock"):
            _, rest = stale.read_text().split("\n", 1)
            stale.write_text(f"{bystander.pid}\n{rest}")

        server = start()

        assert await answers(server.dsn)
        assert postmaster(folder) != bystander.pid
        server.stop()
        assert bystander.poll() is None
        bystander.kill()


async def test_a_killed_postmaster_is_replaced_when_its_children_are_gone(folder: Path, start: Start) -> None:
    killed = start()
    os.kill(postmaster(folder), signal.SIGKILL)
    await until_dead(killed.dsn)

    server = start()

    assert await answers(server.dsn)


async def test_a_creation_cut_off_is_begun_again(folder: Path, start: Start) -> None:
    partial = folder / "postgres" / "data.new"
    partial.mkdir(parents=True)
    (folder / "postgres").chmod(0o711)
    (partial / "PG_VERSION").write_text("18\n")

    server = start()

    assert await answers(server.dsn)


async def test_a_path_too_long_for_a_socket_has_it_elsewhere(folder: Path, start: Start) -> None:
    deep = folder / ("d" * 50) / ("e" * 50)
    server = start(deep)
    sockets = Path((deep / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[4])

    assert await answers(server.dsn)
    assert start(deep).dsn == server.dsn
    assert mode(sockets) == 0o700
    assert len(str(sockets)) < 60


def test_the_servers_account_can_not_have_another_folder_removed(folder: Path, start: Start) -> None:
    deep = folder / ("d" * 50) / ("e" * 50)
    server = start(deep)
    written = deep / "postgres" / "data" / "postmaster.pid"
    lines = written.read_text().splitlines()
    sockets, other = Path(lines[4]), folder / "other"
    other.mkdir()
    (other / ".s.PGSQL.5432").symlink_to(sockets / ".s.PGSQL.5432")
    written.write_text("\n".join([*lines[:4], str(other), *lines[5:]]) + "\n")

    server.stop()

    assert other.exists()
    assert not sockets.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could end another account's process")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux shows whose a process is")
def test_the_servers_account_can_not_have_anothers_process_ended(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.postgres.embedded.cluster._STOP_SECONDS", 0.2)
    server = start()
    written = folder / "postgres" / "data" / "postmaster.pid"
    running = postmaster(folder)
    with bystander_of(os.geteuid()) as bystander:
        _, rest = written.read_text().split("\n", 1)
        written.write_text(f"{bystander.pid}\n{rest}")

        with pytest.raises(StoreError, match="does not stop"):
            server.stop()

        assert bystander.poll() is None
        bystander.kill()
    os.kill(running, signal.SIGQUIT)


async def test_a_path_may_have_any_characters(folder: Path, start: Start) -> None:
    server = start(folder / "my data, & 数据 #1?")

    assert await answers(server.dsn)

    server.stop()
    assert not await answers(server.dsn)


async def test_its_address_does_not_depend_on_the_environment(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PGPORT", "5999"), ("PGUSER", "nobody"), ("PGDATABASE", "none"), ("PGHOST", "x")):
        monkeypatch.setenv(name, value)

    server = start()

    assert await answers(server.dsn)
    server.stop()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux shows environments")
def test_the_server_sees_no_secrets_of_ours(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EXTRACTION_API_KEY", "a secret")
    start()

    assert b"secret" not in Path(f"/proc/{postmaster(folder)}/environ").read_bytes()


def test_a_server_that_does_not_start_says_why(folder: Path, start: Start) -> None:
    start().stop()
    (folder / "postgres" / "data" / "postgresql.conf").write_text("shared_buffers = a lot\n")

    with pytest.raises(StoreError, match=r"does not start: .*configuration"):
        start()

    (folder / "postgres" / "data" / "postgresql.conf").write_text("")


def test_patience_with_a_slow_start_ends(start: Start) -> None:
    start().stop()

    with pytest.raises(StoreUnavailableError, match="goes on starting"):
        start(patience=0)


def test_patience_with_another_process_that_starts_it_ends(folder: Path, start: Start) -> None:
    start().stop()
    starting = FileLock(folder / "postgres" / "starting.lock")
    assert starting.take()

    with pytest.raises(StoreUnavailableError, match="Another process"):
        start(patience=0.1)

    starting.close()


def test_a_server_that_does_not_stop_is_told(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.postgres.embedded.cluster._STOP_SECONDS", 0.2)
    server = start()
    os.kill(postmaster(folder), signal.SIGSTOP)

    with pytest.raises(StoreError, match="does not stop"):
        server.stop()

    os.kill(postmaster(folder), signal.SIGCONT)
    while (folder / "postgres" / "data" / "postmaster.pid").exists():  # told twice, it ends now
        time.sleep(0.05)


def test_a_folder_of_another_postgres_is_left_alone(folder: Path, start: Start) -> None:
    start().stop()
    version = folder / "postgres" / "data" / "PG_VERSION"
    version.write_text("16\n")

    with pytest.raises(ConfigurationError, match="Postgres 16"):
        start()

    version.write_text("18\n")


def test_a_file_where_the_folder_should_be_is_a_clear_error(folder: Path, start: Start) -> None:
    (folder / "file").write_text("")

    with pytest.raises(ConfigurationError, match="Not a directory"):
        start(folder / "file")


def test_a_fork_does_not_stop_its_parents_server(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start()
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        server.stop()
    assert postmaster(folder)
    server.stop()


def test_a_deleted_folder_needs_no_stop(folder: Path, start: Start) -> None:
    server = start(folder / "data")
    process_id = postmaster(folder / "data")
    shutil.rmtree(folder / "data")

    server.stop()

    os.kill(process_id, signal.SIGQUIT)  # it would notice by itself, later
