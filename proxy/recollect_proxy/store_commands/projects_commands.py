"""`recollect projects`: which a user has, how they are called, and erasing one. Never: SQL."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import Project, project_scope
from recollect_proxy.store_commands.printing import Output, Table
from recollect_proxy.store_commands.running_commands import (
    MISUSED,
    Title,
    User,
    Yes,
    confirm,
    fail,
    over_store,
    project_named,
)
from recollect_proxy.store_commands.upkeep_commands import erasure_output

if TYPE_CHECKING:
    from recollect.engine import Engine

projects_app = typer.Typer(
    help="See which projects a user has, change and erase one.", no_args_is_help=True, add_completion=False
)

ProjectName = Annotated[
    str,
    typer.Argument(help="The project's name, as `list` shows it.", metavar="NAME", callback=project_named),
]


@projects_app.command("list")
@over_store()
async def list_projects(engine: "Engine", user: User) -> Output:
    """List a user's projects, by name."""
    return _project_output(await engine.projects(user))


def _some_part(*, title: str | None, alone: bool | None) -> None:
    if title is None and alone is None:
        fail("Give at least one of --title, --alone, --with-own.", MISUSED)


@projects_app.command("change")
@over_store(before=_some_part)
async def change_project(
    engine: "Engine",
    user: User,
    name: ProjectName,
    *,
    title: Title = None,
    alone: Annotated[
        bool | None,
        typer.Option(
            "--alone/--with-own", help="Whether its chats recall its memories alone, or the user's own, too."
        ),
    ] = None,
) -> Output:
    """Change how a project is called, or what its chats recall."""
    return _project_output([await engine.change_project(user, name, title=title, alone=alone)])


@projects_app.command("erase")
@over_store()
async def erase_project(engine: "Engine", user: User, name: ProjectName, *, yes: Yes = False) -> Output:
    """Erase a project: its memories, chats and messages. It asks first, unless --yes is given."""
    await engine.project(user, name)
    confirm(
        f"Erase the project {name!r} of {user!r}? It can't be undone.",
        yes=yes,
        otherwise="Nothing was erased.",
    )
    return erasure_output(await engine.erase(project_scope(user, name)))


def _project_output(projects: list[Project]) -> Output:
    columns = ("project", "title", "recalls", "memories", "chats")
    rows = [
        (each.name, each.title, "alone" if each.alone else "with own", each.memories, each.chats)
        for each in projects
    ]
    return Output({"projects": projects}, Table(columns, rows))
