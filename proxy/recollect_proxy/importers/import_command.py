"""The command `recollect import`: imports from other products, and restores an export of Recollect's own."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from recollect_proxy.settings.command_settings import database_shown
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.store_commands.options_of_commands import (
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    fail,
    progress_display,
    project_named,
    run_or_exit,
    settings_of,
    user_named,
)
from recollect_proxy.store_commands.printing import print_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from recollect_proxy.importers.common_format import Source
    from recollect_proxy.importers.import_counts import Tally
    from recollect_proxy.takeout.export_file import Restored


class Product(StrEnum):
    """A product to import from."""

    RECOLLECT = "recollect"
    OPENWEBUI = "openwebui"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    MEM0 = "mem0"
    JSONL = "jsonl"


_ONE_USERS = frozenset({Product.RECOLLECT, Product.CHATGPT, Product.CLAUDE})
"""Products whose files hold the data of one user, who must be named."""

_OnlyOf: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--user",
        help="Only of the user with this id; may be repeated. Alone: also the owner of data that names none.",
        metavar="ID",
    ),
]
_DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Count what would come, and write nothing.")
]
_Into: TypeAlias = Annotated[
    str,
    typer.Option(
        "--project",
        help="The project of the one --user into which it goes, or `team:` and the id of a team. (default: their own memory)",
        metavar="NAME",
        callback=project_named,
    ),
]


def import_(
    product: Annotated[Product, typer.Argument(help="The product that wrote it.", metavar="PRODUCT")],
    source: Annotated[str, typer.Argument(help="The file, or for openwebui a URL.", metavar="SOURCE")],
    *,
    user: _OnlyOf = None,
    project: _Into = "",
    chats: Annotated[
        bool, typer.Option("--chats", help="Of openwebui bring the chats too, as history to learn from.")
    ] = False,
    dry_run: _DryRun = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Import the memories and chats that people have elsewhere. PRODUCT is one of:

    recollect: an export of `recollect export`, for the one --user. All rows are checked before the first is written, and
    rows that the user already has stay as they are.

    openwebui: memories, and with --chats chats, of webui.db, a postgresql:// URL, or an export (JSON). OpenWebUI may keep
    running; its data is only read. Do not put the password of its Postgres into the URL, where others can see it: give it in
    PGPASSWORD, in ~/.pgpass or in the file that PGPASSFILE names. Users whose account is gone are left out.

    chatgpt: chats and the memories saved in them, for the one --user: the zip archive, or conversations.json. Of each chat
    the branch that was displayed last is taken, without tools and hidden messages.

    claude: chats and memories, for the one --user: the zip archive, conversations.json or memories.json. Each paragraph of
    Claude's memory becomes one memory.

    mem0: memories that `get_all` or its export gives as JSON, or lines of JSON.

    jsonl: chats as lines of JSON: each a list of messages, as the chat completions API has them, or {"messages": [...]},
    with `user`, `chat_id` and `created_at` if known. A chat without an id is recognized by its first messages.

    A second import, also after an interrupted one, adds only what is new. If a memory has changed in the product, its new
    text replaces the imported one, unless it was changed in Recollect, too. A memory that was deleted or corrected in
    Recollect does not come back; a user or a chat that was erased as a whole does. Secrets are masked, and planted
    instructions are held back. `recollect serve` on the same store embeds the memories, and forms further ones from the
    chats; `recollect backfill` forms them at a rate that you choose.
    """  # noqa: D415 -- the list of products follows
    only = [user_named(each) for each in user or ()]
    if product in _ONE_USERS and len(only) != 1:
        fail(f"Whose data is it? Name one user: recollect import {product} FILE --user ID.", MISUSED)
    if project and (len(only) != 1 or product is Product.RECOLLECT):
        fail(
            "A project is of one user: name them by --user. An export of Recollect names projects itself.",
            MISUSED,
        )
    settings = settings_of(data_dir, database_url)
    if not as_json:
        typer.echo(f"store:     {database_shown(settings)}")
    with progress_display() as progress:
        if product is Product.RECOLLECT:
            restored = run_or_exit(
                _restore(settings, Path(source), only[0], dry_run=dry_run, progress=progress)
            )
        else:
            opening, with_chats = _opening(product, source), chats or product is not Product.OPENWEBUI
            tally = run_or_exit(
                bring(settings, opening, only, project, chats=with_chats, dry_run=dry_run, progress=progress)
            )
    if product is Product.RECOLLECT:
        _print_counts(restored, dry_run=dry_run, as_json=as_json)
    else:
        _print_tally(settings, tally, dry_run=dry_run, as_json=as_json)


def _print_tally(settings: ProxySettings, tally: "Tally", *, dry_run: bool, as_json: bool) -> None:
    """Print the counts, the rows that can't be read, and hints; with ``as_json`` only the counts on stdout."""
    from recollect_proxy.importers.import_counts import hints

    for line in tally.problems():
        typer.echo(f"skipped: {line}", err=True)
    _print_counts(tally, dry_run=dry_run, as_json=as_json)
    for line in hints(settings, tally):
        typer.echo(line, err=as_json)


def _print_counts(counts: "Restored | Tally", *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json({"dry_run": dry_run, **counts.document()})
    else:
        for line in counts.lines(dry_run=dry_run):
            typer.echo(line)


def _opening(product: Product, source: str) -> "AbstractAsyncContextManager[Source]":
    from recollect_proxy.importers.openwebui_database import open_openwebui
    from recollect_proxy.importers.product_files import open_files

    return open_openwebui(source) if product is Product.OPENWEBUI else open_files(product, Path(source))


async def bring(
    settings: ProxySettings,
    opening: "AbstractAsyncContextManager[Source]",
    only: Sequence[str],
    project: str,
    *,
    chats: bool,
    dry_run: bool,
    progress: "Progress",
) -> "Tally":
    """Import from the source that ``opening`` opens, and return the counts; for a dry run, those that it would have.

    ``only`` are the users to import, all if it is empty; ``project`` is where it goes, "" for their own memory.

    Raises:
        SourceError: The source can't be read, or holds chats but no memories while ``chats`` is False.
        TeamNotFoundError: The project is of a team that the user is not in.
        NotAllowedInTeamError: They may not write in it.
        RecollectError: The store can't be opened or written.
    """
    from recollect.assembly.policy_from_settings import make_policy
    from recollect_proxy.importers.common_format import SourceError
    from recollect_proxy.importers.import_counts import Tally
    from recollect_proxy.importers.importer import Importer, open_destination

    policy = make_policy(settings)
    async with opening as source:
        if source.chats and not (chats or source.memories or source.broken):
            raise SourceError("There are chats in it, and no memories: bring them with --chats.")
        async with open_destination(settings, writes=not dry_run) as backends:
            tally = Tally(with_chats=chats, broken=[*source.broken])
            importing = Importer(
                source, backends, policy, datetime.now(UTC), tally, only, project, writes=not dry_run
            )
            await importing.expect_writer()
            if source.memories:
                task = progress.add_task("memories", total=len(source.memories))
                await importing.bring_memories(partial(progress.advance, task))
            if source.chats and chats:
                task = progress.add_task("chats", total=len(source.chats))
                await importing.bring_chats(partial(progress.advance, task))
            return tally


async def _restore(
    settings: ProxySettings, file: Path, user_id: str, *, dry_run: bool, progress: "Progress"
) -> "Restored":
    """Restore an export of Recollect."""
    from recollect.assembly.command_engines import open_administration
    from recollect_proxy.takeout.export_file import restore_file

    task = progress.add_task("rows", total=None)
    began, advance = lambda count: progress.update(task, total=count), partial(progress.advance, task)
    if dry_run:
        return await restore_file(None, file, user_id, began=began, advance=advance)
    async with open_administration(settings, embeds=False) as engine:
        return await restore_file(engine, file, user_id, began=began, advance=advance)
