"""`recollect reindex`: the words that memories and messages are found by, built anew. Never: indexes anything itself."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect_proxy.store_commands.running_commands import (
    AsJson,
    DatabaseUrl,
    DataDir,
    print_json,
    settings_of,
    user_named,
    with_engine,
)

if TYPE_CHECKING:
    from recollect.engine import Engine


def reindex(
    *,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", help="Only of the user with this id; may be repeated.", metavar="ID"),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Have the workers build the lexical index of everybody, or of some, anew: from what is kept, and while it is searched.

    A few messages of a user at a time are out of the index for a moment; memories are not. It goes on after a restart.
    """
    only = [user_named(each) for each in user or ()]

    async def work(engine: "Engine") -> int:
        known = only or [each.id for each in await engine.users()]
        return sum([await engine.rebuild_index(each) for each in known])

    begun = with_engine(settings_of(data_dir, database_url), work)
    if as_json:
        print_json({"users": begun})
        return
    typer.echo(f"The workers build the index of {begun} users anew.")
