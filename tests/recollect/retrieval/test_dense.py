from tests.recollections import memory, turn

from recollect.model import Actor, Add, Scope
from recollect.retrieval import rank
from recollect.testing import InMemoryStore, WordEmbedder


async def kept(store: InMemoryStore, embedder: WordEmbedder, user_id: str, *contents: str) -> None:
    vectors = await embedder.embed(contents)
    changes = [
        Add(memory(content, owner=user_id, embedding=vector, embedding_model=embedder.name))
        for content, vector in zip(contents, vectors, strict=True)
    ]
    await store.apply(Scope(user_id, ""), changes, actor=Actor.USER, at=turn().at)


async def test_the_nearest_memories_come_first_and_no_more_than_asked_for() -> None:
    store, embedder = InMemoryStore(), WordEmbedder()
    await kept(store, embedder, "anna", "I drink green tea", "I drink tea", "My bicycle is red")

    ranked = await rank(turn("I drink tea"), embedder=embedder, store=store, limit=2)

    assert [each.memory.content for each in ranked] == ["I drink tea", "I drink green tea"]
    assert ranked[0].score > ranked[1].score


async def test_only_the_users_own_memories_are_ranked() -> None:
    store, embedder = InMemoryStore(), WordEmbedder()
    await kept(store, embedder, "bob", "I drink tea")

    assert await rank(turn("I drink tea"), embedder=embedder, store=store, limit=2) == []


async def test_of_a_long_text_the_beginning_is_embedded() -> None:
    embedder = WordEmbedder()

    await rank(turn("tea " * 100_000), embedder=embedder, store=InMemoryStore(), limit=2)

    assert [len(text) for text in embedder.embedded] == [2000]
