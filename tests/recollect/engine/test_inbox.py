from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from asyncpg import Record
from structlog.testing import capture_logs
from tests.stores import Store
from tests.watched_stores import Outage, Through, breakable

from recollect.engine.counts import FormationCounts
from recollect.engine.inbox import (
    EMBEDDER_DELAY,
    GONE_DELAY,
    PATIENCE,
    RETRY_DELAYS,
    STORE_DELAY,
    TAKEN_DELAY,
    InboxDrain,
)
from recollect.engine.policy import Batching
from recollect.errors import (
    EmbedderError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    StoreError,
    StoreUnavailableError,
    YieldedError,
)
from recollect.model import Exchange, Fallback, Formed, Ignore, Reason
from recollect.models.attempts import Steps
from recollect.models.yielding import Yielding
from recollect.postgres import Postgres
from recollect.postgres.pool import Database

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
WORDS = "my secret words"
ENTRIES = "SELECT state, fallback, attempts, error FROM exchanges WHERE user_id = $1 ORDER BY id"


@dataclass
class Worker:
    """Drains Anna's inbox as often as it is told to, letting the time pass between.

    Attributes:
        said: What she said, each by its number.
        formed: The numbers in the order they were formed, for which reason as they are, and by whose credential.
    """

    database: Database
    store: Store
    fail: Callable[[Exchange, Fallback | None], Exception | None] = lambda _exchange, _fallback: None
    now: datetime = START
    said: dict[int, Exchange] = field(default_factory=dict)
    formed: list[tuple[int, Fallback | None, str | None]] = field(default_factory=list)
    batches: list[list[int]] = field(default_factory=list)
    delays: list[timedelta] = field(default_factory=list)
    batching: Batching = field(default_factory=Batching)
    yielding: Yielding = field(default_factory=Yielding)
    slow: dict[UUID, None] = field(default_factory=dict)
    shares: list[float] = field(default_factory=list)
    counts: FormationCounts = field(default_factory=FormationCounts)

    async def hears(self, *numbers: int, text: str = WORDS, at: datetime = START, **changed: Any) -> None:
        """Log exchanges, each of which is known by its number."""
        for number in numbers:
            self.said[number] = self.store.exchange(text, key=str(number), at=at, **changed)
            assert await self.store.log.append(self.said[number])

    def breaks(self, method: str, failure: Exception) -> None:
        """Let the inbox raise this, whenever that is called."""
        self.store = breakable(self.store, Outage(failure, (method,)))

    async def form(self, exchanges: Sequence[Exchange], *, fallback: Fallback | None = None) -> list[Formed]:
        self.batches.append([number_of(each) for each in exchanges])
        self.shares.append(exchanges[0].share)
        for each in exchanges:
            self.formed.append((number_of(each), fallback, each.credential))
            error = self.fail(each, fallback)
            if error is not None:
                raise error
        return [Formed(each, (Ignore(Reason.EMPTY),), fallback=fallback) for each in exchanges]

    def credential(self, exchange_id: UUID) -> str | None:
        """Return that of the second request, which alone is at hand."""
        return "Bearer of-2" if 2 in self.said and self.said[2].id == exchange_id else None

    async def drain(self, *, attempts: int = 3) -> timedelta | None:
        drain = InboxDrain(
            inbox=self.store.inbox,
            former=self,
            credential=self.credential,
            clock=lambda: self.now,
            steps=Steps(self.store.attempts, lambda: self.now),
            batching=self.batching,
            yielding=self.yielding,
            slow=self.slow,
            attempts=attempts,
            counts=self.counts,
        )
        return await drain.drain(self.store.anna)

    async def drain_until_empty(self, *, attempts: int = 3) -> None:
        while (delay := await self.drain(attempts=attempts)) is not None:
            self.delays.append(delay)
            self.now += delay
            assert len(self.delays) < 50

    @property
    def order(self) -> list[int]:
        return [number for number, _, _ in self.formed]

    async def entries(self) -> list[Record]:
        """Return how what was said stands in the inbox, which the port does not tell of what is held."""
        async with self.database.for_user(self.store.anna) as connection:
            return await connection.fetch(ENTRIES, self.store.anna)

    async def outcomes(self) -> list[str]:
        """Return what became of each exchange: the fallback's reason where it is one."""
        return [
            f"fallback:{each['fallback']}" if each["fallback"] else each["state"]
            for each in await self.entries()
        ]

    async def attempts(self) -> int:
        """Return how often the first exchange was tried."""
        [first, *_] = await self.entries()
        tried: int = first["attempts"]
        return tried


@pytest.fixture
def worker(postgres: Postgres, store: Store) -> Worker:
    return Worker(postgres.database, store)


def number_of(exchange: Exchange) -> int:
    return int(exchange.turn.key)


def failing(
    number: int, error: Exception, times: int = 99
) -> Callable[[Exchange, Fallback | None], Exception | None]:
    """Fail so often for this exchange; a fallback never fails."""
    left = [error] * times

    def fail(exchange: Exchange, fallback: Fallback | None) -> Exception | None:
        return left.pop() if left and number_of(exchange) == number and fallback is None else None

    return fail


async def test_everything_is_formed_in_order(worker: Worker) -> None:
    await worker.hears(1, 2, 3)

    with capture_logs() as lines:
        assert await worker.drain() is None

    assert worker.order == [1, 2, 3]
    assert await worker.outcomes() == ["formed"] * 3
    told = [line["event"] for line in lines]
    assert told.count("memory_decision") == 3
    assert sum(line["exchanges"] for line in lines if line["event"] == "formed") == 3
    assert set(told) == {"memory_decision", "formed"}


async def test_the_requests_own_credential_is_found_while_it_is_at_hand(worker: Worker) -> None:
    await worker.hears(1, 2)

    await worker.drain()

    assert worker.formed == [(1, None, None), (2, None, "Bearer of-2")]


async def test_an_inbox_that_another_drains_is_left_alone(worker: Worker) -> None:
    await worker.hears(1)

    async with worker.store.inbox.lease(worker.store.anna):
        assert await worker.drain() == TAKEN_DELAY

    assert worker.formed == []


async def test_what_comes_while_the_lease_ends_is_formed_as_well(worker: Worker) -> None:
    class Ending(Through):
        @asynccontextmanager
        async def lease(self, user_id: str) -> AsyncIterator[bool]:
            async with self._port.lease(user_id) as taken:
                yield taken
                if 2 not in worker.said:
                    await worker.hears(2)  # its own job finds the lease taken

    await worker.hears(1)
    worker.store = replace(worker.store, inbox=Ending(worker.store.inbox))

    assert await worker.drain() is None
    assert worker.order == [1, 2]


async def test_what_makes_a_batch_full_while_the_lease_ends_waits_no_longer(worker: Worker) -> None:
    class Ending(Through):
        @asynccontextmanager
        async def lease(self, user_id: str) -> AsyncIterator[bool]:
            async with self._port.lease(user_id) as taken:
                yield taken
                if 2 not in worker.said:
                    await worker.hears(2)

    await worker.hears(1)
    worker.batching = Batching(turns=2, quiet=timedelta(seconds=30))
    worker.store = replace(worker.store, inbox=Ending(worker.store.inbox))

    assert await worker.drain() is None
    assert worker.batches == [[1, 2]]


async def test_what_is_not_yet_due_blocks_the_later_ones(worker: Worker) -> None:
    await worker.hears(1, 2)
    due = START + timedelta(seconds=7)
    await worker.store.inbox.postpone(worker.said[1], error="", until=due, counts=False)

    assert await worker.drain() == timedelta(seconds=7)
    assert worker.formed == []


async def test_a_failure_is_tried_again_before_later_exchanges(worker: Worker) -> None:
    await worker.hears(1, 2, 3)
    worker.fail = failing(2, ExtractorError(), times=2)

    await worker.drain_until_empty()

    assert worker.order == [1, 2, 2, 2, 3]
    assert worker.delays == [timedelta(seconds=1), timedelta(seconds=5)]
    assert await worker.outcomes() == ["formed"] * 3


async def test_the_waits_grow_and_the_last_one_counts_on(worker: Worker) -> None:
    await worker.hears(1)
    worker.fail = failing(1, StoreError("odd"), times=5)

    await worker.drain_until_empty(attempts=6)

    assert worker.delays == [*RETRY_DELAYS, RETRY_DELAYS[-1], RETRY_DELAYS[-1]]
    assert await worker.outcomes() == ["formed"]


@pytest.mark.parametrize("attempts", [1, 3])
async def test_when_extraction_keeps_failing_the_exchange_is_kept_as_it_is(
    worker: Worker, attempts: int
) -> None:
    await worker.hears(1, 2)
    worker.fail = failing(1, ExtractorError())

    await worker.drain_until_empty(attempts=attempts)

    assert worker.formed == [(1, None, None)] * attempts + [(1, "failed", None), (2, None, "Bearer of-2")]
    assert await worker.outcomes() == ["fallback:failed", "formed"]


@pytest.mark.parametrize("error", [StoreError("odd"), ValueError(WORDS)])
async def test_what_else_keeps_failing_is_held_and_the_later_ones_go_on(
    worker: Worker, error: Exception
) -> None:
    await worker.hears(1, 2)
    worker.fail = failing(1, error)

    with capture_logs() as lines:
        await worker.drain_until_empty()

    assert worker.order == [1, 1, 1, 2]
    assert await worker.outcomes() == ["failed", "formed"]
    failures = [line for line in lines if line["event"] == "formation_failed"]
    assert [(line["attempts"], line["held"]) for line in failures] == [(1, False), (2, False), (3, True)]
    assert all(line["place"].startswith("test_inbox.py:") for line in failures)
    [held, _] = await worker.entries()
    assert held["error"].startswith(type(error).__name__)
    assert WORDS not in f"{lines} {held['error']}"


async def test_a_fallback_that_fails_too_is_held(worker: Worker) -> None:
    await worker.hears(1)
    worker.fail = lambda _, fallback: StoreError("odd") if fallback else ExtractorError()

    await worker.drain_until_empty()

    assert await worker.outcomes() == ["failed"]
    assert worker.formed[-1] == (1, "failed", None)


async def test_a_failing_write_of_the_outcome_is_a_failed_try(worker: Worker) -> None:
    await worker.hears(1)
    worker.breaks("complete", StoreError("odd"))

    await worker.drain_until_empty()

    assert await worker.outcomes() == ["failed"]


@pytest.mark.parametrize("method", ["lease", "pending", "complete", "postpone"])
async def test_a_store_that_is_away_is_no_failed_try(worker: Worker, method: str) -> None:
    await worker.hears(1)
    worker.breaks(method, StoreUnavailableError())
    if method == "postpone":
        worker.fail = failing(1, ValueError())

    assert await worker.drain() == STORE_DELAY
    assert await worker.attempts() == 0


async def test_a_store_that_is_away_while_forming_is_no_failed_try(worker: Worker) -> None:
    await worker.hears(1)
    worker.fail = failing(1, StoreUnavailableError())

    assert await worker.drain() == STORE_DELAY
    assert (await worker.outcomes(), await worker.attempts()) == (["pending"], 0)


async def test_a_store_that_fails_otherwise_is_told(worker: Worker) -> None:
    await worker.hears(1)
    worker.breaks("pending", StoreError("odd"))

    with pytest.raises(StoreError, match="odd"):
        await worker.drain()


async def test_an_exchange_that_another_formed_meanwhile_is_left_to_them(
    postgres: Postgres, store: Store
) -> None:
    class Outrun(Worker):
        async def form(
            self, exchanges: Sequence[Exchange], *, fallback: Fallback | None = None
        ) -> list[Formed]:
            assert await store.inbox.complete([Formed(each) for each in exchanges], at=START) is not None
            return await super().form(exchanges, fallback=fallback)

    worker = Outrun(postgres.database, store)
    await worker.hears(1, 2)

    with capture_logs() as lines:
        assert await worker.drain() == GONE_DELAY

    assert worker.order == [1]
    assert lines == []


async def test_what_a_clock_that_was_ahead_put_off_for_days_is_formed_once_it_is_right(
    worker: Worker,
) -> None:
    await worker.hears(1, at=START + timedelta(days=2))
    await worker.hears(2)
    worker.batching = Batching(turns=4, quiet=timedelta(seconds=3))
    worker.now = START + timedelta(seconds=3)

    assert await worker.drain() is None

    assert worker.batches == [[1, 2]]


class TestBatches:
    async def test_turns_that_wait_are_formed_together(self, worker: Worker) -> None:
        await worker.hears(1, 2, 3)
        worker.batching = Batching(turns=2)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2], [3]]
        assert await worker.outcomes() == ["formed"] * 3

    async def test_a_chat_has_to_be_quiet_for_a_while(self, worker: Worker) -> None:
        await worker.hears(1, 2)
        worker.batching = Batching(turns=4, quiet=timedelta(seconds=3))

        assert await worker.drain() == timedelta(seconds=3)
        assert worker.batches == []

        worker.now += timedelta(seconds=3)
        assert await worker.drain() is None
        assert worker.batches == [[1, 2]]

    async def test_as_many_as_make_a_batch_wait_no_longer(self, worker: Worker) -> None:
        await worker.hears(1, 2, 3)
        worker.batching = Batching(turns=2, quiet=timedelta(seconds=3))

        assert await worker.drain() == timedelta(seconds=3)

        assert worker.batches == [[1, 2]]

    async def test_a_chat_that_is_never_quiet_is_formed_nevertheless(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.batching = Batching(turns=3, quiet=timedelta(seconds=10))
        await worker.hears(2, at=START + timedelta(seconds=29))
        worker.now = START + timedelta(seconds=30)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2]]

    async def test_what_failed_is_tried_alone_so_that_it_takes_no_other_down(self, worker: Worker) -> None:
        await worker.hears(1, 2, 3)
        worker.batching = Batching(turns=3)
        worker.fail = failing(2, ExtractorError())

        await worker.drain_until_empty()

        assert await worker.outcomes() == ["formed", "fallback:failed", "formed"]
        assert worker.batches[0] == [1, 2, 3]
        assert [batch for batch in worker.batches if len(batch) > 1] == [[1, 2, 3]]

    async def test_what_failed_takes_nothing_along_that_was_said_since(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.batching = Batching(turns=3)
        worker.fail = failing(1, ExtractorError(), times=2)
        delay = await worker.drain()
        assert delay is not None
        worker.now += delay
        await worker.hears(2)

        await worker.drain_until_empty()

        assert worker.batches == [[1], [1], [1], [2]]

    async def test_a_command_to_forget_is_formed_after_what_was_said_before_it(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.batching = Batching(turns=4)
        await worker.hears(2, text="Please forget that I live in Kassel")
        await worker.hears(3)

        await worker.drain()

        assert worker.batches == [[1], [2, 3]]

    async def test_chats_are_not_mixed(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.batching = Batching(turns=9)
        await worker.hears(2, scope=worker.store.anna.elsewhere)
        await worker.hears(3)

        await worker.drain()

        assert worker.batches == [[1], [2], [3]]


class TestAModelThatIsLeftAlone:
    async def test_its_exchanges_wait_and_no_try_is_counted(self, worker: Worker) -> None:
        await worker.hears(1)
        until = START + timedelta(minutes=5)
        worker.fail = failing(1, ExtractorPausedError(until), times=1)

        assert await worker.drain() == timedelta(minutes=5)
        assert (await worker.outcomes(), await worker.attempts()) == (["pending"], 0)

        worker.now = until
        assert await worker.drain() is None
        assert await worker.outcomes() == ["formed"]

    async def test_they_do_not_wait_for_ever(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = failing(1, ExtractorPausedError(START + timedelta(days=1)))
        worker.now = START + PATIENCE

        assert await worker.drain() is None

        assert await worker.outcomes() == ["fallback:paused"]

    async def test_what_was_said_long_ago_waits_as_long_from_when_it_was_due(self, worker: Worker) -> None:
        await worker.hears(1)
        imported = START + timedelta(days=200)
        await worker.store.inbox.postpone(worker.said[1], error="", until=imported, counts=False)
        worker.fail = failing(1, ExtractorPausedError(imported + timedelta(days=1)))

        for waited in (timedelta(), PATIENCE - timedelta(seconds=1)):
            worker.now = imported + waited
            assert await worker.drain() == timedelta(days=1) - waited
            assert await worker.outcomes() == ["pending"]

        worker.now = imported + PATIENCE
        assert await worker.drain() is None
        assert await worker.outcomes() == ["fallback:paused"]

    async def test_a_pause_that_is_just_over_is_no_wait(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.now = START + timedelta(seconds=9)
        worker.fail = failing(1, ExtractorPausedError(START), times=1)

        assert await worker.drain() == timedelta()


class TestAnEmbedderThatIsAway:
    async def test_what_needs_it_waits_uncounted_for_an_hour(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = failing(1, EmbedderError(), times=1)

        assert await worker.drain() == EMBEDDER_DELAY
        assert await worker.attempts() == 0

        worker.now += EMBEDDER_DELAY
        assert await worker.drain() is None
        assert await worker.outcomes() == ["formed"]

    async def test_what_was_imported_waits_as_long(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.now = START + timedelta(days=200)
        await worker.store.inbox.postpone(worker.said[1], error="", until=worker.now, counts=False)
        worker.fail = failing(1, EmbedderError(), times=1)

        assert await worker.drain() == EMBEDDER_DELAY
        assert await worker.attempts() == 0

    async def test_then_its_tries_count(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = failing(1, EmbedderError())
        worker.now = START + PATIENCE

        await worker.drain_until_empty()

        assert await worker.outcomes() == ["failed"]


async def test_what_is_done_is_counted(worker: Worker) -> None:
    await worker.hears(1, 2)
    worker.now = START + timedelta(seconds=4)
    worker.fail = failing(2, ExtractorError(), times=1)

    await worker.drain_until_empty()

    counts = worker.counts
    assert (counts.attempts, counts.successes, counts.errors) == (3, 2, {"ExtractorError": 1})
    assert counts.rejects == {"empty": 2}
    assert sum(counts.lag) == 2
    assert counts.lag_sum == 4 + 5


class TestWhatTakesTooLong:
    async def test_is_asked_for_by_half_and_then_kept_as_it_is(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = failing(1, ExtractorTimeoutError())

        assert await worker.drain() is None

        assert worker.formed == [(1, None, None), (1, None, None), (1, Fallback.FAILED, None)]
        assert worker.shares == [1.0, 0.5, 0.5]
        assert await worker.outcomes() == ["fallback:failed"]
        assert worker.counts.errors == {"ExtractorTimeoutError": 2}

    async def test_is_asked_for_with_half_of_the_turns(self, worker: Worker) -> None:
        worker.batching = Batching(4)
        await worker.hears(1, 2, 3, 4)
        worker.fail = failing(1, ExtractorTimeoutError(), times=1)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2, 3, 4], [1, 2], [3], [4]]
        assert await worker.outcomes() == ["formed"] * 4

    async def test_is_not_what_fails_otherwise(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = failing(1, ExtractorError(), times=1)

        await worker.drain_until_empty()

        assert worker.shares == [1.0, 1.0]


class TestChatsFirst:
    async def test_nothing_is_begun_while_one_runs(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.yielding = Yielding(yields=True, idle=0)

        worker.yielding.chats(1)
        again = await worker.drain()
        worker.yielding.chats(0)

        assert again is not None
        assert again <= timedelta(seconds=1)
        assert worker.formed == []
        assert await worker.drain() is None

    async def test_what_is_given_up_counts_as_no_try_and_is_formed_later(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.yielding = Yielding(yields=True, idle=0)
        worker.fail = failing(1, YieldedError(timedelta(seconds=2)), times=9)

        for _ in range(9):
            assert await worker.drain() == timedelta(seconds=2)
        assert await worker.attempts() == 0
        assert worker.counts.errors == {}
        assert await worker.drain() is None

        assert await worker.outcomes() == ["formed"]

    async def test_batches_grow_meanwhile(self, worker: Worker) -> None:
        worker.batching = Batching(2, grown=4)
        worker.yielding = Yielding(yields=True, idle=0)
        await worker.hears(1, 2, 3, 4, 5)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2, 3, 4], [5]]
