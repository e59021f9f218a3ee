"""`recollect projects` and `recollect teams`: which there are, how they are called, who is in them, and erasing one."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import LONGEST_PROJECT, TEAM, Project, Team, TeamRole, project_scope, team_name
from recollect_proxy.store_commands.options_of_commands import (
    MISUSED,
    Title,
    User,
    Yes,
    confirm,
    fail,
    over_store,
    project_named,
    title_named,
)
from recollect_proxy.store_commands.printing import Output, Table
from recollect_proxy.store_commands.users_and_upkeep_commands import erasure_output

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


teams_app = typer.Typer(
    help="See which teams there are, say who is in them, and erase one.",
    no_args_is_help=True,
    add_completion=False,
)


def _team_named(given: str) -> str:
    name = team_name(given)
    if name is None:
        fail(f"A team's id has 1 to {LONGEST_PROJECT - len(TEAM)} characters in one line.", MISUSED)
    return name


TeamName = Annotated[
    str,
    typer.Argument(
        help="The team's id; requests name the team `team:ID`.", metavar="TEAM", callback=_team_named
    ),
]


@teams_app.command("list")
@over_store()
async def list_teams(engine: "Engine") -> Output:
    """List all teams with their members, by id."""
    return _team_output(*await engine.teams())


@teams_app.command()
@over_store()
async def make(
    engine: "Engine",
    team: TeamName,
    *,
    title: Title = None,
) -> Output:
    """Make a team, or change how it is called."""
    return _team_output(await engine.keep_team(team, title))


@teams_app.command()
@over_store()
async def member(
    engine: "Engine",
    team: TeamName,
    user: User,
    *,
    role: Annotated[
        TeamRole, typer.Option(help="What they may do; `former` for who leaves.")
    ] = TeamRole.WRITER,
    name: Annotated[
        str | None,
        typer.Option(help="Their name in prompts. (default: as it is, else their id)", callback=title_named),
    ] = None,
) -> Output:
    """Add a user to a team, or change their role or name."""
    return _team_output(await engine.set_member(team, user, role, name))


@teams_app.command()
@over_store()
async def leave(engine: "Engine", team: TeamName, user: User) -> Output:
    """Remove a user from a team. Their statements stay in it until `recollect projects erase USER team:TEAM`."""
    return _team_output(await engine.leave_team(team, user))


@teams_app.command("erase")
@over_store()
async def erase_team(engine: "Engine", team: TeamName, *, yes: Yes = False) -> Output:
    """Erase a team with the statements and chats of all its members. It asks first, unless --yes is given."""
    await engine.team(team, None)
    confirm(f"Erase the team {team!r}? It can't be undone.", yes=yes, otherwise="Nothing was erased.")
    erased = await engine.erase_team(team)
    rows = [(each.id, sum(count for _, count in each.rows)) for each in erased]
    return Output({"parts": erased}, Table(("tombstone", "rows"), rows))


def _team_output(*teams: Team) -> Output:
    rows = [
        (each.id, each.title, member.person, member.name, member.role)
        for each in teams
        for member in each.members or ()
    ] + [(each.id, each.title, "", "", "") for each in teams if not each.members]
    return Output({"teams": teams}, Table(("team", "title", "user", "name", "role"), rows))
