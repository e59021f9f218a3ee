"""What the engine does in the background, over stand-ins."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.recollect.engines import QUICK, engine_over
from tests.recollections import turn
from tests.waiting import until

from recollect.engine import Policy, system_clock
from recollect.errors import ExtractorError, StoreError
from recollect.model import Candidate, Caps, Change, Formed, Kind, LoggedMessage, Strategy
from recollect.ports import NO_CAPS
from recollect.retrieval import Reach
from recollect.testing import InMemoryStore, ScriptedExtractor


class WatchedStore(InMemoryStore):
    """Notes how many messages had no index yet each time an exchange was formed."""

    def __init__(self) -> None:
        super().__init__()
        self.unindexed_then: list[int] = []

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS
    ) -> list[list[Change]] | None:
        self.unindexed_then.append(len(await self.unindexed("anna", limit=999)))
        return await super().complete(formed, at=at, caps=caps)


class IndexlessStore(InMemoryStore):
    """Forms, but fails at all that concerns the index of the log."""

    async def unindexed(self, *_: object, **__: object) -> list[LoggedMessage]:
        raise StoreError

    async def index(self, *_: object) -> bool:
        raise StoreError


def test_the_system_clock_knows_its_zone() -> None:
    assert system_clock().utcoffset() == timedelta(0)


async def test_what_was_remembered_is_formed_while_it_runs() -> None:
    subject = engine_over()
    await subject.remember(turn("I drink tea"), "Good.")
    running = asyncio.create_task(subject.run())

    async def all_formed() -> bool:
        return (await subject.backlog()).pending == 0

    await until(all_formed)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    [memory] = (await subject.page("anna", limit=10)).memories
    assert memory.kind is Kind.QA_TURN
    assert memory.content == "Q: I drink tea\nA: Good."


async def test_an_extractor_is_given_the_requests_own_credential() -> None:
    tea = Candidate("Drinks tea.", Kind.FACT, 0.7, "I drink tea")
    extractor = ScriptedExtractor([tea])
    subject = engine_over(policy=Policy(), extractor=extractor)
    await subject.remember(turn("I drink tea"), "Good.", credential="Bearer k")

    assert await subject.drain("anna") is None

    [([asked], _)] = extractor.asked
    assert asked.credential == "Bearer k"
    assert asked.authorized
    [memory] = (await subject.page("anna", limit=10)).memories
    assert memory.content == "Drinks tea."


async def test_what_was_logged_before_formation_was_switched_off_is_kept_as_it_is() -> None:
    store = InMemoryStore()
    await engine_over(store).remember(turn("I drink tea"), "Good.")

    await engine_over(store, replace(QUICK, strategy=Strategy.OFF)).drain("anna")

    [memory] = (await store.page("anna", limit=10)).memories
    assert memory.kind is Kind.QA_TURN


async def test_what_failed_can_be_tried_once_more() -> None:
    store = InMemoryStore()
    subject = engine_over(store, Policy(tries=1), extractor=ScriptedExtractor(ValueError("a bug")))
    await subject.remember(turn("I drink tea"), "Good.")
    await subject.drain("anna")
    assert (await subject.backlog()).failed == 1

    healed = engine_over(store, Policy(tries=1), extractor=ScriptedExtractor(ExtractorError()))
    assert await healed.retry_failed() == 1
    await healed.drain("anna")

    backlog = await healed.backlog()
    assert (backlog.failed, backlog.formed, backlog.fallbacks) == (0, 1, 1)


async def test_what_was_said_is_indexed_before_it_counts_as_formed() -> None:
    store = WatchedStore()
    subject = engine_over(store)
    for number in range(2):
        await subject.remember(turn(f"I drink tea {number}"), "Good.")

    assert await subject.drain("anna") is None

    assert store.unindexed_then == [2, 0]


async def test_a_new_exchange_waits_for_no_backlog_of_older_ones() -> None:
    store = WatchedStore()
    before = engine_over(store, replace(QUICK, reach=Reach(log=False, lexical=False)))
    for number in range(40):
        await before.remember(turn(f"I drink tea {number}"), "Good.")
    await before.drain("anna")
    store.unindexed_then.clear()
    waiting = len(await store.unindexed("anna", limit=999))
    subject = engine_over(store)
    await subject.remember(turn("I drink coffee"), "Oh.")

    assert await subject.drain("anna") is None

    assert store.unindexed_then == [waiting + 2]
    assert await store.unindexed("anna", limit=1) == []


async def test_an_index_that_fails_keeps_nothing_from_being_formed() -> None:
    store = IndexlessStore()
    subject = engine_over(store)
    await subject.remember(turn("I drink tea"), "Good.")

    assert await subject.drain("anna") is not None

    backlog = await subject.backlog()
    assert (backlog.pending, backlog.failed, backlog.formed) == (0, 0, 1)
