"""What the contracts of the memory store do again and again. Never: a test."""

from tests.contracts.stores import ANNA, NOON, Store, memory

from recollect.model import Actor, Add, Change, Memory, Scope


async def apply(store: Store, *changes: Change, scope: Scope = ANNA) -> list[Change]:
    return await store.memories.apply(scope, changes, actor=Actor.FORMATION, at=NOON)


async def kept(store: Store, content: str, scope: Scope = ANNA, **changed: object) -> Memory:
    new = memory(content, scope, **changed)
    assert await apply(store, Add(new), scope=scope) == [Add(new)]
    return new


async def contents(store: Store, user_id: str = "anna") -> list[str]:
    page = await store.memories.page(user_id, limit=100)
    return [each.content for each in page.memories]
