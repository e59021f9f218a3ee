"""A Postgres that is not the embedded one, for tests: of a version that the wheel carries, reached over TCP."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.servers.folders import quick_folder

from recollect.store.embedded_server_process import Account, account_for, installed_package

FOLDERS = {"16": "pginstall", "18": "pginstall18"}
"""Where the wheel has which version."""

PASSWORD = "not-a-secret"
NOT_DURABLE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def programs_of(version: str) -> Path:
    """Return the folder of the programs of a version; every account may run them."""
    programs = installed_package() / FOLDERS[version] / "bin"
    if not programs.is_dir():
        raise LookupError(f"The wheel carries no Postgres {version} on this platform.")
    return programs


@contextmanager
def external_server(version: str, *, settings: Sequence[str] = ()) -> Iterator[str]:
    """Run a server in memory that is reached over TCP, and yield the dsn of its superuser.

    It asks nobody for a password: tests make roles, and are them.
    """
    folder = quick_folder()
    data, account = folder.path / "external", account_for(folder.path / "none")
    programs = programs_of(version)
    try:
        data.mkdir(mode=0o700)
        account.own(data)
        initialize(programs, data, account)
        port = free_port()
        options = [
            *NOT_DURABLE,
            f"port={port}",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            *settings,
        ]
        control(
            programs,
            account,
            "start",
            data,
            "-l",
            data / "log",
            "-o",
            " ".join(f"-c {each}" for each in options),
        )
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            control(programs, account, "stop", data, "-m", "immediate")
    finally:
        folder.remove()


def initialize(programs: Path, data: Path, account: Account) -> None:
    """Make a server's files in a folder."""
    options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]
    run_as(account, programs / "initdb", "-D", data, *options)


def control(programs: Path, account: Account, *arguments: object) -> None:
    """Have `pg_ctl` carry out a command in a folder, with further arguments, and wait until it is done."""
    command, data, *further = arguments
    run_as(account, programs / "pg_ctl", command, "-w", "-D", data, *further)


def run_as(account: Account, *command: object) -> None:
    """Run a program as an account; its output goes nowhere, as a server that it starts would keep a pipe open."""
    subprocess.run(
        [str(each) for each in command],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **account.program_arguments(),
    )


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def pgbouncer() -> str | None:
    """Return the program of PgBouncer, where it is installed."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
