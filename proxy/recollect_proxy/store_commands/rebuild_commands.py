"""`recollect reembed` and `recollect reindex`: have the workers embed or index texts again, and wait. Never: does it itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from recollect_proxy.store_commands.running_commands import (
    FAILED,
    AsJson,
    DatabaseUrl,
    DataDir,
    Embedder,
    Users,
    print_json,
    progress_display,
    settings_of,
    user_named,
    with_engine,
)

if TYPE_CHECKING:
    from uuid import UUID

    from rich.progress import Progress

    from recollect.engine import Engine

_LOOK_SECONDS = 1.0
_Left = TypeVar("_Left", bound=Mapping[str, object])

Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Show how far the workers are until nothing is left.")
]
Patience = Annotated[
    float, typer.Option(help="Seconds without any progress after which it no longer waits.", min=1)
]


def reembed(
    *,
    user: Users = None,
    wait: Wait = True,
    patience: Patience = 120,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
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

    async def work(engine: "Engine", progress: "Progress") -> tuple[int, int, int, float | None]:
        async def look() -> dict[str, int]:
            return await _lacking(engine, only)

        lacking = await look()
        for each in lacking:
            await engine.embed_again(each)
        found = sum(lacking.values())
        left = await _wait(
            look, lambda counts: sum(counts.values()), found, patience if wait else 0.0, progress
        )
        measures = wait and not left and not only
        return len(lacking), found, left, await engine.measured_gate() if measures else None

    settings = settings_of(data_dir, database_url, embedder=embedder)
    users, found, left, gate = with_engine(settings, lambda engine: _shown(engine, work), embeds=True)
    if as_json:
        print_json({"users": users, "enqueued": found, "left": left, "gate": gate})
    else:
        typer.echo(f"enqueued: {found} texts of {users} users; {left} are left")
        if gate is not None:
            typer.echo(f"the gate that suits the embedder: RECOLLECT_RECALL_GATE={gate}")
    _end(wait and left > 0, patience)


def reindex(
    *,
    user: Users = None,
    wait: Wait = True,
    patience: Patience = 120,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Have the workers index the messages of all users, or of some, again, while recall goes on.

    A few messages of a user at a time are out of the index for a moment; memories are not. It goes on after a restart.
    The workers of `recollect serve` or `recollect worker` do it. It ends with 1 if something is left after waiting.
    """
    only = [user_named(each) for each in user or ()]

    async def work(engine: "Engine", progress: "Progress") -> tuple[int, int]:
        known = only or [each.id for each in await engine.users()]
        asked = {each for each in known if await engine.rebuild_index(each)}

        async def look() -> "dict[str, UUID | None]":
            return {user: up_to for user, up_to in (await engine.rebuilding()).items() if user in asked}

        left = await _wait(look, len, len(asked), patience if wait else 0.0, progress)
        return len(asked), left

    settings = settings_of(data_dir, database_url)
    users, left = with_engine(settings, lambda engine: _shown(engine, work))
    if as_json:
        print_json({"users": users, "left": left})
    else:
        typer.echo(f"indexes to be built again: of {users} users; {left} are left")
    _end(wait and left > 0, patience)


_Result = TypeVar("_Result")


async def _shown(engine: "Engine", work: "Callable[[Engine, Progress], Awaitable[_Result]]") -> _Result:
    """Return the result of ``work``, whose progress a terminal shows."""
    with progress_display() as progress:
        return await work(engine, progress)


async def _wait(
    look: Callable[[], Awaitable[_Left]],
    size: Callable[[_Left], int],
    total: int,
    patience: float,
    progress: "Progress",
) -> int:
    """Wait until nothing is left, or nothing has changed for ``patience`` seconds; return how much is left.

    Args:
        look: Returns by user how far the workers are.
        size: Returns how much of that is left.
        total: How much there was.
        patience: Seconds; 0: only look.
        progress: The progress display.
    """
    task = progress.add_task("left", total=total)
    left, still = await look(), 0.0
    while left and still < patience:
        await asyncio.sleep(_LOOK_SECONDS)
        now = await look()
        still = 0.0 if now != left and size(now) <= size(left) else still + _LOOK_SECONDS
        left = now
        progress.update(task, total=max(total, size(left)), completed=max(total, size(left)) - size(left))
    return size(left)


def _end(is_left: bool, patience: float) -> None:  # noqa: FBT001 -- the only question
    """Exit with ``FAILED`` and a hint on stderr if something is left."""
    if is_left:
        typer.echo(f"Nothing was done for {patience:g} seconds: does a worker run?", err=True)
        raise typer.Exit(FAILED)


async def _lacking(engine: "Engine", only: Sequence[str]) -> dict[str, int]:
    """Return by user how many texts lack an embedding."""
    known = [each.id for each in await engine.users() if not only or each.id in only]
    counts = {each: await engine.unembedded(each) for each in known}
    return {each: count for each, count in counts.items() if count}
