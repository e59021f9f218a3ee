"""Applies changes to one user's memories, inside a transaction under the user's lock; retires those whose day has come, or beyond the caps.

The caller decides on the changes, and opens and ends the transaction.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, assert_never
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.audit_rows import (
    addition_details,
    deciding_details,
    limit_details,
    mark_details,
    messages_of,
    reinforced,
    reinforcement_details,
    removal_details,
    resting_on,
)
from recollect.errors import NotUndoableError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Caps,
    Change,
    Erase,
    Hide,
    Ignore,
    Kind,
    Lifetimes,
    Limit,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
)
from recollect.store.memories.chat_and_memory_erasure import erase_told
from recollect.store.memories.quarantine import held_back, hold_back
from recollect.store.memories.transaction import Transaction, hide_messages
from recollect.store.memories.undo import reopen_todos, undo
from recollect.store.pool import Connection
from recollect.store.row_mapping import details_of, update_of
from recollect.store.sql import SQL

_FORGETTING = frozenset({Reason.DELETED, Reason.FORGOTTEN, Reason.EXPIRED})
"""A memory retired for one of these reasons loses its words in the log as well."""

_UNWANTED = _FORGETTING | {Reason.CORRECTED}
"""The reasons for which a memory goes together with the ones it replaced."""


async def apply_changes(
    connection: Connection,
    user_id: str,
    changes: Sequence[Change],
    *,
    actor: Actor,
    at: datetime,
    session_id: str | None = None,
    exchange_id: UUID | None = None,
    by: str = "",
) -> list[Change]:
    """Apply the changes in order, in a transaction under the user's lock, and return them as made: as ``Memories.apply`` says."""
    transaction = Transaction(connection, user_id, actor, at, session_id, exchange_id, by=by)
    return [await apply_change(transaction, change) for change in changes]


async def apply_change(transaction: Transaction, change: Change) -> Change:  # noqa: C901, PLR0911 -- one for each change
    """Apply one change, and return it as made."""
    match change:
        case Add():
            return await _add(transaction, change)
        case Replace():
            return await _replace(transaction, change)
        case Reinforce():
            return await _reinforce(transaction, change)
        case Retire():
            return await _retire(transaction, change)
        case Mark():
            return await _mark(transaction, change)
        case Limit():
            return await _limit(transaction, change)
        case Quarantine():
            return await hold_back(transaction, change)
        case Hide():
            await hide_messages(transaction, change.reason, change.messages)
            return change
        case Erase():
            return await _erase(transaction, change)
        case Ignore():
            if change.target is not None and change.messages:
                await transaction.rest_on(change.target, change.messages)
            return change
        case _:
            assert_never(change)


async def _add(transaction: Transaction, change: Add) -> Change:
    memory = change.memory
    equal = await transaction.with_content(memory.content)
    if equal is not None:
        await transaction.rest_on(equal, memory.provenance.message_ids)
        return Ignore(Reason.EQUAL_CONTENT, target=equal, decided_by=change.decided_by)
    held = await held_back(transaction, memory)
    if held is not None:
        return held
    await transaction.insert(memory)
    details = {**addition_details(memory), **deciding_details(change)}
    await transaction.audit(Action.ADD, change.reason, memory.id, after=memory.content, details=details)
    return change


async def _replace(transaction: Transaction, change: Replace) -> Change:
    old = await transaction.linked(change.old)
    if old is None:
        return await _add(transaction, Add(change.memory, change.reason, change.decided_by))
    equal = await transaction.with_content(change.memory.content)
    if equal is not None and equal != old.id:
        return await _replace_by_known(transaction, change, old, equal)
    held = await held_back(transaction, change.memory)
    if held is not None:
        return held
    await transaction.unlink(old, change.past)
    await transaction.note_change(old)
    # It rests on the messages of the replaced one, too: forgetting one forgets both.
    new = resting_on(change.memory, _private_messages(transaction, old)).with_labels_of(old)
    new = replace(new, expires_at=new.expires_at or old.expires_at)
    await transaction.insert(new)
    update = await transaction.audit(
        Action.REPLACE,
        change.reason,
        new.id,
        replaced_id=old.id,
        before=old.content,
        after=new.content,
        details={**removal_details(old), **addition_details(new), **deciding_details(change)},
    )
    await _lift_limits(transaction, old, new)
    if change.reason is Reason.CORRECTED:
        await reopen_todos(transaction, old, new.content, update.id)
    return change


async def _replace_by_known(transaction: Transaction, change: Replace, old: Memory, equal: UUID) -> Change:
    """Retire the old memory: another one has the new content already."""
    await _inherit(transaction, change, old, equal, change.memory.provenance.message_ids)
    return Retire(old.id, change.reason, decided_by=change.decided_by, past=change.past)


async def _inherit(
    transaction: Transaction, change: Replace | Retire, old: Memory, heir_id: UUID, said: Sequence[UUID] = ()
) -> None:
    """Retire a memory; its heir then rests on the same messages and on those in ``said``: to forget it is to forget both."""
    heir = await transaction.linked(heir_id)
    inherited = (*said, *_private_messages(transaction, old))
    known = () if heir is None else heir.provenance.message_ids
    await transaction.rest_on(heir_id, inherited)
    await transaction.note_change(old)
    further = [str(each) for each in dict.fromkeys(inherited) if each not in known]
    details = {"heir": str(heir_id), "messages": further, **deciding_details(change)}
    if heir is not None and (old.tags or old.metadata):
        labelled = heir.with_labels_of(old)
        given = labelled.metadata.keys() - heir.metadata.keys()
        details |= {"tags": sorted({*labelled.tags} - {*heir.tags}), "metadata": sorted(given)}
        await transaction.overwrite(resting_on(labelled, inherited))
    past = None if change.past is None else replace(change.past, heir=heir_id)
    update_id = uuid7()
    if change.reason is Reason.CORRECTED and heir is not None:
        await reopen_todos(transaction, old, heir.content, update_id)
    await transaction.retire(old, change.reason, past=past, details=details, update_id=update_id)
    await _lift_limits(transaction, old, heir)


def _private_messages(transaction: Transaction, memory: Memory) -> tuple[UUID, ...]:
    """Return the messages a memory of the user's own rests on."""
    return memory.provenance.message_ids if memory.owner == transaction.user_id else ()


async def _reinforce(transaction: Transaction, change: Reinforce) -> Change:
    memory = await transaction.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    after = reinforced(memory, change.messages)
    return await _noted(
        transaction, change, Action.REINFORCE, memory, after, reinforcement_details(memory, after)
    )


async def _noted(
    transaction: Transaction,
    change: Reinforce | Mark | Limit,
    action: Action,
    memory: Memory,
    after: Memory,
    details: Mapping[str, Any],
) -> Change:
    """Write a memory whose words stay as they are, note the change, and return it."""
    await transaction.overwrite(after)
    await transaction.audit(
        action,
        change.reason,
        memory.id,
        before=memory.content,
        after=memory.content,
        details={**details, **deciding_details(change)},
    )
    return change


async def _mark(transaction: Transaction, change: Mark) -> Change:
    memory = await transaction.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    if memory.doubt == change.doubt:
        return Ignore(change.reason, target=change.target)
    after = replace(memory, doubt=change.doubt)
    details = mark_details(memory, after, change.cause)
    return await _noted(transaction, change, Action.MARK, memory, after, details)


async def _limit(transaction: Transaction, change: Limit) -> Change:
    """Note until when a memory holds; not if its heir, which holds from then on, was not kept, nor for a shared memory."""
    memory = await transaction.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    heir = await transaction.with_content(change.heir.content)
    if heir in {None, memory.id} or memory.owner != transaction.user_id or memory.holds_until == change.until:
        return Ignore(change.reason, target=memory.id, decided_by=change.decided_by)
    after = replace(memory, holds_until=change.until)
    return await _noted(transaction, change, Action.MARK, memory, after, limit_details(memory, after, heir))


async def _lift_limits(transaction: Transaction, gone: Memory, heir: Memory | None = None) -> None:
    """Take back the end that a memory gave to others, if that memory goes before its own day has come.

    An heir that is to come as well, such as a move put off or told more exactly, gives them its own day instead.
    """
    if gone.holds_from is None or gone.holds_from <= transaction.at:
        return
    comes = None if heir is None else heir.holds_from
    for row in await transaction.connection.fetch(SQL["limits_caused_by"], transaction.user_id, str(gone.id)):
        limit = update_of(row)
        with suppress(NotUndoableError):  # it is gone itself, or was given another end since
            await undo(transaction, limit, Reason.DELETED)
            if heir is not None and comes is not None and comes > transaction.at:
                await _limit(transaction, Limit(limit.memory_id, comes, limit.reason, heir))


async def _retire(transaction: Transaction, change: Retire) -> Change:
    memory = await transaction.linked(change.target)
    if memory is None and change.reason in _UNWANTED:
        memory = await transaction.past(change.target)
    if memory is None:
        return await _drop_waiting(transaction, change)
    if change.heir is not None:
        return await _retire_for(transaction, change, memory, change.heir)
    if change.reason is Reason.CORRECTED:
        await transaction.note_change(memory)
    if change.reason in _UNWANTED:
        await transaction.forget_past([memory.id])
    gone_already = {} if memory.past is None else {"was_past": True}
    lifetime = {} if change.days is None else {"days": change.days}
    details = {**deciding_details(change), **gone_already, **lifetime}
    await transaction.retire(memory, change.reason, past=change.past, details=details)
    await _lift_limits(transaction, memory)
    if memory.kind is Kind.SUMMARY and change.reason is Reason.DELETED:
        await transaction.forget_injections([memory.id])  # deleting a summary does not forget the chat
    elif change.reason is Reason.MOVED:
        await transaction.forget_injections([memory.id])  # it belongs to these chats no longer
    elif change.reason in _FORGETTING:
        messages = memory.provenance.message_ids
        if memory.owner == COMMONS:  # the user may have shared it, and its words are still theirs
            rows = await transaction.connection.fetch(
                SQL["shared_provenance"], transaction.user_id, memory.id
            )
            messages = tuple(each for row in rows for each in messages_of(details_of(row)))
        await hide_messages(transaction, change.reason, messages, items=[memory.id])
    return change


async def _drop_waiting(transaction: Transaction, change: Retire) -> Change:
    """Forget a memory that waits for approval, with the words it was said in."""
    said = None
    if change.reason is Reason.FORGOTTEN:
        said = await transaction.drop_waiting(change.target)
    if said is None:
        return Ignore(Reason.DELETED, target=change.target)
    await hide_messages(transaction, change.reason, said)
    await transaction.audit(Action.REFUSE, change.reason, change.target, details=deciding_details(change))
    return change


async def _erase(transaction: Transaction, change: Erase) -> Change:
    """Delete memories for good; a shared one is only unlinked from the user, since others see it."""
    own: list[UUID] = []
    for each in change.memories:
        memory = await transaction.linked(each)
        if memory is not None and memory.owner == COMMONS:
            await _retire(transaction, Retire(each, Reason.FORGOTTEN))
            continue
        if memory is not None:
            await _lift_limits(transaction, memory)
        own.append(each)
    return await erase_told(transaction, replace(change, memories=tuple(own)))


async def _retire_for(transaction: Transaction, change: Retire, memory: Memory, heir: Memory) -> Change:
    """Retire a memory in favour of an heir that says otherwise; not if the heir itself was not kept."""
    equal = await transaction.with_content(heir.content)
    if equal is None or equal == memory.id:
        return Ignore(change.reason, target=memory.id, decided_by=change.decided_by)
    await _inherit(transaction, change, memory, equal)
    return Retire(memory.id, change.reason, decided_by=change.decided_by, past=change.past)


_AT_ONCE = 100
"""The most memories retired in one transaction: the person's next answer waits for it."""

# Memories of a week go last: they had no chance to be used.
_NEW_DAYS = 7
# Worth is importance less a loss for disuse. Important memories (0.9, such as health) outlive unimportant ones, and among equals
# the unused go first.
_MOST_LOST = 0.3
_HALF_LOST_DAYS = 90
"""Since it was said or last recalled."""


async def expire(connection: Connection, user_id: str, lifetimes: Lifetimes, *, at: datetime) -> list[Change]:
    """Retire (EXPIRED) memories whose day has come, 100 at most, in the connection's transaction under the user's lock."""
    transaction = Transaction(connection, user_id, Actor.PRUNE, at)
    names, days = [name for name, _ in lifetimes.days], [days for _, days in lifetimes.days]
    rows = await connection.fetch(SQL["expired_memories"], user_id, at, names, days, _AT_ONCE)
    return [
        await apply_change(transaction, Retire(row["id"], Reason.EXPIRED, days=row["days"])) for row in rows
    ]


async def prune(
    connection: Connection, user_id: str, session_ids: Sequence[str], caps: Caps, *, at: datetime
) -> list[Change]:
    """Retire (CAP) memories beyond the caps, of these chats and of the user, the least valuable first and 100 at most; return that in order."""
    capped: list[tuple[str | None, int]] = []
    if caps.session:
        capped += [(session_id, caps.session) for session_id in dict.fromkeys(session_ids)]
    if caps.user:
        capped.append((None, caps.user))
    done: list[Change] = []
    for session_id, cap in capped:
        transaction = Transaction(connection, user_id, Actor.PRUNE, at, session_id)
        lost = (_MOST_LOST, _HALF_LOST_DAYS, _NEW_DAYS)
        over = await connection.fetch(SQL["memories_over_cap"], user_id, session_id, cap, at, *lost)
        least = over[: _AT_ONCE - len(done)]
        done += [await apply_change(transaction, Retire(row["id"], Reason.CAP)) for row in least]
    return done
