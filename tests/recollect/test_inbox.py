from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from uuid_utils.compat import uuid7

from recollect.errors import (
    EmbedderError,
    ExtractorError,
    StoreError,
    StoreUnavailableError,
)
from recollect.formation import Formed, form
from recollect.model import Strategy
from recollect.inbox import RETRY_DELAYS, STORE_DELAY, TAKEN_DELAY, drain_inbox
from recollect.model import Candidate, Change, Exchange, Ignore, Kind, Reason, Relation, Scope, Turn
from recollect.testing import InMemoryStore, ScriptedExtractor, WordEmbedder
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

    async def next(self, user_id: str) -> tuple[Exchange, int, datetime] | None:
        self._fail("next")
        return await super().next(user_id)

    async def complete(
        self, exchange: Exchange, changes: Sequence[Change], *, at: datetime, fallback: str | None = None
    ) -> list[Change] | None:
        self._fail("complete")
        return await super().complete(exchange, changes, at=at, fallback=fallback)

    async def postpone(self, exchange: Exchange, *, error: str, until: datetime | None) -> None:
        self._fail("postpone")
        await super().postpone(exchange, error=error, until=until)

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
    fail: Callable[[Exchange, str | None], Exception | None] = lambda _exchange, _fallback: None
    now: datetime = START
    formed: list[tuple[int, str | None, str | None]] = field(default_factory=list)
    delays: list[timedelta] = field(default_factory=list)

    async def form(self, exchange: Exchange, *, fallback: str | None = None) -> Formed:
        self.formed.append((exchange.id.int, fallback, exchange.credential))
        error = self.fail(exchange, fallback)
        if error is not None:
            raise error
        return Formed((Ignore(Reason.EMPTY),), fallback=fallback)

    async def drain(self, *, tries: int = 3) -> timedelta | None:
        return await drain_inbox(
            "anna",
            inbox=self.inbox,
            form=self.form,
            credential={UUID(int=2): "Bearer of-2"}.get,
            clock=lambda: self.now,
            tries=tries,
        )

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
) -> Callable[[Exchange, str | None], Exception | None]:
    """Fail so often for this exchange; a fallback never fails."""
    left = [error] * times

    def fail(exchange: Exchange, fallback: str | None) -> Exception | None:
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
    worker.fail = failing(1, EmbedderError(), times=5)

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


@pytest.mark.parametrize("error", [EmbedderError("no model"), StoreError("odd"), ValueError(WORDS)])
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
    worker.fail = lambda _, fallback: EmbedderError() if fallback else ExtractorError()

    await worker.drain_until_empty()

    assert worker.inbox.outcomes == ["failed"]
    assert worker.formed[-1] == (1, "failed", None)


async def test_a_failing_write_of_the_outcome_is_a_failed_try() -> None:
    worker = await working(1, complete=StoreError("odd"))

    await worker.drain_until_empty()

    assert worker.inbox.outcomes == ["failed"]


@pytest.mark.parametrize("method", ["lease", "next", "complete", "postpone"])
async def test_a_store_that_is_away_is_no_failed_try(method: str) -> None:
    worker = await working(1, **{method: StoreUnavailableError()})
    if method == "postpone":
        worker.fail = failing(1, EmbedderError())

    assert await worker.drain() == STORE_DELAY
    assert worker.inbox.entries[0].attempts == 0


async def test_a_store_that_is_away_while_forming_is_no_failed_try() -> None:
    worker = await working(1)
    worker.fail = failing(1, StoreUnavailableError())

    assert await worker.drain() == STORE_DELAY
    assert (worker.inbox.outcomes, worker.inbox.entries[0].attempts) == (["pending"], 0)


async def test_a_store_that_fails_otherwise_is_told() -> None:
    worker = await working(1, next=StoreError("odd"))

    with pytest.raises(StoreError, match="odd"):
        await worker.drain()


async def test_an_exchange_that_another_formed_meanwhile_is_left_to_them() -> None:
    worker = await working(1, 2)

    def formed_elsewhere(exchange: Exchange, _: str | None) -> None:
        worker.inbox.entries[exchange.id.int - 1].state = "formed"

    worker.fail = formed_elsewhere

    with capture_logs() as lines:
        assert await worker.drain() == TAKEN_DELAY

    assert worker.order == [1]
    assert lines == []


async def test_what_is_said_later_replaces_what_was_said_before() -> None:
    said = ["I live in Kassel", "Good morning!", "I live in Leipzig now"]
    lives = Candidate("Lives in Kassel", Kind.FACT, 0.7, "I live in Kassel")
    moved = Candidate(
        "Lives in Leipzig", Kind.FACT, 0.7, "I live in Leipzig", relation=Relation.CONTRADICTS, about=0
    )
    store = InMemoryStore()
    for number, text in enumerate(said):
        turn = replace(exchange(1).turn, text=text, key=text, at=START + timedelta(minutes=number))
        await store.append(replace(exchange(number + 1), turn=turn))
    form_one = partial(
        form,
        store=store,
        embedder=WordEmbedder(),
        extractor=ScriptedExtractor([lives], [], [moved]),
        strategy=Strategy.EXTRACT,
        minimum_importance=0.3,
        now=lambda: START,
        new_id=uuid7,
    )

    delay = await drain_inbox(
        "anna",
        inbox=store,
        form=form_one,
        credential=lambda _: None,
        clock=lambda: START + timedelta(hours=1),
    )

    assert delay is None
    assert [memory.content for memory in (await store.page("anna", limit=9)).memories] == ["Lives in Leipzig"]
    assert [update.reason for update in await store.history("anna", limit=9)] == ["contradicts", "new"]
    assert (await store.backlog()).formed == 3
