import asyncio
from datetime import timedelta

import pytest
from tests.contracts.stores import ANNA, NORTH, exchange, memory, vector

from recollect.errors import EmbedderError, ExtractorError, StoreUnavailableError
from recollect.model import Candidate, Kind
from recollect.testing import (
    BrokenEmbedder,
    BrokenStore,
    ScriptedExtractor,
    SlowEmbedder,
    WordEmbedder,
)
from recollect.testing.jobs import JobQueue


async def test_texts_that_share_words_are_near() -> None:
    embedder = WordEmbedder()

    tea, also_tea, rain, nothing = await embedder.embed(["I like tea.", "Tea I like", "It rains", ""])

    assert tea @ also_tea == pytest.approx(1)
    assert tea @ rain < embedder.gate < tea @ also_tea
    assert nothing @ nothing == pytest.approx(1)
    assert embedder.embedded[0] == "I like tea."
    await embedder.aclose()


async def test_a_broken_embedder_fails() -> None:
    with pytest.raises(EmbedderError):
        await BrokenEmbedder().embed(["tea"])


async def test_a_slow_embedder_is_late_but_right() -> None:
    embedder = SlowEmbedder(WordEmbedder(), seconds=0.2)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(embedder.embed(["tea"]), 0.01)

    assert (await embedder.embed(["tea"]))[0].shape == (256,)
    assert (embedder.name, embedder.gate) == (WordEmbedder.name, WordEmbedder.gate)
    await embedder.aclose()


async def test_a_scripted_extractor_answers_in_order_and_remembers_what_it_saw() -> None:
    tea = Candidate("Likes tea", Kind.FACT, 0.5, "I like tea")
    extractor = ScriptedExtractor([tea], ExtractorError("busy"))
    said, known = exchange("I like tea"), memory("Likes rain")

    assert (await extractor.extract([said], [known])).candidates == (tea,)
    with pytest.raises(ExtractorError, match="busy"):
        await extractor.extract([said], [])
    assert (await extractor.extract([said], [])).candidates == ()

    assert extractor.asked == [((said,), (known,)), ((said,), ()), ((said,), ())]
    await extractor.aclose()
    assert extractor.closed


async def test_a_broken_store_can_be_mended() -> None:
    store = BrokenStore()
    with pytest.raises(StoreUnavailableError):
        await store.nearest(ANNA, vector(*NORTH), "m", limit=1)
    with pytest.raises(StoreUnavailableError):
        await store.backlog()

    store.failure = None

    assert await store.nearest(ANNA, vector(*NORTH), "m", limit=1) == []


async def test_a_job_called_again_later_is_still_one_job() -> None:
    queue = JobQueue()
    calls = []

    async def drain(user_id: str) -> timedelta | None:
        calls.append(user_id)
        return timedelta(milliseconds=1) if len(calls) == 1 else None

    queue.enqueue("anna")
    running = asyncio.create_task(queue.run(drain))
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert calls == ["anna", "anna"]
    assert queue.erase("anna") == 0
