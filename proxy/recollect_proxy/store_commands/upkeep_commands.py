"""`recollect migrate`, `users`, `retry`, `erase`: the schema, who is known, what is tried again, an erasure. Never: SQL."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import Erasure
from recollect_proxy.settings.command_settings import database_shown
from recollect_proxy.store_commands.running_commands import (
    FAILED,
    AsJson,
    DatabaseUrl,
    DataDir,
    User,
    fail,
    print_json,
    print_table,
    run,
    settings_of,
    user_named,
    with_engine,
)

if TYPE_CHECKING:
    from recollect.engine import Engine

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def migrate(*, data_dir: DataDir = None, database_url: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """Bring the store's schema up to date, and do nothing else; say to which database, and which migrations were applied.

    Every start does the same. The embedded database is made where there is none.
    """
    from recollect.assembly import migrate_store

    settings = settings_of(data_dir, database_url)
    database = database_shown(settings)
    if not as_json:
        typer.echo(f"Database {database}")
    applied = run(migrate_store(settings))
    if as_json:
        print_json({"database": database, "applied": applied})
        return
    for name in applied:
        typer.echo(f"applied: {name}")
    if not applied:
        typer.echo("The schema is up to date.")


def retry(*, data_dir: DataDir = None, database_url: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """Have everything formed that is not yet: what is held as failed, waits for a model, or was read by no model so far.

    The same as `POST /memory/formation/retry`. The workers of `recollect serve` or `recollect worker` do it; `recollect
    backfill` does it itself, at a rate. Nothing is formed of what a person switched off or had forgotten.
    """
    settings = settings_of(data_dir, database_url)
    failed, waiting = with_engine(settings, lambda engine: engine.retry_failed())
    if as_json:
        print_json({"retried": failed, "users": waiting})
        return
    typer.echo(f"tried again: {failed} exchanges held as failed, and what waited of {waiting} users")


def users(*, data_dir: DataDir = None, database_url: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """List who is known, with how much is kept of them and when they were last seen.

    To a terminal as a table; to a pipe one user a line, with tabs between the columns.
    """
    found = with_engine(settings_of(data_dir, database_url), lambda engine: engine.users())
    if as_json:
        print_json({"users": found})
        return
    columns = ("user", "memories", "chats", "exchanges", "pending", "last seen")
    print_table(
        columns,
        [
            (each.id, each.memories, each.sessions, each.exchanges, each.pending, each.last_seen)
            for each in found
        ],
    )


def erase(
    user: User,
    *,
    yes: Yes = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete everything of a user, in every table and queue, and print how many rows of each are gone.

    It asks first, unless --yes is given. What waits of theirs in the spool of a proxy is not written any more. A
    tombstone stays, with the counts, and without who it was. A line on stderr says so if nothing was known of them.
    """
    named, settings = user_named(user), settings_of(data_dir, database_url)
    if not yes and not typer.confirm(f"Delete everything of {named!r}? It can't be undone.", err=True):
        fail("Nothing was deleted.", FAILED)

    async def work(engine: "Engine") -> tuple[Erasure, int]:
        erasure = await engine.erase(named)
        return erasure, sum(each.id == named for each in await engine.users())

    erasure, left = with_engine(settings, work)
    print_erasure(erasure, as_json=as_json, left=left)
    if not any(count for _, count in erasure.rows):
        typer.echo(
            f"Nothing was known of {named!r}. Is the id right? `recollect users` lists who is known.",
            err=True,
        )


def print_erasure(erasure: Erasure, *, as_json: bool, left: int | None = None) -> None:
    """Print the proof of an erasure.

    Args:
        erasure: The proof.
        as_json: Whether as JSON.
        left: How often a new count found the user; None: nobody counted.
    """
    rows = dict(erasure.rows)
    if as_json:
        counted = {} if left is None else {"left": left}
        print_json({"id": erasure.id, "erased_at": erasure.at, "rows": rows, **counted})
    else:
        for table, count in rows.items():
            typer.echo(f"{table}: {count}")
        typer.echo(f"{sum(rows.values())} rows are gone. Tombstone {erasure.id}.")
        if left is not None:
            typer.echo(
                "Counted again: nothing is left." if not left else "Counted again: the user is there anew."
            )
