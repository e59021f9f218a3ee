"""People's projects in Postgres: names, titles, and which are recalled alone. Never: a memory."""

from dataclasses import replace

from recollect.errors import ProjectNotFoundError
from recollect.model import Project, project_scope
from recollect.store.pool import Database
from recollect.store.sql import SQL
from recollect.text.normalization import storable_text


class Projects:
    """Keeps people's projects. A project is there once anything is written of it. Every method raises StoreError when the store fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_person(self, user_id: str) -> list[Project]:
        """Return the person's projects, by name, without their sizes."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["projects_of"], user_id)
        return [Project(**row) for row in rows]

    async def measured(self, user_id: str, project: Project) -> Project:
        """Return a project with its size."""
        scope = project_scope(user_id, project.name)
        async with self._database.for_user(scope) as connection:
            row = await connection.fetchrow(SQL["size_of_project"], scope)
        assert row is not None  # noqa: S101 -- a query of counts has one row
        return replace(project, **row)

    async def is_alone(self, scope: str) -> bool:
        """Return whether the chats of a project, by its id, recall its memories alone."""
        async with self._database.for_user(scope) as connection:
            return bool(await connection.fetchval(SQL["is_alone"], scope))

    async def change(
        self, user_id: str, name: str, *, title: str | None = None, alone: bool | None = None
    ) -> Project:
        """Change a project of the person, its title to one line; None leaves a part as it is.

        Raises:
            ProjectNotFoundError: The person has no such project.
        """
        told = None if title is None else " ".join(storable_text(title).split())
        scope = project_scope(user_id, name)
        async with self._database.changing(scope) as connection:
            row = await connection.fetchrow(SQL["change_project"], scope, told, alone)
        if row is None:
            raise ProjectNotFoundError
        return Project(name, **row)
