"""`recollect bench`: figures on labelled conversations. Never: how they are made."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from recollect.errors import RecollectError
from recollect_proxy.bench.dataset import DatasetError, read_conversations
from recollect_proxy.bench.recall import bench_recall
from recollect_proxy.bench.table import show
from recollect_proxy.logs import configure_logging
from recollect_proxy.options import read_settings
from recollect_proxy.temporary import run_to_the_end

_REPLACED = "http://127.0.0.1"
"""Settings need an upstream; the bench brings its own."""

bench_app = typer.Typer(
    help="Measure Recollect on labelled conversations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@bench_app.callback()
def bench() -> None:
    """Measure Recollect on labelled conversations."""


@bench_app.command()
def recall(
    data: Annotated[
        Path, typer.Option(help="Labelled conversations, one JSON object a line.", metavar="FILE")
    ],
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")
    ] = False,
    limit_conversations: Annotated[
        int | None, typer.Option(help="Replay the first N conversations.", metavar="N", min=1)
    ] = None,
    questions: Annotated[
        int | None, typer.Option(help="Ask the first N questions of each.", metavar="N", min=0)
    ] = None,
) -> None:
    """Replay conversations through the proxy, without an LLM, and measure what their questions recall.

    Each conversation is one user's chats, in a database of its own that is removed in the end. The
    RECOLLECT_* settings of embedder and recall are those that a chat has.
    """
    configure_logging("error")
    settings = read_settings(upstream=_REPLACED)
    errors = Console(stderr=True)
    try:
        conversations = read_conversations(data)[:limit_conversations]
        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
            summary = run_to_the_end(
                bench_recall(data.name, conversations, settings, questions=questions, progress=progress)
            )
    except DatasetError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(2) from None
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(summary), indent=2))
    else:
        show(summary, Console(highlight=False))
