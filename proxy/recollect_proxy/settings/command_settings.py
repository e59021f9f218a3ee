"""Reads the settings for a command, and describes mistakes in a line each. Never: their use."""

from collections.abc import Mapping
from typing import Any

import structlog
import typer
from pydantic import ValidationError

from recollect.errors import ConfigurationError
from recollect_proxy.settings.proxy_settings import LogLevel, ProxySettings
from recollect_proxy.settings.sources import Sources
from recollect_proxy.settings.urls import without_credentials

log = structlog.get_logger(__name__)

NO_UPSTREAM = (
    "Recollect needs the base URL of your LLM: make run UPSTREAM=http://127.0.0.1:11434/v1 "
    "(or: recollect serve --upstream URL). No LLM at hand? make demo"
)


def no_upstream_for(command: str) -> str:
    """Return the message of a command that needs an LLM, if the settings name none."""
    return (
        f"`recollect {command}` asks an LLM, and needs its base URL, the one that the proxies have: "
        f"RECOLLECT_UPSTREAM=http://127.0.0.1:11434/v1 (or: recollect {command} --upstream URL)."
    )


UNUSED_UPSTREAM = "http://127.0.0.1"
"""An upstream for commands that send nothing to any, as settings need one."""


def own_or_unused_upstream() -> dict[str, str]:
    """Return the option for a command that can do without an upstream: none if one is set."""
    return {} if read_sources().source("upstream") != "default" else {"upstream": UNUSED_UPSTREAM}


def read_sources(**options: Any) -> Sources:
    """Return where the settings' values are from; exits with 2 and a line if the settings file cannot be read."""
    try:
        return Sources(options)
    except ConfigurationError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None


def settings_and_logging(without_upstream: str = NO_UPSTREAM, /, **options: Any) -> ProxySettings:
    """Return the settings as ``settings_of_start``, and log from here on as they say."""
    from recollect.runtime.logs import configure_logging  # noqa: PLC0415 -- a command that logs nothing does without

    given = _given(options)
    sources = read_sources(**given)
    try:
        settings = _settings(given, sources, without_upstream)
    except typer.Exit:
        # A variable with a slip in its name may be the missing setting.
        configure_logging(LogLevel.INFO)
        _tell_what_sets_nothing(sources)
        raise
    configure_logging(settings.log_level)
    _tell_what_sets_nothing(sources)
    return settings


def settings_of_start(without_upstream: str = NO_UPSTREAM, /, **options: Any) -> ProxySettings:
    """Return the settings as ``read_settings``, and say in one log line which variables set nothing, and what to do."""
    given = _given(options)
    sources = read_sources(**given)
    _tell_what_sets_nothing(sources)
    return _settings(given, sources, without_upstream)


def _tell_what_sets_nothing(sources: Sources) -> None:
    if found := sources.without_effect():
        log.warning("variables_ignored", remedy=found)


def read_settings(without_upstream: str = NO_UPSTREAM, /, **options: Any) -> ProxySettings:
    """Return the settings with the options that were given over the environment and the settings file.

    Exits with 2 and a line a mistake if they make no sense.

    Args:
        without_upstream: The message if no upstream is named.
        options: By the names of settings; None: it was not given.
    """
    given = _given(options)
    return _settings(given, read_sources(**given), without_upstream)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _settings(given: Mapping[str, Any], sources: Sources, without_upstream: str) -> ProxySettings:
    try:
        return ProxySettings(**given)
    except ValidationError as error:
        for line in complaints(error, sources, without_upstream):
            typer.echo(line, err=True)
        raise typer.Exit(2) from None


def database_shown(settings: ProxySettings) -> str:
    """Return which database settings name, without credentials."""
    if settings.in_memory or settings.database_url is None:
        return f"embedded in {settings.data_dir}"
    return without_credentials(settings.database_url.get_secret_value())


def complaints(error: ValidationError, sources: Sources, without_upstream: str = NO_UPSTREAM) -> list[str]:
    """Return a line for each mistake in the settings."""
    return [
        without_upstream
        if (mistake["loc"][0], mistake["type"]) == ("upstream", "missing")
        else sources.in_words(mistake)
        for mistake in error.errors(include_input=False, include_url=False)
    ]
