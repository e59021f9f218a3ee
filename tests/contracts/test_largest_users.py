from tests.contracts.indexing import index_all, said
from tests.contracts.stores import BEN, NOON, Store, memory

from recollect.model import Actor, Add, Scope

CARLA = Scope("carla", "chat-1")


async def test_who_has_most_documents_comes_first(store: Store) -> None:
    await said(store, "Tea?", reply="Gladly.")
    await index_all(store)
    await store.memories.apply(BEN, [Add(memory("Ben rows.", BEN))], actor=Actor.USER, at=NOON)
    await store.index.index_memories("ben", limit=9)
    await said(store, "Rain?", CARLA, reply="No.")

    assert await store.index.largest_users(9) == ["anna", "ben"], "of whom nothing is indexed is not there"
    assert await store.index.largest_users(1) == ["anna"]


async def test_in_an_empty_store_nobody_is_large(store: Store) -> None:
    assert await store.index.largest_users(9) == []
