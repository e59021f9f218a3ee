"""Applies changes to what one user remembers, inside a transaction under the user's lock.

Never: decides a change; opens or ends the transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never
from uuid import UUID

from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Change,
    Ignore,
    Memory,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Vector,
)
from recollect.normalization import content_hash, storable_text
from recollect.postgres.pool import Connection
from recollect.postgres.postings import index_memory, unindex_memory
from recollect.postgres.sql import SQL

_REINFORCED_BY = 0.05
"""What one reinforcement adds to a memory's importance."""


async def apply_changes(
    connection: Connection, user_id: str, changes: Sequence[Change], *, actor: Actor, at: datetime
) -> list[Change]:
    """Apply ``changes`` in order and return what was really done, as ``MemoryStore.apply`` says."""
    changing = _Changing(connection, user_id, actor, at)
    return [await changing.apply(change) for change in changes]


@dataclass(frozen=True, slots=True)
class _Changing:
    connection: Connection
    user_id: str
    actor: Actor
    at: datetime

    async def apply(self, change: Change) -> Change:
        match change:
            case Add():
                return await self._add(change.memory, change.reason)
            case Replace():
                return await self._replace(change)
            case Reinforce():
                return await self._reinforce(change)
            case Retire():
                return await self._retire(change)
            case Ignore():
                return await self._ignore(change)
            case _:
                assert_never(change)

    async def _ignore(self, change: Ignore) -> Change:
        if change.target is not None and change.messages and await self._linked(change.target) is not None:
            await self._rest_on(change.target, change.messages)
        return change

    async def _add(self, memory: Memory, reason: Reason) -> Change:
        equal = await self._with_content(memory.content)
        if equal is not None:
            await self._rest_on(equal, memory.provenance.message_ids)
            return Ignore(Reason.EQUAL_CONTENT, target=equal)
        await self._insert(memory)
        await self.audit(Action.ADD, reason, memory.id, after=memory.content)
        return Add(memory, reason)

    async def _replace(self, change: Replace) -> Change:
        old = await self._linked(change.old)
        if old is None:
            return await self._add(change.memory, change.reason)
        equal = await self._with_content(change.memory.content)
        if equal is not None and equal != change.old:
            # The new content is there already: all that is left to do is to let go of the old one.
            await self._rest_on(equal, change.memory.provenance.message_ids)
            await self._inherit(equal, old)
            await self._note_change(old["message_ids"])
            return await self._retire(Retire(change.old, change.reason))
        await self._unlink(change.old, old["owner"])
        await self._note_change(old["message_ids"])
        await self._insert(change.memory)
        await self._inherit(change.memory.id, old)
        await self.audit(
            Action.REPLACE,
            change.reason,
            change.memory.id,
            replaced_id=change.old,
            before=old["content"],
            after=change.memory.content,
        )
        return change

    async def _reinforce(self, change: Reinforce) -> Change:
        memory = await self._linked(change.target)
        if memory is None:
            return Ignore(Reason.DELETED, target=change.target)
        await self.connection.execute(SQL["count_reinforcement"], self.user_id, change.target)
        await self._rest_on(change.target, change.messages)
        if memory["owner"] == self.user_id:
            await self.connection.execute(
                SQL["raise_importance"], self.user_id, change.target, _REINFORCED_BY
            )
        await self.audit(
            Action.REINFORCE,
            change.reason,
            change.target,
            before=memory["content"],
            after=memory["content"],
        )
        return change

    async def _retire(self, change: Retire) -> Change:
        memory = await self._linked(change.target)
        if memory is None:
            return Ignore(Reason.DELETED, target=change.target)
        await self._unlink(change.target, memory["owner"])
        if change.reason is Reason.DELETED:
            await self._hide(change.target, memory["message_ids"])
        await self.audit(Action.RETIRE, change.reason, change.target, before=memory["content"])
        return change

    async def audit(
        self,
        action: Action,
        reason: Reason,
        memory_id: UUID,
        *,
        replaced_id: UUID | None = None,
        before: str | None = None,
        after: str | None = None,
    ) -> None:
        await self.connection.execute(
            SQL["insert_update"],
            self.user_id,
            uuid7(),
            self.at,
            action,
            self.actor,
            reason,
            memory_id,
            replaced_id,
            before,
            None if after is None else storable_text(after),
        )

    async def _with_content(self, content: str) -> UUID | None:
        found: UUID | None = await self.connection.fetchval(
            SQL["memory_with_content"], self.user_id, content_hash(content)
        )
        return found

    async def _linked(self, memory_id: UUID) -> Record | None:
        return await self.connection.fetchrow(SQL["linked_content"], self.user_id, memory_id)

    async def _rest_on(self, memory_id: UUID, message_ids: Sequence[UUID]) -> None:
        await self.connection.execute(SQL["add_provenance"], self.user_id, memory_id, message_ids)

    async def _inherit(self, memory_id: UUID, old: Record) -> None:
        """Let a memory rest on what the one it replaces did too: to forget it is to forget both."""
        if old["owner"] == self.user_id:
            await self._rest_on(memory_id, old["message_ids"])

    async def _note_change(self, message_ids: Sequence[UUID]) -> None:
        await self.connection.execute(SQL["note_change"], self.user_id, message_ids, self.at)

    async def _hide(self, memory_id: UUID, message_ids: Sequence[UUID]) -> None:
        """Forget in the log too: what somebody deleted must not come back in the words it was said in."""
        rows = await self.connection.fetch(SQL["hide_messages"], self.user_id, message_ids)
        hidden = [row["id"] for row in rows]
        # What was answered with the memory, or with its words, at hand says it again.
        answers = await self.connection.fetch(SQL["hide_answers"], self.user_id, [memory_id, *hidden])
        hidden += [row["id"] for row in answers]
        chunks = await self.connection.fetch(SQL["hide_chunks"], self.user_id, hidden)
        documents, terms = [chunk["document"] for chunk in chunks], sum(chunk["terms"] for chunk in chunks)
        await self.connection.execute(SQL["delete_chunk_vectors"], self.user_id, documents)
        await self.connection.execute(SQL["discount_documents"], self.user_id, len(documents), terms)
        await self.connection.execute(SQL["delete_injections"], self.user_id, [memory_id, *hidden])

    async def _unlink(self, memory_id: UUID, owner: str) -> None:
        await unindex_memory(self.connection, self.user_id, memory_id)
        await self.connection.execute(SQL["unlink_memory"], self.user_id, memory_id)
        if owner == self.user_id:  # what others see too stays believed
            await self.connection.execute(SQL["end_validity"], self.user_id, memory_id, self.at)

    async def _insert(self, memory: Memory) -> None:
        if memory.owner not in {self.user_id, COMMONS}:
            raise StoreError("A memory of another user can't be given to this one.")
        hashed = content_hash(memory.content)
        inserted = await self.connection.fetchval(
            SQL["insert_vector"],
            memory.owner,
            memory.id,
            memory.kind,
            memory.source,
            storable_text(memory.content),
            hashed,
            as_reals(memory.embedding),
            memory.embedding_model,
            memory.importance,
            memory.confidence,
            memory.observed_at,
            memory.event_at,
            _optional_text(memory.provenance.session_id),
            memory.provenance.message_ids,
            _optional_text(memory.provenance.evidence),
            memory.created_at,
        )
        if inserted is None and memory.owner != COMMONS:
            raise StoreError("There is a memory with this id already.")
        await self.connection.execute(
            SQL["link_memory"], self.user_id, memory.id, memory.owner, hashed, self.at
        )
        await index_memory(self.connection, self.user_id, memory.id, storable_text(memory.content))


async def edit_memory(
    connection: Connection, user_id: str, memory: Memory, *, before: str, actor: Actor, at: datetime
) -> None:
    """Write ``memory`` over the user's own of the same id, which said ``before``.

    Its embedding is written only with a content that changed.
    """
    content = storable_text(memory.content)
    hashed = content_hash(content)
    values = [content, hashed, memory.kind, memory.importance, memory.event_at]
    if content == before:
        await connection.execute(SQL["edit_vector_beside_embedding"], user_id, memory.id, *values)
    else:
        await unindex_memory(connection, user_id, memory.id)
        embedding = as_reals(memory.embedding)
        model = None if embedding is None else memory.embedding_model
        await connection.execute(SQL["edit_vector"], user_id, memory.id, *values, embedding, model)
        await index_memory(connection, user_id, memory.id, content)
        await connection.execute(SQL["note_change"], user_id, memory.provenance.message_ids, at)
        await connection.execute(SQL["delete_injections"], user_id, [memory.id])
    await connection.execute(SQL["edit_link"], user_id, memory.id, hashed)
    changing = _Changing(connection, user_id, actor, at)
    await changing.audit(Action.EDIT, Reason.EDITED, memory.id, before=before, after=content)


def as_reals(vector: Vector | None) -> list[float] | None:
    """Return ``vector`` as asyncpg sends ``real[]``; Postgres makes ``halfvec`` of it."""
    if vector is None:
        return None
    reals: list[float] = vector.tolist()
    return reals


def _optional_text(text: str | None) -> str | None:
    return None if text is None else storable_text(text)
