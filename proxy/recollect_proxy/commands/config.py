"""`recollect config`: prints the settings in effect and their sources, checks them, and documents all settings.

No secret is printed, however it was given.
"""

import textwrap
from collections.abc import Iterator
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from recollect.assembly.data_folder import FILES as ENGINE_FILES
from recollect.settings.engine_settings import NOWHERE
from recollect.settings.variables_and_file import PREFIX, SETTINGS_FILE
from recollect_proxy.settings.admin_token import TOKEN_FILE
from recollect_proxy.settings.command_settings import (
    Sources,
    own_or_unused_upstream,
    read_settings,
    read_sources,
)
from recollect_proxy.settings.proxy_settings import ACCESS_KEYS, API_KEYS, JWKS, ProxySettings
from recollect_proxy.settings.shown_urls import HIDDEN, without_credentials, without_path
from recollect_proxy.store_commands.options_of_commands import AsJson
from recollect_proxy.store_commands.printing import print_json

FILES = {
    SETTINGS_FILE: "Settings, a line each: `memory_tokens = 800`. `RECOLLECT_CONFIG` names another file.",
    **ENGINE_FILES,
    API_KEYS: "For api-key: a line a key, `sha256:HEX USER`, with `/PROJECT` behind the hash if it is for one; `recollect key USER` adds one.",
    ACCESS_KEYS: "Keys of integrations and of further administrators for the memory API; `recollect key --acting NAME` adds one.",
    JWKS: "For oidc: the provider's key set.",
    TOKEN_FILE: "The memory API's token, where RECOLLECT_ADMIN_TOKEN is empty: made at the first start.",
}
"""The files that a start looks for in the data folder."""

GROUPS = {
    "The five to know first": "upstream upstream_api_key identity database_url extraction_model",
    "Server and data": "data_dir host port public_url chat_link admin_token worker log_level log_secrets metrics_public",
    "Identity": "require_identity user_header session_header shared_secret trusted_networks allowed_hosts "
    "openwebui_jwt_secret oidc_issuer oidc_audience oidc_client_id oidc_client_secret oidc_label oidc_scopes "
    "oidc_user_claim oidc_admin",
    "LLMs and frontends": "upstreams system_styles forward_identity openwebui_status",
    "Recall (memories in a prompt)": "memory_tokens standing_tokens history_tokens placement recall_deadline_ms "
    "memory_cache_mb",
    "Formation (memories from chats)": "record formation extraction_base_url extraction_api_key formation_yields "
    "tokens_per_day user_tokens_per_day tags lifetimes log_days memories_per_hour user_cap webhook_url webhook_secret "
    "webhook_text",
    "Embeddings (search by meaning)": "embedder embedder_base_url embedder_api_key previous_embedder_api_key "
    "embed recall_gate",
}
"""Each setting once, by its group: those to know first at the top, and in each group the most important first."""

PAGE_WIDTH = 118
_INTRODUCTION = """# Settings

`make docs` writes this page (`recollect config --markdown`) from the descriptions in
`src/recollect/settings/engine_settings.py` and `proxy/recollect_proxy/settings/proxy_settings.py`, and the groups in
`proxy/recollect_proxy/commands/config.py`. Parentheses hold the default.

Each setting is an environment variable; an empty one counts as unset. A TOML file may hold the same, with the names
in small letters and without `RECOLLECT_`: `memory_tokens = 800`. The file is `recollect.toml` in the data folder, or
the one that `RECOLLECT_CONFIG` names. Variables win over the file, and options of `recollect serve` win over both.

`recollect config` prints the settings in effect, each with its source. `recollect config check` describes values that
a start would refuse; it asks the database and the model, too. The filter within OpenWebUI reads
`RECOLLECT_DATABASE_URL`, `RECOLLECT_EXTRACTION_MODEL`, `RECOLLECT_DATA_DIR`, `RECOLLECT_WORKER`,
`RECOLLECT_LOG_SECRETS`, and the groups Recall, Formation and Embeddings; the proxy reads all.
"""


_INTRODUCTION_OF_VARIABLES = """# Settings of Recollect, made by `recollect config --env`: do not change the example, copy it.
# A line that begins with # sets nothing; it shows the default. docs/reference/settings.md is the same as a page."""


class SettingInEffect(msgspec.Struct, frozen=True):
    """A setting in effect: its value, without secrets, and its source."""

    value: object
    source: str


def config(
    what: Annotated[
        Literal["check"] | None,
        typer.Argument(
            help="check: describe the faults of the settings and of the database that they name, and end with 2 if a start would."
        ),
    ] = None,
    *,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            help="With check: leave the database, the model and the OpenID provider alone, and judge the settings alone.",
        ),
    ] = False,
    as_json: AsJson = False,
    as_markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="What there is to set, in place of what is set: docs/reference/settings.md."
        ),
    ] = False,
    as_environment: Annotated[
        bool,
        typer.Option("--env", help="The same as a file of variables: deploy/.env.example."),
    ] = False,
) -> None:
    """Print the settings in effect, each with its source; secrets are hidden."""
    if as_markdown or as_environment:
        typer.echo(markdown() if as_markdown else environment(), nl=False)
    elif what == "check":
        _check(as_json=as_json, offline=offline)
    else:
        _show(as_json=as_json)


def _show(*, as_json: bool) -> None:
    sources = read_sources()
    settings = read_settings(**own_or_unused_upstream())
    shown, without_effect = dict(_values_with_sources(settings, sources)), sources.without_effect()
    if as_json:
        found = {"settings": shown, "files": _files(settings), "without_effect": without_effect}
        print_json(found)
        return
    for title, names in GROUPS.items():
        typer.echo(title)
        for name in names.split():
            typer.echo(f"{PREFIX}{name.upper()} = {_as_text(shown[name].value)}  ({shown[name].source})")
        typer.echo()
    for name, state in _files(settings).items():
        typer.echo(f"{settings.data_dir / name}: {state}")
    for variable, advice in without_effect.items():
        typer.echo(f"{variable} sets nothing: {advice}")


def _check(*, as_json: bool, offline: bool) -> None:
    from recollect_proxy.commands.config_check import check

    found = check(offline=offline)
    if as_json:
        print_json(found)
    else:
        for line in [*found.mistakes, *found.remarks]:
            typer.echo(line)
        if found.database:
            typer.echo(f"Database {found.database}.")
        if found.model:
            typer.echo(found.model)
        count = ", ".join(f"{count} from the {source}" for source, count in found.given.items())
        verdict = (
            "A start would end with the first of these." if found.mistakes else "A start has all it needs."
        )
        typer.echo(f"{verdict} Settings given: {count or 'none'}; all others are at their defaults.")
    if found.mistakes:
        raise typer.Exit(2)


def as_variable(value: object) -> str:
    """Return a setting's value as an environment variable has it, without secrets; "" for none."""
    return _as_text(_readable(value))


def markdown() -> str:
    """Return the page of all settings."""
    parts = [_INTRODUCTION]
    for title, fields in grouped_fields():
        parts += [f"## {title}\n", *(_described(name, field) for name, field in fields), ""]
    files = [_item(f"`{name}`: {purpose}") for name, purpose in FILES.items()]
    return "\n".join([*parts, "## Files in the data folder\n", *files]) + "\n"


def _described(name: str, field: FieldInfo) -> str:
    default = _default(field)
    return _item(f"`{PREFIX}{name.upper()}`{f' ({default})' if default else ''}: {field.description}")


def _item(text: str) -> str:
    """Return an item of a list, in lines of a page's width."""
    return textwrap.fill(
        f"- {text}", PAGE_WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
    )


def environment() -> str:
    """Return a file of variables with all settings; those that need no value are commented out, with their defaults."""
    parts = [_INTRODUCTION_OF_VARIABLES]
    for title, fields in grouped_fields():
        parts += ["", f"# --- {title} ---"]
        for name, field in fields:
            default = "" if field.default_factory is not None else as_variable(field.get_default())
            comment, default = ("", "") if field.is_required() else ("# ", default)
            lines = textwrap.wrap(
                field.description or "", 100, break_on_hyphens=False, break_long_words=False
            )
            parts += ["", *(f"# {line}" for line in lines), f"{comment}{PREFIX}{name.upper()}={default}"]
    return "\n".join(parts) + "\n"


def _default(field: FieldInfo) -> str:
    """Return a default as it stands for everybody; that of a factory depends on who asks."""
    if field.is_required():
        return "needed"
    if field.default_factory is not None:
        return "the user's own folder; for root `/var/lib/recollect`"
    value = as_variable(field.default)
    return f"`{value}`" if value else ""


def _values_with_sources(settings: ProxySettings, sources: Sources) -> Iterator[tuple[str, SettingInEffect]]:
    for name, field in chain.from_iterable(fields for _, fields in grouped_fields()):
        source = sources.source(name)
        if field.is_required() and source == "default":
            yield name, SettingInEffect(None, "not set, and needed")
        elif name == "admin_token" and source == "default" and settings.file(TOKEN_FILE):
            yield name, SettingInEffect(HIDDEN, f"file {settings.file(TOKEN_FILE)}")
        elif name == "webhook_url" and settings.webhook_url:
            yield name, SettingInEffect(without_path(settings.webhook_url), source)
        else:
            yield name, SettingInEffect(_readable(getattr(settings, name)), source)


def _readable(value: object) -> object:
    """Return a value for JSON, without secrets."""
    if isinstance(value, SecretStr):
        return HIDDEN
    if isinstance(value, tuple):
        return [_readable(each) for each in value]
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in sorted(value.model_fields_set)}
    if isinstance(value, dict):
        return {name: _readable(each) for name, each in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    return without_credentials(value) if isinstance(value, str) and "://" in value else value


def _as_text(value: Any) -> str:
    """Return a value as a variable says it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ",".join(f"{name}={each}" for name, each in value.items())
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return msgspec.json.encode(value).decode()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _files(settings: ProxySettings) -> dict[str, str]:
    if settings.data_dir == NOWHERE:
        return {}
    return {name: "found" if settings.file(name) else "none" for name in FILES}


def grouped_fields() -> Iterator[tuple[str, list[tuple[str, FieldInfo]]]]:
    """Yield each group's title, and its settings by name."""
    for title, names in GROUPS.items():
        yield title, [(name, ProxySettings.model_fields[name]) for name in names.split()]
