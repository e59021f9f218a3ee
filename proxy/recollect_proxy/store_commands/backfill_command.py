"""`recollect backfill`: forms memories of waiting exchanges, at a rate of the operator's. Never: how they are formed."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from recollect_proxy.settings.command_settings import no_upstream_for, settings_of_start
from recollect_proxy.store_commands.running_commands import (
    FAILED,
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    ExtractionModel,
    Upstream,
    Users,
    fail,
    print_json,
    progress_display,
    run,
    user_named,
)

if TYPE_CHECKING:
    from rich.progress import Progress

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
    """Form memories of what waits to be formed, as of imported chats, at a bounded rate, until nothing waits.

    Settings are those of `recollect serve`, and so are the budgets. It may be ended and run again: what is formed is
    formed. A server whose worker runs on the same store forms at its own pace whichever user it comes to first: to bound
    that, stop it meanwhile, or serve with RECOLLECT_WORKER=elsewhere. Ends with 1 if exchanges are held as failed.
    """
    from recollect.logs import configure_logging

    configure_logging("error")
    models = {"upstream": upstream, "extraction_model": extraction_model}
    settings = settings_of_start(
        no_upstream_for("backfill"), data_dir=data_dir, database_url=database_url, **models
    )
    only, per_minute = [user_named(each) for each in user or ()], _per_minute(rate)
    with progress_display() as progress:
        formed, backlog = run(_form(settings, only, per_minute, progress))
    _print(formed, backlog, as_json=as_json)
    if backlog.failed:
        raise typer.Exit(FAILED)


def _print(formed: int, backlog: "Backlog", *, as_json: bool) -> None:
    """Print how many exchanges were formed, and the rest."""
    waiting = dict(sorted(backlog.waiting.items()))
    if as_json:
        left = {"pending": backlog.pending, "waiting": waiting, "failed": backlog.failed}
        print_json({"formed": formed, **left})
        return
    typer.echo(f"formed: {formed} exchanges, {backlog.failed} are held as failed")
    for reason, count in waiting.items():
        typer.echo(f"waiting: {count} exchanges, for: {_LACKS[reason]}")


def _per_minute(rate: str) -> int:
    """Return how many a minute; exit with ``MISUSED`` if it is no number."""
    number = rate.strip().removesuffix("/min").strip()
    if not (number.isascii() and number.isdigit() and int(number[:7]) <= _MOST_A_MINUTE and len(number) < 7):  # noqa: PLR2004
        fail("--rate is a whole number of exchanges a minute, as 30/min.", MISUSED)
    return int(number)


async def _form(
    settings: "ProxySettings", only: Sequence[str], per_minute: int, progress: "Progress"
) -> "tuple[int, Backlog]":
    """Form until nothing is pending; return how many exchanges were formed, and the rest."""
    from recollect.assembly import open_forming
    from recollect_proxy.app import with_upstream_key

    task = progress.add_task("exchanges", total=None)
    formed = 0

    def told(count: int) -> None:
        nonlocal formed
        formed += count
        progress.advance(task, count)

    opening = open_forming(
        with_upstream_key(settings), upstream=settings.upstream_api, per_minute=per_minute, told=told
    )
    async with opening as engine:
        for each in await engine.wake_waiting():
            if not only or each in only:
                await engine.drain(each)  # what no model has read yet counts as pending from here on
        while waiting := await _waiting(engine, only):
            progress.update(task, total=formed + sum(waiting.values()))
            before = formed
            waits = [await engine.drain(each) for each in waiting]
            if formed == before:
                await _rest(waits)
        backlog = await engine.backlog()
        return formed, backlog


async def _rest(waits: Sequence[timedelta | None]) -> None:
    """Wait until one of the inboxes may be looked at again."""
    seconds = min((each.total_seconds() for each in waits if each is not None), default=1.0)
    await asyncio.sleep(min(max(seconds, 0.1), _LONGEST_WAIT))


async def _waiting(engine: "Engine", only: Sequence[str]) -> dict[str, int]:
    """Return of whom how many exchanges wait to be formed."""
    known = await engine.users()
    return {each.id: each.pending for each in known if each.pending and (not only or each.id in only)}
