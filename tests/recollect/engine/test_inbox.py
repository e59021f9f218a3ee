from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from asyncpg import Record
from structlog.testing import capture_logs
from tests.support.stores import Store
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.engine.background.inbox_drain import (
    EMBEDDER_DELAY,
    GONE_DELAY,
    PATIENCE,
    REST,
    RUN,
    STORE_DELAY,
    InboxDrain,
)
from recollect.engine.background.model_waits import MODEL_DELAY, OWN_FAULT_DELAYS, RETRY_DELAYS
from recollect.engine.counters import FormationCounts
from recollect.engine.kept_credentials import CREDENTIAL_SECONDS
from recollect.engine.policy import Batching, Policy
from recollect.errors import (
    BudgetSpentError,
    CredentialGoneError,
    EmbedderError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
    StoreError,
    StoreUnavailableError,
    YieldedError,
)
from recollect.model import Exchange, Formed, Ignore, Reason, Unread
from recollect.models.background_limits import Steps, Yielding
from recollect.store import Postgres
from recollect.store.pool import Database

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
WORDS = "my secret words"
ENTRIES = "SELECT state, waits_for, wakes_at, attempts, error FROM exchanges WHERE user_id = $1 ORDER BY id"


@dataclass
class Worker:
    """Drains Anna's inbox, with the time passing between; notes in which order her numbered exchanges are tried, and by whose credential."""

    database: Database
    store: Store
    fail: Callable[[Exchange], Exception | None] = lambda _exchange: None
    unread: Callable[[Exchange], Unread | None] = lambda _exchange: None
    now: datetime = START
    said: dict[int, Exchange] = field(default_factory=dict)
    formed: list[tuple[int, str | None]] = field(default_factory=list)
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

    async def form(self, exchanges: Sequence[Exchange]) -> list[Formed]:
        self.batches.append([number_of(each) for each in exchanges])
        self.shares.append(exchanges[0].share)
        for each in exchanges:
            self.formed.append((number_of(each), each.credential))
            error = self.fail(each)
            if error is not None:
                raise error
        return [Formed(each, (Ignore(Reason.EMPTY),), unread=self.unread(each)) for each in exchanges]

    def credential(self, exchange_id: UUID, _user_id: str, _upstream: str) -> str | None:
        """Return the credential of the second request; there is no other."""
        return "Bearer of-2" if 2 in self.said and self.said[2].id == exchange_id else None

    async def drain(self, *, attempts: int = 3) -> timedelta | None:
        drain = InboxDrain(
            inbox=self.store.inbox,
            policy=Policy(attempts=attempts),
            form=self.form,
            credential=self.credential,
            clock=lambda: self.now,
            steps=Steps(self.store.attempts, lambda: self.now),
            batching=self.batching,
            yielding=self.yielding,
            slow=self.slow,
            extracted=(),
            forms_unread=False,
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
        return [number for number, _ in self.formed]

    async def entries(self) -> list[Record]:
        """Return the rows of the inbox; the port shows no held ones."""
        async with self.database.for_user(self.store.anna) as connection:
            return await connection.fetch(ENTRIES, self.store.anna)

    async def outcomes(self) -> list[str]:
        """Return the outcome of each exchange."""
        return [
            f"waits:{each['waits_for']}" if each["waits_for"] else each["state"]
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


def failing(number: int, error: Exception, times: int = 99) -> Callable[[Exchange], Exception | None]:
    """Fail so often for this exchange."""
    left = [error] * times

    def fail(exchange: Exchange) -> Exception | None:
        return left.pop() if left and number_of(exchange) == number else None

    return fail


async def test_everything_is_formed_in_order(worker: Worker) -> None:
    await worker.hears(1, 2, 3)

    with capture_logs() as lines:
        assert await worker.drain() is None

    assert (worker.order, await worker.outcomes()) == ([1, 2, 3], ["formed"] * 3)
    told = [line["event"] for line in lines]
    assert told.count("memories_decided") == 3
    assert sum(line["exchanges"] for line in lines if line["event"] == "formed") == 3
    assert set(told) == {"memories_decided", "formed"}


@pytest.mark.parametrize(("turns", "batches"), [(1, [[1], [2]]), (2, [[1, 2]])])
async def test_what_comes_last_does_not_wait(worker: Worker, turns: int, batches: list[list[int]]) -> None:
    class Ending(Through):
        @asynccontextmanager
        async def lease(self, user_id: str) -> AsyncIterator[bool]:
            async with self._part.lease(user_id) as taken:
                yield taken
                if 2 not in worker.said:
                    await worker.hears(2)  # its own job finds the lease taken

    await worker.hears(1)
    worker.batching = Batching(turns=turns, quiet=timedelta(seconds=30 * (turns - 1)))
    worker.store = with_parts(worker.store, inbox=Ending(worker.store.inbox))

    assert (await worker.drain(), worker.batches) == (None, batches)


async def test_what_is_not_yet_due_blocks_the_later_ones(worker: Worker) -> None:
    await worker.hears(1, 2)
    due = START + timedelta(seconds=7)
    await worker.store.inbox.postpone(worker.said[1], error="", until=due, counts=False)

    assert (await worker.drain(), worker.formed) == (timedelta(seconds=7), [])


async def test_the_waits_grow_and_the_last_one_counts_on(worker: Worker) -> None:
    await worker.hears(1)
    worker.fail = failing(1, StoreError("odd"), times=5)

    await worker.drain_until_empty(attempts=6)

    assert worker.delays == [*RETRY_DELAYS, RETRY_DELAYS[-1], RETRY_DELAYS[-1]]
    assert await worker.outcomes() == ["formed"]


@pytest.mark.parametrize("attempts", [1, 3])
async def test_an_exchange_that_models_fail_at_waits_and_others_go_on(worker: Worker, attempts: int) -> None:
    await worker.hears(1, 2)
    worker.fail = failing(1, ExtractorError())

    while (delay := await worker.drain(attempts=attempts)) is not None:
        worker.now += delay

    once_more_as_the_server_answers = [1] * attempts
    assert worker.order == [*[1] * attempts, 2, *once_more_as_the_server_answers]
    assert await worker.outcomes() == ["waits:outage", "formed"]


@pytest.mark.parametrize("error", [StoreError("odd"), ValueError(WORDS)])
async def test_what_else_keeps_failing_is_held_and_later_ones_go_on(worker: Worker, error: Exception) -> None:
    await worker.hears(1, 2)
    worker.fail = failing(1, error)

    with capture_logs() as lines:
        await worker.drain_until_empty()

    assert (worker.order, await worker.outcomes()) == ([1, 1, 1, 2], ["failed", "formed"])
    failures = [line for line in lines if line["event"] == "formation_failed"]
    assert [(line["attempts"], line["held"]) for line in failures] == [(1, False), (2, False), (3, True)]
    assert all(line["raised_at"].startswith("test_inbox.py:") for line in failures)
    [held, _] = await worker.entries()
    assert held["error"].startswith(type(error).__name__)
    assert WORDS not in f"{lines} {held['error']}"


async def test_a_failing_write_of_the_outcome_is_a_failed_try(worker: Worker) -> None:
    await worker.hears(1)
    worker.breaks("complete", StoreError("odd"))

    await worker.drain_until_empty()

    assert await worker.outcomes() == ["failed"]


@pytest.mark.parametrize("method", ["lease", "pending", "form", "complete", "postpone"])
async def test_a_store_that_is_away_is_no_failed_try(worker: Worker, method: str) -> None:
    await worker.hears(1)
    worker.breaks(method, StoreUnavailableError())
    errors = {"form": StoreUnavailableError(), "postpone": ValueError()}
    worker.fail = lambda _: errors.get(method)

    assert await worker.drain() == STORE_DELAY
    assert (await worker.outcomes(), await worker.attempts()) == (["pending"], 0)


async def test_a_store_that_fails_otherwise_is_told(worker: Worker) -> None:
    await worker.hears(1)
    worker.breaks("pending", StoreError("odd"))

    with pytest.raises(StoreError, match="odd"):
        await worker.drain()


async def test_an_exchange_that_another_formed_is_left_to_them(postgres: Postgres, store: Store) -> None:
    class Outrun(Worker):
        async def form(self, exchanges: Sequence[Exchange]) -> list[Formed]:
            assert await store.inbox.complete([Formed(each) for each in exchanges], at=START) is not None
            return await super().form(exchanges)

    worker = Outrun(postgres.database, store)
    await worker.hears(1, 2)

    with capture_logs() as lines:
        assert await worker.drain() == GONE_DELAY

    assert (worker.order, lines) == ([1], [])


QUIET = timedelta(seconds=3)


class TestBatches:
    @pytest.mark.parametrize(
        ("said", "batching", "seconds", "again", "batches"),
        [
            ((0, 0, 0), Batching(turns=2), 0, None, [[1, 2], [3]]),
            # a chat has to be quiet for a while, but for as many as make a batch, and not for ever
            ((0, 0), Batching(turns=4, quiet=QUIET), 0, QUIET, []),
            ((0, 0), Batching(turns=4, quiet=QUIET), 3, None, [[1, 2]]),
            ((0, 0, 0), Batching(turns=2, quiet=QUIET), 0, QUIET, [[1, 2]]),
            ((0, 29), Batching(turns=3, quiet=timedelta(seconds=10)), 30, None, [[1, 2]]),
            # a clock that was ahead by two days was put right
            ((172_800, 0), Batching(turns=4, quiet=QUIET), 3, None, [[1, 2]]),
        ],
    )
    async def test_turns_that_wait_are_formed_together_once_their_chat_is_quiet(
        self,
        worker: Worker,
        said: tuple[int, ...],
        batching: Batching,
        seconds: int,
        again: timedelta | None,
        batches: list[list[int]],
    ) -> None:
        for number, second in enumerate(said, 1):
            await worker.hears(number, at=START + timedelta(seconds=second))
        worker.batching, worker.now = batching, START + timedelta(seconds=seconds)

        assert (await worker.drain(), worker.batches) == (again, batches)

    async def test_turns_with_keys_of_two_accounts_are_never_sent_together(self, worker: Worker) -> None:
        await worker.hears(1, 2, 3)
        keys = {worker.said[1].id: "Bearer of-1"}
        of_the_second = worker.credential
        worker.credential = lambda *which: keys.get(which[0]) or of_the_second(*which)  # type: ignore[method-assign]
        worker.batching = Batching(turns=4)

        await worker.drain()

        assert worker.batches == [[1], [2, 3]]

    async def test_what_failed_is_tried_alone_so_that_it_takes_no_other_down(self, worker: Worker) -> None:
        await worker.hears(1, 2, 3)
        worker.batching = Batching(turns=3)
        worker.fail = failing(2, ExtractorError())

        await worker.drain_until_empty()

        assert await worker.outcomes() == ["formed", "waits:outage", "formed"]
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

    async def test_what_failed_is_not_taken_along_by_an_earlier_late_one(self, worker: Worker) -> None:
        late = worker.store.exchange(WORDS, key="1", at=START)
        await worker.hears(2)
        worker.batching = Batching(turns=3)
        worker.fail = failing(2, ExtractorError(), times=1)
        delay = await worker.drain()
        assert delay is not None
        worker.now += delay
        assert await worker.store.log.append(late)

        await worker.drain_until_empty()

        assert worker.batches == [[2], [1], [2]]


class TestWhatNoModelCanBeAskedAbout:
    @pytest.mark.parametrize(
        ("error", "waits_for", "delay"),
        [
            (CredentialGoneError(), "key", timedelta(seconds=1)),  # another process may keep it
            (ExtractorUnusableError(), "model", MODEL_DELAY),
            (ExtractorPausedError(START + timedelta(minutes=5)), "outage", timedelta(minutes=5)),
            (ExtractorPausedError(START), "outage", timedelta(seconds=1)),
            (BudgetSpentError(), "budget", timedelta(hours=14, minutes=30)),
        ],
    )
    async def test_waits_all_of_it_and_is_asked_about_once(
        self, worker: Worker, error: ExtractorError, waits_for: str, delay: timedelta | None
    ) -> None:
        await worker.hears(1, 2, 3)
        worker.fail = lambda _: error

        for _ in range(3):
            assert await worker.drain() is None

        due = await worker.store.inbox.next_wake(worker.store.anna)
        assert (worker.order, await worker.outcomes()) == ([1], [f"waits:{waits_for}"] * 3)
        assert (due, worker.counts.waits) == (None if delay is None else START + delay, {waits_for: 1})

    async def test_waits_for_its_person_where_no_request_brought_a_key(self, worker: Worker) -> None:
        said = replace(worker.store.exchange(WORDS, key="1", at=START), authorized=False)
        assert await worker.store.log.append(said)
        worker.fail = lambda _: CredentialGoneError()
        await worker.drain()

        assert await worker.store.inbox.next_wake(worker.store.anna) is None

    async def test_is_tried_by_itself_without_a_key_until_no_process_keeps_it(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = lambda _: CredentialGoneError()
        tries = 0
        await worker.drain()
        while (due := await worker.store.inbox.next_wake(worker.store.anna)) is not None:
            worker.now, tries = due, tries + 1
            await worker.drain()

        assert 10 < tries < 100
        assert worker.now >= START + timedelta(seconds=CREDENTIAL_SECONDS)
        assert await worker.outcomes() == ["waits:key"]

    @pytest.mark.parametrize(("upstream", "delay"), [("", timedelta(seconds=1)), ("far", None)])
    async def test_an_old_one_without_a_key_is_tried_by_itself_with_a_new_one_of_its_server(
        self, worker: Worker, upstream: str, delay: timedelta | None
    ) -> None:
        await worker.hears(1, upstream=upstream)
        worker.fail = lambda exchange: CredentialGoneError() if number_of(exchange) == 1 else None
        worker.now += timedelta(seconds=CREDENTIAL_SECONDS)
        await worker.drain()
        assert await worker.store.inbox.next_wake(worker.store.anna) is None

        await worker.hears(2, at=worker.now)
        await worker.drain()

        due = await worker.store.inbox.next_wake(worker.store.anna)
        assert due == (None if delay is None else worker.now + delay)

    @pytest.mark.parametrize(
        ("upstream", "ahead", "delay"),
        [
            ("", timedelta(), timedelta(seconds=1)),
            ("", timedelta(seconds=80), timedelta(seconds=10)),  # the clock of another process
            ("far", timedelta(), None),
        ],
    )
    async def test_a_newer_key_of_its_server_that_waits_behind_it_counts_for_an_old_one(
        self, worker: Worker, upstream: str, ahead: timedelta, delay: timedelta | None
    ) -> None:
        await worker.hears(1, upstream=upstream)
        worker.now += timedelta(seconds=CREDENTIAL_SECONDS)
        await worker.hears(2, at=worker.now + ahead)
        worker.fail = lambda exchange: CredentialGoneError() if number_of(exchange) == 1 else None
        await worker.drain()

        due = await worker.store.inbox.next_wake(worker.store.anna)
        assert due == (None if delay is None else worker.now + delay)

    async def test_is_tried_again_with_the_first_and_formed_in_order(self, worker: Worker) -> None:
        await worker.hears(1, 2, 3)
        worker.fail = lambda _: ExtractorUnusableError()
        await worker.drain()

        worker.now += MODEL_DELAY
        await worker.drain()
        assert (worker.order, await worker.outcomes()) == ([1, 1], ["waits:model"] * 3)

        worker.fail = lambda _: None
        worker.now += MODEL_DELAY
        assert (await worker.drain(), worker.order) == (None, [1, 1, 1, 2, 3])
        assert await worker.outcomes() == ["formed"] * 3

    @pytest.mark.parametrize(
        ("upstream", "order", "outcomes"),
        [("", [1, 1, 3, 4], ["formed"] * 3), ("far", [1, 4], [*["waits:key"] * 2, "formed"])],
    )
    async def test_is_formed_when_its_person_chats_with_its_upstream_again_before_what_they_say(
        self, worker: Worker, upstream: str, order: list[int], outcomes: list[str]
    ) -> None:
        await worker.hears(1, 3, upstream=upstream)
        worker.fail = lambda _: CredentialGoneError()
        await worker.drain()

        worker.fail = lambda _: None
        await worker.hears(4)
        assert await worker.drain() is None

        assert (worker.order, await worker.outcomes()) == (order, outcomes)

    async def test_asks_the_model_that_its_person_chats_with(self, worker: Worker) -> None:
        await worker.hears(1, 2, model="")
        worker.fail = lambda exchange: None if exchange.turn.model else ExtractorUnusableError()
        await worker.drain()
        assert await worker.outcomes() == ["waits:model"] * 2

        await worker.hears(3, model="llama")
        await worker.drain()

        assert await worker.outcomes() == ["formed"] * 3


@pytest.mark.parametrize("is_read_in_part", [False, True])
async def test_what_can_not_be_read_is_asked_for_ever_later_and_then_no_more(
    worker: Worker, *, is_read_in_part: bool
) -> None:
    await worker.hears(1, 2)
    if is_read_in_part:
        worker.unread = lambda exchange: Unread.UNREADABLE if number_of(exchange) == 1 else None
    else:
        worker.fail = failing(1, InvalidExtractionError())
    waited = []

    await worker.drain()
    while (due := await worker.store.inbox.next_wake(worker.store.anna)) is not None:
        waited.append(due - worker.now)
        worker.now = due
        await worker.drain()

    assert (waited, worker.order) == (list(OWN_FAULT_DELAYS), [1, 2] + [1] * len(OWN_FAULT_DELAYS))
    assert await worker.outcomes() == ["waits:unreadable", "formed"]
    assert worker.counts.waits == {"unreadable": 1 + len(OWN_FAULT_DELAYS)}
    [entry, _] = await worker.entries()
    assert is_read_in_part or entry["error"].startswith("InvalidExtractionError")


async def test_somebody_with_a_long_backlog_leaves_the_others_their_turn(worker: Worker) -> None:
    await worker.hears(*range(RUN + 5))

    assert (await worker.drain(), len(worker.order)) == (REST, RUN)
    assert await worker.drain() is None
    assert worker.order == [*range(RUN + 5)]


class TestAnEmbedderThatIsAway:
    @pytest.mark.parametrize("imported", [False, True])
    async def test_what_needs_it_waits_uncounted_for_an_hour(self, worker: Worker, *, imported: bool) -> None:
        await worker.hears(1)
        worker.fail = failing(1, EmbedderError(), times=1)
        if imported:
            worker.now = START + timedelta(days=200)
            await worker.store.inbox.postpone(worker.said[1], error="", until=worker.now, counts=False)

        assert (await worker.drain(), await worker.attempts()) == (EMBEDDER_DELAY, 0)

        worker.now += EMBEDDER_DELAY
        assert (await worker.drain(), await worker.outcomes()) == (None, ["formed"])

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
    assert (counts.rejects, sum(counts.lag.counts), counts.lag.total) == ({"empty": 2}, 2, 4 + 5)


class TestWhatTakesTooLong:
    async def test_is_asked_for_by_half_and_then_waits(self, worker: Worker) -> None:
        await worker.hears(1)
        worker.fail = failing(1, ExtractorTimeoutError())

        assert await worker.drain() is None

        assert (worker.shares, await worker.outcomes()) == ([1.0, 0.5], ["waits:unreadable"])
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

        worker.yielding.note_running_chats(1)
        again = await worker.drain()
        worker.yielding.note_running_chats(0)

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
        assert (await worker.attempts(), worker.counts.errors) == (0, {})
        assert await worker.drain() is None

        assert await worker.outcomes() == ["formed"]

    async def test_batches_grow_meanwhile(self, worker: Worker) -> None:
        worker.batching = Batching(2, grown=4)
        worker.yielding = Yielding(yields=True, idle=0)
        await worker.hears(1, 2, 3, 4, 5)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2, 3, 4], [5]]
