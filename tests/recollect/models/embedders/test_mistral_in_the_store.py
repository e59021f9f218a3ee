"""Vectors of 1,024 dimensions from Mistral's endpoint, kept and found again in a real Postgres."""

from collections.abc import AsyncIterator

import pytest
from tests.mistral_server import MistralStandIn, embeds, raw, running_mistral
from tests.recollect.models.embedders.regenerate_mistral import read, topics
from tests.stores import NOON, Store

from recollect.errors import EmbedderError
from recollect.model import Actor, Add, Neighbor, Scope
from recollect.models.embedders.mistral import MistralEmbedder

TOPICS = topics()


@pytest.fixture
async def server() -> AsyncIterator[MistralStandIn]:
    async with running_mistral(key="a-key", replies=[embeds(read().by_text)]) as running:
        yield running


@pytest.fixture
async def embedder(server: MistralStandIn) -> AsyncIterator[MistralEmbedder]:
    opened = MistralEmbedder(api_key="a-key", base_url=server.base_url)
    yield opened
    await opened.aclose()


@pytest.fixture
async def filled(store: Store, embedder: MistralEmbedder) -> Store:
    """A store in which Anna has all statements, and Ben the first."""
    statements = [topic.statement for topic in TOPICS]
    vectors = await embedder.embed(statements)
    for scope, count in ((store.anna.scope, len(statements)), (store.ben.scope, 1)):
        added = [
            Add(store.memory(content, scope, embedding=vector, embedding_model=embedder.name))
            for content, vector in list(zip(statements, vectors, strict=True))[:count]
        ]
        assert await store.memories.apply(scope, added, actor=Actor.FORMATION, at=NOON) == added
    return store


async def nearest(
    store: Store, embedder: MistralEmbedder, text: str, scope: Scope | None = None
) -> list[Neighbor]:
    [vector] = await embedder.embed([text])
    scope = scope or store.anna.scope
    return list(await store.memories.nearest(scope, vector, embedder.name, limit=len(TOPICS)))


async def test_a_question_finds_the_statement_that_answers_it(
    filled: Store, embedder: MistralEmbedder
) -> None:
    found = [await nearest(filled, embedder, topic.question) for topic in TOPICS]

    assert [best.memory.content for best, *_ in found] == [topic.statement for topic in TOPICS]


async def test_a_paraphrase_nominates_its_statement_first_and_hardly_any_of_another_topic(
    filled: Store, embedder: MistralEmbedder
) -> None:
    threshold = read().threshold.cosine
    found = [await nearest(filled, embedder, topic.paraphrase) for topic in TOPICS]

    nominated = [[each.memory.content for each in near if each.score >= threshold] for near in found]

    assert [contents[0] for contents in nominated] == [topic.statement for topic in TOPICS]
    others = sum(len(contents) - 1 for contents in nominated)
    assert others / (len(TOPICS) * (len(TOPICS) - 1)) < 0.05


async def test_scores_are_the_cosines_of_the_vectors(filled: Store, embedder: MistralEmbedder) -> None:
    vectors = dict(zip(read().by_text, read().vectors, strict=True))
    topic = TOPICS[0]

    best, *_ = await nearest(filled, embedder, topic.question)

    expected = float(vectors[topic.question] @ vectors[topic.statement])
    assert best.score == pytest.approx(expected, abs=1e-5)
    assert best.memory.embedding_model == "mistral:mistral-embed"


async def test_nobody_finds_what_is_anothers(filled: Store, embedder: MistralEmbedder) -> None:
    found = await nearest(filled, embedder, TOPICS[1].question, filled.ben.scope)

    assert [each.memory.content for each in found] == [TOPICS[0].statement]


async def test_vectors_of_another_model_are_never_compared(filled: Store, embedder: MistralEmbedder) -> None:
    [vector] = await embedder.embed([TOPICS[0].question])

    assert await filled.memories.nearest(filled.anna.scope, vector, "openai:mistral-embed", limit=3) == []


async def test_a_memory_kept_while_mistral_was_away_gets_its_vector_later(
    server: MistralStandIn, embedder: MistralEmbedder, store: Store
) -> None:
    whole = server.replies
    server.replies = [raw(b"down for a while")]
    with pytest.raises(EmbedderError):
        await embedder.embed([TOPICS[0].statement])
    kept = store.memory(TOPICS[0].statement, embedding=None, embedding_model=None)
    await store.memories.apply(store.anna.scope, [Add(kept)], actor=Actor.FORMATION, at=NOON)
    server.replies = whole

    [waiting] = await store.index.unembedded_memories(store.anna, embedder.name, limit=9)
    [vector] = await embedder.embed([waiting.content])
    await store.index.embed_memory(store.anna, waiting.id, vector, embedder.name)

    [found] = await nearest(store, embedder, TOPICS[0].question)
    assert found.memory.id == kept.id
