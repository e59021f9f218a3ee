"""Steps that tests of the store share: keep, form, read. Never: a test."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tests.support.stores import NOON, Store

from recollect.model import (
    Actor,
    Add,
    Change,
    Embedded,
    Exchange,
    Formed,
    Memory,
    Pending,
    Provenance,
    Revision,
    Scope,
    Update,
)


async def apply(
    store: Store,
    *changes: Change,
    scope: Scope | None = None,
    actor: Actor = Actor.FORMATION,
    at: datetime = NOON,
) -> list[Change]:
    return await store.memories.apply(scope or store.anna.scope, changes, actor=actor, at=at)


async def edit(store: Store, memory_id: UUID, *, at: datetime = NOON, **changed: Any) -> Memory:
    """Edit a memory of Anna's by hand."""
    return await store.memories.edit(store.anna, revised(memory_id, **changed), actor=Actor.USER, at=at)


def revised(memory_id: UUID, **changed: Any) -> Embedded:
    """Return a revision with embeddings and hints."""
    made = {name: changed.pop(name) for name in [*changed] if "embedding" in name or name == "hints"}
    return Embedded(Revision(memory_id, **changed), **made)


async def kept(store: Store, content: str, scope: Scope | None = None, **changed: object) -> Memory:
    scope = scope or store.anna.scope
    new = store.memory(content, scope, **changed)
    assert await apply(store, Add(new), scope=scope) == [Add(new)]
    return new


async def contents(store: Store, user_id: str | None = None) -> list[str]:
    page = await store.memories.page(user_id or store.anna, limit=100)
    return [each.content for each in page.memories]


def resting_on(said: Exchange) -> dict[str, Any]:
    """Return what says of a memory that it was said in an exchange."""
    return {"provenance": Provenance(said.turn.scope.session_id, (said.message_id,), said.turn.text)}


async def formed(store: Store, said: Exchange, *changes: Change) -> list[Change]:
    """Form an exchange by these changes; return what was really done."""
    done = await store.inbox.complete([Formed(said, changes)], at=NOON)
    assert done is not None
    return done[0]


async def next_pending(store: Store, user_id: str | None = None) -> Pending | None:
    """Return what is to be formed next."""
    pending = await store.inbox.pending(user_id or store.anna, limit=1)
    return pending[0] if pending else None


async def history(store: Store, user_id: str | None = None) -> list[Update]:
    """Return the user's audit, oldest first."""
    return (await store.memories.history(user_id or store.anna, limit=10_000))[::-1]


async def last_update(store: Store, user_id: str | None = None) -> Update:
    """Return what was changed last."""
    [update] = await store.memories.history(user_id or store.anna, limit=1)
    return update
