"""The command `recollect import openwebui`: its options and its output."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import RecollectError
from recollect_proxy.command_settings import UNUSED_UPSTREAM, read_settings
from recollect_proxy.importers.import_commands import DryRun, Embedder, import_app
from recollect_proxy.settings import ProxySettings
from recollect_proxy.store_commands.running_commands import DatabaseUrl, DataDir
from recollect_proxy.urls import without_credentials

if TYPE_CHECKING:
    pass

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

    The import only reads OpenWebUI's data, and OpenWebUI may keep running. So may the proxy: use the settings of
    `recollect serve`. The first line of output names the store that the memories go to. Secrets are masked, and
    instructions planted in a memory wait in quarantine. Chats go into the message log; `recollect serve` forms memories
    from them as from any other chat, under the same budgets.

    A second import adds only what is new. If a memory has changed in OpenWebUI, its new text replaces the imported one,
    unless it was changed in Recollect, too: then it stays as it is, and is counted. A memory that was deleted or corrected
    in Recollect does not come back. A user or a chat that was erased as a whole does come back while the source has it,
    since no trace of it is kept. Users whose account is gone in OpenWebUI's database are left out; an export does not
    list accounts.

    Do not put the password of OpenWebUI's Postgres into the URL, where others can see it: give it in PGPASSWORD, in
    ~/.pgpass or in the file that PGPASSFILE names.
    """
    settings = read_settings(
        upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url, embedder=embedder
    )
    typer.echo(f"store:     {_store(settings)}")
    from rich.console import Console
    from rich.progress import Progress

    from recollect.logs import configure_logging
    from recollect_proxy.ephemeral_server import run_to_the_end
    from recollect_proxy.importers.hints import hints
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
    for line in (*tally.lines(chats=chats, dry_run=dry_run), *hints(settings, tally)):
        typer.echo(line)


def _store(settings: ProxySettings) -> str:
    """Return the store's name for the output, without credentials."""
    if settings.in_memory:
        return "in memory"
    if settings.database_url is None:
        return f"the embedded Postgres in {settings.data_dir}"
    return without_credentials(settings.database_url.get_secret_value())
