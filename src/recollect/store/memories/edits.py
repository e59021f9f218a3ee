"""Applies changes by hand: edits, removals, approvals of held-back memories, sharing; and repairs of memories with a fault.

It embeds no new content, checks no permissions, and decides neither on a fault nor on its repair.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.audit_rows import addition_details, edit_details
from recollect.errors import (
    BulkRefusedError,
    ChangedMeanwhileError,
    DuplicateMemoryError,
    EndsBeforeItBeginsError,
    MemoryNotFoundError,
    StoreError,
)
from recollect.model import (
    COMMONS,
    STATEMENTS,
    Action,
    Actor,
    Add,
    Change,
    EmbeddedRevision,
    Exchange,
    Ignore,
    Memory,
    Message,
    Quarantined,
    Reason,
    Removal,
    Replace,
    Retire,
    Role,
    Source,
    Update,
)
from recollect.store.memories.changes import apply_change
from recollect.store.memories.quarantine import read_held, wake_approvals
from recollect.store.memories.transaction import Transaction, hide_messages, insert_vector
from recollect.store.memories.undo import reopen_todos
from recollect.store.pool import StorePart, column
from recollect.store.row_mapping import exchange_of, update_of
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash, storable_text


class Edits(StorePart):
    """The changes of memories by hand."""

    async def edit(
        self, user_id: str, wanted: EmbeddedRevision, *, actor: Actor, at: datetime, by: str = ""
    ) -> Memory:
        """Write a revision over the stored memory, under the user's lock, and return it as it is then.

        Raises:
            MemoryNotFoundError: The user has no such memory of their own.
            DuplicateMemoryError: The user has another memory with that content.
            ChangedMeanwhileError: Its version is none of the revision's.
        """
        async with self._database.changing(user_id) as connection:
            return await _revise(Transaction(connection, user_id, actor, at, by=by), wanted)

    async def change_all(
        self,
        user_id: str,
        wanted: Sequence[EmbeddedRevision | Removal],
        *,
        actor: Actor,
        at: datetime,
        by: str = "",
    ) -> list[Memory | None]:
        """Change and take away memories in one transaction, in order, all or none; return each as it is then, None for one that is gone.

        Raises:
            BulkRefusedError: Some can't be changed: a memory is missing, another has that content, or its version is
                not an expected one. Nothing was done.
        """
        async with self._database.changing(user_id) as connection:
            transaction = Transaction(connection, user_id, actor, at, by=by)
            done: list[Memory | None] = []
            failures: dict[int, StoreError] = {}
            for position, each in enumerate(wanted):
                try:
                    done.append(await _change(transaction, each))
                except (
                    MemoryNotFoundError,
                    DuplicateMemoryError,
                    ChangedMeanwhileError,
                    EndsBeforeItBeginsError,
                ) as error:
                    failures[position] = error  # go on: the refusal names all of them
            if failures:
                raise BulkRefusedError(failures)
            return done

    async def release(
        self, user_id: str, memory_id: UUID, memory: Memory | None, *, actor: Actor, at: datetime
    ) -> list[Change]:
        """Release a quarantined memory: keep ``memory`` in its place, or refuse it if None.

        Raises:
            MemoryNotFoundError: Nothing with this id is held back.
        """
        async with self._database.changing(user_id) as connection:
            done = await _released(Transaction(connection, user_id, actor, at), memory_id, memory)
            await wake_approvals(connection, user_id)
        return done

    async def share(self, user_id: str, memory_id: UUID, *, at: datetime, actor: Actor) -> Memory:
        """Move a memory of the user's own to the commons, under the same id, and return it; the user keeps seeing it.

        Raises:
            MemoryNotFoundError: The user sees no statement with that id. Summaries and verbatim turns can't be shared:
                they repeat a chat.
        """
        async with self._database.changing(user_id) as connection:
            transaction = Transaction(connection, user_id, actor, at)
            memory = await transaction.seen(memory_id)
            if memory.owner == COMMONS:
                return memory
            if memory.kind not in STATEMENTS:
                raise MemoryNotFoundError
            await connection.execute(SQL["lock_user"], COMMONS)
            for query in ("copy_to_commons", "delete_own_vector", "link_to_commons"):
                await connection.execute(SQL[query], user_id, memory_id)
            await transaction.audit(
                Action.EDIT,
                Reason.SHARED,
                memory_id,
                before=memory.content,
                after=memory.content,
                details=addition_details(memory),
            )
            return await transaction.seen(memory_id)

    async def keep_globals(self, added: Sequence[Memory], removed: Sequence[UUID], *, at: datetime) -> None:
        """Keep these for every user with few memories, and no longer those with these ids.

        One whose content is kept already is left out. Blocks of prompts that mention a removed memory are no longer
        attached.

        Raises:
            StoreError: One is not of the commons or no global one, or its id is used.
        """
        async with self._database.over_all_users() as connection:
            await connection.execute(SQL["lock_user"], COMMONS)
            if ended := await column(connection, SQL["end_globals"], COMMONS, list(removed), at):
                await connection.execute(SQL["delete_injections_of_all"], ended)
            for memory in added:
                if (memory.owner, memory.source) != (COMMONS, Source.GLOBAL):
                    raise StoreError("What serves everybody belongs to the commons, and is global.")
                known = await connection.fetchval(
                    SQL["global_with_content"], COMMONS, content_hash(storable_text(memory.content))
                )
                if known is None and not await insert_vector(connection, memory):
                    raise StoreError("There is a memory with this id already.")


async def _revise(transaction: Transaction, wanted: EmbeddedRevision) -> Memory:
    revision = wanted.revision
    stored = await transaction.seen(revision.memory_id)
    if stored.owner != transaction.user_id:
        raise MemoryNotFoundError
    _expect(stored, revision.versions)
    content = stored.content if revision.content is None else storable_text(revision.content)
    hints = revision.hints_after(stored, content)
    fits = (storable_text(wanted.content), wanted.hints) == (content, hints)
    new = replace(
        stored,
        content=content,
        embedding=wanted.embedding if fits else None,
        embedding_model=wanted.embedding_model,
        hints=hints,
        **revision.as_is,
    )
    begins, ends = new.holds_from, new.holds_until
    corrected = (begins, ends) != (stored.holds_from, stored.holds_until)
    if corrected and begins is not None and ends is not None and ends < begins:
        raise EndsBeforeItBeginsError
    return await _edit_memory(transaction, stored, new)


async def _edit_memory(transaction: Transaction, stored: Memory, new: Memory) -> Memory:
    """Write ``new`` over the user's own memory of the same id, and return it as it is then.

    Its embedding is written only with a content that changed. A verbatim turn becomes a manual memory then, and
    a doubt about it is lifted.

    Raises:
        DuplicateMemoryError: The user has another memory with that content.
    """
    content = storable_text(new.content)
    if await transaction.with_content(content) not in {None, stored.id}:
        raise DuplicateMemoryError
    written = replace(new, content=content)
    if content != stored.content:
        source = Source.MANUAL if stored.source is Source.QA_TURN else stored.source
        written = replace(written, source=source, doubt=None)
    await transaction.overwrite(written)
    update_id = uuid7()
    if content != stored.content:
        await transaction.note_change(stored)
        await transaction.forget_injections([stored.id])
        await reopen_todos(transaction, stored, content, update_id)
    edited = await transaction.seen(stored.id)
    await transaction.audit(
        Action.EDIT,
        Reason.EDITED,
        stored.id,
        before=stored.content,
        after=content,
        details=edit_details(stored, edited),
        update_id=update_id,
    )
    return edited


async def _change(transaction: Transaction, wanted: EmbeddedRevision | Removal) -> Memory | None:
    if isinstance(wanted, EmbeddedRevision):
        return await _revise(transaction, wanted)
    stored = await transaction.linked(wanted.memory_id) or await transaction.past(wanted.memory_id)
    if stored is None:
        raise MemoryNotFoundError
    _expect(stored, wanted.versions)
    await apply_change(transaction, Retire(wanted.memory_id, Reason.DELETED))
    return None


def _expect(stored: Memory, versions: frozenset[str] | None) -> None:
    if versions is not None and stored.version not in versions:
        raise ChangedMeanwhileError


async def _released(transaction: Transaction, memory_id: UUID, memory: Memory | None) -> list[Change]:
    """Keep ``memory`` in place of the quarantined one, and return the changes, the one of the memory itself first."""
    held = await read_held(transaction.connection, transaction.user_id, memory_id)
    if memory is not None or held.reason is Reason.ENDED:  # a statement that stays is not refused
        await transaction.connection.execute(SQL["release_quarantined"], transaction.user_id, memory_id)
    if memory is not None:
        return [await apply_change(transaction, each) for each in _approved(held, memory)]
    if held.reason is Reason.ENDED:
        return [Ignore(Reason.REFUSED)]
    await transaction.connection.execute(SQL["refuse_quarantined"], transaction.user_id, memory_id)
    if held.reason is Reason.APPROVAL:
        await hide_messages(transaction, Reason.REFUSED, held.memory.provenance.message_ids)
    await transaction.audit(Action.REFUSE, Reason.REFUSED, memory_id)
    return [Ignore(Reason.REFUSED)]


def _approved(held: Quarantined, memory: Memory) -> list[Change]:
    """Return the changes by an approval, the one that keeps ``memory`` first."""
    if held.reason is Reason.ENDED:
        return [*held.then]
    with_it = [
        replace(each, memory=memory) if isinstance(each, Replace) else replace(each, heir=memory)
        for each in held.then
    ]
    replaced = next((each for each in with_it if isinstance(each, Replace)), None)
    further = [each for each in with_it if not isinstance(each, Replace)]
    return [replaced or Add(memory, Reason.APPROVED), *further]


class Repairs(StorePart):
    """Reads the sources of memories, and repairs memories so that it can be undone."""

    async def said(self, user_id: str, messages: Sequence[UUID]) -> list[Exchange]:
        """Return the user's exchanges with these messages as turns, oldest first.

        Each comes with the message before it in its chat; unknown messages are left out.
        """
        rows = await self._database.rows(user_id, "exchanges_of_messages", list(messages))
        return [
            exchange_of(
                user_id,
                row,
                ()
                if row["role_before"] is None
                else (Message(Role(row["role_before"]), row["said_before"]),),
            )
            for row in rows
        ]

    async def repair(
        self,
        user_id: str,
        memory: Memory,
        changes: Sequence[Change | EmbeddedRevision],
        *,
        run: UUID,
        actor: Actor,
        at: datetime,
    ) -> bool:
        """Apply a repair to a memory in one transaction, if it is still as found; return whether a change was made.

        Each row of the audit names the ``run`` of repairs it belongs to, by an id of version 7.
        """
        async with self._database.changing(user_id) as connection:
            transaction = Transaction(connection, user_id, actor, at, run=run)
            now = await transaction.linked(memory.id)
            if now is None or not _is_as_found(now, memory):
                return False
            # A list, so that `any` leaves out no change.
            return any([await _done(transaction, each) for each in changes])

    async def runs(self) -> list[UUID]:
        """Return the ids of all runs."""
        rows = await self._database.rows_of_all("runs_of_repair")
        return [row["run"] for row in rows]

    async def users(self, run: UUID) -> list[str]:
        """Return the users whose memories a run changed."""
        rows = await self._database.rows_of_all("users_of_repair", run)
        return [row["user_id"] for row in rows]

    async def repaired(self, user_id: str, run: UUID) -> list[Update]:
        """Return a run's changes of the user's memories that were not undone, newest first."""
        rows = await self._database.rows(user_id, "updates_of_repair", run)
        return [update_of(row) for row in rows]


def _is_as_found(now: Memory, found: Memory) -> bool:
    """Return whether a memory is as it was found, apart from uses and repetitions."""
    return (now.owner, now.content, now.kind, now.doubt, now.observed_at, now.event_at) == (
        *(found.owner, found.content, found.kind),
        *(found.doubt, found.observed_at, found.event_at),
    )


async def _done(transaction: Transaction, change: Change | EmbeddedRevision) -> bool:
    if not isinstance(change, EmbeddedRevision):
        return not isinstance(await apply_change(transaction, change), Ignore)
    try:
        await _revise(transaction, change)
    except (MemoryNotFoundError, DuplicateMemoryError, ChangedMeanwhileError):
        return False  # another memory conflicts: this part of the repair is left out
    return True
