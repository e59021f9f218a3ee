import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from recollect.errors import ConfigurationError, StoreError, StoreUnavailableError
from recollect.postgres.embedded import EmbeddedServer, accounts, start_embedded
from recollect.postgres.embedded.accounts import Account, binaries_for, installed_package
from recollect.postgres.embedded.locks import FileLock

USER = """
import sys
from pathlib import Path
from recollect.postgres.embedded import start_embedded
server = start_embedded(Path(sys.argv[1]))
print(server.dsn, flush=True)
sys.stdin.readline()
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run the server")


Start = Callable[..., EmbeddedServer]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="recollect-embedded-") as created:
        Path(created).chmod(0o711)
        yield Path(created)


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts a server, in ``folder`` unless told otherwise, and has it stopped after the test."""
    servers: list[EmbeddedServer] = []

    def start_one(data_dir: Path = folder, **arguments: float) -> EmbeddedServer:
        servers.append(start_embedded(data_dir, **arguments))
        return servers[-1]

    yield start_one
    for server in servers:
        server.stop()


@pytest.fixture
def other_process(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that uses the server until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline().startswith("postgresql://")
    yield process
    process.communicate()


async def answers(dsn: str) -> bool:
    try:
        connection = await asyncpg.connect(dsn)
    except (OSError, asyncpg.PostgresError):
        return False
    await connection.close()
    return True


def postmaster(folder: Path) -> int:
    return int((folder / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def bystander_of(account: int) -> "subprocess.Popen[bytes]":
    other = None if account == os.geteuid() else account
    return subprocess.Popen(["sleep", "600"], cwd="/", user=other)


def children_of(process_id: int) -> Iterator[int]:
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended meanwhile
            if int(status.read_text().rpartition(")")[2].split()[1]) == process_id:
                yield int(status.parent.name)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def owner(path: Path) -> int:
    return path.stat().st_uid


async def until_dead(dsn: str) -> None:
    while await answers(dsn):  # noqa: ASYNC110 - nothing tells us of the death of another's process
        await asyncio.sleep(0.01)


async def kill_everything(folder: Path) -> None:
    process_id = postmaster(folder)
    dsn = f"postgresql://postgres@/postgres?host={folder}/postgres/data&port=5432"
    for each in (process_id, *children_of(process_id)):
        os.kill(each, signal.SIGKILL)
    await until_dead(dsn)


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


# -- accounts --------------------------------------------------------------------------------------


@as_root
def test_root_is_told_of_a_folder_that_the_servers_account_can_not_enter(folder: Path, start: Start) -> None:
    closed = folder / "home"
    closed.mkdir(mode=0o700)

    with pytest.raises(ConfigurationError, match=f"can't enter {closed}.*/var/lib/recollect"):
        start(closed / "data")

    assert mode(closed) == 0o700


@as_root
async def test_for_root_the_owner_of_the_data_runs_the_server(folder: Path, start: Start) -> None:
    start().stop()
    data = folder / "postgres" / "data"
    for path in (data, *data.rglob("*")):
        os.chown(path, 54321, 54321)  # a number without a name, as on a volume of another container

    server = start()

    assert await answers(server.dsn)
    assert owner(Path(f"/proc/{postmaster(folder)}")) == 54321


@as_root
def test_an_ordinary_user_needs_no_other_account(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    os.chown(home, 65534, 65534)
    script = """
import asyncio, os, sys
from pathlib import Path
import asyncpg
from recollect.postgres import open_postgres, start_embedded
os.setgroups([]); os.setgid(65534); os.setuid(65534)
async def main():
    server = start_embedded(Path(sys.argv[1]))
    store = await open_postgres(server.dsn)
    print(await store.inbox.backlog(), flush=True)
    await store.aclose()
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(home / "data")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(home)},
    )

    assert done.stdout.startswith("Backlog(pending=0"), done.stderr
    assert (home / "data" / "postgres" / "data").stat().st_uid == 65534
    assert not (home / "data" / "postgres" / "data" / "postmaster.pid").exists()


@as_root
def test_a_user_without_a_name_is_told_what_postgres_says(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    os.chown(home, 54321, 54321)
    script = """
import os, sys
from pathlib import Path
from recollect.errors import ConfigurationError
from recollect.postgres.embedded import start_embedded
os.setgroups([]); os.setgid(54321); os.setuid(54321)
try:
    start_embedded(Path(sys.argv[1]))
except ConfigurationError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(home / "data")], capture_output=True, text=True, check=False
    )

    assert "No database can be created" in done.stdout, done.stderr
    assert "could not look up effective user ID 54321" in done.stdout


def test_the_data_of_another_account_is_refused(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    start().stop()
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    with pytest.raises(ConfigurationError, match="belongs to another account"):
        start()

    monkeypatch.undo()


def test_a_way_is_checked_by_owner_group_and_others(tmp_path: Path) -> None:
    owner = Account(tmp_path.stat().st_uid, 0, other=True)
    member = Account(54321, tmp_path.stat().st_gid, other=True)
    anybody = Account(54321, 54321, other=True)
    closed = tmp_path / "closed"
    for mode, refused in ((0o070, owner), (0o701, member), (0o770, anybody)):
        closed.mkdir()
        closed.chmod(mode)
        with pytest.raises(ConfigurationError, match=r"can't enter"):
            refused.check_way(closed / "data")
        closed.chmod(0o700)
        closed.rmdir()


@as_root
def test_programs_behind_a_closed_folder_are_copied_for_the_servers_account(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = installed_package()
    home = folder / "root"
    home.mkdir(mode=0o700)
    for name in (installed.name, f"{installed.name}.libs"):
        (home / name).symlink_to(installed.with_name(name))
    monkeypatch.setattr(accounts, "installed_package", lambda: home / installed.name)
    account = Account(65534, 65534, other=True)

    programs = binaries_for(account, folder)

    assert programs.is_relative_to(folder)
    assert binaries_for(account, folder) == programs
    found = subprocess.run(
        [programs / "initdb", "--version"], capture_output=True, check=True, user=65534, cwd="/"
    )
    assert b"18." in found.stdout


@as_root
def test_a_missing_account_that_can_not_be_created_is_a_clear_error(
    folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_ACCOUNT", "no such name")
    with pytest.raises(ConfigurationError, match="can't be created"):
        start()

    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(ConfigurationError, match="can't be created"):
        start()


def test_a_platform_without_a_wheel_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_PACKAGE", "no_such_package")

    with pytest.raises(ConfigurationError, match="no embedded Postgres"):
        installed_package()


def test_a_deleted_folder_needs_no_stop(folder: Path, start: Start) -> None:
    server = start(folder / "data")
    process_id = postmaster(folder / "data")
    shutil.rmtree(folder / "data")

    server.stop()

    os.kill(process_id, signal.SIGQUIT)  # it would notice by itself, later
