"""Memories that have no embedding get one later: the embedder was away, or is another one now."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from structlog.testing import capture_logs
from tests.scripted_models import BrokenEmbedder, WordEmbedder
from tests.stores import NOON, Store
from uuid_utils.compat import uuid7

from recollect.errors import EmbedderError
from recollect.indexing import EmbeddingScope, index_user, memories
from recollect.model import Actor, Add, Vector


class RecordingEmbedder(WordEmbedder):
    """Notes what it is asked for together, and fails at texts with one of some words in them."""

    def __init__(self, *refused: str, name: str = "words") -> None:
        super().__init__()
        self.refused = refused
        self.name = name
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.append(list(texts))
        if any(word in text for text in texts for word in self.refused):
            raise EmbedderError
        return await super().embed(texts)


async def kept(store: Store, *contents: str) -> None:
    """Keep memories without embeddings, the last one as the newest."""
    changes = [Add(store.memory(each, embedding=None, embedding_model=None)) for each in contents]
    applied = await store.memories.apply(store.anna.scope, changes, actor=Actor.FORMATION, at=NOON)
    assert applied == changes


async def index(store: Store, embedder: WordEmbedder, **changed: object) -> timedelta | None:
    given: dict[str, object] = {"index": store.index, "embedder": embedder, "embedded": EmbeddingScope.ALL}
    return await index_user(store.anna, **given | changed)  # type: ignore[arg-type]


async def near(store: Store, text: str, model: str = "words") -> list[str]:
    """Return what is found by its meaning, the nearest first."""
    [vector] = await WordEmbedder().embed([text])
    hits = await store.memories.search(store.anna.scope, vector, model, documents=(), limit=100, log=True)
    return [hit.item.content for hit in sorted(hits, key=lambda hit: -(hit.cosine or 0))]


async def waiting(store: Store, model: str = "words") -> list[str]:
    return [each.content for each in await store.index.unembedded_memories(store.anna, model, limit=999)]


@pytest.mark.parametrize("embedded", list(EmbeddingScope))
async def test_a_memory_kept_without_an_embedding_is_found_by_its_meaning_later(
    store: Store, embedded: EmbeddingScope
) -> None:
    await kept(store, "Drinks Darjeeling")
    assert await near(store, "Drinks Darjeeling") == []

    assert await index(store, WordEmbedder(), embedded=embedded) is None

    assert await near(store, "Drinks Darjeeling") == ["Drinks Darjeeling"]
    assert await waiting(store) == []


async def test_it_is_embedded_where_the_log_is_not_indexed_and_not_while_one_exchange_is_awaited(
    store: Store,
) -> None:
    await kept(store, "Drinks Darjeeling")

    assert await index(store, WordEmbedder(), until=uuid7()) is None
    assert await waiting(store) == ["Drinks Darjeeling"]

    assert await index(store, WordEmbedder(), messages=False) is None
    assert await waiting(store) == []


async def test_an_embedder_that_is_away_is_come_back_to(store: Store) -> None:
    away = BrokenEmbedder()
    await kept(store, *(f"Fact {number}" for number in range(9)))

    with capture_logs() as logs:
        assert await index(store, away) == timedelta(seconds=30)

    assert len(away.embedded) == 9 + 3  # all together, then three alone
    assert [line["event"] for line in logs] == ["indexing_without_embeddings"]
    assert "Fact" not in str(logs)
    assert await index(store, WordEmbedder()) is None
    assert len(await near(store, "Fact")) == 9


async def test_what_was_said_is_found_by_its_words_while_the_embedder_is_away(store: Store) -> None:
    await kept(store, "Drinks Darjeeling")
    await store.log.append(store.exchange("I like rain.", reply=""))

    assert await index(store, BrokenEmbedder()) == timedelta(seconds=30)

    assert await store.index.unindexed(store.anna, limit=1) == []
    assert "rain" in (await store.memories.lexicon(store.anna, ["rain"])).occurrences


async def test_another_embedder_makes_all_of_them_anew(store: Store) -> None:
    await kept(store, "Drinks Darjeeling", "Lives in Ljubljana")
    await index(store, WordEmbedder())

    assert await index(store, RecordingEmbedder(name="others")) is None

    assert await near(store, "Drinks Darjeeling") == []
    assert await near(store, "Drinks Darjeeling", "others") == ["Drinks Darjeeling", "Lives in Ljubljana"]


async def test_they_are_embedded_together_the_newest_first_and_before_the_log(store: Store) -> None:
    embedder = RecordingEmbedder()
    await store.log.append(store.exchange("I like rain.", reply=""))
    await index(store, BrokenEmbedder())
    contents = [f"Fact {number}" for number in range(40)]
    await kept(store, *contents)

    assert await index(store, embedder) is None

    newest_first = contents[::-1]
    assert embedder.asked == [newest_first[:32], newest_first[32:], ["I like rain."]]


async def test_many_are_embedded_in_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "_BATCHES_OF_A_RUN", 1)
    await kept(store, *(f"Fact {number}" for number in range(40)))

    assert await index(store, WordEmbedder()) == timedelta(seconds=1)
    assert len(await waiting(store)) == 8
    assert await index(store, WordEmbedder()) is None
    assert await waiting(store) == []


async def test_one_that_can_not_be_embedded_keeps_no_other_from_it(store: Store) -> None:
    await store.log.append(store.exchange("I like rain.", reply=""))
    await index(store, BrokenEmbedder())
    await kept(store, *(f"Fact {number}" for number in range(35)), "Drinks Darjeeling", "Drinks Assam")

    assert await index(store, RecordingEmbedder("Drinks")) == timedelta(seconds=30)

    assert await waiting(store) == ["Drinks Assam", "Drinks Darjeeling"]
    assert await store.index.unembedded(store.anna, "words", limit=9) == []


async def test_an_embedder_that_goes_away_meanwhile_is_left_alone_in_that_run(store: Store) -> None:
    embedder = RecordingEmbedder("Drinks")
    await kept(store, *(f"Drinks tea {number}" for number in range(70)), "Likes rain")

    assert await index(store, embedder) == timedelta(seconds=30)

    assert len(await waiting(store)) == 70
    assert len(embedder.asked) == 1 + 32 + 1 + 1  # of the second batch the first alone, and no more after it


# -- by the second embedder ------------------------------------------------------------------------


async def lacking_second(store: Store) -> list[str]:
    return [each.content for each in await store.index.unembedded_statements(store.anna, "second", limit=999)]


async def test_statements_are_embedded_a_second_time(store: Store) -> None:
    await kept(store, "Drinks Darjeeling", "Rides a red bicycle")
    second = RecordingEmbedder(name="second")

    assert await index(store, WordEmbedder(), second_embedder=second) is None

    assert second.asked == [["Rides a red bicycle", "Drinks Darjeeling"]]
    assert await lacking_second(store) == []
    [vector] = await WordEmbedder().embed(["Darjeeling"])
    hits = await store.memories.search(
        store.anna.scope, None, "words", documents=(), limit=9, log=True, second=vector, second_model="second"
    )
    assert max(hits, key=lambda hit: hit.second_cosine or 0).item.content == "Drinks Darjeeling"
    await index(store, WordEmbedder(), second_embedder=second)
    assert len(second.asked) == 1


async def test_either_embedder_that_is_away_is_come_back_to_and_the_other_embeds(store: Store) -> None:
    await kept(store, "Drinks Darjeeling")

    with capture_logs():
        assert await index(store, WordEmbedder(), second_embedder=BrokenEmbedder()) == timedelta(seconds=30)
    assert (await waiting(store), await lacking_second(store)) == ([], ["Drinks Darjeeling"])

    with capture_logs():
        given = {"second_embedder": RecordingEmbedder(name="second")}
        assert await index(store, RecordingEmbedder("Darjeeling", name="other"), **given) == timedelta(
            seconds=30
        )
    assert (await waiting(store, "other"), await lacking_second(store)) == (["Drinks Darjeeling"], [])
