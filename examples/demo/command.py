"""`make demo`: the proxy at work, with or without an LLM."""

import sys
from typing import Annotated

import typer

from recollect.runtime.logs import configure_logging
from recollect_proxy.serving.ephemeral_server import run_to_the_end
from recollect_proxy.settings.command_settings import read_settings

_NO_SDK = "The demo talks through OpenAI's SDK, which is not installed: pip install 'openai>=2'"
_REPLACED = "http://127.0.0.1"
"""Settings need an upstream; without one the demo brings its own."""


def demo(
    upstream: Annotated[
        str | None,
        typer.Option(
            help="Base URL of an LLM to play it with; without one, a script stands in.",
            metavar="URL",
            envvar="RECOLLECT_UPSTREAM",
        ),
    ] = None,
    api_key: Annotated[str | None, typer.Option(help="The LLM's key.", metavar="KEY")] = None,
    model: Annotated[
        str | None, typer.Option(help="The LLM's model. (default: the first it lists)", metavar="NAME")
    ] = None,
) -> None:
    """Play five scenes of two people: learned, replaced, recalled, kept apart, undone.

    Everything it starts ends with it, and its data goes. Exits with 1 if something did not come out as
    it must; with a real LLM that is only reported.
    """
    try:
        from examples.demo.stage import PlayFailedError, stage  # noqa: PLC0415 -- the SDK is no part of the package
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        sys.exit(_NO_SDK)

    configure_logging("error")
    settings = read_settings(upstream=upstream or _REPLACED)
    try:
        met = run_to_the_end(stage(settings, is_real=upstream is not None, api_key=api_key, model=model))
    except PlayFailedError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(1) from None
    if not met:
        raise typer.Exit(1)
