"""Quarantines memories until their person approves them, and recognizes repeated ones."""

import json
from datetime import UTC, datetime
from uuid import UUID

from asyncpg import Record

from recollect.audit_rows import deciding_details
from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import (
    MOST_QUARANTINED,
    WAITING,
    Action,
    Actor,
    Change,
    Ending,
    Ignore,
    Limit,
    Memory,
    Past,
    Quarantine,
    Quarantined,
    Reason,
    Replace,
    Retire,
    Source,
)
from recollect.store.jobs import enqueue
from recollect.store.memories.transaction import Transaction, hide_messages, optional_text
from recollect.store.pool import Connection
from recollect.store.row_mapping import as_columns, label_columns, memory_of
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash, storable_text


async def hold_back(transaction: Transaction, change: Quarantine) -> Change:
    """Quarantine a memory and hide its messages; return the change as made.

    Raises:
        StoreError: It is another user's, or its id is used.
    """
    memory = change.memory
    if memory.owner != transaction.user_id or memory.source is Source.GLOBAL:
        raise StoreError("A memory that is not the user's own can't be held back.")
    equal = await transaction.with_content(memory.content)
    if equal is not None and change.reason is not Reason.ENDED:  # which is about a memory that is there
        await transaction.rest_on(equal, memory.provenance.message_ids)
        return Ignore(Reason.EQUAL_CONTENT, target=equal)
    known = await held_back(transaction, memory, waits=True)
    if known is not None:
        return known
    if (
        not change.hides
        and transaction.actor is Actor.AGENT  # formation has asked before, by `expect_room`
        and await is_full(transaction.connection, transaction.user_id)
    ):
        return Ignore(Reason.TOO_MANY)
    await _insert(transaction, change)
    if change.hides:
        await hide_messages(transaction, change.reason, memory.provenance.message_ids)
    # Its content is in the quarantine alone: the audit lists memories that were held true.
    await transaction.audit(Action.QUARANTINE, change.reason, memory.id, details=deciding_details(change))
    return change


async def held_back(transaction: Transaction, memory: Memory, *, waits: bool = False) -> Ignore | None:
    """Return why a memory can't be kept: it waits for the person, or they refused it; None if it can.

    Formation, imports and agents are held back. Writing it by hand approves it. If it only waits for approval, asking for it
    approves it, too, unless it ``waits`` again.
    """
    known = await transaction.connection.fetchrow(
        SQL["quarantine_with_content"], transaction.user_id, content_hash(memory.content)
    )
    if known is None:
        return None
    by_hand = transaction.actor not in {Actor.FORMATION, Actor.IMPORT, Actor.AGENT}
    if by_hand or (not waits and not known["refused"] and known["reason"] in WAITING):
        await transaction.connection.execute(SQL["release_quarantined"], transaction.user_id, known["id"])
        return None
    messages = memory.provenance.message_ids
    if known["refused"]:
        await hide_messages(transaction, Reason.REFUSED, messages)
        return Ignore(Reason.REFUSED)
    if known["reason"] not in WAITING:
        await hide_messages(transaction, Reason(known["reason"]), messages)
    further = list(dict.fromkeys(messages))
    await transaction.connection.execute(SQL["quarantined_again"], transaction.user_id, known["id"], further)
    return Ignore(Reason.EQUAL_CONTENT)


async def _insert(transaction: Transaction, change: Quarantine) -> None:
    memory = change.memory
    await transaction.connection.execute(
        SQL["insert_quarantined"],
        transaction.user_id,
        memory.id,
        transaction.at,
        change.reason,
        memory.kind,
        memory.source,
        storable_text(memory.content),
        content_hash(memory.content),
        memory.importance,
        memory.confidence,
        memory.observed_at,
        memory.event_at,
        memory.holds_from,
        memory.holds_until,
        optional_text(memory.provenance.session_id),
        memory.provenance.message_ids,
        optional_text(memory.provenance.evidence),
        optional_text(memory.provenance.extractor),
        memory.created_at,
        *as_columns(memory.hints),
        *label_columns(memory),
        json.dumps([_written(each) for each in change.then]),
        memory.expires_at,
    )


async def is_full(connection: Connection, user_id: str) -> bool:
    """Return whether too many memories wait to add another. All memories of one exchange are added together, or none is."""
    waiting: int = await connection.fetchval(SQL["count_quarantined"], user_id)
    return waiting >= MOST_QUARANTINED


async def wake_approvals(connection: Connection, user_id: str) -> None:
    """Have the user's exchanges formed that wait as the list was full."""
    if await connection.fetch(SQL["wake_approvals"], user_id):
        await enqueue(connection, [user_id])


def _written(change: Replace | Retire | Limit) -> dict[str, str | None]:
    past = None if isinstance(change, Limit) else change.past
    until = change.until if isinstance(change, Limit) else past and past.until
    return {
        "change": type(change).__name__.lower(),
        "memory": str(change.old if isinstance(change, Replace) else change.target),
        "reason": change.reason,
        "until": until.astimezone(UTC).isoformat().replace("+00:00", "Z") if until else None,
        "ending": past.ending if past else None,
    }


def _read(written: dict[str, str | None], memory: Memory, reason: Reason) -> Replace | Retire | Limit:
    """Return a change that goes with the approval of a waiting memory."""
    target, why = UUID(written["memory"]), Reason(written["reason"] or "")
    until = datetime.fromisoformat(written["until"]) if written["until"] else None
    heir = None if reason is Reason.ENDED else memory
    if written["change"] == "limit" and until is not None:
        return Limit(target, until, why, memory)
    past = (
        Past(until, Ending(written["ending"]), heir.id if heir else None)
        if until and written["ending"]
        else None
    )
    if written["change"] == "replace":
        return Replace(target, memory, Reason.APPROVED, past=past)
    return Retire(target, why, heir, past=past)


def quarantined_of(row: Record) -> Quarantined:
    """Return the quarantined memory."""
    memory, reason = memory_of(row), Reason(row["reason"])
    then = tuple(_read(each, memory, reason) for each in json.loads(row["further"]))
    return Quarantined(memory, reason, row["at"], then)


async def read_held(connection: Connection, user_id: str, memory_id: UUID) -> Quarantined:
    """Return one of the user's quarantined memories.

    Raises:
        MemoryNotFoundError: Nothing with this id is held back.
    """
    row = await connection.fetchrow(SQL["quarantined"], user_id, memory_id, 1, None, None, None)
    if row is None:
        raise MemoryNotFoundError
    return quarantined_of(row)
