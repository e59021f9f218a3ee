"""What is said while its user's lease is taken for another work is looked at as soon as that is done."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.scripted.models import ScriptedExtractor, WordEmbedder
from tests.support.stores import Store
from tests.support.watched_stores import Through, with_parts

from recollect.engine import Engine
from recollect.engine.background.inbox import TAKEN_DELAY
from recollect.engine.policy import Batching
from recollect.model import Strategy, Vector

FIRST, SECOND = "I row on Mondays", "I paint on Tuesdays"


class Overheard(WordEmbedder):
    """Lets the person say something more while what they said first is embedded for the index."""

    subject: Engine
    store: Store
    is_told = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed, and let them speak, once."""
        if FIRST in texts and not self.is_told:
            self.is_told = True
            await self.subject.remember(self.store.turn(SECOND, key="m2"), "Nice.")
        return await super().embed(texts)


@pytest.mark.parametrize("strategy", [Strategy.EXTRACT, Strategy.QA_TURN])
async def test_what_is_said_while_the_index_is_kept_waits_for_no_other_job(
    store: Store, strategy: Strategy
) -> None:
    batching = Batching(turns=2, quiet=timedelta(seconds=30))
    embedder, extractor = Overheard(), ScriptedExtractor()
    policy = replace(PATIENT, strategy=strategy, batching=batching)
    embedder.subject = engine_over(store, policy, embedder=embedder, extractor=extractor)
    embedder.store = store
    await embedder.subject.remember(store.turn(FIRST), "Nice.")

    while (again := await embedder.subject.drain(store.anna)) is not None:
        assert again == timedelta()

    assert embedder.is_told
    assert await store.inbox.pending(store.anna, limit=9) == []
    if strategy is Strategy.EXTRACT:
        assert [len(exchanges) for exchanges, _ in extractor.asked] == [2]


async def test_a_run_that_found_the_lease_taken_takes_it_for_nothing_else(store: Store) -> None:
    class TakenOnce(Through):
        leases = 0

        @asynccontextmanager
        async def lease(self, user_id: str) -> AsyncIterator[bool]:
            self.leases += 1
            if self.leases == 1:
                yield False
                return
            async with self._part.lease(user_id) as taken:
                yield taken

    inbox = TakenOnce(store.inbox)
    subject = engine_over(with_parts(store, inbox=inbox), PATIENT)
    await subject.remember(store.turn(FIRST), "Nice.")

    assert await subject.drain(store.anna) == TAKEN_DELAY
    assert inbox.leases == 1
