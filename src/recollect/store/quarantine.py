"""Holds back what a person has to approve first, and knows it again. Never: decides what is held back."""

from recollect.audit import deciding_details
from recollect.errors import StoreError
from recollect.model import Action, Actor, Change, Ignore, Memory, Quarantine, Reason, Source
from recollect.store.changing import Changing, optional_text
from recollect.store.hiding import hide_messages
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash, storable_text


async def hold_back(changing: Changing, change: Quarantine) -> Change:
    """Hold a memory back, and the words it was said in; return what was really done.

    Raises:
        StoreError: It is another user's, or its id is used.
    """
    memory = change.memory
    if memory.owner != changing.user_id or memory.source is Source.GLOBAL:
        raise StoreError("A memory that is not the user's own can't be held back.")
    equal = await changing.with_content(memory.content)
    if equal is not None:
        await changing.rest_on(equal, memory.provenance.message_ids)
        return Ignore(Reason.EQUAL_CONTENT, target=equal)
    known = await held_back(changing, memory)
    if known is not None:
        return known
    await _insert(changing, change)
    if change.hides:
        await hide_messages(changing, change.reason, memory.provenance.message_ids)
    # What it says stands in the quarantine alone: the audit tells what was believed.
    await changing.audit(Action.QUARANTINE, change.reason, memory.id, details=deciding_details(change))
    return change


async def held_back(changing: Changing, memory: Memory) -> Ignore | None:
    """Return why a memory can't be kept: it waits for the person, or they refused it; None if it can.

    Formation, imports and agents are held back. Who writes it by hand, approves it.
    """
    known = await changing.connection.fetchrow(
        SQL["quarantine_with_content"], changing.user_id, content_hash(memory.content)
    )
    if known is None:
        return None
    if changing.actor not in {Actor.FORMATION, Actor.IMPORT, Actor.AGENT}:
        await changing.connection.execute(SQL["release_quarantined"], changing.user_id, known["id"])
        return None
    messages = memory.provenance.message_ids
    if known["refused"]:
        await hide_messages(changing, Reason.REFUSED, messages)
        return Ignore(Reason.REFUSED)
    await hide_messages(changing, Reason(known["reason"]), messages)
    further = list(dict.fromkeys(messages))
    await changing.connection.execute(SQL["quarantined_again"], changing.user_id, known["id"], further)
    return Ignore(Reason.EQUAL_CONTENT)


async def _insert(changing: Changing, change: Quarantine) -> None:
    memory = change.memory
    await changing.connection.execute(
        SQL["insert_quarantined"],
        changing.user_id,
        memory.id,
        changing.at,
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
    )
