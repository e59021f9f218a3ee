from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from recollect.counting import FormationCounts
from recollect.errors import (
    EmbedderError,
    ExtractorError,
    ExtractorPausedError,
    StoreError,
    StoreUnavailableError,
)
from recollect.inbox import (
    EMBEDDER_DELAY,
    GONE_DELAY,
    PATIENCE,
    RETRY_DELAYS,
    STORE_DELAY,
    TAKEN_DELAY,
    Draining,
)
from recollect.model import Caps, Change, Exchange, Fallback, Formed, Ignore, Pending, Reason, Scope, Turn
from recollect.policy import Batching
from recollect.ports import NO_CAPS
from recollect.testing import InMemoryStore
from recollect.testing.changes import Logged

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
WORDS = "my secret words"


def exchange(number: int) -> Exchange:
    turn = Turn(Scope("anna", "chat-1"), WORDS, f"m{number}", START, "a-model")
    return Exchange(UUID(int=number), turn, "reply", UUID(int=number + 1000), UUID(int=number + 2000))


class FailingInbox(InMemoryStore):
    """A store whose ``broken`` methods raise what they are told to."""

    def __init__(self) -> None:
        super().__init__()
        self.broken: dict[str, Exception] = {}

    def _fail(self, method: str) -> None:
        if method in self.broken:
            raise self.broken[method]

    @asynccontextmanager
    async def lease(self, user_id: str) -> AsyncIterator[bool]:
        self._fail("lease")
        async with super().lease(user_id) as taken:
            yield taken

    async def pending(self, user_id: str, *, limit: int) -> list[Pending]:
        self._fail("pending")
        return await super().pending(user_id, limit=limit)

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS
    ) -> list[list[Change]] | None:
        self._fail("complete")
        return await super().complete(formed, at=at, caps=caps)

    async def postpone(
        self, exchange: Exchange, *, error: str, until: datetime | None, counts: bool = True
    ) -> None:
        self._fail("postpone")
        await super().postpone(exchange, error=error, until=until, counts=counts)

    @property
    def entries(self) -> list[Logged]:
        return self._of("anna").log

    @property
    def outcomes(self) -> list[str]:
        """What became of each exchange: the fallback's reason where it is one."""
        return [f"fallback:{entry.fallback}" if entry.fallback else entry.state for entry in self.entries]


@dataclass
class Worker:
    """Drains an inbox as often as it is told to, letting the time pass between."""

    inbox: FailingInbox
    fail: Callable[[Exchange, Fallback | None], Exception | None] = lambda _exchange, _fallback: None
    now: datetime = START
    formed: list[tuple[int, Fallback | None, str | None]] = field(default_factory=list)
    batches: list[list[int]] = field(default_factory=list)
    delays: list[timedelta] = field(default_factory=list)
    batching: Batching = field(default_factory=Batching)
    counts: FormationCounts = field(default_factory=FormationCounts)

    async def form(self, exchanges: Sequence[Exchange], *, fallback: Fallback | None = None) -> list[Formed]:
        self.batches.append([each.id.int for each in exchanges])
        for each in exchanges:
            self.formed.append((each.id.int, fallback, each.credential))
            error = self.fail(each, fallback)
            if error is not None:
                raise error
        return [Formed(each, (Ignore(Reason.EMPTY),), fallback=fallback) for each in exchanges]

    async def drain(self, *, tries: int = 3) -> timedelta | None:
        draining = Draining(
            inbox=self.inbox,
            form=self.form,
            credential={UUID(int=2): "Bearer of-2"}.get,
            clock=lambda: self.now,
            batching=self.batching,
            tries=tries,
            counts=self.counts,
        )
        return await draining.drain("anna")

    async def drain_until_empty(self, *, tries: int = 3) -> None:
        while (delay := await self.drain(tries=tries)) is not None:
            self.delays.append(delay)
            self.now += delay
            assert len(self.delays) < 50

    @property
    def order(self) -> list[int]:
        return [number for number, _, _ in self.formed]


async def working(*numbers: int, **broken: Exception) -> Worker:
    inbox = FailingInbox()
    for number in numbers:
        assert await inbox.append(exchange(number))
    inbox.broken = broken
    return Worker(inbox)


def failing(
    number: int, error: Exception, times: int = 99
) -> Callable[[Exchange, Fallback | None], Exception | None]:
    """Fail so often for this exchange; a fallback never fails."""
    left = [error] * times

    def fail(exchange: Exchange, fallback: Fallback | None) -> Exception | None:
        return left.pop() if left and exchange.id.int == number and fallback is None else None

    return fail


async def test_everything_is_formed_in_order() -> None:
    worker = await working(1, 2, 3)

    with capture_logs() as lines:
        assert await worker.drain() is None

    assert worker.order == [1, 2, 3]
    assert worker.inbox.outcomes == ["formed"] * 3
    assert [line["event"] for line in lines] == ["memory_decision"] * 3


async def test_the_requests_own_credential_is_found_while_it_is_at_hand() -> None:
    worker = await working(1, 2)

    await worker.drain()

    assert worker.formed == [(1, None, None), (2, None, "Bearer of-2")]


async def test_an_inbox_that_another_drains_is_left_alone() -> None:
    worker = await working(1)

    async with worker.inbox.lease("anna"):
        assert await worker.drain() == TAKEN_DELAY

    assert worker.formed == []


async def test_what_comes_while_the_lease_ends_is_formed_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = await working(1)
    lease = worker.inbox.lease

    @asynccontextmanager
    async def ending(user_id: str) -> AsyncIterator[bool]:
        async with lease(user_id) as taken:
            yield taken
            if len(worker.inbox.entries) == 1:
                await worker.inbox.append(exchange(2))  # its own job finds the lease taken

    monkeypatch.setattr(worker.inbox, "lease", ending)

    assert await worker.drain() is None
    assert worker.order == [1, 2]


async def test_what_is_not_yet_due_blocks_the_later_ones() -> None:
    worker = await working(1, 2)
    worker.inbox.entries[0].not_before = START + timedelta(seconds=7)

    assert await worker.drain() == timedelta(seconds=7)
    assert worker.formed == []


async def test_a_failure_is_tried_again_before_later_exchanges() -> None:
    worker = await working(1, 2, 3)
    worker.fail = failing(2, ExtractorError(), times=2)

    await worker.drain_until_empty()

    assert worker.order == [1, 2, 2, 2, 3]
    assert worker.delays == [timedelta(seconds=1), timedelta(seconds=5)]
    assert worker.inbox.outcomes == ["formed"] * 3


async def test_the_waits_grow_and_the_last_one_counts_on() -> None:
    worker = await working(1)
    worker.fail = failing(1, StoreError("odd"), times=5)

    await worker.drain_until_empty(tries=6)

    assert worker.delays == [*RETRY_DELAYS, RETRY_DELAYS[-1], RETRY_DELAYS[-1]]
    assert worker.inbox.outcomes == ["formed"]


@pytest.mark.parametrize("tries", [1, 3])
async def test_when_extraction_keeps_failing_the_exchange_is_kept_as_it_is(tries: int) -> None:
    worker = await working(1, 2)
    worker.fail = failing(1, ExtractorError())

    await worker.drain_until_empty(tries=tries)

    assert worker.formed == [(1, None, None)] * tries + [(1, "failed", None), (2, None, "Bearer of-2")]
    assert worker.inbox.outcomes == ["fallback:failed", "formed"]


@pytest.mark.parametrize("error", [StoreError("odd"), ValueError(WORDS)])
async def test_what_else_keeps_failing_is_held_and_the_later_ones_go_on(error: Exception) -> None:
    worker = await working(1, 2)
    worker.fail = failing(1, error)

    with capture_logs() as lines:
        await worker.drain_until_empty()

    assert worker.order == [1, 1, 1, 2]
    assert worker.inbox.outcomes == ["failed", "formed"]
    failures = [line for line in lines if line["event"] == "formation_failed"]
    assert [(line["tries"], line["held"]) for line in failures] == [(1, False), (2, False), (3, True)]
    assert all(line["place"].startswith("test_inbox.py:") for line in failures)
    assert str(worker.inbox.entries[0].error).startswith(type(error).__name__)
    assert WORDS not in f"{lines} {worker.inbox.entries[0].error}"


async def test_a_fallback_that_fails_too_is_held() -> None:
    worker = await working(1)
    worker.fail = lambda _, fallback: StoreError("odd") if fallback else ExtractorError()

    await worker.drain_until_empty()

    assert worker.inbox.outcomes == ["failed"]
    assert worker.formed[-1] == (1, "failed", None)


async def test_a_failing_write_of_the_outcome_is_a_failed_try() -> None:
    worker = await working(1, complete=StoreError("odd"))

    await worker.drain_until_empty()

    assert worker.inbox.outcomes == ["failed"]


@pytest.mark.parametrize("method", ["lease", "pending", "complete", "postpone"])
async def test_a_store_that_is_away_is_no_failed_try(method: str) -> None:
    worker = await working(1, **{method: StoreUnavailableError()})
    if method == "postpone":
        worker.fail = failing(1, ValueError())

    assert await worker.drain() == STORE_DELAY
    assert worker.inbox.entries[0].attempts == 0


async def test_a_store_that_is_away_while_forming_is_no_failed_try() -> None:
    worker = await working(1)
    worker.fail = failing(1, StoreUnavailableError())

    assert await worker.drain() == STORE_DELAY
    assert (worker.inbox.outcomes, worker.inbox.entries[0].attempts) == (["pending"], 0)


async def test_a_store_that_fails_otherwise_is_told() -> None:
    worker = await working(1, pending=StoreError("odd"))

    with pytest.raises(StoreError, match="odd"):
        await worker.drain()


async def test_an_exchange_that_another_formed_meanwhile_is_left_to_them() -> None:
    worker = await working(1, 2)

    def formed_elsewhere(exchange: Exchange, _: Fallback | None) -> None:
        worker.inbox.entries[exchange.id.int - 1].state = "formed"

    worker.fail = formed_elsewhere

    with capture_logs() as lines:
        assert await worker.drain() == GONE_DELAY

    assert worker.order == [1]
    assert lines == []


class TestBatches:
    async def test_turns_that_wait_are_formed_together(self) -> None:
        worker = await working(1, 2, 3)
        worker.batching = Batching(turns=2)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2], [3]]
        assert worker.inbox.outcomes == ["formed"] * 3

    async def test_a_chat_has_to_be_quiet_for_a_while(self) -> None:
        worker = await working(1, 2)
        worker.batching = Batching(turns=4, quiet=timedelta(seconds=3))

        assert await worker.drain() == timedelta(seconds=3)
        assert worker.batches == []

        worker.now += timedelta(seconds=3)
        assert await worker.drain() is None
        assert worker.batches == [[1, 2]]

    async def test_as_many_as_make_a_batch_wait_no_longer(self) -> None:
        worker = await working(1, 2, 3)
        worker.batching = Batching(turns=2, quiet=timedelta(seconds=3))

        assert await worker.drain() == timedelta(seconds=3)

        assert worker.batches == [[1, 2]]

    async def test_a_chat_that_is_never_quiet_is_formed_nevertheless(self) -> None:
        worker = await working(1)
        worker.batching = Batching(turns=3, quiet=timedelta(seconds=10))
        later = replace(exchange(2), turn=replace(exchange(2).turn, at=START + timedelta(seconds=29)))
        await worker.inbox.append(later)
        worker.now = START + timedelta(seconds=30)

        assert await worker.drain() is None

        assert worker.batches == [[1, 2]]

    async def test_what_failed_is_tried_alone_so_that_it_takes_no_other_down(self) -> None:
        worker = await working(1, 2, 3)
        worker.batching = Batching(turns=3)
        worker.fail = failing(2, ExtractorError())

        await worker.drain_until_empty()

        assert worker.inbox.outcomes == ["formed", "fallback:failed", "formed"]
        assert worker.batches[0] == [1, 2, 3]
        assert [batch for batch in worker.batches if len(batch) > 1] == [[1, 2, 3]]

    async def test_a_wish_to_forget_is_formed_after_what_was_said_before_it(self) -> None:
        worker = await working(1)
        worker.batching = Batching(turns=4)
        wish = replace(exchange(2).turn, text="Please forget that I live in Kassel")
        await worker.inbox.append(replace(exchange(2), turn=wish))
        await worker.inbox.append(exchange(3))

        await worker.drain()

        assert worker.batches == [[1], [2, 3]]

    async def test_chats_are_not_mixed(self) -> None:
        worker = await working(1)
        worker.batching = Batching(turns=9)
        other = replace(exchange(2).turn, scope=Scope("anna", "chat-2"))
        await worker.inbox.append(replace(exchange(2), turn=other))
        await worker.inbox.append(exchange(3))

        await worker.drain()

        assert worker.batches == [[1], [2], [3]]


class TestAModelThatIsLeftAlone:
    async def test_its_exchanges_wait_and_no_try_is_counted(self) -> None:
        worker = await working(1)
        until = START + timedelta(minutes=5)
        worker.fail = failing(1, ExtractorPausedError(until), times=1)

        assert await worker.drain() == timedelta(minutes=5)
        assert (worker.inbox.outcomes, worker.inbox.entries[0].attempts) == (["pending"], 0)

        worker.now = until
        assert await worker.drain() is None
        assert worker.inbox.outcomes == ["formed"]

    async def test_they_do_not_wait_for_ever(self) -> None:
        worker = await working(1)
        worker.fail = failing(1, ExtractorPausedError(START + timedelta(days=1)))
        worker.now = START + PATIENCE

        assert await worker.drain() is None

        assert worker.inbox.outcomes == ["fallback:paused"]

    async def test_what_was_said_long_ago_waits_as_long_from_when_it_was_due(self) -> None:
        worker = await working(1)
        imported = START + timedelta(days=200)
        await worker.inbox.postpone(exchange(1), error="", until=imported, counts=False)
        worker.fail = failing(1, ExtractorPausedError(imported + timedelta(days=1)))

        for waited in (timedelta(), PATIENCE - timedelta(seconds=1)):
            worker.now = imported + waited
            assert await worker.drain() == timedelta(days=1) - waited
            assert worker.inbox.outcomes == ["pending"]

        worker.now = imported + PATIENCE
        assert await worker.drain() is None
        assert worker.inbox.outcomes == ["fallback:paused"]

    async def test_a_pause_that_is_just_over_is_no_wait(self) -> None:
        worker = await working(1)
        worker.now = START + timedelta(seconds=9)
        worker.fail = failing(1, ExtractorPausedError(START), times=1)

        assert await worker.drain() == timedelta()


class TestAnEmbedderThatIsAway:
    async def test_what_needs_it_waits_uncounted_for_an_hour(self) -> None:
        worker = await working(1)
        worker.fail = failing(1, EmbedderError(), times=1)

        assert await worker.drain() == EMBEDDER_DELAY
        assert worker.inbox.entries[0].attempts == 0

        worker.now += EMBEDDER_DELAY
        assert await worker.drain() is None
        assert worker.inbox.outcomes == ["formed"]

    async def test_what_was_imported_waits_as_long(self) -> None:
        worker = await working(1)
        worker.now = START + timedelta(days=200)
        await worker.inbox.postpone(exchange(1), error="", until=worker.now, counts=False)
        worker.fail = failing(1, EmbedderError(), times=1)

        assert await worker.drain() == EMBEDDER_DELAY
        assert worker.inbox.entries[0].attempts == 0

    async def test_then_its_tries_count(self) -> None:
        worker = await working(1)
        worker.fail = failing(1, EmbedderError())
        worker.now = START + PATIENCE

        await worker.drain_until_empty()

        assert worker.inbox.outcomes == ["failed"]


async def test_what_is_done_is_counted() -> None:
    worker = await working(1, 2)
    worker.now = START + timedelta(seconds=4)
    worker.fail = failing(2, ExtractorError(), times=1)

    await worker.drain_until_empty()

    counts = worker.counts
    assert (counts.attempts, counts.successes, counts.errors) == (3, 2, {"ExtractorError": 1})
    assert counts.rejects == {"empty": 2}
    assert sum(counts.lag) == 2
    assert counts.lag_sum == 4 + 5
