"""`recollect prepare`: builds the local models' files ahead of the first start. Never: a store, settings."""

import asyncio

import typer

from recollect.errors import RecollectError


def prepare() -> None:
    """Build the local models' graphs next to the installed package, so that no start has to.

    For an image or a package that is started often; `make run` does it too. Takes a few seconds and 40 MB. A start without it builds
    the same into the data folder, once. Nothing is fetched: the weights come with the requirements.
    """
    from recollect.assembly.models import prepare_local_models
    from recollect.runtime.logs import configure_logging

    configure_logging("error")
    try:
        prepared = asyncio.run(prepare_local_models())
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"Prepared in {prepared.folder}: {', '.join(prepared.models)}.")
    if prepared.lacking:
        typer.echo(f"Chats do without the second embedder here. {prepared.lacking}")
