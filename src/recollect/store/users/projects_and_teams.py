"""Stores people's projects and teams in Postgres: their names, titles and members. It reads no memory, and does not decide who may change a team."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from asyncpg import Record

from recollect.errors import NotAllowedInTeamError, ProjectNotFoundError, TeamNotFoundError
from recollect.model import MOST_MEMBERS, Member, Project, Team, TeamRole, person_of, project_scope, team_of
from recollect.store.pool import StorePart, column
from recollect.store.sql import SQL
from recollect.text.normalization import storable_text


class Teams(StorePart):
    """Keeps teams."""

    async def around(self, user_id: str) -> Team | None:
        """Return the team of a part, which the part's own person asks for; None if they are not in it."""
        async with self._database.for_user(user_id) as connection:
            row = await connection.fetchrow(SQL["team_around"], team_of(user_id), person_of(user_id))
        return None if row is None else _team(row)

    async def of_person(self, person: str) -> list[Team]:
        """Return the teams that a person is in, by id."""
        return [_team(row) for row in await self._database.rows(person, "teams_of")]

    async def every(self) -> list[Team]:
        """Return all teams, by id."""
        return [_team(row) for row in await self._database.rows_of_all("every_team")]

    async def one(self, team: str) -> Team:
        """Return a team.

        Raises:
            TeamNotFoundError: There is none with this id.
        """
        row = await self._database.row_of_all("one_team", team)
        if row is None:
            raise TeamNotFoundError
        return _team(row)

    async def keep(self, team: str, title: str | None = None) -> Team:
        """Make a team, or change how it is called, in one line; None leaves that."""
        named = None if title is None else " ".join(storable_text(title).split())
        row = await self._database.row_of_all("change_team", team, named)
        assert row is not None  # noqa: S101 -- it was just written
        return _team(row)

    async def set_member(self, team: str, member: Member, *, joins: bool = True) -> Team:
        """Write someone's membership; without a name they keep theirs, or are called by their id.

        Raises:
            TeamNotFoundError: There is no such team; or the person was never in it, and is not to join it.
            NotAllowedInTeamError: It has as many members as a team may have.
        """
        async with self._database.over_all_users() as connection:
            row = await connection.fetchrow(SQL["lock_team"], team)
            if row is None:
                raise TeamNotFoundError
            found = _team(row)
            before = next((each for each in found.members if each.person == member.person), None)
            if before is None and not joins:
                raise TeamNotFoundError
            if before is None and len(found.members) >= MOST_MEMBERS:
                raise NotAllowedInTeamError
            name = " ".join(member.name.split()) or (before.name if before else member.person)
            member = replace(member, name=name)
            others = tuple(each for each in found.members if each is not before)
            known = {
                each.person: {"role": each.role, "name": storable_text(each.name)}
                for each in (*others, member)
            }
            await connection.execute(SQL["write_members"], team, json.dumps(known))
        return Team(found.id, found.title, (*others, member))

    async def delete(self, team: str) -> list[str]:
        """Delete a team of which no part is left; else return the parts. No turn begins one meanwhile, nor afterwards."""
        async with self._database.over_all_users() as connection:
            await connection.execute(SQL["lock_turns_of_team"], team)
            parts = await column(connection, SQL["parts_of_team"], team)
            if not parts:
                await connection.execute(SQL["delete_team"], team)
        return parts


def _team(row: Record) -> Team:
    return Team(row["id"], row["title"], members_of(json.loads(row["members"])))


def members_of(told: Mapping[str, Mapping[str, Any]]) -> tuple[Member, ...]:
    """Return the members of a team as the database has them, by their ids."""
    return tuple(Member(each, TeamRole(told[each]["role"]), told[each]["name"]) for each in sorted(told))


class Projects(StorePart):
    """Keeps people's projects. A project is there once anything is written of it."""

    async def of_person(self, user_id: str) -> list[Project]:
        """Return the person's projects, by name, without their sizes."""
        rows = await self._database.rows(user_id, "projects_of")
        return [Project(**row) for row in rows]

    async def measured(self, user_id: str, project: Project) -> Project:
        """Return a project with its size."""
        scope = project_scope(user_id, project.name)
        row = await self._database.row(scope, "size_of_project")
        assert row is not None  # noqa: S101 -- a query of counts has one row
        return replace(project, **row)

    async def is_alone(self, scope: str) -> bool:
        """Return whether the chats of a project, by its id, recall its memories alone."""
        return bool(await self._database.value(scope, "is_alone"))

    async def change(
        self, user_id: str, name: str, *, title: str | None = None, alone: bool | None = None
    ) -> Project:
        """Change a project of the person, its title to one line; None leaves a part as it is.

        Raises:
            ProjectNotFoundError: The person has no such project.
        """
        named = None if title is None else " ".join(storable_text(title).split())
        scope = project_scope(user_id, name)
        row = await self._database.changed(scope, "change_project", named, alone)
        if row is None:
            raise ProjectNotFoundError
        return Project(name, **row)
