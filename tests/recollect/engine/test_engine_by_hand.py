"""A call by hand is done, or raises."""

from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import BrokenEmbedder, WordEmbedder
from tests.support.stores import NOON, Store
from tests.support.watched_stores import broken

from recollect.errors import DuplicateMemoryError, StoreError
from recollect.model import Actor, Kind, Reason, Source, Vector


class Forgetful:
    """A cache that counts how often it was cleared."""

    def __init__(self) -> None:
        self.cleared = 0

    @property
    def entries(self) -> int:
        return 1 if self.cleared == 0 else 0

    def clear(self) -> None:
        self.cleared += 1


class Interrupting(WordEmbedder):
    """Something else happens while it embeds."""

    interrupt: Callable[[], Awaitable[None]] | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        vectors = await super().embed(texts)
        if self.interrupt is not None:
            await self.interrupt()
        return vectors


async def test_a_memory_is_written_by_hand(store: Store) -> None:
    subject = engine_over(store)

    written = await subject.add(
        store.anna, "Married.", kind=Kind.INSIGHT, importance=0.9, event_at=NOON, actor=Actor.USER
    )

    assert written.source is Source.MANUAL
    assert (written.owner, written.kind, written.importance, written.event_at) == (
        store.anna,
        Kind.INSIGHT,
        0.9,
        NOON,
    )
    [update] = await subject.history(store.anna)
    assert (update.actor, update.reason, update.after) == (Actor.USER, Reason.WRITTEN, "Married.")
    with pytest.raises(DuplicateMemoryError):
        await subject.add(store.anna, "Married.")


async def test_corrections_of_different_fields_at_once_are_all_kept(store: Store) -> None:
    embedder = Interrupting()
    subject = engine_over(store, PATIENT, embedder=embedder)
    written = await subject.add(store.anna, "I drink green tea")

    async def correct_the_importance() -> None:
        await subject.revise(store.anna, written.id, importance=0.9)

    embedder.interrupt = correct_the_importance
    await subject.revise(store.anna, written.id, content="I ride a red bicycle")

    revised = await subject.get(store.anna, written.id)
    assert (revised.content, revised.importance) == ("I ride a red bicycle", 0.9)
    assert (await subject.recall(store.turn("my red bicycle"))).recollections


async def test_an_erasure_is_counted_and_clears_every_cache(store: Store) -> None:
    cache = Forgetful()
    subject = engine_over(store, cache=cache)
    await subject.add(store.anna, "I drink tea")
    await subject.rank(store.turn())
    assert subject._retriever.entries == 1

    erasure = await subject.erase(store.anna)

    assert subject._retriever.entries == 0
    assert dict(erasure.rows)["vectors"] == 1
    assert erasure.at == NOON
    assert cache.cleared == 1
    assert set(dict(erasure.left)) > {"vectors", "messages", "pgqueuer", "pgqueuer_log", "caches"}
    assert not any(dict(erasure.left).values())
    assert (await subject.page(store.anna, limit=10)).memories == ()


async def test_what_a_person_asks_for_does_not_fail_silently(store: Store) -> None:
    subject = engine_over(broken(store))

    for attempt in (
        subject.page(store.anna, limit=1),
        subject.add(store.anna, "tea"),
        subject.erase(store.anna),
        subject.backlog(),
    ):
        with pytest.raises(StoreError):
            await attempt


async def test_what_is_written_by_hand_while_the_embedder_is_away_is_kept_without_an_embedding(
    store: Store,
) -> None:
    away = engine_over(store, embedder=BrokenEmbedder())
    await away.add(store.anna, "I drink tea")
    milk = await engine_over(store).add(store.anna, "I drink milk")
    water = await engine_over(store).add(store.anna, "I drink water")

    changed = await away.revise(store.anna, milk.id, content="I drink oat milk")
    weighed = await away.revise(store.anna, water.id, importance=0.9)

    assert (changed.embedding_model, weighed.embedding_model) == (None, water.embedding_model)
    kept = {
        memory.content: memory.embedding_model for memory in (await away.page(store.anna, limit=9)).memories
    }
    assert kept == {"I drink water": water.embedding_model, "I drink oat milk": None, "I drink tea": None}
