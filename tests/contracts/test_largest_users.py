import pytest
from tests.contracts.indexing import index_all, said
from tests.stores import NOON, Store

from recollect.model import Actor, Add, Scope


@pytest.fixture
def store(own_store: Store) -> Store:
    """A store of the test's own: all users are looked at."""
    return own_store


async def test_who_has_most_documents_comes_first(store: Store) -> None:
    await said(store, "Tea?", reply="Gladly.")
    await index_all(store)
    await store.memories.apply(
        store.ben.scope, [Add(store.memory("Ben rows.", store.ben.scope))], actor=Actor.USER, at=NOON
    )
    await said(store, "Rain?", Scope("carla", "chat-1"), reply="No.")

    assert await store.index.largest_users(9) == [store.anna, store.ben], (
        "of whom nothing is indexed is not there"
    )
    assert await store.index.largest_users(1) == [store.anna]


async def test_in_an_empty_store_nobody_is_large(store: Store) -> None:
    assert await store.index.largest_users(9) == []
