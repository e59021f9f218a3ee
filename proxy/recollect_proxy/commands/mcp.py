"""`recollect mcp`: serves a person's memories to an agent that starts it."""

from collections.abc import Coroutine
from typing import Annotated, Any, TypeAlias

import typer

from recollect.model import project_scope
from recollect_proxy.store_commands.options_of_commands import (
    MISUSED,
    DatabaseUrl,
    DataDir,
    ProjectOption,
    fail,
    settings_of,
    user_named,
)

_Token: TypeAlias = Annotated[
    str | None,
    # hidden, as other users of the machine can read command lines: the variable is documented instead
    typer.Option(help="Opens the running server.", envvar="RECOLLECT_TOKEN", hidden=True),
]


def mcp(
    *,
    user: Annotated[
        str | None,
        typer.Option(help="Whose memories: the user's id. Needed but with a token of their own."),
    ] = None,
    project: ProjectOption = "",
    url: Annotated[
        str | None,
        typer.Option(
            help="Of a running server, as http://127.0.0.1:8787; its token is RECOLLECT_TOKEN. None: the store itself.",
            envvar="RECOLLECT_URL",
        ),
    ] = None,
    token: _Token = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Serve a person's memories to an agent, by the Model Context Protocol on standard input and output.

    Claude Desktop, Cursor and others start it: docs/how-to/connect-agents.md. The agent acts for the user.
    """
    from recollect.runtime.logs import configure_logging
    from recollect_proxy.serving.ephemeral_server import run_to_the_end

    configure_logging("error")
    if user is not None:
        user = user_named(user)
    if url:
        work = _bridge(url, (token or "").strip(), user, project)
    elif user is None:
        fail("--user: say whose memories, or give --url and a token of their own.", MISUSED)
    else:
        settings = settings_of(data_dir, database_url)
        if settings.in_memory:
            fail("A database in memory is its server's alone: give --url.", MISUSED)
        from recollect_proxy.mcp.stdio import serve_store

        work = serve_store(settings, project_scope(user, project))
    run_to_the_end(work)


def _bridge(url: str, token: str, user: str | None, project: str) -> Coroutine[Any, Any, None]:
    from recollect_proxy.mcp.stdio import endpoint, serve_bridge

    try:
        endpoint(url)
    except ValueError as error:
        fail(f"--url: {error}.", MISUSED)
    if not token:
        fail("RECOLLECT_TOKEN: set it to the user's token, or to an access key.", MISUSED)
    return serve_bridge(url, token, user, project)
