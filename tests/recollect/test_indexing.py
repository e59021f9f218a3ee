"""What was said is made findable: by its words at once, by its meaning as soon as there is an embedder."""

from datetime import timedelta

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import turn

from recollect.errors import StoreUnavailableError
from recollect.indexing import Embedded, keep_indexed, soonest
from recollect.model import Hit, Passage, Scope
from recollect.testing import BrokenEmbedder, InMemoryStore, WordEmbedder

ANNA = Scope("anna", "chat-1")
CODE = "Here you are:\n\n```python\ndef brew(tea: str) -> None:\n    print(tea)\n```\n\nThat is all."


async def said(store: InMemoryStore, text: str, reply: str = "Good.", **changed: object) -> None:
    assert await engine_over(store, PATIENT).remember(turn(text, **changed), reply)


async def index(
    store: InMemoryStore, embedder: WordEmbedder | None = None, embedded: Embedded = Embedded.ALL
) -> timedelta | None:
    return await keep_indexed("anna", index=store, embedder=embedder or WordEmbedder(), embedded=embedded)


async def found(store: InMemoryStore, term: str) -> list[Hit]:
    """Return the passages that a word finds, its vector left out."""
    lexicon = await store.lexicon("anna", [term])
    documents = [int(number) for each in lexicon.occurrences.values() for number in each.documents]
    return await store.search(ANNA, None, "words", documents=documents, limit=10, log=True)


async def near(store: InMemoryStore, text: str) -> list[Hit]:
    [vector] = await WordEmbedder().embed([text])
    hits = await store.search(ANNA, vector, "words", documents=(), limit=10, log=True)
    return [hit for hit in hits if hit.cosine is not None]


async def test_what_both_said_is_found_by_its_words_and_by_its_meaning() -> None:
    store = InMemoryStore()
    await said(store, "I drink Darjeeling.", "A fine choice.")

    assert await index(store) is None

    contents = {hit.item.content for hit in await near(store, "I drink Darjeeling.")}
    assert contents == {"I drink Darjeeling.", "A fine choice."}
    [hit, *_] = await found(store, "darjeel")
    assert isinstance(hit.item, Passage)


async def test_what_is_indexed_is_not_indexed_again() -> None:
    store, embedder = InMemoryStore(), WordEmbedder()
    await said(store, "I drink Darjeeling.")
    await index(store, embedder)
    embedder.embedded.clear()

    await index(store, embedder)

    assert embedder.embedded == []


async def test_a_block_of_code_is_a_part_of_its_own() -> None:
    store = InMemoryStore()
    await said(store, "How do I brew it?", CODE)

    await index(store)

    passages = [hit.item for hit in await near(store, "def brew")]
    code = [item for item in passages if isinstance(item, Passage) and item.code]
    assert [each.language for each in code] == ["python"]
    assert "def brew(tea: str)" in code[0].content
    assert "That is all." not in code[0].content


async def test_an_answer_is_found_by_the_words_of_the_question_too() -> None:
    store = InMemoryStore()
    await said(store, "What is the capital of Slovenia?", "Ljubljana.")

    await index(store)

    assert "Ljubljana." in {hit.item.content for hit in await found(store, "slovenia")}


@pytest.mark.parametrize("embedded", [Embedded.MEMORIES, Embedded.SUMMARIES, Embedded.MARKED])
async def test_what_is_to_have_no_embedding_is_found_by_its_words_alone(embedded: Embedded) -> None:
    store, embedder = InMemoryStore(), WordEmbedder()
    await said(store, "I drink Darjeeling.")

    assert await index(store, embedder, embedded) is None

    assert embedder.embedded == []
    assert await near(store, "I drink Darjeeling.") == []
    assert await found(store, "darjeel")


async def test_while_the_embedder_is_broken_it_is_found_by_its_words_and_embedded_later() -> None:
    store = InMemoryStore()
    await said(store, "I drink Darjeeling.")

    with capture_logs() as logs:
        again = await index(store, BrokenEmbedder())

    assert again is not None
    assert again > timedelta(0)
    assert [line["event"] for line in logs] == ["indexing_without_embeddings"]
    assert "Darjeeling" not in str(logs)
    assert await found(store, "darjeel")
    assert await near(store, "I drink Darjeeling.") == []
    assert await index(store) is None
    assert await near(store, "I drink Darjeeling.")


async def test_a_broken_embedder_is_asked_but_once_a_round() -> None:
    store, broken = InMemoryStore(), BrokenEmbedder()
    for number in range(5):
        await said(store, f"Remark {number}.", "")

    await index(store, broken)

    assert len(broken.embedded) == 1


async def test_a_store_that_is_away_is_come_back_to() -> None:
    store = InMemoryStore()
    store.failure = StoreUnavailableError()

    again = await index(store)

    assert again is not None
    assert again > timedelta(0)


async def test_more_messages_than_are_read_at_once_are_all_indexed() -> None:
    store = InMemoryStore()
    for number in range(40):
        await said(store, f"Remark {number}.", "")

    await index(store)

    assert await store.unindexed("anna", limit=1) == []


@pytest.mark.parametrize(
    "text", ["\0", "\ud800 tea", "!?", "\u202e\u0634\u0627\u064a", "\U0001f375" * 5000, "a" * 100_000]
)
async def test_any_text_is_indexed(text: str) -> None:
    store = InMemoryStore()
    await said(store, text, text)

    assert await index(store) is None

    assert await store.unindexed("anna", limit=1) == []


@pytest.mark.parametrize(
    ("one", "other", "first"),
    [(None, None, None), (5, None, 5), (None, 5, 5), (30, 5, 5), (5, 30, 5)],
)
def test_the_sooner_of_two_waits_counts(one: int | None, other: int | None, first: int | None) -> None:
    def wait(seconds: int | None) -> timedelta | None:
        return None if seconds is None else timedelta(seconds=seconds)

    assert soonest(wait(one), wait(other)) == wait(first)
