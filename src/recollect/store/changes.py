"""Applies changes to what one user remembers, inside a transaction under the user's lock.

Never: decides a change; opens or ends the transaction.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, assert_never
from uuid import UUID

from recollect.audit import (
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
    Change,
    Erase,
    Hide,
    Ignore,
    Kind,
    Limit,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
)
from recollect.store.changing import Changing
from recollect.store.hiding import hide_messages
from recollect.store.memory_erasure import erase_told
from recollect.store.pool import Connection
from recollect.store.quarantine import held_back, hold_back
from recollect.store.rows import details_of, update_of
from recollect.store.sql import SQL
from recollect.store.undoing import undo

_FORGETTING = frozenset({Reason.DELETED, Reason.FORGOTTEN})
"""Why a memory goes with the words it was said in."""


async def apply_changes(
    connection: Connection,
    user_id: str,
    changes: Sequence[Change],
    *,
    actor: Actor,
    at: datetime,
    session_id: str | None = None,
    exchange_id: UUID | None = None,
) -> list[Change]:
    """Apply ``changes`` in order and return what was really done, as ``Memories.apply`` says.

    Args:
        connection: In a transaction under the user's lock.
        user_id: Whose memories.
        changes: Which.
        actor: Who changes them.
        at: Now.
        session_id: The chat they come from.
        exchange_id: The exchange they come from.
    """
    changing = Changing(connection, user_id, actor, at, session_id, exchange_id)
    return [await apply_change(changing, change) for change in changes]


async def apply_change(changing: Changing, change: Change) -> Change:  # noqa: C901, PLR0911 -- one for each change
    """Apply one change, and return what was really done."""
    match change:
        case Add():
            return await _add(changing, change)
        case Replace():
            return await _replace(changing, change)
        case Reinforce():
            return await _reinforce(changing, change)
        case Retire():
            return await _retire(changing, change)
        case Mark():
            return await _mark(changing, change)
        case Limit():
            return await _limit(changing, change)
        case Quarantine():
            return await hold_back(changing, change)
        case Hide():
            await hide_messages(changing, change.reason, change.messages)
            return change
        case Erase():
            return await _erase(changing, change)
        case Ignore():
            if change.target is not None and change.messages:
                await changing.rest_on(change.target, change.messages)
            return change
        case _:
            assert_never(change)


async def _add(changing: Changing, change: Add) -> Change:
    memory = change.memory
    equal = await changing.with_content(memory.content)
    if equal is not None:
        await changing.rest_on(equal, memory.provenance.message_ids)
        return Ignore(Reason.EQUAL_CONTENT, target=equal, decided_by=change.decided_by)
    held = await held_back(changing, memory)
    if held is not None:
        return held
    await changing.insert(memory)
    details = {**addition_details(memory), **deciding_details(change)}
    await changing.audit(Action.ADD, change.reason, memory.id, after=memory.content, details=details)
    return change


async def _replace(changing: Changing, change: Replace) -> Change:
    old = await changing.linked(change.old)
    if old is None:
        return await _add(changing, Add(change.memory, change.reason, change.decided_by))
    equal = await changing.with_content(change.memory.content)
    if equal is not None and equal != old.id:
        return await _replace_by_known(changing, change, old, equal)
    held = await held_back(changing, change.memory)
    if held is not None:
        return held
    await changing.unlink(old)
    await _lift_limits(changing, old)
    await changing.note_change(old)
    # It rests on what the one it replaces did too: to forget it is to forget both.
    new = resting_on(change.memory, _private_messages(changing, old))
    await changing.insert(new)
    await changing.audit(
        Action.REPLACE,
        change.reason,
        new.id,
        replaced_id=old.id,
        before=old.content,
        after=new.content,
        details={**removal_details(old), **addition_details(new), **deciding_details(change)},
    )
    return change


async def _replace_by_known(changing: Changing, change: Replace, old: Memory, equal: UUID) -> Change:
    """Retire the old memory: another one has the new content already."""
    await _inherit(changing, change, old, equal, change.memory.provenance.message_ids)
    return Retire(old.id, change.reason, decided_by=change.decided_by)


async def _inherit(
    changing: Changing, change: Replace | Retire, old: Memory, heir_id: UUID, said: Sequence[UUID] = ()
) -> None:
    """Retire a memory; its heir then rests on the same messages and on those in ``said``: to forget it is to forget both."""
    heir = await changing.linked(heir_id)
    inherited = (*said, *_private_messages(changing, old))
    known = () if heir is None else heir.provenance.message_ids
    await changing.rest_on(heir_id, inherited)
    await changing.note_change(old)
    further = [str(each) for each in dict.fromkeys(inherited) if each not in known]
    details = {"heir": str(heir_id), "messages": further, **deciding_details(change)}
    await changing.retire(old, change.reason, details=details)
    await _lift_limits(changing, old)


def _private_messages(changing: Changing, memory: Memory) -> tuple[UUID, ...]:
    """Return the messages a memory of the user's own rests on."""
    return memory.provenance.message_ids if memory.owner == changing.user_id else ()


async def _reinforce(changing: Changing, change: Reinforce) -> Change:
    memory = await changing.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    after = reinforced(memory, change.messages)
    return await _noted(
        changing, change, Action.REINFORCE, memory, after, reinforcement_details(memory, after)
    )


async def _noted(
    changing: Changing,
    change: Reinforce | Mark | Limit,
    action: Action,
    memory: Memory,
    after: Memory,
    details: Mapping[str, Any],
) -> Change:
    """Write a memory whose words stay as they are, note the change, and return it."""
    await changing.write(after)
    await changing.audit(
        action,
        change.reason,
        memory.id,
        before=memory.content,
        after=memory.content,
        details={**details, **deciding_details(change)},
    )
    return change


async def _mark(changing: Changing, change: Mark) -> Change:
    memory = await changing.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    if memory.doubt == change.doubt:
        return Ignore(change.reason, target=change.target)
    after = replace(memory, doubt=change.doubt)
    details = mark_details(memory, after, change.cause)
    return await _noted(changing, change, Action.MARK, memory, after, details)


async def _limit(changing: Changing, change: Limit) -> Change:
    """Note until when a memory holds; not if its heir, which holds from then on, was not kept, nor for a shared memory."""
    memory = await changing.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    heir = await changing.with_content(change.heir.content)
    if heir in {None, memory.id} or memory.owner != changing.user_id or memory.holds_until == change.until:
        return Ignore(change.reason, target=memory.id, decided_by=change.decided_by)
    after = replace(memory, holds_until=change.until)
    return await _noted(changing, change, Action.MARK, memory, after, limit_details(memory, after, heir))


async def _lift_limits(changing: Changing, gone: Memory) -> None:
    """Take back the end that a memory gave to others, if that memory goes before its own day has come."""
    if gone.holds_from is None or gone.holds_from <= changing.at:
        return
    for row in await changing.connection.fetch(SQL["limits_caused_by"], changing.user_id, str(gone.id)):
        with suppress(NotUndoableError):  # it is gone itself, or was given another end since
            await undo(changing, update_of(row), Reason.UNDONE)


async def _retire(changing: Changing, change: Retire) -> Change:
    memory = await changing.linked(change.target)
    if memory is None:
        return Ignore(Reason.DELETED, target=change.target)
    if change.heir is not None:
        return await _retire_for(changing, change, memory, change.heir)
    if change.reason is Reason.CORRECTED:
        await changing.note_change(memory)
    await changing.retire(memory, change.reason, details=deciding_details(change))
    await _lift_limits(changing, memory)
    if memory.kind is Kind.SUMMARY and change.reason is Reason.DELETED:
        await changing.forget_injections([memory.id])  # who deletes a summary does not forget the chat
    elif change.reason in _FORGETTING:
        messages = memory.provenance.message_ids
        if memory.owner == COMMONS:  # the user may have shared it, and its words are still theirs
            rows = await changing.connection.fetch(SQL["shared_provenance"], changing.user_id, memory.id)
            messages = tuple(each for row in rows for each in messages_of(details_of(row)))
        await hide_messages(changing, change.reason, messages, items=[memory.id])
    return change


async def _erase(changing: Changing, change: Erase) -> Change:
    """Delete memories for good; what users share is theirs, too: this one sees it no longer, and that is all."""
    own: list[UUID] = []
    for each in change.memories:
        memory = await changing.linked(each)
        if memory is not None and memory.owner == COMMONS:
            await _retire(changing, Retire(each, Reason.FORGOTTEN))
            continue
        if memory is not None:
            await _lift_limits(changing, memory)
        own.append(each)
    return await erase_told(changing, replace(change, memories=tuple(own)))


async def _retire_for(changing: Changing, change: Retire, memory: Memory, heir: Memory) -> Change:
    """Retire a memory in favour of an heir that says otherwise; not if the heir itself was not kept."""
    equal = await changing.with_content(heir.content)
    if equal is None or equal == memory.id:
        return Ignore(change.reason, target=memory.id, decided_by=change.decided_by)
    await _inherit(changing, change, memory, equal)
    return Retire(memory.id, change.reason, decided_by=change.decided_by)
