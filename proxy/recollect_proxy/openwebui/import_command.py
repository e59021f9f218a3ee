"""`recollect import openwebui`: from which source, for which users, and what is said of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import RecollectError
from recollect_proxy.command_settings import UNUSED_UPSTREAM, read_settings
from recollect_proxy.importers.import_commands import DryRun, Embedder, import_app
from recollect_proxy.settings import ProxySettings
from recollect_proxy.store_commands.running_commands import DatabaseUrl, DataDir
from recollect_proxy.urls import without_credentials

if TYPE_CHECKING:
    from recollect_proxy.importers.tally import Tally

_Source = Annotated[
    str,
    typer.Argument(
        help="webui.db, a postgresql:// URL, or an export (JSON) of memories or chats.", metavar="SOURCE"
    ),
]
_Chats = Annotated[bool, typer.Option("--chats", help="Bring the chats too, as history to learn from.")]
_Users = Annotated[
    list[str] | None, typer.Option(help="Only of the user with this id; may be repeated.", metavar="ID")
]


@import_app.command("openwebui")
def import_openwebui(
    source: _Source,
    *,
    chats: _Chats = False,
    dry_run: DryRun = False,
    user: _Users = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
) -> None:
    """Bring the memories, and with --chats the chats, that people have in OpenWebUI.

    OpenWebUI's data is only read, and it may go on running. The first line printed names the store that the memories go to. Settings are those of `recollect serve`; give
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
    settings = read_settings(
        upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url, embedder=embedder
    )
    typer.echo(f"store:     {_store(settings)}")
    from rich.console import Console
    from rich.progress import Progress

    from recollect.logs import configure_logging
    from recollect_proxy.ephemeral_server import run_to_the_end
    from recollect_proxy.openwebui.import_run import bring

    configure_logging("error")
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


def _hints(settings: ProxySettings, tally: "Tally") -> Iterator[str]:
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


def _store(settings: ProxySettings) -> str:
    """Return the name of the store, without a password."""
    if settings.in_memory:
        return "in memory"
    if settings.database_url is None:
        return f"the embedded Postgres in {settings.data_dir}"
    return without_credentials(settings.database_url.get_secret_value())
