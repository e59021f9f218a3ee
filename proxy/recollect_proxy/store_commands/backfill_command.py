"""`recollect backfill`: forms memories of waiting exchanges, at a rate of the operator's. Never: how they are formed."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import person_of
from recollect_proxy.store_commands.printing import Output, print_output
from recollect_proxy.store_commands.running_commands import (
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    ExtractionModel,
    Upstream,
    Users,
    fail,
    progress_display,
    run_or_exit,
    settings_with_model,
)

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

    Settings are those of `recollect serve`, and so are the budgets. It may be ended and run again, and goes on where it
    was. A server whose worker runs on the same store forms at its own pace whichever user it comes to first: to bound
    that, stop it meanwhile, or serve with RECOLLECT_WORKER=elsewhere. Ends with 1 if exchanges are held as failed.
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
    from recollect.assembly import open_forming

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
                    await engine.drain(
                        each
                    )  # from here on, exchanges that no model has read count as pending
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
