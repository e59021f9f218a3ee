"""Reads the settings for a command, finds each value's source, and describes mistakes in plain words. It neither uses them nor shows a secret's value."""

import os
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

import structlog
import typer
from pydantic import BaseModel, SecretStr, ValidationError

from recollect.errors import ConfigurationError
from recollect.settings.variables_and_file import (
    PREFIX,
    default_data_dir,
    is_setting,
    read_settings_file,
    settings_file,
)
from recollect_proxy.settings.proxy_settings import LogLevel, ProxySettings
from recollect_proxy.settings.shown_urls import without_credentials

_LONGEST_SHOWN = 80
_ALIKE = 0.85
"""The least ratio of ``difflib`` at which a name is a slip of another: one letter of seven."""

_UNKNOWN = "there is no such setting"
_OF_TESTS = "test_"
_OPTIONS = frozenset({"config", "token", "url"})
"""Variables that are options of commands alone, and the one that names the settings file."""

_WORDS = {
    "greater_than": "has to be more than {gt}",
    "greater_than_equal": "has to be {ge} or more",
    "less_than": "has to be less than {lt}",
    "less_than_equal": "has to be {le} or less",
    "finite_number": "has to be a number, and not without end",
    "int_parsing": "has to be a whole number",
    "int_type": "has to be a whole number",
    "int_from_float": "has to be a whole number",
    "float_parsing": "has to be a number",
    "float_type": "has to be a number",
    "bool_parsing": "has to be true or false",
    "bool_type": "has to be true or false",
    "string_type": "has to be a text, in the settings file within quotes",
    "enum": "has to be {expected}",
    "missing": "is needed, and set nowhere",
}
"""Descriptions of pydantic's errors for an operator, by pydantic's names."""


class Sources:
    """Knows where the value of each setting is from.

    Attributes:
        file: The settings file; None where there is none.
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        """Look for values; options of the command are by the names of settings.

        Raises:
            ConfigurationError: The settings file cannot be read.
        """
        self._options = dict(options or {})
        self._variables = {
            name.lower().removeprefix(PREFIX.lower()): value
            for name, value in os.environ.items()
            if value and name.upper().startswith(PREFIX)
        }
        data_dir = self._options.get("data_dir") or self._variables.get("data_dir") or default_data_dir()
        self.file = settings_file(Path(data_dir).expanduser())
        self._told = read_settings_file(self.file) if self.file else {}

    def source(self, name: str) -> str:
        """Return where the value of a setting is from: an option, the environment, the settings file, or the default."""
        if name in self._options:
            return "option"
        if name in self._variables:
            return "environment"
        return f"file {self.file}" if self._told.get(name, "") != "" else "default"

    def without_effect(self) -> dict[str, str]:
        """Return the advice for each variable of ours, and each key of the file, that is no setting."""
        known = {name for name, field in ProxySettings.model_fields.items() if is_setting(field)}
        read = ProxySettings.model_fields.keys() | _OPTIONS
        advice = {
            variable: _advice(name, known, PREFIX)
            for variable in sorted(os.environ)
            if variable.upper().startswith(PREFIX)
            and (name := variable.lower().removeprefix(PREFIX.lower())) not in read
            and not name.startswith(_OF_TESTS)
        }
        keys = {f"{key} in {self.file}": _advice(key, known) for key in sorted(self._told.keys() - known)}
        return advice | keys

    def in_words(self, mistake: Mapping[str, Any]) -> str:
        """Describe an invalid value, of a secret its length, and its source; ``mistake`` is an error of pydantic's."""
        name = str(mistake["loc"][0])
        said = _WORDS.get(mistake["type"], "{msg}").format_map(
            {**mistake.get("ctx", {}), "msg": mistake["msg"].removeprefix("Value error, ")}
        )
        shown = self._source_in_words(name)
        source = self.source(name)
        complaint = f"{PREFIX}{name.upper()}{_within(mistake['loc'][1:])}: {said}"
        return complaint if source == "default" else f"{complaint} (it is {shown}, from the {source})"

    def _source_in_words(self, name: str) -> str:
        given = self._options.get(name, self._variables.get(name, self._told.get(name)))
        text = given.get_secret_value() if isinstance(given, SecretStr) else str(given)
        if _may_hold_a_secret(name):
            return f"a text of {len(text)} characters"
        shown = without_credentials(text) if "://" in text or "@" in text else text
        return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."


def _within(location: Sequence[int | str]) -> str:
    """Return where in a setting's value a mistake is: its entry, counted from 1, and what of that."""
    match location:
        case (int(place), *rest):
            return ", ".join([f", entry {place + 1}", *map(str, rest[:1])])
        case _:
            return ""


def secret_settings() -> Collection[str]:
    """Return the names of the settings that are secrets."""
    return {name for name in ProxySettings.model_fields if _may_hold_a_secret(name)}


def _may_hold_a_secret(name: str) -> bool:
    field = ProxySettings.model_fields.get(name)
    return field is None or _holds_a_secret(field.annotation)


def _holds_a_secret(annotation: Any) -> bool:
    """Return whether a type is the type of secrets, or has it as a part."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return any(_holds_a_secret(field.annotation) for field in annotation.model_fields.values())
    return annotation is SecretStr or any(_holds_a_secret(part) for part in get_args(annotation))


def _advice(name: str, known: Collection[str], prefix: str = "") -> str:
    """Return the advice for a name that is no setting, perhaps a slip of one."""
    near = get_close_matches(name, known, n=1, cutoff=_ALIKE)
    shown = f"{prefix}{near[0]}".upper() if near and prefix else "".join(near)
    return f"{_UNKNOWN}; {f'did you mean {shown}?' if shown else 'remove it'}"


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
    """Return the settings as ``read_settings``, and log as they say: first which variables set nothing."""
    from recollect.runtime.logs import configure_logging  # noqa: PLC0415 -- a command that logs nothing does without

    given = _given(options)
    sources = read_sources(**given)
    level = LogLevel.INFO
    try:
        settings = _settings(given, sources, without_upstream)
        level = settings.log_level
    finally:  # also if a setting is missing: its variable may be misspelt
        configure_logging(level)
        _tell_what_sets_nothing(sources)
    return settings


def _tell_what_sets_nothing(sources: Sources) -> None:
    if found := sources.without_effect():
        log.warning("variables_ignored", remedy=found)


def read_settings(without_upstream: str = NO_UPSTREAM, /, **options: Any) -> ProxySettings:
    """Return the settings: the options that are not None win over the environment and the settings file.

    Exits with 2 and a line a mistake if they make no sense, with ``without_upstream`` if no upstream is named.
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
