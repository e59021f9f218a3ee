"""Makes commands over the store: their common options, checks of arguments, abbreviated ids, the engine, exit codes."""

import re
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, NoReturn, TypeVar
from uuid import UUID

import typer

from recollect.errors import RecollectError
from recollect.model import LONGEST_PROJECT, LONGEST_TITLE, person_of, project_name, project_of, project_scope
from recollect_proxy.settings.command_settings import (
    UNUSED_UPSTREAM,
    no_upstream_for,
    read_settings,
)
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.store_commands.printing import Output, on_a_terminal, print_output

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rich.progress import Progress

    from recollect.engine import Engine

FAILED, MISUSED = 1, 2
"""Exit codes: the work failed; the arguments were wrong."""

_Result = TypeVar("_Result")


def fail(why: str, code: int = FAILED) -> NoReturn:
    """Print the reason to stderr, and exit."""
    typer.echo(why, err=True)
    raise typer.Exit(code)


def user_named(given: str) -> str:
    """Return the id of a user; exit with ``MISUSED`` if it is no valid id."""
    from recollect_proxy.identity.caller import opaque_id

    user = opaque_id(given)
    if user is None:
        fail(
            "A user's id has 1 to 256 characters, without NUL and U+001F, is not `*`, and no template as `{{USER_ID}}`.",
            MISUSED,
        )
    return user


def project_named(given: str) -> str:
    """Return the name of a project, "" for none; exit with ``MISUSED`` if it is no valid name."""
    name = project_name(given) if given else ""
    if name is None:
        fail(f"A project's name has 1 to {LONGEST_PROJECT} characters in one line.", MISUSED)
    return name


def title_named(given: str | None) -> str | None:
    """Return a title without spaces around it; exit with ``MISUSED`` if it is too long or blank."""
    if given is not None and not 0 < len(given.strip()) <= LONGEST_TITLE:
        fail(f"A name for people has 1 to {LONGEST_TITLE} characters.", MISUSED)
    return given and given.strip()


def _users_named(given: list[str] | None) -> list[str]:
    return [user_named(each) for each in given or ()]


DataDir = Annotated[Path | None, typer.Option(help="Folder of the database and the caches.")]
DatabaseUrl = Annotated[
    str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one.")
]
Title = Annotated[str | None, typer.Option(help="How it is called on pages.", callback=title_named)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")]
User = Annotated[str, typer.Argument(help="The user's id, as the frontend sends it.", callback=user_named)]
ProjectOption = Annotated[
    str,
    typer.Option(
        "--project",
        help="The user's project whose memory is meant. (default: their own memory)",
        metavar="NAME",
        callback=project_named,
    ),
]
Users = Annotated[
    list[str] | None,
    typer.Option(
        "--user",
        help="Only of the user with this id; may be repeated.",
        metavar="ID",
        callback=_users_named,
    ),
]
Embedder = Annotated[
    str | None, typer.Option(help="Of the log: local:multilingual-e5-small, openai:MODEL or mistral:MODEL.")
]
Upstream = Annotated[str | None, typer.Option(help="Base URL of the LLM, where it extracts.", metavar="URL")]
ExtractionModel = Annotated[
    str | None, typer.Option(help="The model that extracts memories. (default: the chat's)")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def settings_of(data_dir: Path | None, database_url: str | None, **options: Any) -> ProxySettings:
    """Return the settings of a command; only errors are logged from here on."""
    from recollect.runtime.logs import configure_logging

    configure_logging("error")
    return read_settings(upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url, **options)


def settings_with_model(command: str, **options: Any) -> ProxySettings:
    """Return the settings of a command that asks the extraction model; exit if they name no LLM."""
    from recollect.runtime.logs import configure_logging

    configure_logging("error")
    return read_settings(no_upstream_for(command), **options).for_engine


def run_or_exit(work: "Coroutine[Any, Any, _Result]") -> _Result:
    """Return the result of ``work``; exit with ``FAILED`` and a line on stderr if it fails."""
    from recollect_proxy.serving.ephemeral_server import run_to_the_end

    try:
        return run_to_the_end(work)
    except RecollectError as error:
        fail(str(error))


def with_engine(
    settings: ProxySettings, work: "Callable[[Engine], Awaitable[_Result]]", *, embeds: bool = False
) -> _Result:
    """Open the store, and return the result of the work there.

    Exits with ``FAILED`` and a line on stderr if it fails.
    """
    from recollect.assembly.command_engines import open_administration

    async def opened() -> _Result:
        async with open_administration(settings, embeds=embeds) as engine:
            return await work(engine)

    return run_or_exit(opened())


def over_store(
    *, embeds: bool = False, in_projects: bool = False, before: Callable[..., None] | None = None
) -> "Callable[[Callable[Concatenate[Engine, ...], Awaitable[Output]]], Callable[..., None]]":
    """Turn a function over an open engine into a command that prints its result, as JSON with ``--json``.

    The command has the function's arguments and options, and ``--data-dir``, ``--database-url`` and ``--json``.

    Args:
        embeds: Whether the engine loads its embedders; the command has the option ``--embedder`` then.
        in_projects: Whether the command has the option ``--project``; the function gets the project's user then.
        before: Checks arguments, or asks for consent, before the store is opened. Its parameters become options, too.
    """
    options: dict[str, Any] = {"data_dir": DataDir, "database_url": DatabaseUrl}
    options |= {"embedder": Embedder} if embeds else {}

    def command_of(work: "Callable[Concatenate[Engine, ...], Awaitable[Output]]") -> Callable[..., None]:
        @wraps(work)
        def command(*, as_json: bool, **given: Any) -> None:
            settings = settings_of(**{name: given.pop(name) for name in options})
            if before is not None:
                before(**{name: given[name] for name in asked})
            if in_projects:
                given["user"] = project_scope(given["user"], given["project"])
            own_values = {each.name: given[each.name] for each in own}
            output = with_engine(settings, lambda engine: work(engine, **own_values), embeds=embeds)
            print_output(output, as_json=as_json)

        _, *own = signature(work).parameters.values()
        asked = {} if before is None else signature(before).parameters
        more = [each for name, each in asked.items() if name not in signature(work).parameters]
        more += [_option("project", "", ProjectOption)] if in_projects else []
        shared = [_option(name, None, type_) for name, type_ in options.items()]
        _sign(command, [*own, *more, *shared, _option("as_json", default=False, type_=AsJson)])
        return command

    return command_of


def _option(name: str, default: object, type_: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=type_)


def _sign(command: Any, parameters: list[Parameter]) -> None:
    """Give a function the parameters that typer reads."""
    command.__signature__ = Signature(parameters)
    command.__annotations__ = {each.name: each.annotation for each in parameters}


def confirm(question: str, *, yes: bool, otherwise: str) -> None:
    """Ask on stderr whether to go on, unless ``yes``; exit with ``FAILED`` and ``otherwise`` after a no."""
    if not yes and not typer.confirm(question, err=True):
        fail(otherwise)


def progress_display() -> "Progress":
    """Return a progress display on stderr; on anything but a terminal it shows nothing."""
    from rich.console import Console
    from rich.progress import Progress

    errors = Console(stderr=True)
    return Progress(console=errors, transient=True, disable=not errors.is_terminal)


def named(user_id: str) -> str:
    """Return a user's id for display, with the project in parentheses."""
    project = project_of(user_id)
    return f"{person_of(user_id)} ({project})" if project else user_id


_PART = re.compile(r"[0-9a-f-]{4,36}")
_SHOWN = 5


def part_of_id(given: str | None) -> str | None:
    """Return a part of an id in small letters; exit with ``MISUSED`` if no id can have it."""
    if given is None:
        return None
    part = given.strip().lower()
    if not _PART.fullmatch(part):
        fail(f"{given!r} is no id: give its beginning or end, four letters at least.", MISUSED)
    return part


def whole_id(part: str, known: Iterable[UUID], what: str) -> UUID:
    """Return the one known id that begins or ends with ``part``; a whole id need not be known.

    Exits with ``MISUSED`` and a line on stderr if several ids or none fit. ``what`` says in that line whose id it is.
    """
    letters = part.replace("-", "")
    if len(letters) == 32:  # noqa: PLR2004 -- a whole one
        return UUID(letters)
    found = [
        each for each in dict.fromkeys(known) if each.hex.startswith(letters) or each.hex.endswith(letters)
    ]
    if not found:
        fail(f"No {what} has an id that begins or ends with {part}.", MISUSED)
    if len(found) > 1:
        fail(_several(part, map(str, found), len(found)), MISUSED)
    return found[0]


def whole_chat(part: str, known: Iterable[str]) -> str:
    """Return the one chat id that is ``part`` or begins with it; ``part`` itself if none does."""
    chats = list(known)
    found = [part] if part in chats else [each for each in chats if each.startswith(part)]
    if len(found) > 1:
        fail(_several(part, found, len(found)), MISUSED)
    return found[0] if found else part


def _several(part: str, found: Iterable[str], count: int) -> str:
    shown = [f"  {on_a_terminal(each)}" for each in found][:_SHOWN]
    more = [f"  and {count - _SHOWN} more"] if count > _SHOWN else []
    return "\n".join([f"{part} is ambiguous:", *shown, *more])
