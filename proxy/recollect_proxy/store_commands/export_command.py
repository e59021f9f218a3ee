"""`recollect export`: writes everything stored about a user as one JSON document. Never: the format."""

import asyncio
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect_proxy.store_commands.running_commands import (
    DatabaseUrl,
    DataDir,
    User,
    fail,
    settings_of,
    with_engine,
)

if TYPE_CHECKING:
    from recollect.engine import Engine

_OURS_ALONE = 0o600


def export(
    user: User,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where it is written, for you alone to read; by itself, stdout."),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Write everything stored about a user as one JSON document; `recollect import recollect` restores it.

    Memories with their history, chats with their messages, summaries, settings, memories that wait for approval; no
    embeddings. docs/reference/export.md describes it. The export of an unknown user is empty.
    """
    from recollect_proxy.takeout import export_document

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
