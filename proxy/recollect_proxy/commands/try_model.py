"""`recollect try-model`: forty labelled messages for the model that forms memories. `try_model_judgement` judges the answers. No person's words are printed."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect_proxy.settings.command_settings import no_upstream_for, read_settings

if TYPE_CHECKING:
    from recollect_proxy.commands.try_model_judgement import Judgement
    from recollect_proxy.settings.proxy_settings import ProxySettings


def try_model(
    model: Annotated[str, typer.Argument(help="The model's name, as its server lists it.", metavar="NAME")],
    url: Annotated[
        str | None,
        typer.Option(help="Base URL of its server. (default: the one that extracts)", metavar="URL"),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="The server's key. (default: the one to extract with)", metavar="KEY")
    ] = None,
) -> None:
    """Try how well a model extracts memories: 40 labelled messages in nine languages, with known answers.

    Each is formed as a worker forms it, in a database that is gone afterwards. Prints how much was kept,
    missed and invented, and the seconds a message took. Ends with 1 if the model can't be asked.
    """
    from recollect.assembly.database_and_model_check import describe_failure
    from recollect.errors import ExtractorError
    from recollect.runtime.logs import configure_logging
    from recollect_proxy.commands.try_model_judgement import report

    configure_logging("error")
    given = {"extraction_model": model, "extraction_api_key": key, "extraction_base_url": url}
    settings = read_settings(no_upstream_for("try-model"), **given, upstream=url)
    try:
        judgements = asyncio.run(_judgements(settings))
    except ExtractorError as error:
        typer.echo(describe_failure(model, error), err=True)
        raise typer.Exit(1) from None
    for line in report(judgements):
        typer.echo(line)


async def _judgements(settings: "ProxySettings") -> "list[Judgement]":
    found = []
    async for each in judgements_of(settings):
        found.append(each)
        _show_progress(len(found))
    _show_progress(0)
    return found


async def judgements_of(settings: "ProxySettings") -> "AsyncIterator[Judgement]":
    """Yield the judgement of each message.

    Raises:
        ExtractorError: The model can't be asked.
    """
    from recollect.assembly.command_engines import open_trial
    from recollect.engine import system_clock
    from recollect.errors import InvalidExtractionError
    from recollect.model import Strategy
    from recollect_proxy.commands.try_model_judgement import judge, labelled_turns, turn_of, unreadable
    from recollect_proxy.serving.ephemeral_server import temporary

    own = temporary(settings, formation=Strategy.EXTRACT)
    async with open_trial(own.for_engine, upstream=own.upstream_api) as trial:
        for labelled in labelled_turns():
            known = await trial.knows(labelled.id, labelled.known)
            begun = time.monotonic()
            try:
                formed = await trial.form(turn_of(labelled, system_clock()))
            except InvalidExtractionError:
                yield unreadable(labelled, time.monotonic() - begun)
            else:
                yield judge(labelled, known, formed.changes, time.monotonic() - begun)


def _show_progress(done: int) -> None:
    """Show how many messages are done, where a person looks on; 0 clears the line."""
    if sys.stderr.isatty():
        typer.echo(f"\r{f'{done} of 40' if done else '':<10}\r", nl=False, err=True)
