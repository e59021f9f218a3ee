"""`recollect mcp`: serves a person's memories to an agent that starts it. Never: what the agent may do."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeAlias

import typer

from recollect_proxy.settings.command_settings import UNUSED_UPSTREAM, read_settings

_MISUSED = 2

_Token: TypeAlias = Annotated[
    str | None,
    # whoever else is on the machine reads command lines: only the variable is told of
    typer.Option(help="Opens the running server.", envvar="RECOLLECT_TOKEN", hidden=True),
]


def mcp(
    *,
    user: Annotated[
        str | None,
        typer.Option(help="Whose memories: the user's id. Needed but with a token of their own."),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help="Of a running server, as http://127.0.0.1:8787; its token is RECOLLECT_TOKEN. None: the store itself.",
            envvar="RECOLLECT_URL",
        ),
    ] = None,
    token: _Token = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database and the caches.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one.")
    ] = None,
) -> None:
    """Serve a person's memories to an agent, by the Model Context Protocol on standard input and output.

    Claude Desktop, Cursor and others start it: docs/mcp.md. Whoever starts it acts for the user.
    """
    from recollect.logs import configure_logging
    from recollect_proxy.identity import opaque_id
    from recollect_proxy.serving.ephemeral_server import run_to_the_end

    configure_logging("error")
    if user is not None and opaque_id(user) is None:
        _fail(
            "--user: an id has 1 to 256 characters, without NUL, is not `*`, and no template as `{{USER_ID}}`."
        )
    if url:
        work = _bridge(url, (token or "").strip(), user)
    elif user is None:
        _fail("--user: say whose memories, or give --url and a token of their own.")
    else:
        settings = read_settings(upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url)
        if settings.in_memory:
            _fail("A database in memory is its server's alone: give --url.")
        from recollect_proxy.mcp.stdio import serve_store

        work = serve_store(settings, user)
    run_to_the_end(work)


def _bridge(url: str, token: str, user: str | None) -> Coroutine[Any, Any, None]:
    from recollect_proxy.mcp.bridge import endpoint, serve_bridge

    try:
        endpoint(url)
    except ValueError as error:
        _fail(f"--url: {error}.")
    if not token:
        _fail("RECOLLECT_TOKEN: set it to the user's token, or to an access key.")
    return serve_bridge(url, token, user)


def _fail(why: str) -> NoReturn:
    typer.echo(why, err=True)
    raise typer.Exit(_MISUSED)
