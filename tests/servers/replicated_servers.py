"""A primary and a standby that follows it, by streaming replication, for tests."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import CalledProcessError

from tests.recollect.store.embedded.servers import children_of
from tests.servers.external_servers import control, free_port, initialize, programs_of, run_as
from tests.servers.folders import quick_folder

from recollect.store.embedded_server_process import Account, account_for

_SETTINGS = ("fsync=off", "full_page_writes=off", "listen_addresses=127.0.0.1", "unix_socket_directories=")


@dataclass
class Server:
    """One of them."""

    data: Path
    port: int
    programs: Path
    account: Account

    @property
    def dsn(self) -> str:
        """Of its superuser, who is asked for no password."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self, *settings: str) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(f"-c {each}" for each in (*_SETTINGS, f"port={self.port}", *settings))
        control(self.programs, self.account, "start", self.data, "-l", self.data / "log", "-o", options)

    def promote(self) -> None:
        """Have it take writes, and follow nobody."""
        control(self.programs, self.account, "promote", self.data)

    def freeze(self, number: signal.Signals = signal.SIGSTOP) -> None:
        """Have it take everything and answer nothing, as a machine does that hangs; or go on again, by SIGCONT."""
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        for each in (first, *children_of(first)):
            with suppress(ProcessLookupError):
                os.kill(each, number)

    def end(self) -> None:
        """End it as a machine does that loses its power, if it runs."""
        with suppress(CalledProcessError):  # it does not run
            control(self.programs, self.account, "stop", self.data, "-m", "immediate")

    def follow(self, primary: "Server") -> None:
        """Become a copy of another, which it follows once it is started."""
        copy = (
            "-d",
            primary.dsn,
            "-D",
            self.data,
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--wal-method=stream",
        )
        run_as(self.account, self.programs / "pg_basebackup", *copy)


@dataclass(frozen=True)
class Pair:
    """Both, and how both are reached."""

    primary: Server
    standby: Server

    @property
    def dsn(self) -> str:
        """Of the database on whichever takes writes; the standby is named first."""
        return f"postgresql://postgres@127.0.0.1:{self.standby.port},127.0.0.1:{self.primary.port}/postgres"


@contextmanager
def replicated_servers(version: str = "18") -> Iterator[Pair]:
    """Run a primary and its standby in memory."""
    folder, programs = quick_folder(), programs_of(version)
    account = account_for(folder.path / "none")
    servers = []
    for name in ("primary", "standby"):
        data = folder.path / name
        data.mkdir(mode=0o700)
        account.own(data)
        servers.append(Server(data, free_port(), programs, account))
    pair = Pair(*servers)
    try:
        initialize(programs, pair.primary.data, account)
        pair.primary.start()
        pair.standby.follow(pair.primary)
        pair.standby.start()
        # From now on, as the standby is there: nothing is committed that a failover would lose.
        pair.primary.end()
        pair.primary.start("synchronous_standby_names=*")
        yield pair
    finally:
        for server in servers:
            if (server.data / "postmaster.pid").exists():
                server.freeze(signal.SIGCONT)
            server.end()
        folder.remove()
