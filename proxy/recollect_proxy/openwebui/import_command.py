"""`recollect import openwebui`: from what, for whom, with what told of it. Never: how a row is read or kept."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from recollect.assembly import make_policy
from recollect.errors import RecollectError
from recollect.logs import configure_logging
from recollect_proxy.command_settings import UNUSED_UPSTREAM, read_settings
from recollect_proxy.ephemeral_server import run_to_the_end
from recollect_proxy.openwebui.destination import open_destination
from recollect_proxy.openwebui.importer import Importer
from recollect_proxy.openwebui.rows import Row, SourceError
from recollect_proxy.openwebui.sources import open_source
from recollect_proxy.openwebui.tally import Tally
from recollect_proxy.settings import ProxySettings

import_app = typer.Typer(
    help="Bring what people already have elsewhere.", no_args_is_help=True, add_completion=False
)


@import_app.callback()
def _import() -> None:
    """Bring what people already have elsewhere."""


_Source = Annotated[
    str,
    typer.Argument(
        help="webui.db, a postgresql:// URL, or an export (JSON) of memories or chats.", metavar="SOURCE"
    ),
]
_Chats = Annotated[bool, typer.Option("--chats", help="Bring the chats too, as history to learn from.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would come, and write nothing.")]
_Users = Annotated[
    list[str] | None, typer.Option(help="Only of the user with this id; may be repeated.", metavar="ID")
]
_DataDir = Annotated[Path | None, typer.Option(help="Folder of the database and the caches.")]
_DatabaseUrl = Annotated[
    str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one.")
]
_Embedder = Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")]


@import_app.command("openwebui")
def import_openwebui(
    source: _Source,
    *,
    chats: _Chats = False,
    dry_run: _DryRun = False,
    user: _Users = None,
    data_dir: _DataDir = None,
    database_url: _DatabaseUrl = None,
    embedder: _Embedder = None,
) -> None:
    """Bring the memories, and with --chats the chats, that people have in OpenWebUI.

    OpenWebUI's data is only read, and it may go on running. Settings are those of `recollect serve`; give
    the same, and a proxy may go on serving meanwhile. Secrets are blacked out, and planted orders wait in
    quarantine. Chats wait in the message log, and memories are formed of them as of any other by
    `recollect serve`, under the same budgets.

    Done again it brings what is new. A memory that was changed there since replaces what was brought before,
    unless it was changed here, too: then it stays, and is counted. A memory that was deleted or corrected here
    does not come back. What was erased here, a whole user or a whole chat, does, while it is in the source:
    nothing is kept by which it could be known. From OpenWebUI's database nobody comes whose account is gone
    there; an export does not tell.

    Leave the password of OpenWebUI's Postgres out of the URL, where others see it, and give it in PGPASSWORD,
    in ~/.pgpass or in the file that PGPASSFILE names.
    """
    configure_logging("error")
    settings = read_settings(
        upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url, embedder=embedder
    )
    errors = Console(stderr=True)
    try:
        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
            work = bring(settings, source, only=user or (), chats=chats, dry_run=dry_run, progress=progress)
            tally = run_to_the_end(work)
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    for line in tally.problems():
        typer.echo(f"skipped: {line}", err=True)
    for line in (*tally.lines(chats=chats, dry_run=dry_run), *_hints(settings, tally)):
        typer.echo(line)


async def bring(
    settings: ProxySettings,
    name: str,
    *,
    only: Sequence[str],
    chats: bool,
    dry_run: bool,
    progress: Progress,
) -> Tally:
    """Import from a source.

    Args:
        settings: Where it goes.
        name: The source, as ``open_source`` takes it.
        only: The users it is about; none: all.
        chats: Whether chats come too.
        dry_run: Whether nothing is written.
        progress: Is told how far it is.

    Returns:
        What came, or would.

    Raises:
        SourceError: The source can't be read, or has nothing of what is asked for.
        RecollectError: It can't be kept.
    """
    policy = make_policy(settings)
    async with open_source(name) as source:
        memories = await source.memories()
        listed = await source.chats() if chats else ()
        if not memories and not listed and not chats and await source.chats():
            raise SourceError("There are chats in it, and no memories: bring them with --chats.")
        async with open_destination(settings, writes=not dry_run) as backends:
            importing = Importer(source, backends, policy, datetime.now(UTC), only, writes=not dry_run)
            await _bring_all(importing, memories, listed, progress)
            return importing.tally


async def _bring_all(
    importing: Importer, memories: Sequence[Row], listed: Sequence[Row], progress: Progress
) -> None:
    for what, rows, bring_rows in (
        ("memories", memories, importing.bring_memories),
        ("chats", listed, importing.bring_chats),
    ):
        if rows:
            task = progress.add_task(what, total=len(rows))
            await bring_rows(rows, partial(progress.advance, task))


def _hints(settings: ProxySettings, tally: Tally) -> Iterator[str]:
    """Yield what to know before memories are formed of many chats."""
    if not tally.exchanges["new"]:
        return
    yield "Memories are formed of the chats while `recollect serve` runs on the same data."
    if settings.memories_per_hour or settings.user_cap:
        yield (
            f"A user is given {settings.memories_per_hour or 'any number of'} memories an hour at most "
            f"(RECOLLECT_MEMORIES_PER_HOUR), and keeps {settings.user_cap or 'any number'} (RECOLLECT_USER_CAP): "
            "what is more is not learned from the chats, but found in them."
        )
    if settings.extraction_model is None:
        yield (
            "No RECOLLECT_EXTRACTION_MODEL is set: each chat's own model is asked, where the LLM behind Recollect has it."
        )
