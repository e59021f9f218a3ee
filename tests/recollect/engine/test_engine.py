"""What the engine does in the background, with stand-ins for its models."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.recollect.engines import QUICK, engine_over
from tests.scripted.models import ScriptedExtractor
from tests.support.stores import Store
from tests.support.waiting import until
from tests.support.watched_stores import Through, with_parts

from recollect.engine import Policy, system_clock
from recollect.errors import ExtractorError, StoreError
from recollect.model import NO_CAPS, Candidate, Caps, Change, Formed, Kind, LoggedMessage, Strategy, Wait
from recollect.recall import Reach


class WatchedInbox(Through):
    """Notes how many messages had no index yet each time an exchange was formed."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.inbox)
        self._store = store
        self.unindexed_then: list[int] = []

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS, rest: Wait | None = None
    ) -> list[list[Change]] | None:
        self.unindexed_then.append(len(await unindexed(self._store)))
        return await self._store.inbox.complete(formed, at=at, caps=caps, rest=rest)


class BrokenIndex(Through):
    """Fails at all that concerns the log."""

    async def unindexed(self, *_: object, **__: object) -> list[LoggedMessage]:
        raise StoreError

    async def index(self, *_: object) -> bool:
        raise StoreError


async def unindexed(store: Store) -> list[LoggedMessage]:
    return await store.index.unindexed(store.anna, limit=999)


def test_the_system_clock_knows_its_zone() -> None:
    assert system_clock().utcoffset() == timedelta(0)


async def test_what_was_remembered_is_formed_while_it_runs(own_store: Store) -> None:
    subject = engine_over(own_store)
    await subject.remember(own_store.turn("I drink tea"), "Good.")
    running = asyncio.create_task(subject.run())

    async def all_formed() -> bool:
        return (await subject.backlog()).pending == 0

    await until(all_formed)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    [memory] = (await subject.page(own_store.anna, limit=10)).memories
    assert memory.kind is Kind.QA_TURN
    assert memory.content == "Q: I drink tea\nA: Good."


async def test_an_extractor_is_given_the_requests_own_credential(store: Store) -> None:
    tea = Candidate("Drinks tea.", Kind.FACT, 0.7, "I drink tea")
    extractor = ScriptedExtractor([tea])
    subject = engine_over(store, Policy(), extractor=extractor)
    await subject.remember(store.turn("I drink tea"), "Good.", credential="Bearer k")

    assert await subject.drain(store.anna) is None

    [([asked], _)] = extractor.asked
    assert asked.credential == "Bearer k"
    assert asked.authorized
    [memory] = (await subject.page(store.anna, limit=10)).memories
    assert memory.content == "Drinks tea."


async def test_what_waits_when_formation_is_switched_off_is_never_formed_and_is_found_in_the_log(
    store: Store,
) -> None:
    await engine_over(store).remember(store.turn("I drink tea"), "Good.")

    assert await engine_over(store, replace(QUICK, strategy=Strategy.OFF)).drain(store.anna) is None
    await engine_over(store).drain(store.anna)

    assert (await store.memories.page(store.anna, limit=10)).memories == ()
    assert await store.index.unindexed(store.anna, limit=9) == []


async def test_what_failed_can_be_tried_once_more(own_store: Store) -> None:
    subject = engine_over(own_store, Policy(attempts=1), extractor=ScriptedExtractor(ValueError("a bug")))
    await subject.remember(own_store.turn("I drink tea"), "Good.")
    await subject.drain(own_store.anna)
    assert (await subject.backlog()).failed == 1

    healed = engine_over(own_store, Policy(attempts=1), extractor=ScriptedExtractor(ExtractorError()))
    assert await healed.retry_failed() == (1, 0)
    await healed.drain(own_store.anna)

    backlog = await healed.backlog()
    assert (backlog.failed, backlog.formed, backlog.waiting) == (0, 0, {"outage": 1})


async def test_what_was_said_is_indexed_before_it_counts_as_formed(store: Store) -> None:
    inbox = WatchedInbox(store)
    subject = engine_over(with_parts(store, inbox=inbox))
    for number in range(2):
        await subject.remember(store.turn(f"I drink tea {number}"), "Good.")

    assert await subject.drain(store.anna) is None

    assert inbox.unindexed_then == [2, 0]


async def test_a_new_exchange_waits_for_no_backlog_of_older_ones(store: Store) -> None:
    before = engine_over(store, replace(QUICK, reach=Reach(log=False, lexical=False)))
    for number in range(20):  # more messages than are indexed at once
        await before.remember(store.turn(f"I drink tea {number}"), "Good.")
    await before.drain(store.anna)
    waiting = len(await unindexed(store))
    inbox = WatchedInbox(store)
    subject = engine_over(with_parts(store, inbox=inbox))
    await subject.remember(store.turn("I drink coffee"), "Oh.")

    assert await subject.drain(store.anna) is None

    assert inbox.unindexed_then == [waiting + 2]
    assert await unindexed(store) == []


async def test_an_index_that_fails_keeps_nothing_from_being_formed(own_store: Store) -> None:
    subject = engine_over(with_parts(own_store, index=BrokenIndex(own_store.index)))
    await subject.remember(own_store.turn("I drink tea"), "Good.")

    assert await subject.drain(own_store.anna) is not None

    backlog = await subject.backlog()
    assert (backlog.pending, backlog.failed, backlog.formed) == (0, 0, 1)
