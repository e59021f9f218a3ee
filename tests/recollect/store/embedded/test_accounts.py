import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.recollect.store.embedded.servers import Start, answers, as_root, mode, owner, postmaster

from recollect.errors import ConfigurationError
from recollect.store import embedded_server_process as cluster
from recollect.store.embedded_server_process import Account, account_for, binaries_for, installed_package


@as_root
def test_root_is_told_of_a_folder_that_is_closed_to_the_server(empty_folder: Path, start: Start) -> None:
    closed = empty_folder / "home"
    closed.mkdir(mode=0o700)

    with pytest.raises(ConfigurationError, match=f"can't enter {closed}.*/var/lib/recollect"):
        start(closed / "data")

    assert mode(closed) == 0o700


@as_root
async def test_for_root_the_owner_of_the_data_runs_the_server(folder: Path, start: Start) -> None:
    data = folder / "postgres" / "data"
    for path in (data, *data.rglob("*")):
        os.chown(path, 54321, 54321)  # a number without a name, as on a volume of another container

    server = start(folder)

    assert await answers(server.dsn)
    assert owner(Path(f"/proc/{postmaster(folder)}")) == 54321


def run_as(
    number: int, script: str, folder: Path, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Run a script over a data folder as another account, whose home that folder is in."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    os.chown(home, number, number)
    becomes = f"os.setgroups([]); os.setgid({number}); os.setuid({number})"
    given = {**os.environ, **environment}
    program = [sys.executable, "-c", script.replace("BECOME", becomes), str(home / "data")]
    return subprocess.run(program, capture_output=True, text=True, check=False, env=given)


@as_root
@pytest.mark.process
def test_an_ordinary_user_needs_no_other_account(empty_folder: Path) -> None:
    script = """
import asyncio, os, sys
from pathlib import Path
import asyncpg
from recollect.store import open_postgres, start_embedded
BECOME
async def main():
    server = start_embedded(Path(sys.argv[1]))
    store = await open_postgres(server.dsn)
    print(await store.inbox.backlog(), flush=True)
    await store.aclose()
asyncio.run(main())
"""
    done = run_as(65534, script, empty_folder, {"HOME": str(empty_folder / "home")})

    data = empty_folder / "home" / "data" / "postgres" / "data"
    assert done.stdout.startswith("Backlog(pending=0"), done.stderr
    assert data.stat().st_uid == 65534
    assert not (data / "postmaster.pid").exists()


@as_root
@pytest.mark.process
def test_a_user_without_a_name_is_told_what_postgres_says(empty_folder: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from recollect.errors import ConfigurationError
from recollect.store.embedded_database import start_embedded
BECOME
try:
    start_embedded(Path(sys.argv[1]))
except ConfigurationError as error:
    print(error)
"""
    done = run_as(54321, script, empty_folder, {})

    assert "No database can be created" in done.stdout, done.stderr
    assert "could not look up effective user ID 54321" in done.stdout


def test_the_data_of_another_is_refused(folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)

    with pytest.raises(ConfigurationError, match="belongs to another account"):
        start(folder)

    monkeypatch.undo()


def test_a_way_is_checked_by_owner_group_and_others(tmp_path: Path) -> None:
    keeper = Account(tmp_path.stat().st_uid, 0, other=True)
    member = Account(54321, tmp_path.stat().st_gid, other=True)
    anybody = Account(54321, 54321, other=True)
    closed = tmp_path / "closed"
    for permissions, refused in ((0o070, keeper), (0o701, member), (0o770, anybody)):
        closed.mkdir()
        closed.chmod(permissions)
        with pytest.raises(ConfigurationError, match=r"can't enter"):
            refused.check_way(closed / "data")
        closed.chmod(0o700)
        closed.rmdir()


@as_root
def test_programs_in_a_closed_folder_are_copied(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = installed_package()
    home = empty_folder / "root"
    home.mkdir(mode=0o700)
    for name in (installed.name, f"{installed.name}.libs"):
        (home / name).symlink_to(installed.with_name(name))
    monkeypatch.setattr(cluster, "installed_package", lambda: home / installed.name)
    account = Account(65534, 65534, other=True)

    programs = binaries_for(account, empty_folder)

    assert programs.is_relative_to(empty_folder)
    assert binaries_for(account, empty_folder) == programs
    found = subprocess.run(
        [programs / "initdb", "--version"], capture_output=True, check=True, user=65534, cwd="/"
    )
    assert b"18." in found.stdout


@as_root
def test_copied_programs_are_read_by_all(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = empty_folder / "root" / "package"
    place = binaries_for(Account(0, 0, other=False), empty_folder).relative_to(installed_package())
    program = package / place / "postgres"
    program.parent.mkdir(parents=True, mode=0o700)
    for path, permissions in ((program, 0o700), (package / "zones", 0o600)):
        path.write_text("#!/bin/sh\n")
        path.chmod(permissions)
    (package / "latest").symlink_to("what is not copied")
    (empty_folder / "root").chmod(0o700)
    monkeypatch.setattr(cluster, "installed_package", lambda: package)

    programs = binaries_for(Account(65534, 65534, other=True), empty_folder)

    copy = programs.parent.parent
    assert [mode(path) for path in (copy, programs, programs / "postgres")] == [0o755] * 3
    assert mode(copy / "zones") == 0o644
    assert (copy / "latest").is_symlink()


@as_root
def test_no_account_is_told(empty_folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_ACCOUNT", "no such name")
    with pytest.raises(ConfigurationError, match="can't be created"):
        start(empty_folder)

    monkeypatch.setenv("PATH", str(empty_folder))
    monkeypatch.setattr(cluster, "_SYSTEM_PROGRAMS", str(empty_folder))
    with pytest.raises(ConfigurationError, match="can't be created"):
        start(empty_folder)


@as_root
@pytest.mark.skipif(
    shutil.which("useradd", path="/usr/sbin:/usr/bin") is None,
    reason="accounts are created in another way here",
)
def test_an_account_is_made_without_a_path(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = []

    def run(command: Sequence[str], **_: object) -> None:
        programs.append(Path(command[0]))

    monkeypatch.setattr(cluster, "_ACCOUNT", "no such name")
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    with pytest.raises(ConfigurationError, match="can't be created"):
        account_for(empty_folder / "data")

    [program] = programs
    assert program.name == "useradd"
    assert os.access(program, os.X_OK)


def test_a_platform_without_a_wheel_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PACKAGE", "no_such_package")

    with pytest.raises(ConfigurationError, match="no embedded Postgres"):
        installed_package()
