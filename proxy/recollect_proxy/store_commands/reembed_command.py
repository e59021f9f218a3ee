"""`recollect reembed`: embeddings of today's models for all that lacks them. Never: embeds anything itself."""

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
    from collections.abc import Sequence

    from rich.progress import Progress

    from recollect.engine import Engine
    from recollect_proxy.settings.proxy_settings import ProxySettings

_LOOK_SECONDS = 1.0


def reembed(
    *,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", help="Only of the user with this id; may be repeated.", metavar="ID"),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Show how far the workers are until all is embedded.")
    ] = True,
    patience: Annotated[
        float, typer.Option(help="Seconds without any progress after which it no longer waits.", min=1)
    ] = 120,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")] = None,
    as_json: AsJson = False,
) -> None:
    """Enqueue texts without an embedding of today's models, as after a change of the embedder, and show the progress.

    The workers of `recollect serve` or `recollect worker` embed them. They do so by themselves for users who chat; this
    command does it for all users. It ends with 1 if texts are left after waiting.

    If none are left, and no --user was named, it searches what your users have for 500 unrelated questions, for five minutes
    at most, and prints the median cosine of the nearest texts as the setting RECOLLECT_RECALL_GATE: with your embedder, a
    smaller cosine means nothing. It prints no text and no name.
    """
    only = [user_named(each) for each in user or ()]
    settings = settings_of(data_dir, database_url, embedder=embedder)
    users, found, left, gate = _enqueued(settings, only, patience if wait else 0.0)
    if as_json:
        print_json({"users": users, "enqueued": found, "left": left, "gate": gate})
    else:
        typer.echo(f"enqueued: {found} texts of {users} users; {left} are left")
        if wait and left:
            typer.echo("No worker embeds them now: they wait for one, as of `recollect serve`.", err=True)
        if gate is not None:
            typer.echo(f"the gate that suits the embedder: RECOLLECT_RECALL_GATE={gate}")
    if wait and left:
        raise typer.Exit(FAILED)


def _enqueued(
    settings: "ProxySettings", only: "Sequence[str]", patience: float
) -> tuple[int, int, int, float | None]:
    """Enqueue and wait; return the numbers of users, of texts, and of texts left, and the gate if it was measured."""
    from rich.console import Console
    from rich.progress import Progress

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:

        async def work(engine: "Engine") -> tuple[int, int, int, float | None]:
            lacking = await _lacking(engine, only)
            for each in lacking:
                await engine.embed_again(each)
            found = sum(lacking.values())
            left = await _watch(engine, only, found, patience, progress)
            measures = patience and not left and not only
            return len(lacking), found, left, await engine.measured_gate() if measures else None

        return with_engine(settings, work, embeds=True)


async def _watch(
    engine: "Engine", only: "Sequence[str]", found: int, patience: float, progress: "Progress"
) -> int:
    """Look how much is left until nothing is, or nothing happens any more; return that."""
    task = progress.add_task("texts", total=found)
    left, still = found, 0.0
    while left and still < patience:
        await asyncio.sleep(_LOOK_SECONDS)
        now = sum((await _lacking(engine, only)).values())
        still = 0.0 if now < left else still + _LOOK_SECONDS
        left = now
        progress.update(task, total=max(found, left), completed=max(found, left) - left)
    return left


async def _lacking(engine: "Engine", only: "Sequence[str]") -> dict[str, int]:
    """Return of whom how many texts lack an embedding."""
    known = [each.id for each in await engine.users() if not only or each.id in only]
    counts = {each: await engine.unembedded(each) for each in known}
    return {each: count for each, count in counts.items() if count}
