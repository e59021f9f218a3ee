"""A person's projects: which there are, how they are called, and moving memories into them and out again. Raises."""

from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.engine.people.shared_memories import SharedMemories
from recollect.errors import DuplicateMemoryError, MemoryNotFoundError, NotUndoableError, ProjectNotFoundError
from recollect.model import (
    STATEMENTS,
    Actor,
    Add,
    Memory,
    Project,
    Provenance,
    Reason,
    Retire,
    Scope,
    Source,
    Update,
    person_of,
    project_scope,
)

_MOVED = "moved: "
"""The audit of a move names the other memory so, in both scopes."""

_LAST_CHANGES = 20
"""Changes of a memory among which its move is looked for."""


class Projects(SharedMemories):
    """Lets people look after their projects."""

    async def projects(self, user_id: str, *, measured: bool = True) -> list[Project]:
        """Return the person's projects, by name; without their sizes unless ``measured``."""
        store = self._backends.projects
        found = await store.of_person(user_id)
        return [await store.measured(user_id, each) for each in found] if measured else found

    async def scopes_of(self, user_id: str) -> list[str]:
        """Return the ids under which anything of a person is kept: their own, and those of their projects."""
        found = await self._backends.projects.of_person(user_id)
        return [user_id, *(project_scope(user_id, each.name) for each in found)]

    async def project(self, user_id: str, name: str) -> Project:
        """Return one of the person's projects.

        Raises:
            ProjectNotFoundError: There is none of this name.
        """
        found = (each for each in await self.projects(user_id, measured=False) if each.name == name)
        project = next(found, None)
        if project is None:
            raise ProjectNotFoundError
        return project

    async def change_project(
        self, user_id: str, name: str, *, title: str | None = None, alone: bool | None = None
    ) -> Project:
        """Change how a project is called, or whether its chats recall its memories alone; None leaves it.

        Raises:
            ProjectNotFoundError: The person has no such project.
        """
        store = self._backends.projects
        return await store.measured(user_id, await store.change(user_id, name, title=title, alone=alone))

    async def move(
        self, user_id: str, memory_id: UUID, project: str, *, actor: Actor = Actor.ADMIN
    ) -> Memory:
        """Move a statement of a user's own to a project of the person, or with "" to the person; return it as it is there.

        It is written there as by hand, without its chat, which stays. To undo the change on either side
        undoes both.

        Raises:
            MemoryNotFoundError: The user has no such statement of their own.
            DuplicateMemoryError: It is there already, or it was refused there.
        """
        target = project_scope(person_of(user_id), project)
        memory = await self._backends.memories.get(user_id, memory_id)
        if memory.owner != user_id or memory.kind not in STATEMENTS or target == user_id:
            raise MemoryNotFoundError
        at = self._clock()
        written = replace(
            memory, id=uuid7(), owner=target, source=Source.MANUAL, provenance=Provenance(), created_at=at
        )
        [written] = await self._embedded_if_possible([written])
        apply = self._backends.memories.apply
        added = Add(written, Reason.MOVED, f"{_MOVED}{memory_id}")
        [done] = await apply(Scope(target, ""), [added], actor=actor, at=at)
        if not isinstance(done, Add):
            raise DuplicateMemoryError
        # It is in both for a moment, and stays so if this fails: nothing is lost.
        gone = Retire(memory_id, Reason.MOVED, decided_by=f"{_MOVED}{written.id}")
        await apply(Scope(user_id, ""), [gone], actor=actor, at=at)
        await self._backends.index.enqueue(target)
        return written

    async def _undo_move(self, user_id: str, done: Update, *, actor: Actor) -> None:
        """Undo the other half of a move, after one half was undone; a memory that was edited or moved on since stays."""
        history = self._backends.memories.history
        rows = await history(user_id, done.memory_id, limit=_LAST_CHANGES)
        half = next((each for each in rows if each.id == done.undoes), None)
        if half is None or half.reason is not Reason.MOVED:
            return
        other = UUID((half.decided_by or "").removeprefix(_MOVED))
        for scope in await self.scopes_of(person_of(user_id)):
            rows = await history(scope, other, limit=_LAST_CHANGES)
            last = next((each for each in rows if each.reason in {Reason.MOVED, Reason.EDITED}), None)
            if last is not None and last.decided_by == f"{_MOVED}{done.memory_id}":
                with suppress(NotUndoableError, DuplicateMemoryError):
                    await self._backends.memories.undo(scope, last.id, actor=actor, at=self._clock())
