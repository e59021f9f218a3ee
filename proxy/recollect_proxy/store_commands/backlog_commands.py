"""The commands `backfill`, which forms memories at a bounded rate, and `reembed` and `reindex`, which wait for the workers to do it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from recollect.model import person_of
from recollect_proxy.store_commands.options_of_commands import (
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    ExtractionModel,
    Upstream,
    Users,
    fail,
    over_store,
    progress_display,
    run_or_exit,
    settings_with_model,
)
from recollect_proxy.store_commands.printing import Output, print_output

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Backlog
    from recollect_proxy.settings.proxy_settings import ProxySettings

_LACKS = {
    "key": "a key, as RECOLLECT_EXTRACTION_API_KEY",
    "model": "a model, as RECOLLECT_EXTRACTION_MODEL",
    "outage": "the model's server",
    "budget": "the next day",
    "unreadable": "a model whose answers can be read",
    "given-up": "another model",
    "approval": "the user's decisions about held back memories",
}
_LONGEST_WAIT = 30.0
_MOST_A_MINUTE = 100_000


def backfill(
    *,
    user: Users = None,
    rate: Annotated[
        str, typer.Option(help="How many exchanges a minute are formed at most, as 30/min; 0: any number.")
    ] = "30/min",
    upstream: Upstream = None,
    extraction_model: ExtractionModel = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Form memories of all waiting exchanges, such as imported chats, at a bounded rate.

    Settings are those of `recollect serve`, and so are the budgets. A command that was stopped
    continues when it is run again. A server's worker on the same store forms memories at its own rate: to bound
    that rate too, stop the server meanwhile, or serve with RECOLLECT_WORKER=elsewhere. Ends with 1 if exchanges are held as failed.
    """
    places = {"data_dir": data_dir, "database_url": database_url}
    models = {"upstream": upstream, "extraction_model": extraction_model}
    settings = settings_with_model("backfill", **places, **models)
    formed, backlog = run_or_exit(_form(settings, user or (), _per_minute(rate)))
    waiting = dict(sorted(backlog.waiting.items()))
    document = {"formed": formed, "pending": backlog.pending, "waiting": waiting, "failed": backlog.failed}
    lines = [f"formed: {formed} exchanges, {backlog.failed} are held as failed"]
    lines += [f"waiting: {count} exchanges, for: {_LACKS[reason]}" for reason, count in waiting.items()]
    print_output(Output(document, lines, failed=backlog.failed > 0), as_json=as_json)


def _per_minute(rate: str) -> int:
    """Return the number of exchanges a minute; exit with ``MISUSED`` if it is no number."""
    number = rate.strip().removesuffix("/min").strip()
    if not (number.isascii() and number.isdigit() and int(number[:7]) <= _MOST_A_MINUTE and len(number) < 7):  # noqa: PLR2004
        fail("--rate is a whole number of exchanges a minute, as 30/min.", MISUSED)
    return int(number)


async def _form(settings: "ProxySettings", only: Sequence[str], per_minute: int) -> "tuple[int, Backlog]":
    """Form until nothing is pending, and show the progress; return the number of formed exchanges, and the rest."""
    from recollect.assembly.command_engines import open_forming

    formed = 0

    def count_formed(count: int) -> None:
        nonlocal formed
        formed += count
        progress.advance(task, count)

    opening = open_forming(settings, upstream=settings.upstream_api, per_minute=per_minute, told=count_formed)
    with progress_display() as progress:
        task = progress.add_task("exchanges", total=None)
        async with opening as engine:
            for each in await engine.wake_waiting():
                if not only or person_of(each) in only:
                    # From here on, exchanges that no model has read count as pending.
                    await engine.drain(each)
            while waiting := await _waiting(engine, only):
                progress.update(task, total=formed + sum(waiting.values()))
                before = formed
                waits = [await engine.drain(each) for each in waiting]
                if formed == before:
                    await _rest(waits)
            return formed, await engine.backlog()


async def _rest(waits: Sequence[timedelta | None]) -> None:
    """Wait until one of the inboxes may be looked at again."""
    seconds = min((each.total_seconds() for each in waits if each is not None), default=1.0)
    await asyncio.sleep(min(max(seconds, 0.1), _LONGEST_WAIT))


async def _waiting(engine: "Engine", only: Sequence[str]) -> dict[str, int]:
    """Return by user how many exchanges wait to be formed."""
    known = await engine.users(projects=True)
    return {
        each.id: each.pending for each in known if each.pending and (not only or person_of(each.id) in only)
    }


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
        await engine.enqueue_indexing(each)
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

    ``look`` returns by user how far the workers are, ``size`` how much of that is left of ``total``. After ``patience``
    seconds without a change it no longer waits; 0: it only looks.
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
