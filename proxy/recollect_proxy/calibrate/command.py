"""`recollect calibrate`: the gate that suits an embedder, on the operator's own data. Never: how it is measured."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect.errors import RecollectError
from recollect_proxy.command_settings import UNUSED_UPSTREAM, read_settings


def calibrate(
    *,
    users: Annotated[
        int, typer.Option(help="Ask of the N users who have most to be found.", metavar="N", min=1, max=500)
    ] = 5,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")
    ] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database and the caches.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")] = None,
) -> None:
    """Measure on your own data which cosine means nothing with your embedder, and print the setting.

    Settings are those of `recollect serve`; no LLM is needed, and a proxy may go on serving meanwhile.
    500 questions that have nothing to do with anybody are dealt out to the users who have most to be
    found; the gate is the median cosine of what comes nearest. Then first sentences of the users' own
    are asked, without what was said with them. The share that something is nearer to than the gate, as set
    and as calibrated, shows what the change would cost. It compares cosines alone: the gate of a chat also
    counts words and what the question asks for. Nothing is formed or changed, but that the database's schema is brought up to date.
    Only figures are printed: no text and no name. With an embedder elsewhere all these questions are
    sent there, for ten minutes at most.
    """
    import msgspec
    from rich.console import Console
    from rich.progress import Progress

    from recollect.logs import configure_logging
    from recollect_proxy.calibrate.measurement import measure_gate
    from recollect_proxy.ephemeral_server import run_to_the_end

    configure_logging("error")
    settings = read_settings(
        upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url, embedder=embedder
    )
    errors = Console(stderr=True)
    try:
        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
            figures = run_to_the_end(measure_gate(settings, users=users, progress=progress))
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(figures), indent=2))
    else:
        for line in _lines(figures):
            typer.echo(line)


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    unrelated, own = figures["unrelated_cosine"], figures["own_cosine"]
    yield f"{figures['embedder']}, {figures['users']} users, cosine of the nearest:"
    yield f"  to {unrelated['questions']} unrelated questions: {_spread(unrelated)}"
    yield f"  to {own['questions']} own sentences:       {_spread(own)}"
    for name, gate in (("as set", "as_set"), ("calibrated", "calibrated")):
        at = figures["gate_as_set"] if gate == "as_set" else figures["gate"]
        yield (
            f"gate {name}, {at:.3f}: below the cosine of {_percent(figures['unrelated_opening'][gate])} of the unrelated, "
            f"and of {_percent(figures['own_opening'][gate])} of the own"
        )
    yield figures["setting"]


def _spread(spread: Mapping[str, Any]) -> str:
    if not spread["questions"]:
        return "-"
    return f"5 % {spread['p5']:.3f}, median {spread['median']:.3f}, 95 % {spread['p95']:.3f}"


def _percent(share: Mapping[str, Any]) -> str:
    return "-" if share["share"] is None else f"{100 * share['share']:.1f} %"
