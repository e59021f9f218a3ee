"""What is found for a turn: near by meaning, and holding its words, each within its time."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import turn

from recollect.errors import EmbedderError, StoreError, StoreUnavailableError
from recollect.model import Lexicon, Memory, Passage, Scope, Stage
from recollect.ports import Embedder
from recollect.retrieval import Candidates, Reach, find_candidates, read_query
from recollect.testing import BrokenEmbedder, BrokenStore, InMemoryStore, SlowEmbedder, WordEmbedder

ANNA = Scope("anna", "chat-1")
REACH = PATIENT.reach


@pytest.fixture
async def store() -> InMemoryStore:
    """What Anna wrote down, and what she said; and what Bert did."""
    store = InMemoryStore()
    engine = engine_over(store, PATIENT)
    await engine.add("anna", "I drink Darjeeling")
    await engine.remember(turn("My bicycle is red"), "A fine colour.")
    await engine.add("bert", "I drink Darjeeling with Anna")
    await engine.drain("anna")
    return store


async def find(
    store: InMemoryStore, asked: str, reach: Reach = REACH, embedder: Embedder | None = None
) -> Candidates:
    query = read_query(turn(asked))
    return await find_candidates(ANNA, query, embedder=embedder or WordEmbedder(), store=store, reach=reach)


def contents(found: Candidates) -> set[str]:
    return {hit.item.content for hit in found.hits}


async def test_memories_and_what_was_said_are_found_together(store: InMemoryStore) -> None:
    found = await find(store, "Is my bicycle red?")

    assert contents(found) == {"I drink Darjeeling", "My bicycle is red", "A fine colour."}
    assert {type(hit.item) for hit in found.hits} == {Memory, Passage}
    assert found.has_vector
    assert found.degraded == ()
    assert set(found.stages) == {Stage.EMBEDDING, Stage.LEXICAL, Stage.SEARCH}


async def test_without_the_log_memories_alone_are_found(store: InMemoryStore) -> None:
    found = await find(store, "Is my bicycle red?", replace(REACH, log=False))

    assert {type(hit.item) for hit in found.hits} == {Memory}


async def test_without_words_the_meaning_alone_is_searched_by(store: InMemoryStore) -> None:
    found = await find(store, "Darjeeling", replace(REACH, lexical=False))

    assert found.terms.best(10) == []
    assert "I drink Darjeeling" in contents(found)


async def test_a_mistyped_word_finds_what_it_means(store: InMemoryStore) -> None:
    found = await find(store, "Darjjeeling", embedder=BrokenEmbedder())

    assert contents(found) == {"I drink Darjeeling"}


async def test_of_a_user_who_said_nothing_nothing_is_found() -> None:
    found = await find(InMemoryStore(), "Darjeeling")

    assert found.hits == []
    assert found.terms.best(10) == []


async def test_no_more_than_the_reach_allows_come_from_each_channel(store: InMemoryStore) -> None:
    found = await find(store, "Is my bicycle red?", replace(REACH, limit=1, log=False))

    assert len(found.hits) <= 2


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), SlowEmbedder(WordEmbedder(), seconds=3600)])
async def test_without_an_embedding_the_words_alone_are_searched_by(
    store: InMemoryStore, embedder: Embedder
) -> None:
    found = await find(store, "Darjeeling?", replace(REACH, embedding_seconds=0.01), embedder)

    assert contents(found) == {"I drink Darjeeling"}
    assert (found.has_vector, found.degraded) == (False, (Stage.EMBEDDING,))


async def test_with_neither_embedding_nor_words_it_fails(store: InMemoryStore) -> None:
    with pytest.raises(EmbedderError):
        await find(store, "Darjeeling?", replace(REACH, lexical=False), BrokenEmbedder())


class _WithoutWords(InMemoryStore):
    """A store whose lexical index is broken."""

    async def lexicon(self, user_id: str, terms: Sequence[str]) -> Lexicon:  # noqa: ARG002 -- the port's
        raise StoreUnavailableError


async def test_without_the_words_lookup_the_meaning_alone_is_searched_by() -> None:
    store = _WithoutWords()
    await engine_over(store, PATIENT).add("anna", "I drink Darjeeling")

    found = await find(store, "Darjeeling?")

    assert contents(found) == {"I drink Darjeeling"}
    assert found.degraded == (Stage.LEXICAL,)


async def test_a_store_that_is_away_fails() -> None:
    with pytest.raises(StoreError):
        await find(BrokenStore(), "Darjeeling?")
