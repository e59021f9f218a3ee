"""A command line within this process, which starts in no time."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from tests.support.logging_as_it_was import logging_as_it_was
from typer.testing import CliRunner, Result

from recollect.errors import RecollectError
from recollect_proxy.commands import cli
from recollect_proxy.settings.proxy_settings import ProxySettings

_WIDE = {"COLUMNS": "300", "NO_COLOR": "1"}


def recollect(*arguments: str | Path, typed: str | None = None, **environment: str) -> Result:
    """Run `recollect`, as `run` does."""
    return run(cli.app, *arguments, typed=typed, **environment)


def run(app: typer.Typer, *arguments: str | Path, typed: str | None = None, **environment: str) -> Result:
    """Run a command with these variables, and none of our settings that whoever runs the tests has.

    Returns:
        What it printed, and how it ended. A ``RecollectError``, which `main` tells in a line, is its exception.
    """
    ours = {name: None for name in os.environ if name.startswith("RECOLLECT_")}
    with _process_as_it_was():
        ended = CliRunner(env={**ours, **_WIDE, **environment}).invoke(
            app, [str(each) for each in arguments], input=typed
        )
    if ended.exception is not None and not isinstance(ended.exception, SystemExit | RecollectError):
        raise ended.exception  # a person would see a traceback
    return ended


def write_settings(folder: Path, text: str) -> Path:
    """Write a file of settings that nobody else may read, and return where it is."""
    file = folder / "recollect.toml"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    return file


class Operator:
    """Runs commands on one store."""

    def __init__(self, dsn: str, data_dir: Path, **variables: str) -> None:
        self.variables = {"RECOLLECT_DATABASE_URL": dsn, "RECOLLECT_DATA_DIR": str(data_dir), **variables}

    def __call__(self, *arguments: str, status: int = 0, typed: str | None = None) -> str:
        """Run a command, and return what it printed to stdout."""
        done = recollect(*arguments, typed=typed, **self.variables)
        assert done.exit_code == status, done.output
        return done.stdout

    def json(self, *arguments: str, status: int = 0) -> Any:
        printed = self(*arguments, "--json", status=status)
        return json.loads(printed) if printed else None

    def contents(self, user_id: str) -> set[str]:
        return {each["content"] for each in self.json("memories", "list", user_id)["memories"]}


def operators(settings: ProxySettings) -> dict[str, str]:
    """Return the variables of an operator who has these settings, of the data folder and of what must not hurry."""
    names = ("data_dir", "recall_deadline_ms")
    return {f"RECOLLECT_{name.upper()}": str(getattr(settings, name)) for name in names}


@contextmanager
def _process_as_it_was() -> Iterator[None]:
    """Put back what a command changes of the process that it takes for its own."""
    ending = signal.getsignal(signal.SIGTERM)
    try:
        with logging_as_it_was():
            yield
    finally:
        if threading.current_thread() is threading.main_thread():  # else nothing has changed
            signal.signal(signal.SIGTERM, ending)
