"""A transaction under a user's lock: it links and overwrites memories, writes the audit, and hides messages of the log.

A deleted memory must not come back from the words that taught it.

The caller decides on the change, and opens and ends the transaction.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.audit_rows import removal_details
from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import COMMONS, Action, Actor, Kind, Memory, Past, Reason, Source, Update, team_of
from recollect.store.log_index import delete_chunks
from recollect.store.pool import Connection, column
from recollect.store.row_mapping import (
    TERMS_BY,
    as_columns,
    as_json,
    embedding_columns,
    label_columns,
    memory_of,
    terms_of_memory,
)
from recollect.store.sql import SQL
from recollect.store.users.settings_and_profiles import forget_in_profile
from recollect.text.lexical import document_terms
from recollect.text.normalization import content_hash, storable_text


@dataclass(frozen=True, slots=True)
class Transaction:
    """The user whose memories change, the actor and the time; and the chat and exchange, or the run of repairs, if any.

    In a team it names by whom another member's part is changed.
    """

    connection: Connection
    user_id: str
    actor: Actor
    at: datetime
    session_id: str | None = None
    exchange_id: UUID | None = None
    run: UUID | None = None
    by: str = ""

    async def audit(
        self,
        action: Action,
        reason: Reason,
        memory_id: UUID,
        *,
        replaced_id: UUID | None = None,
        before: str | None = None,
        after: str | None = None,
        undoes: UUID | None = None,
        details: Mapping[str, Any] | None = None,
        update_id: UUID | None = None,
    ) -> Update:
        """Write one row of the audit, and return it."""
        update = Update(
            id=update_id or uuid7(),
            at=self.at,
            action=action,
            actor=self.actor,
            reason=reason,
            memory_id=memory_id,
            replaced_id=replaced_id,
            before=before,
            after=optional_text(after),
            session_id=optional_text(self.session_id),
            exchange_id=self.exchange_id,
            undoes=undoes,
            details={
                **(details or {}),
                **({} if self.run is None else {"run": str(self.run)}),
                **({"by": self.by} if self.by else {}),
            },
        )
        # In the order of the fields, which is that of the statement's parameters.
        written = {name: getattr(update, name) for name in Update.__slots__}
        written["details"] = json.dumps(update.details)
        await self.connection.execute(SQL["insert_update"], self.user_id, *written.values())
        return update

    async def with_content(self, content: str) -> UUID | None:
        """Return the user's memory with this content, if any."""
        found: UUID | None = await self.connection.fetchval(
            SQL["memory_with_content"], self.user_id, content_hash(content)
        )
        return found

    async def linked(self, memory_id: UUID) -> Memory | None:
        """Return the memory, if the user sees it."""
        row = await self.connection.fetchrow(SQL["one_memory"], self.user_id, memory_id)
        return None if row is None else memory_of(row)

    async def seen(self, memory_id: UUID) -> Memory:
        """Return a memory that the user sees.

        Raises:
            MemoryNotFoundError: There is none.
        """
        memory = await self.linked(memory_id)
        if memory is None:
            raise MemoryNotFoundError
        return memory

    async def past(self, memory_id: UUID) -> Memory | None:
        """Return the memory if it is the user's own past."""
        memory = await self.unlinked(memory_id)
        return None if memory is None or memory.past is None else memory

    async def unlinked(self, memory_id: UUID) -> Memory | None:
        """Return the memory if the user saw it once and does not now."""
        row = await self.connection.fetchrow(SQL["unlinked_memory"], self.user_id, memory_id)
        return None if row is None else memory_of(row)

    async def insert(self, memory: Memory) -> None:
        """Keep a new memory, or a shared one, and link the user to it.

        Raises:
            StoreError: It is another user's or everybody's, or its id is used.
        """
        if memory.owner not in {self.user_id, COMMONS}:
            raise StoreError("A memory of another user can't be given to this one.")
        if memory.source is Source.GLOBAL:
            raise StoreError("What serves everybody can't be given to one.")
        if memory.owner == COMMONS:  # no one erases it meanwhile as a memory without users
            await self.connection.execute(SQL["lock_user"], COMMONS)
        inserted = await insert_vector(self.connection, memory)
        if not inserted and memory.owner != COMMONS:
            raise StoreError("There is a memory with this id already.")
        await self.link(memory)

    async def link(self, memory: Memory) -> None:
        """Link the user to a kept memory."""
        await self.connection.execute(
            SQL["link_memory"],
            self.user_id,
            memory.id,
            memory.owner,
            content_hash(memory.content),
            self.at,
            memory.last_recalled_at,
            memory.recall_count,
            memory.reinforcement_count,
            memory.doubt,
            memory.expires_at,
        )

    async def relink(self, memory: Memory) -> None:
        """Let the user see a memory again."""
        await self.link(memory)
        await self._end_validity(memory, None, None)

    async def unlink(self, memory: Memory, past: Past | None = None) -> None:
        """Unlink a memory from the user; it stays for the audit, and as ``past`` if it was true until then."""
        await self.connection.execute(SQL["unlink_memory"], self.user_id, memory.id)
        await self._end_validity(memory, self.at, past)

    async def unlink_all(self, memories: Sequence[UUID]) -> None:
        """Unlink memories from the user, in one statement."""
        await self.connection.execute(SQL["unlink_memories"], self.user_id, memories)

    async def _end_validity(self, memory: Memory, at: datetime | None, past: Past | None) -> None:
        if memory.owner == self.user_id:  # a memory that others see too stays believed
            ended = (None, None, None) if past is None else (past.until, past.ending, past.heir)
            await self.connection.execute(SQL["end_validity"], self.user_id, memory.id, at, *ended)

    async def forget_past(self, memories: Sequence[UUID]) -> None:
        """Let nothing be past that is one of these memories, or that they took the place of: it is not wanted."""
        await self.forget_injections(
            await column(self.connection, SQL["forget_past"], self.user_id, memories)
        )

    async def retire(
        self,
        memory: Memory,
        reason: Reason,
        *,
        past: Past | None = None,
        undoes: UUID | None = None,
        details: Mapping[str, Any] | None = None,
        update_id: UUID | None = None,
    ) -> Update:
        """Unlink a memory, and write that down; it stays as ``past`` if it was true until then."""
        await self.unlink(memory, past)
        return await self.audit(
            Action.RETIRE,
            reason,
            memory.id,
            before=memory.content,
            undoes=undoes,
            details={**removal_details(memory), **(details or {})},
            update_id=update_id,
        )

    async def overwrite(self, after: Memory) -> None:
        """Write over a memory that the user sees; of a shared one, only the user's own part.

        Embeddings are kept as long as their text: the content, or content and hints.
        """
        hashed, content = content_hash(after.content), storable_text(after.content)
        if after.owner == self.user_id:
            await self.connection.execute(
                SQL["write_vector"],
                self.user_id,
                after.id,
                content,
                hashed,
                after.kind,
                after.source,
                after.importance,
                after.event_at,
                after.provenance.message_ids,
                *embedding_columns(after),
                after.holds_until,
                *as_columns(after.hints),
                *terms_of_memory(content),
                TERMS_BY,
                after.holds_from,
                *label_columns(after),
            )
        await self.connection.execute(
            SQL["write_link"],
            self.user_id,
            after.id,
            hashed,
            after.reinforcement_count,
            after.doubt,
            after.expires_at,
        )

    async def drop_waiting(self, memory_id: UUID) -> Sequence[UUID] | None:
        """Let a memory no longer wait for approval; return in which messages it was said, None if it does not wait."""
        found: Sequence[UUID] | None = await self.connection.fetchval(
            SQL["drop_waiting"], self.user_id, memory_id
        )
        return found

    async def rest_on(self, memory_id: UUID, messages: Sequence[UUID]) -> None:
        """Note in which further messages a memory of the user's own was said."""
        await self.connection.execute(
            SQL["add_provenance"], self.user_id, memory_id, list(dict.fromkeys(messages))
        )

    async def only_taken_over(self, memory_id: UUID, messages: Sequence[UUID]) -> set[UUID]:
        """Return which of these messages, that a memory took over from another, did not say the memory again themselves."""
        asked = (self.user_id, memory_id, messages)
        return {*messages} - {*await column(self.connection, SQL["confirming_messages"], *asked)}

    async def note_change(self, memory: Memory) -> None:
        """Note that a memory, learned from messages of the log, is no longer true.

        Not of a summary: another one in its place says nothing against the words it was made of.
        """
        if memory.kind is not Kind.SUMMARY:
            messages = memory.provenance.message_ids
            await self.connection.execute(SQL["note_change"], self.user_id, messages, self.at)

    async def forget_injections(self, items: Sequence[UUID]) -> None:
        """Delete the blocks of prompts that mention one of these memories or messages."""
        await self.connection.execute(SQL["delete_injections"], self.user_id, items)
        if team_of(self.user_id):
            await self.connection.execute(SQL["end_blocks_around"], self.user_id, items)


async def insert_vector(connection: Connection, memory: Memory) -> bool:
    """Insert a memory without a link to a user; False if its owner has one with this id."""
    content = storable_text(memory.content)
    inserted = await connection.fetchval(
        SQL["insert_vector"],
        memory.owner,
        memory.id,
        memory.kind,
        memory.source,
        content,
        content_hash(memory.content),
        *embedding_columns(memory),
        memory.importance,
        memory.confidence,
        memory.observed_at,
        memory.event_at,
        optional_text(memory.provenance.session_id),
        memory.provenance.message_ids,
        optional_text(memory.provenance.evidence),
        memory.created_at,
        memory.holds_from,
        memory.holds_until,
        optional_text(memory.provenance.extractor),
        as_json(memory.outline),
        *as_columns(memory.hints),
        *terms_of_memory(content),
        TERMS_BY,
        *label_columns(memory),
    )
    return inserted is not None


def optional_text(text: str | None) -> str | None:
    """Return ``text`` as it can be stored."""
    return None if text is None else storable_text(text)


class Hidden(NamedTuple):
    """The hidden messages, and the summaries that were retired with them."""

    messages: list[UUID]
    summaries: list[UUID]


async def hide_messages(
    transaction: Transaction, reason: Reason, messages: Sequence[UUID], *, items: Sequence[UUID] = ()
) -> Hidden:
    """Hide these messages of the log and all texts that repeat them from recall and formation.

    With them go their answers, answers that used them or the memories ``items`` and share a word with those, blocks in prompts that name them,
    and entries of the profile that ``items`` proposed. Summaries that rest on them are retired for ``reason``.
    """
    connection, user_id = transaction.connection, transaction.user_id
    hidden = await column(connection, SQL["hide_messages"], user_id, messages)
    await connection.execute(SQL["form_no_more"], user_id, hidden, transaction.at)
    summaries = await column(connection, SQL["summaries_resting_on"], user_id, hidden)
    said = [*items, *summaries, *hidden]
    given = await connection.fetch(SQL["answers_given"], user_id, said)
    answers = await with_a_word_of(transaction, given, said)
    if reason is Reason.ERASED:  # the chat's model knows the erased text, also without a prompt of ours
        behind = await connection.fetch(SQL["answers_behind"], user_id, hidden)
        answers += await with_a_word_of(transaction, behind, items)
    await connection.execute(SQL["hide_answers"], user_id, answers)
    summaries += await column(connection, SQL["summaries_resting_on"], user_id, answers)
    hidden += answers
    await delete_chunks(connection, user_id, hidden)
    await transaction.forget_injections([*items, *summaries, *hidden])
    await forget_in_profile(connection, user_id, items)
    summaries = sorted({*summaries})
    await _retire_summaries(transaction, reason, summaries)
    return Hidden(hidden, summaries)


async def with_a_word_of(
    transaction: Transaction, answers: Sequence[Record], items: Sequence[UUID]
) -> list[UUID]:
    """Return which of these answers have a word of these memories and messages."""
    if not answers:
        return []
    rows = await transaction.connection.fetch(SQL["told_by_items"], transaction.user_id, items)
    terms = set(document_terms("\n".join(row["content"] for row in rows)))
    return [row["id"] for row in answers if not terms.isdisjoint(document_terms(row["content"]))]


async def _retire_summaries(transaction: Transaction, reason: Reason, summaries: Iterable[UUID]) -> None:
    for summary_id in summaries:
        summary = await transaction.seen(summary_id)
        await transaction.retire(summary, reason, details={"says_what_is_hidden": True})
        await transaction.connection.execute(
            SQL["summarize_anew"], transaction.user_id, summary.provenance.session_id
        )
