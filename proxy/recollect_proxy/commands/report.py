"""`recollect report`: what recall and formation did in a week, as text or JSON. Never: how it is counted."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import RecollectError
from recollect_proxy.settings.command_settings import UNUSED_UPSTREAM, read_settings

if TYPE_CHECKING:
    from recollect.api.insights import Trigger, WeekReport
    from recollect.settings import EngineSettings

_UNKNOWN = "unknown"


def report(
    *,
    days: Annotated[int, typer.Option(help="Of how many days until now.", min=1, max=30)] = 7,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")
    ] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database and the caches.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one.")
    ] = None,
) -> None:
    """Tell what recall and formation did in a week, and what should change.

    The same as `GET /memory/report`, read from the database: figures over all users, no text and no name. A proxy may go
    on serving meanwhile.
    """
    import msgspec

    from recollect.logs import configure_logging
    from recollect_proxy.serving.ephemeral_server import run_to_the_end

    configure_logging("error")
    settings = read_settings(upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url)
    if settings.in_memory or (
        settings.database_url is None and not (settings.data_dir / "postgres").is_dir()
    ):
        typer.echo("There is no database to report on: name the one that Recollect serves with.", err=True)
        raise typer.Exit(1)
    try:
        told = run_to_the_end(_read(settings, days))
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(told), indent=2))
    else:
        for line in lines(told):
            typer.echo(line)


async def _read(settings: "EngineSettings", days: int) -> "WeekReport":
    from recollect.assembly import make_policy, open_backends
    from recollect.engine import Engine

    async with open_backends(settings) as backends:
        engine = Engine(backends, make_policy(settings))
        return (await engine.report(days))[0]


def lines(told: "WeekReport") -> Iterator[str]:
    """Yield the report as text, line by line."""
    recalls, formation = told.recalls, told.formation
    yield f"The last {told.days} days: {recalls.questions} questions of {recalls.users} people"
    yield (
        f"  something found   {_share(recalls.hit_rate)}, with fallback {_share(recalls.fallback_share)}, "
        f"truncated {_share(recalls.truncated_share)}"
    )
    yield f"  recall took       median {_of_unit(recalls.p50_ms, 'ms')}, 95 % {_of_unit(recalls.p95_ms, 'ms')}"
    yield (
        f"  tokens            {recalls.tokens} of {recalls.budget} allowed, and {recalls.history_tokens} of "
        "missing history"
    )
    yield f"  skipped           {_counts(recalls.skipped)}"
    yield f"  ways of search    {_counts(recalls.paths)}"
    yield f"  given             {_counts(recalls.given)}"
    yield (
        f"  formed            {formation.exchanges} exchanges, lag median {_of_unit(formation.lag_p50_seconds, 'seconds')}, "
        f"95 % {_of_unit(formation.lag_p95_seconds, 'seconds')}"
    )
    yield f"  waiting now       {_counts(formation.waiting)} (for a model, by what is missing)"
    yield f"  changes           {_counts(formation.made)}"
    yield f"  rejected          {_counts(formation.rejected)}"
    yield (
        f"  background tokens {formation.model_tokens}, for summaries {_share(formation.summary_token_share)}"
    )
    yield "Thresholds:"
    for trigger in told.triggers:
        yield from _told(trigger)


def _told(trigger: "Trigger") -> Iterator[str]:
    value, limit = _of_unit(trigger.value, trigger.unit), _of_unit(trigger.limit, trigger.unit)
    mark = {True: "REACHED", False: "ok", None: _UNKNOWN}[trigger.reached]
    yield f"  {mark:<8} {trigger.says}: {value} (over {limit})"
    if trigger.reached:
        yield f"           {trigger.meaning}"
        if trigger.change:
            yield f"           {trigger.change}"


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
