"""Runs a bench as a command does, and prints its figures. Never: what is measured."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeAlias

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from bench.recall.dataset import DatasetError
from recollect.errors import RecollectError
from recollect.logs import configure_logging
from recollect_proxy.serving.ephemeral_server import run_to_the_end
from recollect_proxy.settings.command_settings import read_settings
from recollect_proxy.settings.proxy_settings import ProxySettings

_REPLACED = "http://127.0.0.1"
"""Settings need an upstream; the bench brings its own."""

Figures: TypeAlias = dict[str, Any]


def measure(
    measured: Callable[[ProxySettings, Progress], Coroutine[Any, Any, Figures]],
    show: Callable[[Mapping[str, Any], Console], None],
    *,
    as_json: bool,
) -> None:
    """Measure, and print the figures as a table or as one JSON document.

    Exits with 2 if what is measured with makes no sense, with 1 if measuring fails.
    """
    configure_logging("error")
    settings = read_settings(upstream=_REPLACED)
    errors = Console(stderr=True)
    try:
        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
            figures = run_to_the_end(measured(settings, progress))
    except DatasetError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(2) from None
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(figures), indent=2))
    else:
        show(figures, Console(highlight=False))
