"""A person's own changes to memories, or an administrator's for them: writes, corrects, forgets, undoes, approves, shares; their flags. Its methods raise.

An operation by name must not fail silently.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, product
from typing import TypedDict, Unpack
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.background.maintenance import embedding_state
from recollect.engine.people.projects_and_sharing import Projects
from recollect.errors import (
    BulkRefusedError,
    ChangeNotFoundError,
    DuplicateMemoryError,
    MemoryNotFoundError,
    NotUndoableError,
)
from recollect.formation.wording import masked_metadata, masked_tags
from recollect.model import (
    NOT_SAID,
    STATEMENTS,
    Action,
    Actor,
    Add,
    AdminRead,
    Changer,
    EmbeddedRevision,
    EmbeddingState,
    Flags,
    Hide,
    Hints,
    Ignore,
    KeptAnswer,
    KeptRequest,
    Kind,
    Memory,
    Metadata,
    Provenance,
    Reason,
    Removal,
    Revision,
    Scope,
    Source,
    Unchanged,
    Update,
    Use,
    person_of,
    team_of,
)
from recollect.ports import Clock
from recollect.text.secrets import mask

_HISTORY = 20
"""Changes of a memory that are looked through for the one that took it away."""

log = structlog.get_logger(__name__)


class Changed(TypedDict, total=False):
    """The fields of ``Revision`` but for its id."""

    content: str | None
    kind: Kind | None
    importance: float | None
    event_at: datetime | Unchanged | None
    versions: frozenset[str] | None
    use: Use | None
    topics: tuple[str, ...] | None
    questions: tuple[str, ...] | None
    holds_from: datetime | Unchanged | None
    holds_until: datetime | Unchanged | None
    expires_at: datetime | Unchanged | None
    tags: tuple[str, ...] | None
    metadata: Metadata | None


class MemoryEdits(Projects):
    """Lets people look after memories. Reads that need the store alone are methods of the store."""

    def __init__(self, backends: Backends, clock: Clock) -> None:
        super().__init__(backends, clock)
        log_index, admin_reads, answers = self._store.index, self._store.admin_reads, self._store.answers
        self.rebuild_index, self.rebuilding = log_index.rebuild, log_index.rebuilding
        self.admin_reads, self.settings_changes = admin_reads.admin_reads, admin_reads.settings_changes
        self.keep_answer, self.release_answer = answers.keep, answers.release

    async def embeddings(self) -> EmbeddingState:
        """Return which embedders there are, and how far what an earlier one embedded is embedded again; it reads a row a user."""
        return await embedding_state(self._backends)

    async def note_admin_read(
        self, user_id: str, *, reader: str, operation: str, once_in: timedelta | None = None
    ) -> None:
        """Note that the administrator ``reader`` reads the user's data, by an operation of the memory API or on a page (`page: memories`).

        Further reads by the same operation ``once_in`` such a time are part of the one that is noted.
        """
        now = self._clock()
        read = AdminRead(uuid7(), now, reader, operation)
        since = None if once_in is None else now - once_in
        await self._store.admin_reads.add_read(user_id, read, unless_since=since)

    async def add(
        self,
        user_id: str,
        content: str,
        *,
        kind: Kind = Kind.FACT,
        importance: float = 0.5,
        event_at: datetime | None = None,
        session_id: str | None = None,
        hints: Hints | None = None,
        tags: Collection[str] = (),
        metadata: Metadata | None = None,
        expires_at: datetime | None = None,
        actor: Actor = Actor.ADMIN,
    ) -> Memory:
        """Write a memory by hand; while the embedder is away without an embedding, which it gets later.

        With a ``session_id`` it comes from that chat, as a statement made there does. It stays when the chat is erased, but without
        its name.

        Raises:
            DuplicateMemoryError: The user has it already.
        """
        await self.parts(user_id, writes=True)
        written = self._written(content, user_id, Source.MANUAL, kind, importance, event_at)
        written = replace(
            written,
            provenance=Provenance(session_id),
            hints=_masked(hints),
            tags=masked_tags(tags),
            metadata=masked_metadata(metadata or {}),
            expires_at=expires_at,
        )
        [memory] = await self._embedded_if_possible([written])
        [done] = await self._store.memories.apply(
            Scope(user_id, ""), [Add(memory, Reason.WRITTEN)], actor=actor, at=self._clock()
        )
        if isinstance(done, Ignore):
            raise DuplicateMemoryError
        await self._embed_later(user_id, memory)
        return memory

    async def revise(
        self, user_id: str, memory_id: UUID, *, actor: Actor = Actor.ADMIN, **changed: Unpack[Changed]
    ) -> Memory:
        """Correct a memory under its id; parts that are not given stay. The old content is a version in its history.

        Hints (``use``, ``topics``, ``questions``) of an earlier content go with it.

        Raises:
            MemoryNotFoundError: The user has no such memory of their own.
            DuplicateMemoryError: The user has another memory with that content.
            ChangedMeanwhileError: Its version (``Memory.version``) is none of ``versions``.
            NotAllowedInTeamError: The person may not write in the team, not even over their own statements there.
        """
        await self.parts(user_id, writes=True)
        user_id, by = await self.home(user_id, memory_id)
        [wanted] = await self._embedded_revisions(user_id, [Revision(memory_id, **changed)])
        assert isinstance(wanted, EmbeddedRevision)  # noqa: S101 -- as it was given
        edited = await self._store.memories.edit(user_id, wanted, actor=actor, at=self._clock(), by=by)
        await self._embed_later(user_id, edited)
        # Another member's chats are not shown.
        return replace(edited, provenance=Provenance()) if by else edited

    async def change_all(
        self, user_id: str, wanted: Sequence[Revision | Removal], *, actor: Actor = Actor.ADMIN
    ) -> list[Memory | None]:
        """Change and take away memories, in order, all or none; return each as it is then, None for one that is gone.

        Raises:
            BulkRefusedError: Some can't be; nothing was done.
            TeamNotFoundError, NotAllowedInTeamError: As ``parts``.
        """
        # A team's reader may still take away their own statements.
        await self.parts(user_id, writes=any(isinstance(each, Revision) for each in wanted))
        prepared = await self._embedded_revisions(user_id, wanted)
        done = await self._store.memories.change_all(user_id, prepared, actor=actor, at=self._clock())
        if any(isinstance(each, EmbeddedRevision) and each.content for each in prepared):
            await self._store.index.enqueue(user_id)
        return done

    async def _embedded_revisions(
        self, user_id: str, wanted: Sequence[Revision | Removal]
    ) -> list[EmbeddedRevision | Removal]:
        masked = [each if isinstance(each, Removal) else _without_secrets(each) for each in wanted]
        said: dict[int, Memory] = {}
        for position, each in enumerate(masked):
            if isinstance(each, Revision):
                with suppress(MemoryNotFoundError):  # the store says so of each
                    old = await self._store.memories.get(user_id, each.memory_id)
                    revised = _as_revised(old, each)
                    if revised is not None:
                        said[position] = revised
        made = await self._embedded_if_possible(list(said.values())) if said else []
        embedded = dict(zip(said, made, strict=True))
        return [
            each if isinstance(each, Removal) else _with_embeddings(each, embedded.get(position))
            for position, each in enumerate(masked)
        ]

    async def forget(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        versions: frozenset[str] | None = None,
        actor: Actor = Actor.ADMIN,
    ) -> None:
        """Take a memory from the user, current or past. Forgetting the past can't be undone.

        Raises:
            MemoryNotFoundError: The user has no such memory.
            ChangedMeanwhileError: Its version is none of ``versions``.
        """
        user_id, by = await self.home(user_id, memory_id)
        removal = Removal(memory_id, versions)
        try:
            await self._store.memories.change_all(user_id, [removal], actor=actor, at=self._clock(), by=by)
        except BulkRefusedError as refused:
            raise refused.failures[0] from None

    async def undo(self, user_id: str, update_id: UUID, *, actor: Actor = Actor.ADMIN) -> Update:
        """Undo one change of the user's audit, of a move both halves, and return the row that says so.

        Raises:
            ChangeNotFoundError: The user has no such change.
            NotUndoableError: It was undone already, changed nothing, or its result was changed since.
            DuplicateMemoryError: The user has the old content by another memory now.
            TeamNotFoundError, NotAllowedInTeamError: It would change a team in which the person may not write.
        """
        user_id, by = await self.part_changed(user_id, update_id)
        other = await self.other_half(user_id, update_id)
        done = await self._store.memories.undo(user_id, update_id, actor=actor, at=self._clock(), by=by)
        await self._follow_undo(user_id, done, other, actor=actor)
        return done

    async def _follow_undo(
        self, user_id: str, done: Update, other_half: tuple[str, UUID] | None, *, actor: Actor
    ) -> None:
        if done.action is Action.RESTORE:
            await self._embed_again(user_id, done.memory_id)
        if other_half is not None:
            with suppress(NotUndoableError, DuplicateMemoryError):  # it was changed since, in the other scope
                await self._store.memories.undo(*other_half, actor=actor, at=self._clock())

    async def take_back(
        self, scope: Scope, key: str, *, actor: Actor = Actor.ADMIN, bound: bool = False
    ) -> tuple[Update, ...] | None:
        """Undo the changes of one exchange, newest first, and hide its words from recall; a waiting one is never formed.

        The same goes for earlier exchanges whose changes were shown with this one's answer. Memories that its message had forgotten by number come back. A memory that was changed again since stays. Return the audit's rows of the undone changes; None if
        the log has no exchange with the key (``Turn.key``).
        """
        learned = await self._store.inbox.told_with(scope, key)
        undone = [await self._take_back(where, each, actor) for where, each in ((scope, key), *learned)]
        asked = await self._store.asked.forgetting_of(scope, key)
        if asked is not None:
            undone.insert(0, await self.bring_back(scope.user_id, asked, actor=actor, bound=bound))
        known = [each for each in undone if each is not None]
        return tuple(chain.from_iterable(known)) if known else None

    async def bring_back(
        self, user_id: str, asked: KeptRequest, *, actor: Actor, bound: bool = False
    ) -> tuple[Update, ...]:
        """Undo the removals that a request in a chat asked for; return the audit's rows of the undone changes.

        ``bound``: for a key of one project, or an agent, which reaches nothing of the person's own.
        """
        back = []
        scopes = await self.scopes_within_reach(user_id)
        scopes = tuple(each for each in scopes if not (bound and each == person_of(user_id)))
        for each, scope in product(reversed(asked.items), scopes):
            removal = await self.last_removal(scope, each)
            if removal is None or removal.at > asked.at:  # taken away again since
                continue
            asking = user_id if team_of(scope) else scope
            with suppress(NotUndoableError, DuplicateMemoryError, ChangeNotFoundError):  # changed since
                back.append(await self.undo(asking, removal.id, actor=actor))
        return tuple(back)

    async def last_removal(self, user_id: str, memory_id: UUID) -> Update | None:
        """Return the audit's row of the last removal of a memory; None for none among its last changes."""
        rows = await self._store.memories.history(user_id, memory_id, limit=_HISTORY)
        taken = (row for row in rows if row.memory_id == memory_id and row.action is Action.RETIRE)
        return next(taken, None)

    async def _take_back(self, scope: Scope, key: str, actor: Actor) -> tuple[Update, ...] | None:
        inbox, undone = self._store.inbox, []
        found = await inbox.outcome(scope, key)
        if found is None:
            return None
        # Hidden before the outcome is read again: a worker that forms it now sees that, or its changes are in that outcome.
        hidden = Hide(found.messages, Reason.UNDONE)
        await self._store.memories.apply(scope, [hidden], actor=actor, at=self._clock())
        formed = await inbox.outcome(scope, key)
        for update in formed.updates if formed is not None else ():
            try:
                undone.append(await self.undo(scope.user_id, update.id, actor=actor))
            except (NotUndoableError, DuplicateMemoryError):
                continue  # changed since: it stays
        return tuple(undone)

    async def reserve_answer(self, user_id: str, key: str, request: bytes) -> KeptAnswer | datetime:
        """Take a key for a request, by its hash, that is to be done once; return the kept answer if there is one, else the time of taking."""
        now = self._clock()
        kept = await self._store.answers.reserve(user_id, key, request, at=now)
        return now if kept is None else kept

    async def flags(self, user_id: str | None = None) -> Flags:
        """Return the changed settings: of everybody, or of one user alone."""
        flags = self._store.flags
        return await (flags.flags(None) if user_id is None else flags.own_flags(user_id))

    async def change_flags(
        self, flags: Flags, named: Collection[str], user_id: str | None = None, *, by: Changer = NOT_SAID
    ) -> Flags:
        """Change the named ``flags``, leave the others, and return those that differ now.

        A user's change is stored with ``by``, for the user to see; a change for everybody is logged.
        """
        changed = await self._store.flags.change_flags(user_id, flags, named, at=self._clock(), by=by)
        if user_id is None:
            log.info("settings_changed", by=by.name, names=sorted(named))
        return changed

    async def _embed_again(self, user_id: str, memory_id: UUID) -> None:
        """Embed what an undone edit left without an embedding."""
        memory = await self._store.memories.get(user_id, memory_id)
        if memory.owner != user_id or memory.embedding_model is not None:
            return
        [embedded] = await self._embedded_if_possible([memory])
        if embedded.embedding is not None:
            await self._store.index.embed_memory(user_id, embedded)
        await self._embed_later(user_id, embedded)

    async def _embed_later(self, user_id: str, memory: Memory) -> None:
        """Have a job embed a memory that has no embedding, and give it hints if it has none."""
        lacks_hints = self._backends.hinter is not None and memory.kind in STATEMENTS and memory.hints is None
        if memory.embedding_model is None or lacks_hints:
            await self._store.index.enqueue(user_id)


def _masked(hints: Hints | None) -> Hints | None:
    """Return hints without secrets."""
    if hints is None:
        return None
    topics, questions = (
        tuple(mask(each).text for each in texts) for texts in (hints.topics, hints.questions)
    )
    return Hints(hints.use, topics, questions)


def _without_secrets(revision: Revision) -> Revision:
    hints = _masked(revision.hints(None)) or Hints()
    return replace(
        revision,
        content=None if revision.content is None else mask(revision.content).text,
        topics=None if revision.topics is None else hints.topics,
        questions=None if revision.questions is None else hints.questions,
        tags=None if revision.tags is None else masked_tags(revision.tags),
        metadata=None if revision.metadata is None else masked_metadata(revision.metadata),
    )


def _as_revised(old: Memory, revision: Revision) -> Memory | None:
    """Return a memory with the content or the hints that a revision gives it, not embedded yet; None if it gives neither."""
    content = old.content if revision.content is None else revision.content
    if revision.content is None and revision.hints(None) is None:
        return None
    hints = revision.hints_after(old, content)
    return replace(old, content=content, hints=hints, embedding=None, embedding_model=None)


def _with_embeddings(revision: Revision, said: Memory | None) -> EmbeddedRevision:
    """Return a revision with the embeddings of the memory as it says that it is to be."""
    if said is None:
        return EmbeddedRevision(revision)
    return EmbeddedRevision(revision, said.content, said.hints, said.embedding, said.embedding_model)
