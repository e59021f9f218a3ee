"""The commands `migrate`, `users`, `retry`, `erase`, `usage`, `report` and `export`: one function each."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import Erasure
from recollect.model.local_time import server_zone, wall
from recollect_proxy.settings.command_settings import database_shown
from recollect_proxy.store_commands.options_of_commands import (
    AsJson,
    DatabaseUrl,
    DataDir,
    User,
    Yes,
    confirm,
    fail,
    over_store,
    run_or_exit,
    settings_of,
    with_engine,
)
from recollect_proxy.store_commands.printing import Output, Table, print_json

if TYPE_CHECKING:
    from recollect.api.requests_and_health import Trigger, WeekReport
    from recollect.engine import Engine


def migrate(*, data_dir: DataDir = None, database_url: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """Bring the store's schema up to date; print the database and the applied migrations.

    Every start does the same. The embedded database is made where there is none.
    """
    from recollect.assembly.command_engines import migrate_store

    settings = settings_of(data_dir, database_url)
    database = database_shown(settings)
    if not as_json:
        typer.echo(f"Database {database}")
    applied = run_or_exit(migrate_store(settings))
    if as_json:
        print_json({"database": database, "applied": applied})
        return
    for name in applied:
        typer.echo(f"applied: {name}")
    if not applied:
        typer.echo("The schema is up to date.")


@over_store()
async def retry(engine: "Engine") -> Output:
    """Form all remaining exchanges: the failed ones, those that wait for a model, and those that no model has read.

    The same as `POST /memory/formation/retry`. The workers of `recollect serve` or `recollect worker` do it; `recollect
    backfill` does it itself, at a rate. Exchanges that a person switched off or had forgotten form nothing.
    """
    failed, waiting = await engine.retry_failed()
    return Output(
        {"retried": failed, "users": waiting},
        [f"tried again: {failed} exchanges held as failed, and what waited of {waiting} users"],
    )


@over_store()
async def users(engine: "Engine") -> Output:
    """List the known users, with the number of their memories, chats and turns, when they were last seen, and their names.

    To a terminal as a table; to a pipe one user a line, with tabs between the columns.
    """
    found = await engine.users()
    columns = ("user", "memories", "chats", "turns", "pending", "last seen", "name")
    rows = [
        (
            each.id,
            each.memories,
            each.sessions,
            each.exchanges,
            each.pending,
            _day(each.last_seen),
            each.name or "",
        )
        for each in found
    ]
    return Output({"users": found}, Table(columns, rows))


def _day(at: datetime | None) -> str:
    return "" if at is None else f"{wall(at, server_zone()):%Y-%m-%d}"


def _ask_to_erase(user: str, *, yes: Yes = False) -> None:
    confirm(f"Erase everything of {user!r}? It can't be undone.", yes=yes, otherwise="Nothing was erased.")


@over_store(before=_ask_to_erase)
async def erase(engine: "Engine", user: User) -> Output:
    """Erase everything of a user, in every table and queue, and print how many rows of each are gone.

    It asks first, unless --yes is given. Their entries in the spool of a proxy are not written any more.
    A tombstone with the counts stays, without the user's id. A line on stderr says so if the user was unknown.
    """
    erasure = await engine.erase(user)
    if any(count for _, count in erasure.rows):
        return erasure_output(erasure)
    note = f"Nothing was known of {user!r}. Is the id right? `recollect users` lists who is known."
    return erasure_output(erasure, note)


Days = Annotated[int, typer.Option(help="Of how many days until now.", min=1, max=30)]


@over_store()
async def usage(
    engine: "Engine",
    *,
    days: Days = 7,
    price: Annotated[
        float | None, typer.Option(help="What a million tokens cost, for a column with the cost.", min=0)
    ] = None,
) -> Output:
    """List the tokens that memory takes, by user and day (UTC): those added to prompts, and those of background models.

    A user is shown by name, if one is known that is neither another's name nor an id.

    The same as `GET /memory/usage`. The last day comes first, and of a day the user with most tokens.
    """
    found = await engine.usage_by_day(days)
    counted = [(each.turns, each.prompt_tokens, each.model_tokens, each.model_calls) for each in found]
    known = await engine.users()
    named = {each.id: each.name for each in known if each.name}
    given = Counter([*named.values(), *(each.id for each in known)])
    shown = {user: name for user, name in named.items() if given[name] == 1}
    rows = [
        (each.day, shown.get(each.user_id, each.user_id), *counts)
        for each, counts in zip(found, counted, strict=True)
    ]
    total = [sum(each) for each in zip(*counted, strict=True)] or [0] * 4
    all_rows: list[tuple[object, ...]] = [
        *rows,
        ("total", f"{len({each.user_id for each in found})} users", *total),
    ]
    columns: tuple[str, ...] = ("day", "user", "turns", "prompts", "models", "calls")
    if price is not None:
        costs = [(prompts + models) * price / 1_000_000 for _, prompts, models, _ in [*counted, total]]
        all_rows = [(*row, f"{cost:.2f}") for row, cost in zip(all_rows, costs, strict=True)]
        columns = (*columns, "cost")
    return Output({"usage": found}, Table(columns, all_rows))


@over_store()
async def report(
    engine: "Engine",
    *,
    days: Days = 7,
) -> Output:
    """Report on recall and formation in the last days, and on settings to change.

    The same as `GET /memory/report`, read from the database: figures over all users, no text and no name. A proxy may go
    on serving meanwhile.
    """
    week, _ = await engine.report(days)
    return Output(week, Table(("figure", "value"), report_rows(week)))


def erasure_output(erasure: Erasure, note: str | None = None) -> Output:
    """Return the proof of an erasure: the erased rows, and those that a second count found, if one was made."""
    rows, left = dict(erasure.rows), sum(dict(erasure.left).values())
    document = {"id": erasure.id, "erased_at": erasure.at, "rows": rows}
    lines = [f"{table}: {count}" for table, count in rows.items()]
    lines.append(f"{sum(rows.values())} rows are gone. Tombstone {erasure.id}.")
    if erasure.left:
        document["left"] = left
        lines.append("Counted again: " + (f"{left} rows are left." if left else "nothing is left."))
    return Output(document, lines, note)


_OURS_ALONE = 0o600


def export(
    user: User,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write, for you alone to read. (default: stdout)"),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Write everything stored about a user as one JSON document; `recollect import recollect` restores it.

    Memories with their history, chats with their messages, summaries, settings, memories that wait for approval; no
    embeddings. docs/reference/export.md describes it. The export of an unknown user is empty.
    """
    from recollect_proxy.takeout.export_file import export_document

    unfinished = None if output is None else output.with_name(f"{output.name}.part")

    async def work(engine: "Engine") -> None:
        pieces = export_document(engine, user, at=datetime.now(UTC))
        if output is None or unfinished is None:
            async for piece in pieces:
                typer.echo(piece, nl=False)
            return
        opened = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OURS_ALONE)
        with os.fdopen(opened, "wb") as file:
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)
        unfinished.replace(output)

    try:
        with_engine(settings_of(data_dir, database_url), work)
    except OSError as error:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()
        fail(f"The export can't be written: {error.strerror}.")


_UNKNOWN = "unknown"


def report_rows(report: "WeekReport") -> list[tuple[str, str]]:
    """Return the report as rows of names and figures, without reached thresholds that ask for no change of a setting."""
    reached = [each for each in report.triggers if not each.reached or each.change]
    return [*_figures(report), *map(_threshold, reached)]


def _figures(report: "WeekReport") -> Iterator[tuple[str, str]]:
    recalls, formation = report.recalls, report.formation
    yield "questions", f"{recalls.questions} of {recalls.users} people in {report.days} days"
    yield (
        "something found",
        f"{_share(recalls.hit_rate)}, by a fallback {_share(recalls.fallback_share)}, not all of it given {_share(recalls.truncated_share)}",
    )
    yield "recall took", _percentiles("ms", recalls.p50_ms, recalls.p95_ms, recalls.p99_ms)
    yield (
        "tokens in prompts",
        f"{recalls.tokens} of {recalls.budget} allowed, and {recalls.history_tokens} of missing history",
    )
    yield "nothing given", _counts(recalls.skipped)
    yield "ways of search", _counts(recalls.paths)
    yield "given", _counts(recalls.given)
    yield "formed", f"{formation.exchanges} exchanges"
    yield (
        "formation lag",
        _percentiles(
            "seconds", formation.lag_p50_seconds, formation.lag_p95_seconds, formation.lag_p99_seconds
        ),
    )
    yield "waiting for a model", _counts(formation.waiting)
    yield "changes", _counts(formation.made)
    yield "rejected", _counts(formation.rejected)
    yield (
        "background tokens",
        f"{formation.model_tokens}, for summaries {_share(formation.summary_token_share)}",
    )


def _percentiles(unit: str, *values: float | None) -> str:
    names = ("median", "95 %", "99 %")
    return ", ".join(f"{name} {_of_unit(value, unit)}" for name, value in zip(names, values, strict=True))


def _threshold(trigger: "Trigger") -> tuple[str, str]:
    value, limit = _of_unit(trigger.value, trigger.unit), _of_unit(trigger.limit, trigger.unit)
    mark = {True: "REACHED", False: "ok", None: _UNKNOWN}[trigger.reached]
    advice = f". {trigger.meaning} {trigger.change}" if trigger.reached else ""
    return f"threshold: {mark}", f"{trigger.says}: {value} (over {limit}){advice}"


def _of_unit(value: float | None, unit: str) -> str:
    if unit == "share":
        return _share(value)
    return f"{_number(value)} {'s' if unit == 'seconds' else unit}" if value is not None else _UNKNOWN


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.1f}".removesuffix(".0")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
