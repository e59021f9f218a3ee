"""Memories of several people: a person's projects and teams, moves into them, and memories shared or for everybody. Its methods raise.

A team's memory is made up of its members' projects of one name. A member states things in their own part alone, so each statement has
its speaker. A member who may write also corrects and forgets others' statements. No member sees another's chats, summaries
and origins.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.errors import (
    DuplicateMemoryError,
    MemoryNotFoundError,
    NotAllowedInTeamError,
    ProjectNotFoundError,
    TeamNotFoundError,
)
from recollect.model import (
    COMMONS,
    EVERYTHING,
    STATEMENTS,
    TEAM,
    Actor,
    Add,
    Kind,
    Member,
    Memory,
    MemoryFilter,
    Page,
    Project,
    Provenance,
    Reason,
    Retire,
    Scope,
    Source,
    Team,
    TeamRole,
    Update,
    person_of,
    project_scope,
    scopes_in,
    team_of,
)
from recollect.models.memory_embedding import embedded_if_possible
from recollect.ports import Clock
from recollect.text.secrets import mask

_GLOBAL_IMPORTANCE = 0.5

_MOVED = "moved: "
"""The audit of a move names the other memory so, in both scopes."""

_CHANGES_OF_ONE = 20
"""Changes of a memory among which its move is looked for."""


class Projects:
    """Lets people look after their projects and teams, and their memories there; and keeps what several people see."""

    def __init__(self, backends: Backends, clock: Clock) -> None:
        self._backends = backends
        self._store = backends.store
        self._clock = clock
        self.globals = self._store.memories.globals

    async def share(
        self, user_id: str, memory_id: UUID, others: Sequence[str], *, actor: Actor = Actor.ADMIN
    ) -> Memory:
        """Share a user's memory with other users; from then on it belongs to all of them.

        A user who has its content already keeps their own.

        Raises:
            MemoryNotFoundError: The user has no such memory.
        """
        now = self._clock()
        memory = await self._store.memories.share(user_id, memory_id, at=now, actor=actor)
        for other in others:
            await self._store.memories.apply(
                Scope(other, ""), [Add(memory, Reason.SHARED)], actor=actor, at=now
            )
        return memory

    async def add_global(
        self, content: str, *, kind: Kind = Kind.FACT, importance: float = _GLOBAL_IMPORTANCE
    ) -> Memory:
        """Write a memory that serves every user who has few. Raises DuplicateMemoryError."""
        written = self._written(content, COMMONS, Source.GLOBAL, kind, importance, None)
        [memory] = await self._embedded_if_possible([written])
        await self._store.memories.keep_globals([memory], [], at=self._clock())
        if all(each.id != memory.id for each in await self.globals()):
            raise DuplicateMemoryError
        return memory

    async def remove_global(self, memory_id: UUID) -> None:
        """Take it away, or raise MemoryNotFoundError."""
        if all(each.id != memory_id for each in await self.globals()):
            raise MemoryNotFoundError
        await self._store.memories.keep_globals([], [memory_id], at=self._clock())

    async def keep_globals(self, contents: Sequence[str] | None) -> None:
        """Have these, and no others, serve every user who has few; None: those that are there.

        Existing ones stay, but get new vectors if another embedder made theirs. While the embedder is
        away they are kept without an embedding, and so not recalled, until this is called again.
        """
        model = self._backends.embedder.name
        there = {each.content: each for each in await self.globals()}
        masked = there if contents is None else [mask(each).text for each in contents]
        wanted = list(dict.fromkeys(masked))
        kept = {text for text in wanted if text in there and there[text].embedding_model == model}
        new = [
            self._written(text, COMMONS, Source.GLOBAL, Kind.FACT, _GLOBAL_IMPORTANCE, None)
            if text not in there
            else replace(there[text], id=uuid7())
            for text in wanted
            if text not in kept
        ]
        removed = [memory.id for text, memory in there.items() if text not in kept]
        if new or removed:
            embedded = await self._embedded_if_possible(new)
            await self._store.memories.keep_globals(embedded, removed, at=self._clock())

    async def _embedded_if_possible(self, memories: Sequence[Memory]) -> list[Memory]:
        return await embedded_if_possible(memories, self._backends.embedder)

    def _written(
        self,
        content: str,
        owner: str,
        source: Source,
        kind: Kind,
        importance: float,
        event_at: datetime | None,
    ) -> Memory:
        now = self._clock()
        return Memory(
            id=uuid7(),
            owner=owner,
            kind=kind,
            source=source,
            content=mask(content).text,
            importance=importance,
            observed_at=now,
            created_at=now,
            event_at=event_at,
        )

    async def projects(self, user_id: str, *, measured: bool = True) -> list[Project]:
        """Return the person's projects, by name, with the teams that they are in; without their sizes unless ``measured``."""
        store = self._store.projects
        found = {each.name: each for each in await store.of_person(user_id)}
        if measured:
            found = {name: await store.measured(user_id, each) for name, each in found.items()}
        for team in await self._store.teams.of_person(user_id):
            name = f"{TEAM}{team.id}"
            known = found.get(name, Project(name))
            found[name] = replace(known, title=known.title or team.title)
        return sorted(found.values(), key=lambda each: each.name)

    async def scopes_of(self, user_id: str) -> list[str]:
        """Return the ids under which anything of a person is kept: their own, and those of their projects."""
        found = await self._store.projects.of_person(user_id)
        return [user_id, *(project_scope(user_id, each.name) for each in found)]

    async def project(self, user_id: str, name: str) -> Project:
        """Return one of the person's projects. Raises ProjectNotFoundError."""
        found = (each for each in await self.projects(user_id, measured=False) if each.name == name)
        project = next(found, None)
        if project is None:
            raise ProjectNotFoundError
        return project

    async def change_project(
        self, user_id: str, name: str, *, title: str | None = None, alone: bool | None = None
    ) -> Project:
        """Change how a project is called, or whether its chats recall its memories alone; None leaves it.

        Raises ProjectNotFoundError.
        """
        store = self._store.projects
        return await store.measured(user_id, await store.change(user_id, name, title=title, alone=alone))

    async def move(
        self, user_id: str, memory_id: UUID, project: str, *, actor: Actor = Actor.ADMIN
    ) -> Memory:
        """Move a statement of a user's own to a project of the person, or with "" to the person; return it as it is there.

        It is written there as by hand, without its chat, which stays. To undo the change on either side undoes both.

        Raises:
            MemoryNotFoundError: The user has no such statement of their own.
            DuplicateMemoryError: It is there already, or it was refused there.
            TeamNotFoundError, NotAllowedInTeamError: As ``parts``, for the target.
        """
        target = project_scope(person_of(user_id), project)
        await self.parts(target, writes=True)
        memory = await self._store.memories.get(user_id, memory_id)
        if memory.owner != user_id or memory.kind not in STATEMENTS or target == user_id:
            raise MemoryNotFoundError
        at = self._clock()
        written = replace(
            memory, id=uuid7(), owner=target, source=Source.MANUAL, provenance=Provenance(), created_at=at
        )
        [written] = await self._embedded_if_possible([written])
        apply = self._store.memories.apply
        added = Add(written, Reason.MOVED, f"{_MOVED}{memory_id}")
        [done] = await apply(Scope(target, ""), [added], actor=actor, at=at)
        if not isinstance(done, Add):
            raise DuplicateMemoryError
        # It is in both for a moment, and stays so if this fails: nothing is lost.
        gone = Retire(memory_id, Reason.MOVED, decided_by=f"{_MOVED}{written.id}")
        await apply(Scope(user_id, ""), [gone], actor=actor, at=at)
        await self._store.index.enqueue(target)
        return written

    async def is_move(self, user_id: str, update_id: UUID) -> bool:
        """Return whether a change of the user's is half of a move."""
        change = await self._store.memories.change(user_id, update_id)
        return change is not None and change.reason is Reason.MOVED

    async def other_half(self, user_id: str, update_id: UUID) -> tuple[str, UUID] | None:
        """Return where the other half of a move is, and its change; None for no move, and if the memory was edited or moved on since.

        Raises TeamNotFoundError and NotAllowedInTeamError as ``parts``: to undo a move writes in both places.
        """
        half = await self._store.memories.change(user_id, update_id)
        if half is None or half.reason is not Reason.MOVED:
            return None
        other = UUID((half.decided_by or "").removeprefix(_MOVED))
        for scope in await self.scopes_of(person_of(user_id)):
            rows = await self._store.memories.history(scope, other, limit=_CHANGES_OF_ONE)
            last = next((each for each in rows if each.reason in {Reason.MOVED, Reason.EDITED}), None)
            if last is not None and last.decided_by == f"{_MOVED}{half.memory_id}":
                await self.parts(scope, writes=True)
                return scope, last.id
        return None

    async def teams(self, person: str | None = None) -> list[Team]:
        """Return all teams, or those that a person is in, by id."""
        store = self._store.teams
        return await (store.every() if person is None else store.of_person(person))

    async def team(self, team: str, person: str | None, *, owns: bool = False) -> Team:
        """Return a team as an administrator (None), or a member, sees it.

        Raises:
            TeamNotFoundError: There is none, or the person is not in it.
            NotAllowedInTeamError: The person is to own it, and does not.
        """
        found = await self._store.teams.one(team)
        if person is None:
            return found
        member = found.member(person)
        if member is None:
            raise TeamNotFoundError
        if owns and member.role is not TeamRole.OWNER:
            raise NotAllowedInTeamError
        return found

    async def set_member(self, team: str, person: str, role: TeamRole, name: str | None = None) -> Team:
        """Take someone into a team, or change their role or name; without a name they are called by their id.

        Raises:
            TeamNotFoundError: There is no such team.
            NotAllowedInTeamError: It has as many members as a team may have.
        """
        return await self._store.teams.set_member(team, Member(person, role, name or ""))

    async def leave_team(self, team: str, person: str) -> Team:
        """Take someone out of a team. Their statements stay in it until their part, a project of theirs, is erased.

        Raises TeamNotFoundError.
        """
        former = Member(person, TeamRole.FORMER, "")
        return await self._store.teams.set_member(team, former, joins=False)

    async def parts(self, user_id: str, *, writes: bool = False) -> Mapping[str, str]:
        """Return the scopes whose statements are a user's, each with its member's name: their own first, then the others of a team.

        Raises:
            TeamNotFoundError: It is of a team that the person is not in.
            NotAllowedInTeamError: The person is to write in it, and may not.
        """
        if not team_of(user_id):
            return {user_id: ""}
        team, person = await self._store.teams.around(user_id), person_of(user_id)
        if team is None:
            raise TeamNotFoundError
        if writes and not team.may_write(person):
            raise NotAllowedInTeamError
        return dict(team.scopes(person))

    async def home(self, user_id: str, memory_id: UUID) -> tuple[str, str]:
        """Return the scope in which a user may change a memory, and the person to be named for that; "" in their own.

        Raises:
            MemoryNotFoundError: The user has no such memory.
            NotAllowedInTeamError: Another member of a team stated it, and the person may not write there.
        """
        own, *others = await self.parts(user_id)
        if others:
            with suppress(MemoryNotFoundError):
                await self._store.memories.get(own, memory_id, past=True)
                return own, ""
            for each in others:
                with suppress(MemoryNotFoundError):
                    await self._stated(each, memory_id)
                    await self.parts(user_id, writes=True)
                    return each, person_of(user_id)
        return own, ""

    async def scopes_within_reach(self, user_id: str, *, writes: bool = True) -> tuple[str, ...]:
        """Return the scopes whose memories a chat may change, or was shown: in a project also the person's own."""
        try:
            parts = await self.parts(user_id, writes=writes)
        except (NotAllowedInTeamError, TeamNotFoundError):  # a chat of no team reaches no other member's
            return scopes_in(user_id)
        return tuple(dict.fromkeys((*parts, person_of(user_id))))

    async def page(
        self, user_id: str, *, limit: int, after: UUID | None = None, taken: MemoryFilter = EVERYTHING
    ) -> Page:
        """Return the user's memories that are ``taken``, newest first, behind the memory ``after``, as the store does."""
        parts = await self.parts(user_id)
        read = partial(self._store.memories.page, limit=limit, after=after)
        return await _united(parts, read, taken, limit, key=lambda each: (each.id.int,))

    async def said_last(
        self, user_id: str, *, limit: int, after: UUID | None = None, taken: MemoryFilter
    ) -> Page:
        """Return the user's current memories, the one that was said last first, behind the memory ``after``, as the store does."""
        parts = await self.parts(user_id)
        behind = await self.place_of(parts, after)
        read = partial(self._store.browsing.said_last, limit=limit, behind=behind)
        return await _united(parts, read, taken, limit, key=lambda each: (each.observed_at, each.id.int))

    async def place_of(self, parts: Iterable[str], memory_id: UUID | None) -> tuple[datetime, UUID] | None:
        """Return when a memory of one of the parts was said, with its id, even if it was forgotten since; None for none."""
        if memory_id is not None:
            for each in parts:
                if (said_at := await self._store.browsing.said_at(each, memory_id)) is not None:
                    return said_at, memory_id
        return None

    async def get(self, user_id: str, memory_id: UUID, *, past: bool = False) -> Memory:
        """Return one memory; with ``past`` also one that is past. Raises MemoryNotFoundError."""
        parts = await self.parts(user_id)
        own, *others = parts
        for each in others:  # the own part comes last: its error is the answer
            with suppress(MemoryNotFoundError):
                return _told_to(own, await self._stated(each, memory_id, past=past), parts)
        return _told_to(own, await self._store.memories.get(own, memory_id, past=past), parts)

    async def history(
        self, user_id: str, memory_id: UUID | None = None, *, limit: int = 100, after: UUID | None = None
    ) -> list[Update]:
        """Return the audit rows of the user, or of one memory (also of another member's), newest first, as the store does."""
        own, *others = await self.parts(user_id)
        rows = await self._store.memories.history(own, memory_id, limit=limit, after=after)
        if memory_id is None or rows:
            return rows
        for each in others:
            with suppress(MemoryNotFoundError):
                await self._stated(each, memory_id)
                rows = await self._store.memories.history(each, memory_id, limit=limit, after=after)
                return [replace(row, session_id=None, exchange_id=None) for row in rows]
        return rows

    async def todos(self, user_id: str, *, limit: int) -> list[Memory]:
        """Return the user's memories of kind todo, and summaries with open todos of their own chats, newest first."""
        store, parts = self._store.memories, await self.parts(user_id)
        own, *others = parts
        found = {each.id: each for each in await store.todos(own, limit=limit)}
        for other in others:  # a shared memory is in several parts
            theirs = await store.todos(other, limit=limit)
            found |= {each.id: _told_to(own, each, parts) for each in theirs if each.kind is Kind.TODO}
        return sorted(found.values(), key=lambda each: -each.id.int)[:limit]

    async def part_changed(self, user_id: str, update_id: UUID) -> tuple[str, str]:
        """Return the part in which a user can undo a change, their own or the one they made it in, and the person to be named."""
        own, *others = await self.parts(user_id)
        person = person_of(user_id)
        for each in others:
            change = await self._store.memories.change(each, update_id)
            if change is not None and change.by == person:
                await self.parts(user_id, writes=True)
                return each, person
        return own, ""

    async def _stated(self, part: str, memory_id: UUID, *, past: bool = True) -> Memory:
        """Return a statement of another member; all else of theirs is not found."""
        memory = await self._store.memories.get(part, memory_id, past=past)
        if memory.kind not in STATEMENTS:
            raise MemoryNotFoundError
        return memory


async def _united(
    parts: Mapping[str, str],
    read: Callable[..., Awaitable[Page]],
    taken: MemoryFilter,
    limit: int,
    *,
    key: Callable[[Memory], Any],
) -> Page:
    """Return one page of the pages that parts have: of another member statements alone, and none of a chat."""
    own, *others = parts
    pages = [await read(own, taken=taken)]
    kinds = taken.kinds & STATEMENTS if taken.kinds else STATEMENTS
    if kinds and taken.session_id is None:
        pages += [await read(each, taken=replace(taken, kinds=kinds)) for each in others]
    # A shared memory is in several parts.
    found = {each.id: each for each in chain.from_iterable(each.memories for each in pages)}
    newest = sorted(found.values(), key=key, reverse=True)
    memories = tuple(_told_to(own, each, parts) for each in newest[:limit])
    has_more = len(newest) > limit or any(each.next for each in pages)
    return Page(memories, memories[-1].id if has_more and memories else None)


def _told_to(user_id: str, memory: Memory, names: Mapping[str, str]) -> Memory:
    """Return a memory for a member of a team: with the name of its speaker, and another's without its origin."""
    if not team_of(memory.owner):
        return memory
    origin = memory.provenance if memory.owner == user_id else Provenance()
    return replace(memory, provenance=origin, label=names.get(memory.owner, ""))
