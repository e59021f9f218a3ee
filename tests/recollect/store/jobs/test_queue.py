import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import pytest
from tests.recollect.store.indexing import whole
from tests.support.stores import NOON, Store

from recollect.model import Scope

PATIENCE = 60

Drain = Callable[[str], Awaitable[timedelta | None]]


@pytest.fixture
def store(own_store: Store) -> Store:
    """A store of the test's own: its jobs are those of all users."""
    return own_store


@asynccontextmanager
async def running(store: Store, drain: Drain) -> AsyncIterator[None]:
    task = asyncio.create_task(store.jobs.run(drain))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - what is waited for is any change
            await asyncio.sleep(0.02)


async def say(store: Store, *user_ids: str) -> None:
    for user_id in user_ids:
        await store.log.append(store.exchange("hello", Scope(user_id, "chat-1")))


async def test_each_user_who_said_something_is_drained(store: Store) -> None:
    drained = []

    async def drain(user_id: str) -> None:
        drained.append(user_id)

    await say(store, store.anna, "ben 🎉")
    async with running(store, drain):
        await until(lambda: len(drained) == 2)
        await say(store, "clara")
        await until(lambda: len(drained) == 3)

    assert sorted(drained) == [store.anna, "ben 🎉", "clara"]


async def test_several_users_are_drained_at_once(store: Store) -> None:
    draining: set[str] = set()
    both = asyncio.Event()

    async def drain(user_id: str) -> None:
        draining.add(user_id)
        if len(draining) == 2:
            both.set()
        await both.wait()

    await say(store, store.anna, store.ben)
    async with running(store, drain):
        await asyncio.wait_for(both.wait(), PATIENCE)


async def test_a_drain_may_ask_to_be_called_again(store: Store) -> None:
    calls = []

    async def drain(user_id: str) -> timedelta | None:
        calls.append(user_id)
        return timedelta(milliseconds=10) if len(calls) < 3 else None

    await say(store, store.anna)
    async with running(store, drain):
        await until(lambda: len(calls) == 3)

    assert calls == [store.anna] * 3


async def test_a_job_cut_off_by_the_end_is_the_next_runs_at_once(store: Store) -> None:
    began = asyncio.Event()
    calls = []

    async def hang(user_id: str) -> None:
        calls.append(user_id)
        began.set()
        await asyncio.sleep(3600)

    async def drain(user_id: str) -> None:
        calls.append(user_id)

    await say(store, store.anna)
    async with running(store, hang):
        await asyncio.wait_for(began.wait(), PATIENCE)
    async with running(store, drain):
        await until(lambda: len(calls) == 2)

    assert calls == [store.anna] * 2


async def test_failed_exchanges_are_enqueued_again(store: Store) -> None:
    calls = []

    async def drain(user_id: str) -> None:
        calls.append(user_id)

    said = store.exchange("hello", store.anna.scope)
    await store.log.append(said)
    async with running(store, drain):
        await until(lambda: len(calls) == 1)
        await store.inbox.postpone(said, error="broken", until=None)
        await store.inbox.retry_failed(at=NOON)
        await until(lambda: len(calls) == 2)


async def test_a_turn_that_is_called_valuable_is_indexed_by_a_job_and_one_that_was_so_already_by_none(
    store: Store,
) -> None:
    drained = []

    async def drain(user_id: str) -> None:
        for message in await store.index.unindexed(user_id, limit=9):
            await store.index.index(user_id, whole(message))
        drained.append(user_id)

    said = store.exchange("I drink tea.")
    await store.log.append(said)
    async with running(store, drain):
        await until(lambda: len(drained) == 1)
        for _ in range(2):
            assert await store.index.mark(store.anna.scope, said.message_id, marked=True)
        await until(lambda: len(drained) == 2)
        await store.index.enqueue("nobody-yet")
        await until(lambda: len(drained) == 3)

    assert drained == [store.anna, store.anna, "nobody-yet"]
