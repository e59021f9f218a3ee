"""Reads the settings for a command, and says in a line what is wrong with them. Never: what they are for."""

from typing import Any

import structlog
import typer
from pydantic import ValidationError

from recollect.errors import ConfigurationError
from recollect_proxy.settings import ProxySettings
from recollect_proxy.settings_sources import Sources

log = structlog.get_logger(__name__)

NO_UPSTREAM = (
    "Recollect needs the base URL of your LLM: make run UPSTREAM=http://127.0.0.1:11434/v1 "
    "(or: recollect serve --upstream URL). No LLM at hand? make demo"
)

UNUSED_UPSTREAM = "http://127.0.0.1"
"""Settings need an upstream; what a command gives that sends nothing to any."""


def own_or_unused_upstream() -> dict[str, str]:
    """Return the option of a command that can do without an upstream: none where one is set."""
    return {} if read_sources().source("upstream") != "default" else {"upstream": UNUSED_UPSTREAM}


def read_sources(**options: Any) -> Sources:
    """Return where the settings' values are from; exits with 2 and a line if the settings file cannot be read."""
    try:
        return Sources(options)
    except ConfigurationError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None


def settings_of_start(**options: Any) -> ProxySettings:
    """Return the settings as ``read_settings``, and say in one log line which variables set nothing, and what to do."""
    if found := read_sources().without_effect():
        log.warning("variables_without_effect", what_to_do=found)
    return read_settings(**options)


def read_settings(**options: Any) -> ProxySettings:
    """Return the settings with the options that were given over the environment and the settings file.

    Exits with 2 and a line a mistake if they make no sense.
    """
    given = {name: value for name, value in options.items() if value is not None}
    sources = read_sources(**given)
    try:
        return ProxySettings(**given)
    except ValidationError as error:
        for line in complaints(error, sources):
            typer.echo(line, err=True)
        raise typer.Exit(2) from None


def complaints(error: ValidationError, sources: Sources) -> list[str]:
    """Return a line for each mistake in the settings."""
    return [
        NO_UPSTREAM
        if (mistake["loc"][0], mistake["type"]) == ("upstream", "missing")
        else sources.in_words(mistake)
        for mistake in error.errors(include_input=False, include_url=False)
    ]
