"""The commands `recollect import recollect`, which restores an export, and `chatgpt`, `claude`, `mem0`, `jsonl`.

Never: how a file is parsed or stored.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect_proxy.settings import ProxySettings
from recollect_proxy.store_commands.running_commands import (
    AsJson,
    DatabaseUrl,
    DataDir,
    print_json,
    run,
    settings_of,
    user_named,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from recollect_proxy.importers.file_source import FileSource
    from recollect_proxy.importers.tally import Tally
    from recollect_proxy.takeout import Restored

import_app = typer.Typer(
    help="Bring what people already have elsewhere.", no_args_is_help=True, add_completion=False
)

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would come, and write nothing.")]
File = Annotated[Path, typer.Argument(help="The file.", metavar="FILE")]

Owner = Annotated[str, typer.Option("--user", help="Whose it is from now on.", metavar="ID")]
Users = Annotated[
    list[str] | None,
    typer.Option(
        "--user",
        help="Only of the user with this id; may be repeated. Alone, whose is what names nobody.",
        metavar="ID",
    ),
]
Embedder = Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")]


@import_app.callback()
def _import() -> None:
    """Bring what people already have elsewhere."""


@import_app.command("recollect")
def import_recollect(
    file: File,
    *,
    user: Owner,
    dry_run: DryRun = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Bring back what `recollect export` wrote: memories with their history, chats, settings, all of it.

    Rows that the user already has stay as they are, so that the command can be repeated, also after an interruption. All
    rows are checked before the first is written. A server that runs on the same store embeds and indexes the new ones.
    """
    from rich.console import Console
    from rich.progress import Progress

    from recollect.assembly import open_administration
    from recollect_proxy.takeout import restore_file

    named, settings = user_named(user), settings_of(data_dir, database_url)
    errors = Console(stderr=True)

    async def bring(progress: Progress) -> "Restored":
        task = progress.add_task("rows", total=None)
        told = {
            "began": lambda count: progress.update(task, total=count),
            "advance": lambda count: progress.advance(task, count),
        }
        if dry_run:
            return await restore_file(None, file, named, **told)
        async with open_administration(settings, embeds=False) as engine:
            return await restore_file(engine, file, named, **told)

    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        restored = run(bring(progress))
    _tell(restored, dry_run=dry_run, as_json=as_json)


def _tell(restored: "Restored", *, dry_run: bool, as_json: bool) -> None:
    """Print what came of an import."""
    if as_json:
        print_json(
            {"dry_run": dry_run, "new": restored.new, "there": restored.there, "ignored": restored.ignored}
        )
        return
    if dry_run:
        typer.echo("Dry run: nothing was written. This is in the file:")
    for section in restored.new:
        there = "" if dry_run else f", {restored.there[section]} there already"
        typer.echo(f"{section}: {restored.new[section]} {'rows' if dry_run else 'new'}{there}")
    for section, count in restored.ignored.items():
        if count:
            typer.echo(f"{section}: {count} ignored: they can't be brought back")


@import_app.command("jsonl")
def import_jsonl(
    file: File,
    *,
    user: Users = None,
    dry_run: DryRun = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Bring chats from lines of JSON: each a list of messages, as the chat completions API has them, or {"messages": [...]}.

    An object may have `user`, `chat_id` and `created_at`, and a message `created_at`. A chat without an id is recognized by
    its first messages. A file may also be one JSON list of chats.

    A second import, also after an interrupted one, adds only what is new. Secrets are masked, and planted instructions wait
    in quarantine. `recollect serve` forms memories from the chats, or `recollect backfill` at a rate that you choose.
    """
    from recollect_proxy.importers.products import open_jsonl

    settings = settings_of(data_dir, database_url, embedder=embedder)
    only = [user_named(each) for each in user or ()]
    _bring(settings, open_jsonl(file), only, dry_run=dry_run, as_json=as_json)


@import_app.command("chatgpt")
def import_chatgpt(
    file: File,
    *,
    user: Owner,
    dry_run: DryRun = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Bring chats and saved memories from the data that ChatGPT exports: the zip archive, or conversations.json.

    Of each chat, the import takes the branch that was displayed last, and on it the messages of person and model, without
    tools and hidden messages. The memories are those that ChatGPT saved in these chats.

    A second import, also after an interrupted one, adds only what is new. Secrets are masked, and planted instructions wait
    in quarantine. `recollect serve` forms memories from the chats, or `recollect backfill` at a rate that you choose.
    """
    from recollect_proxy.importers.products import open_chatgpt

    settings = settings_of(data_dir, database_url, embedder=embedder)
    only = [user_named(user)]
    _bring(settings, open_chatgpt(file, only[0]), only, dry_run=dry_run, as_json=as_json)


@import_app.command("claude")
def import_claude(
    file: File,
    *,
    user: Owner,
    dry_run: DryRun = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Bring chats and memories from the data that Claude exports: the zip archive, conversations.json or memories.json.

    The import takes the messages of person and model, without thinking and tools. Each paragraph of Claude's memory becomes
    one memory.

    A second import, also after an interrupted one, adds only what is new. Secrets are masked, and planted instructions wait
    in quarantine. `recollect serve` forms memories from the chats, or `recollect backfill` at a rate that you choose.
    """
    from recollect_proxy.importers.products import open_claude

    settings = settings_of(data_dir, database_url, embedder=embedder)
    only = [user_named(user)]
    _bring(settings, open_claude(file, only[0]), only, dry_run=dry_run, as_json=as_json)


@import_app.command("mem0")
def import_mem0(
    file: File,
    *,
    user: Users = None,
    dry_run: DryRun = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Bring memories from mem0: what `get_all` or its export gives as JSON, or lines of JSON.

    If a memory has changed in mem0, its new text replaces the imported one, unless it was changed in Recollect, too.

    A second import, also after an interrupted one, adds only what is new. Secrets are masked, and planted instructions wait
    in quarantine.
    """
    from recollect_proxy.importers.products import open_mem0

    settings = settings_of(data_dir, database_url, embedder=embedder)
    only = [user_named(each) for each in user or ()]
    _bring(settings, open_mem0(file), only, dry_run=dry_run, as_json=as_json)


def _bring(
    settings: ProxySettings,
    opening: "AbstractContextManager[FileSource]",
    only: Sequence[str],
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import from a source, and print the counts."""
    from rich.console import Console
    from rich.progress import Progress

    from recollect_proxy.importers.hints import hints
    from recollect_proxy.importers.import_run import bring_from
    from recollect_proxy.importers.products import opened

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        work = bring_from(
            settings, opened(opening), only=only, chats=True, dry_run=dry_run, progress=progress
        )
        tally = run(work)
    for line in tally.problems():
        typer.echo(f"skipped: {line}", err=True)
    if as_json:
        print_json(_document(tally, dry_run=dry_run))
        for line in hints(settings, tally):
            typer.echo(line, err=True)
        return
    for line in (*tally.lines(chats=True, dry_run=dry_run), *hints(settings, tally)):
        typer.echo(line)


def _document(tally: "Tally", *, dry_run: bool) -> dict[str, object]:
    """Return the counts of an import for JSON output."""
    return {
        "dry_run": dry_run,
        "users": len(tally.users),
        "memories": dict(tally.memories),
        "refused": dict(tally.refused),
        "chats": dict(tally.chats),
        "left_out": dict(tally.left_out),
        "exchanges": dict(tally.exchanges),
        "recording_off": len(tally.off),
        "skipped": tally.broken,
    }
