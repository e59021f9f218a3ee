import asyncio
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from tests.support.tables import table

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.models.embedders.cache import CachedEmbedder
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.ports import Embedder

DAY = timedelta(days=1)


class SlowEmbedder:
    """Notes what it is asked for, and answers as soon as ``gate_open`` is set; fails on "bad"."""

    name = "slow"
    gate = 0.4

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.closed = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.append(list(texts))
        await self.open.wait()
        if "bad" in texts:
            raise EmbedderError
        return [np.array([len(text), 1], dtype=np.float32) for text in texts]

    async def embed_question(self, text: str) -> Vector:
        [vector] = await self.embed([f"{text}?"])
        return vector

    async def aclose(self) -> None:
        self.closed = True


def remembering() -> tuple[SlowEmbedder, CachedEmbedder]:
    inner = SlowEmbedder()
    return inner, CachedEmbedder(inner, size=10, ttl=DAY)


def values(vectors: list[Vector]) -> list[float]:
    return [float(vector[0]) for vector in vectors]


async def test_it_stands_before_the_real_embedder(e5: MultilingualE5Embedder) -> None:
    cached: Embedder = CachedEmbedder(e5, size=10, ttl=DAY)

    first = await cached.embed(["green tea", "rain", "green tea"])
    again = await cached.embed(["rain", "green tea"])

    assert (cached.name, cached.gate) == (e5.name, e5.gate)
    np.testing.assert_array_equal(first, await e5.embed(["green tea", "rain", "green tea"]))
    assert again[0] is first[1]
    assert again[1] is first[0] is first[2]


@table(
    ("size", "texts", "asked"),
    [
        (10, [["a", "bb", "a"], ["bb", "ccc", "a"], []], [["a", "bb"], ["ccc"]]),
        (2, [["a"], ["bb"], ["a"], ["ccc"], ["a"], ["bb"]], [["a"], ["bb"], ["ccc"], ["bb"]]),
        (2, [["a", "bb", "ccc", "dddd"]], [["a", "bb", "ccc", "dddd"]]),
        (0, [["a", "a"], ["a"]], [["a"], ["a"]]),
    ],
)
async def test_the_least_recent_goes_first(size: int, texts: list[list[str]], asked: list[list[str]]) -> None:
    inner = SlowEmbedder()
    cached = CachedEmbedder(inner, size=size, ttl=DAY)

    for each in texts:
        assert values(await cached.embed(each)) == [len(text) for text in each]

    assert inner.asked == asked


async def test_a_question_is_remembered_apart_from_the_text_of_the_same_words() -> None:
    inner, cached = remembering()

    for _ in range(2):
        assert values(await cached.embed(["tea"])) == [3]
        assert values([await cached.embed_question("tea")]) == [4]

    assert inner.asked == [["tea"], ["tea?"]]


async def test_a_question_that_fails_is_not_remembered() -> None:
    _, cached = remembering()
    with pytest.raises(EmbedderError):
        await cached.embed(["bad"])

    assert values([await cached.embed_question("bad")]) == [4]


async def test_a_vector_is_kept_by_a_key_that_is_no_text_and_can_not_be_written() -> None:
    _, cached = remembering()

    secret, *halves = await cached.embed(["my secret", "\ud83d", "\ud83e!"])

    assert values(halves) == [1, 2]
    assert "my secret" not in repr(vars(cached))
    assert [len(key) for key in cached._vectors] == [32] * 3
    with pytest.raises(ValueError, match="read-only"):
        secret[0] = 7


async def test_a_vector_is_forgotten_after_its_time() -> None:
    inner, now = SlowEmbedder(), 0.0
    cached = CachedEmbedder(inner, size=10, ttl=timedelta(seconds=60), timer=lambda: now)
    await cached.embed(["a"])
    now = 59
    await cached.embed(["a"])
    now = 61
    await cached.embed(["a"])

    assert inner.asked == [["a"], ["a"]]


async def test_those_who_ask_at_once_share_one_computation() -> None:
    inner, cached = remembering()
    inner.open.clear()
    askers = [asyncio.create_task(cached.embed(texts)) for texts in (["a"], ["a", "bb"], ["bb", "a", "ccc"])]
    await asyncio.sleep(0)
    inner.open.set()

    assert [values(vectors) for vectors in await asyncio.gather(*askers)] == [[1], [1, 2], [2, 1, 3]]
    assert inner.asked == [["a"], ["bb"], ["ccc"]]


async def test_one_who_gives_up_leaves_the_others_their_answer() -> None:
    inner, cached = remembering()
    inner.open.clear()
    first, second = asyncio.create_task(cached.embed(["a"])), asyncio.create_task(cached.embed(["a"]))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    inner.open.set()

    assert values(await second) == [1]
    assert inner.asked == [["a"]]


async def test_what_all_gave_up_on_is_there_for_the_next() -> None:
    inner, cached = remembering()
    inner.open.clear()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(cached.embed(["a"]), 0.001)
    inner.open.set()

    assert values(await cached.embed(["a"])) == [1]
    assert inner.asked == [["a"]]


async def test_a_failure_reaches_all_who_wait_and_is_not_remembered() -> None:
    inner, cached = remembering()

    outcomes = await asyncio.gather(cached.embed(["bad"]), cached.embed(["bad"]), return_exceptions=True)
    with pytest.raises(EmbedderError):
        await cached.embed(["bad"])

    assert [type(outcome) for outcome in outcomes] == [EmbedderError, EmbedderError]
    assert inner.asked == [["bad"], ["bad"]]
    assert values(await cached.embed(["good"])) == [4]


async def test_cleared_means_forgotten() -> None:
    inner, cached = remembering()
    await cached.embed(["a"])
    cached.clear()
    await cached.embed(["a"])
    assert inner.asked == [["a"], ["a"]]


async def test_what_was_being_computed_when_it_was_cleared_is_answered_but_not_kept() -> None:
    inner, cached = remembering()
    inner.open.clear()
    asker = asyncio.create_task(cached.embed(["a"]))
    await asyncio.sleep(0)
    cached.clear()
    inner.open.set()

    assert values(await asker) == [1]
    assert len(cached._vectors) == 0
    assert values(await cached.embed(["a"])) == [1]
    assert inner.asked == [["a"], ["a"]]


async def test_closing_ends_what_is_being_computed_and_closes_the_inner_embedder() -> None:
    inner, cached = remembering()
    inner.open.clear()
    asker = asyncio.create_task(cached.embed(["a"]))
    await asyncio.sleep(0)

    await cached.aclose()

    with pytest.raises(EmbedderError, match="closed"):
        await asker
    assert inner.closed
