"""`recollect reindex` has the workers index messages again. Never: indexes anything itself."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from recollect_proxy.store_commands.running_commands import (
    FAILED,
    AsJson,
    DatabaseUrl,
    DataDir,
    print_json,
    settings_of,
    user_named,
    with_engine,
)

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from rich.progress import Progress

    from recollect.engine import Engine
    from recollect_proxy.settings.proxy_settings import ProxySettings

_LOOK_SECONDS = 1.0


def reindex(
    *,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", help="Only of the user with this id; may be repeated.", metavar="ID"),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="Show how far the workers are until every index is built."),
    ] = True,
    patience: Annotated[
        float, typer.Option(help="Seconds without any progress after which it no longer waits.", min=1)
    ] = 120,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Have the workers index the messages of everybody, or of some, again, while recall goes on.

    A few messages of a user at a time are out of the index for a moment; memories are not. It goes on after a restart.
    The workers of `recollect serve` or `recollect worker` do it. Ends with 1 if something is left after waiting.
    """
    only = [user_named(each) for each in user or ()]
    users, left = _asked_for(settings_of(data_dir, database_url), only, patience if wait else 0.0)
    if as_json:
        print_json({"users": users, "left": left})
    else:
        typer.echo(f"indexes to be built anew: of {users} users; {left} are left")
        if wait and left:
            typer.echo(f"Nothing was built for {patience:g} seconds: does a worker run?", err=True)
    if wait and left:
        raise typer.Exit(FAILED)


def _asked_for(settings: "ProxySettings", only: "Collection[str]", patience: float) -> tuple[int, int]:
    """Ask for new indexes, and wait; return of how many users, and how many of those are left."""
    from rich.console import Console
    from rich.progress import Progress

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:

        async def work(engine: "Engine") -> tuple[int, int]:
            known = only or [each.id for each in await engine.users()]
            asked = {each for each in known if await engine.rebuild_index(each)}
            return len(asked), await _watch(engine, asked, patience, progress)

        return with_engine(settings, work)


async def _watch(engine: "Engine", asked: "Collection[str]", patience: float, progress: "Progress") -> int:
    """Look of how many users it is left until it is of none, or nothing happens any more; return that."""
    task = progress.add_task("users", total=len(asked))
    left, still = await _left(engine, asked), 0.0
    while left and still < patience:
        await asyncio.sleep(_LOOK_SECONDS)
        now = await _left(engine, asked)
        still = 0.0 if now != left else still + _LOOK_SECONDS
        left = now
        progress.update(task, completed=len(asked) - len(left))
    return len(left)


async def _left(engine: "Engine", asked: "Collection[str]") -> "dict[str, UUID | None]":
    """Return whose index of those asked for is not built yet, with how far it is."""
    return {user: up_to for user, up_to in (await engine.rebuilding()).items() if user in asked}
