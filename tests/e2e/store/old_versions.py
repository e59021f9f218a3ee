"""An earlier version of the code, out of git's history, and processes of it. Never: a test."""

import os
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.served_process import environment

from recollect.postgres.sql import load_migrations

REPOSITORY = Path(__file__).parents[3]
_ROOTS = ("src", "proxy", "openwebui_filter")
_MIGRATIONS = "src/recollect/postgres/migrations"
_SINCE = 19
"""The migration from which on old replicas go on beside new ones."""


@dataclass(frozen=True)
class OldVersion:
    """The code as it was.

    Attributes:
        commit: Which.
        folder: Where it is.
        newest: The number of its newest migration.
    """

    commit: str
    folder: Path
    newest: int

    def environment(self, **settings: object) -> dict[str, str]:
        """Return the environment in which `recollect` and its worker are of that version."""
        environ = environment(**settings)
        given = filter(None, [environ.get("PYTHONPATH")])
        paths = [*(str(self.folder / root) for root in _ROOTS), *given]
        return environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


def why_no_old_version() -> str | None:
    """Return why there is no earlier version to be had; None: there is one."""
    if not (REPOSITORY / ".git").exists():
        return "there is no history: the code was not got by git"
    try:
        _first_commit_of(_oldest_beside())
    except (OSError, subprocess.CalledProcessError, LookupError) as error:
        return f"git's history does not reach back to an earlier version ({type(error).__name__})"
    return None


@contextmanager
def old_version() -> Iterator[OldVersion]:
    """Lay out the oldest version that goes on beside today's, and take it away again."""
    newest = _oldest_beside()
    commit = _first_commit_of(newest)
    with TemporaryDirectory(prefix="old-version-") as name:
        folder = Path(name)
        packed = _git("archive", "--format=tar", commit, *_ROOTS)
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        found = sorted(int(each.name[:4]) for each in (folder / _MIGRATIONS).glob("*.sql"))
        assert found[-1] == newest, "the commit has later migrations, too"
        _have_todays_entry_point(folder)
        yield OldVersion(commit, folder, newest)


def _have_todays_entry_point(folder: Path) -> None:
    """Let the command that is installed, which is today's, find the old version's `main`."""
    entry = folder / "proxy" / "recollect_proxy" / "recollect_command.py"
    if not entry.exists():
        entry.write_text("from recollect_proxy.cli import main as main\n", "utf-8")


def _oldest_beside() -> int:
    """Return the number of the migration since which nothing was taken away."""
    return max([_SINCE, *(each.version for each in load_migrations() if each.contracts)])


def _first_commit_of(version: int) -> str:
    """Return the commit that brought a migration.

    Raises:
        LookupError: None in the history did.
    """
    [file] = (REPOSITORY / _MIGRATIONS).glob(f"{version:04}_*.sql")
    listed = _git("log", "-m", "--diff-filter=A", "--format=%H", "--", str(file.relative_to(REPOSITORY)))
    commits = listed.decode().split()
    if not commits:
        raise LookupError(version)
    return commits[-1]


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True, capture_output=True).stdout


def origin_of(environ: Mapping[str, str], python: Path) -> Path:
    """Return the file that `import recollect` reads in an environment."""
    command = [str(python), "-P", "-c", "import recollect; print(recollect.__file__)"]
    printed = subprocess.run(command, env=dict(environ), check=True, capture_output=True, text=True)
    return Path(printed.stdout.strip())
