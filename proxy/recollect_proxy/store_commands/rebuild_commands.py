"""`recollect reembed` and `recollect reindex`: have the workers embed or index texts again, and wait. Never: does it itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from recollect.model import person_of
from recollect_proxy.store_commands.printing import Output
from recollect_proxy.store_commands.running_commands import Users, over_store, progress_display

if TYPE_CHECKING:
    from recollect.engine import Engine

_LOOK_SECONDS = 1.0

Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Show how far the workers are until nothing is left.")
]
Patience = Annotated[
    float, typer.Option(help="Seconds without any progress after which it no longer waits.", min=1)
]


@over_store(embeds=True)
async def reembed(
    engine: "Engine", *, user: Users = None, wait: Wait = True, patience: Patience = 120
) -> Output:
    """Enqueue texts without an embedding of today's models, as after a change of the embedder, and show the progress.

    The workers of `recollect serve` or `recollect worker` embed them. They do so by themselves for users who chat; this
    command does it for all users. It ends with 1 if texts are left after waiting.

    If none are left, and no --user was named, it then searches your users' texts for 500 unrelated questions, for five
    minutes at most. It prints the median cosine of the nearest texts as the setting RECOLLECT_RECALL_GATE: with your
    embedder, a smaller cosine means nothing. It prints no text and no name.
    """

    async def unembedded() -> dict[str, int]:
        known = await _scopes(engine, user)
        counts = {each: await engine.unembedded(each) for each in known}
        return {each: count for each, count in counts.items() if count}

    lacking = await unembedded()
    for each in lacking:
        await engine.embed_again(each)
    found = sum(lacking.values())
    left = await _wait(unembedded, lambda counts: sum(counts.values()), found, patience if wait else 0.0)
    gate = await engine.measured_gate() if wait and not left and not user else None
    lines = [f"enqueued: {found} texts of {len(lacking)} users; {left} are left"]
    if gate is not None:
        lines.append(f"the gate that suits the embedder: RECOLLECT_RECALL_GATE={gate}")
    document = {"users": len(lacking), "enqueued": found, "left": left, "gate": gate}
    return _ended(Output(document, lines), patience, is_left=wait and left > 0)


@over_store()
async def reindex(
    engine: "Engine", *, user: Users = None, wait: Wait = True, patience: Patience = 120
) -> Output:
    """Have the workers index the messages of all users, or of some, again, while recall goes on.

    A few messages of a user at a time are out of the index for a moment; memories are not. It goes on after a restart.
    The workers of `recollect serve` or `recollect worker` do it. It ends with 1 if something is left after waiting.
    """
    asked = {each for each in await _scopes(engine, user) if await engine.rebuild_index(each)}

    async def unfinished() -> dict[str, object]:
        return {each: up_to for each, up_to in (await engine.rebuilding()).items() if each in asked}

    left = await _wait(unfinished, len, len(asked), patience if wait else 0.0)
    lines = [f"indexes to be built again: of {len(asked)} users; {left} are left"]
    return _ended(Output({"users": len(asked), "left": left}, lines), patience, is_left=wait and left > 0)


async def _scopes(engine: "Engine", only: Sequence[str] | None) -> list[str]:
    """Return the ids of all users, or of some, and of their projects."""
    known = (each.id for each in await engine.users(projects=True))
    return [each for each in known if not only or person_of(each) in only]


_Left = TypeVar("_Left", bound=Mapping[str, object])


async def _wait(
    look: Callable[[], Awaitable[_Left]], size: Callable[[_Left], int], total: int, patience: float
) -> int:
    """Show on a terminal how far the workers are, until nothing is left or has changed; return how much is left.

    Args:
        look: Returns by user how far the workers are.
        size: Returns how much of that is left.
        total: How much there was.
        patience: Seconds without a change; 0: only look.
    """
    with progress_display() as progress:
        task = progress.add_task("left", total=total)
        left, still = await look(), 0.0
        while left and still < patience:
            await asyncio.sleep(_LOOK_SECONDS)
            now = await look()
            still = 0.0 if now != left and size(now) <= size(left) else still + _LOOK_SECONDS
            left = now
            most = max(total, size(left))
            progress.update(task, total=most, completed=most - size(left))
        return size(left)


def _ended(output: Output, patience: float, *, is_left: bool) -> Output:
    """Return the output as that of a failure, with a hint on stderr, if something is left."""
    if not is_left:
        return output
    return replace(output, note=f"Nothing was done for {patience:g} seconds: does a worker run?", failed=True)
