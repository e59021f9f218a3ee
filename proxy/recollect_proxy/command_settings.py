"""Reads the settings for a command, and says in a line what is wrong with them. Never: what they are for."""

import os
from typing import Any

import structlog
import typer
from pydantic import ValidationError

from recollect.settings import PREFIX, is_setting
from recollect.settings.removed import without_effect
from recollect_proxy.settings import ProxySettings

_OPTIONS = frozenset({"log_level", "token", "url"})
"""Variables that are options of commands alone."""

log = structlog.get_logger(__name__)

NO_UPSTREAM = (
    "Recollect needs the base URL of your LLM: make run UPSTREAM=http://127.0.0.1:11434/v1 "
    "(or: recollect serve --upstream URL). No LLM at hand? make demo"
)

UNUSED_UPSTREAM = "http://127.0.0.1"
"""Settings need an upstream; what a command gives that sends nothing to any."""


def own_or_unused_upstream() -> dict[str, str]:
    """Return the option of a command that can do without an upstream: none where one is set."""
    name = f"{PREFIX}upstream".lower()
    is_set = any(value for each, value in os.environ.items() if each.lower() == name)
    return {} if is_set else {"upstream": UNUSED_UPSTREAM}


def ignored() -> dict[str, str]:
    """Return what to do about each variable of this process that sets nothing."""
    known = {name for name, field in ProxySettings.model_fields.items() if is_setting(field)}
    return without_effect(os.environ, known | _OPTIONS)


def settings_of_start(**options: Any) -> ProxySettings:
    """Return the settings as ``read_settings``, and say in one log line which variables set nothing, and what to do."""
    if found := ignored():
        log.warning("variables_without_effect", what_to_do=found)
    return read_settings(**options)


def read_settings(**options: Any) -> ProxySettings:
    """Return the settings with the options that were given over the environment.

    Exits with 2 and a line a mistake if they make no sense.
    """
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return ProxySettings(**given)
    except ValidationError as error:
        for mistake in error.errors(include_input=False, include_url=False):
            name = str(mistake["loc"][0])
            if name == "upstream" and mistake["type"] == "missing":
                typer.echo(NO_UPSTREAM, err=True)
            else:
                said = mistake["msg"].removeprefix("Value error, ")
                typer.echo(f"RECOLLECT_{name.upper()}{_within(mistake['loc'][1:])}: {said}", err=True)
        raise typer.Exit(2) from None


def _within(location: tuple[int | str, ...]) -> str:
    """Return where in a setting's value a mistake is: its entry, counted from 1, and what of that."""
    match location:
        case (int(place), *rest):
            return ", ".join([f", entry {place + 1}", *map(str, rest[:1])])
        case _:
            return ""
