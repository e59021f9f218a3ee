"""`recollect sessions`: which chats of a user are remembered, and erasing one. Never: SQL."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import Erasure, Scope
from recollect_proxy.store_commands.running_commands import (
    AsJson,
    DatabaseUrl,
    DataDir,
    User,
    fail,
    on_a_terminal,
    print_json,
    settings_of,
    user_named,
    with_engine,
)
from recollect_proxy.store_commands.upkeep_commands import Yes, print_erasure

if TYPE_CHECKING:
    from recollect.engine import Engine

sessions_app = typer.Typer(
    help="See which chats of a user are remembered, and erase one.",
    no_args_is_help=True,
    add_completion=False,
)


@sessions_app.command("list")
def list_sessions(
    user: User, *, data_dir: DataDir = None, database_url: DatabaseUrl = None, as_json: AsJson = False
) -> None:
    """List the ids of a user's chats; the one where something was said last first."""
    named = user_named(user)
    found = with_engine(settings_of(data_dir, database_url), lambda engine: engine.sessions(named))
    if as_json:
        print_json({"sessions": found})
        return
    for each in found:
        typer.echo(on_a_terminal(each))


@sessions_app.command()
def rm(
    user: User,
    session: Annotated[str, typer.Argument(help="The chat's id, as `list` shows it.", metavar="CHAT")],
    *,
    yes: Yes = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Erase a chat, and what only it taught; print how many rows are gone. It asks first, unless --yes is given.

    Fails where the user has no such chat.
    """
    named, settings = user_named(user), settings_of(data_dir, database_url)
    if not yes and not typer.confirm(
        f"Erase the chat {session!r} of {named!r}? It can't be undone.", err=True
    ):
        fail("Nothing was erased.")

    async def work(engine: "Engine") -> Erasure | None:
        if session not in await engine.sessions(named):
            return None
        return await engine.erase_session(Scope(named, session))

    erasure = with_engine(settings, work)
    if erasure is None:
        fail("The user has no such chat.")
    print_erasure(erasure, as_json=as_json)
