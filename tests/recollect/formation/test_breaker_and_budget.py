import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs
from tests.support.stores import Store
from tests.support.tables import table
from tests.support.watched_stores import Outage, breakable

from recollect.errors import (
    BudgetSpentError,
    CredentialGoneError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
    StoreError,
    UpstreamPolicyError,
    YieldedError,
)
from recollect.formation import CallGuard, TokenBudget
from recollect.formation.breaker_and_budget import (
    FAILED_SECONDS,
    FAILURES,
    CircuitBreaker,
    RareWarnings,
    Work,
)
from recollect.model import Usage
from recollect.models.background_limits import Yielding, spend
from recollect.ports import Extracted

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass
class Model:
    """Answers, or fails with ``error``; counts its calls."""

    error: Exception | None = None
    tokens: int = 100
    asked: int = 0

    async def __call__(self) -> Extracted:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return Extracted(tokens=self.tokens)


class Guarded:
    """A guard, a model behind it that is called for Anna, and a clock that stands until it is moved."""

    def __init__(self, store: Store, budget: TokenBudget | None = None, *, work: Work = Work.FORMING) -> None:
        self.anna = store.anna
        self.now = NOON
        self.guard = CallGuard(store.usage, budget or TokenBudget(), lambda: self.now, work=work)
        self.model = Model()

    async def call(self, user_id: str | None = None) -> Extracted:
        return await self.guard.call(user_id or self.anna, self.model)

    async def fail(self, error: Exception, times: int = 1) -> None:
        self.model.error = error
        for _ in range(times):
            with pytest.raises(type(error)):
                await self.call()
        self.model.error = None


async def have_said_something(store: Store) -> None:
    """Give both a chat: of who has none, nothing is counted."""
    for scope in (store.anna.scope, store.ben.scope):
        await store.log.append(store.exchange("hello", scope))


def failed(times: int, seconds: float = 0.0) -> CircuitBreaker:
    """Return a breaker after failures in a row at noon."""
    breaker = CircuitBreaker()
    for _ in range(times):
        breaker.enter(NOON)
        breaker.fail(NOON, seconds)
    return breaker


def lets_through(breaker: CircuitBreaker, seconds: float) -> bool:
    """Return whether a call is let through so many seconds after noon."""
    try:
        breaker.enter(NOON + timedelta(seconds=seconds))
    except ExtractorPausedError:
        return False
    return True


class TestBreaker:
    @table(
        ("times", "seconds", "after", "is_called"),
        [
            (FAILURES - 1, 0.0, 0, True),
            (FAILURES, 0.0, 0, False),
            (FAILURES, 0.0, 29.9, False),
            (FAILURES, 0.0, 30, True),
            (FAILURES, 0.0, -2 * 86_400, True),  # the clock was set back
            (1, FAILED_SECONDS, 0, False),  # as bad as failures
            (2, FAILED_SECONDS / 2, 0, False),
            (2, FAILED_SECONDS / 3, 0, True),
        ],
    )
    def test_leaves_a_failing_model(
        self, times: int, seconds: float, after: float, *, is_called: bool
    ) -> None:
        assert lets_through(failed(times, seconds), after) is is_called

    def test_lets_one_call_try_it_then_and_success_closes_it(self) -> None:
        breaker = failed(FAILURES)

        assert [lets_through(breaker, 30), lets_through(breaker, 31)] == [True, False]
        breaker.succeed()
        breaker.fail(NOON, FAILED_SECONDS / 2)
        assert (breaker.failures, breaker.open_until, breaker.opened) == (1, None, 1)

    def test_waits_twice_as_long_after_a_failed_try(self) -> None:
        breaker = failed(FAILURES)
        for seconds in (60, 120, 240, 480, 600, 600):
            assert breaker.open_until is not None
            now = breaker.open_until
            breaker.enter(now)
            breaker.fail(now)

            assert breaker.open_until == now + timedelta(seconds=seconds)

    async def test_a_model_that_is_left_alone_is_not_asked(self, store: Store) -> None:
        guarded = Guarded(store)
        await guarded.fail(ExtractorError(), FAILURES)

        with pytest.raises(ExtractorPausedError) as paused:
            await guarded.call()

        assert (guarded.model.asked, paused.value.until) == (FAILURES, NOON + timedelta(seconds=30))
        assert guarded.guard.guarded.errors == {"ExtractorError": FAILURES, "ExtractorPausedError": 1}

    async def test_seconds_of_answered_calls_alone_are_counted(self, store: Store) -> None:
        guarded = Guarded(store)
        await guarded.fail(ExtractorError(), 1)

        async def answer() -> Extracted:
            guarded.now += timedelta(seconds=3)
            return await guarded.model()

        await guarded.guard.call(store.anna, answer)

        took = guarded.guard.guarded.seconds
        assert (sum(took.counts), took.total) == (1, 3.0)

    async def test_seconds_waited_in_vain_are_counted_too(self, store: Store) -> None:
        guarded = Guarded(store)

        async def hang() -> Extracted:
            guarded.now += timedelta(seconds=FAILED_SECONDS)
            raise ExtractorTimeoutError

        with pytest.raises(ExtractorTimeoutError):
            await guarded.guard.call(store.anna, hang)
        with pytest.raises(ExtractorPausedError):
            await guarded.call()

    @table("kind", [ExtractorUnusableError, InvalidExtractionError, ExtractorError])
    async def test_one_call_tells_nothing_of_servers(self, store: Store, kind: type[ExtractorError]) -> None:
        guarded, error = Guarded(store), kind()
        error.is_of_one = kind is ExtractorError

        await guarded.fail(error, 3 * FAILURES)

        assert (await guarded.call()).tokens == 100

    async def test_a_bug_or_a_cancellation_frees_the_try(self, store: Store) -> None:
        guarded = Guarded(store)
        await guarded.fail(ExtractorError(), FAILURES)
        guarded.now += timedelta(seconds=30)

        await guarded.fail(ValueError("a bug"))

        assert (await guarded.call()).tokens == 100


class TestRareWarnings:
    def test_tell_each_cause_once_an_hour_however_many_there_are(self) -> None:
        warnings = RareWarnings()
        minutes = [(0, "tiny"), (0, "tiny"), (1, "small"), (59, "tiny"), (60, "tiny")]
        with capture_logs() as lines:
            for minute, model in minutes:
                warnings.tell("refused", NOON + timedelta(minutes=minute), remedy="", model=model)
            told = [line["model"] for line in lines]
            for number in range(300):
                warnings.tell("refused", NOON, remedy="", model=f"model {number}")

        assert told == ["tiny", "small", "tiny"]
        assert len(lines) == 303
        assert len(warnings._told) <= 100

    async def test_name_the_remedy_and_never_an_answer_nor_what_a_policy_forbids(self, store: Store) -> None:
        guarded, unreadable = Guarded(store), InvalidExtractionError("what it said")
        unreadable.model = "tiny"
        with capture_logs() as lines:
            await guarded.fail(unreadable, times=3)
            await guarded.fail(UpstreamPolicyError("not there"))
            await guarded.fail(CredentialGoneError("The request's credential is gone."), times=3)
            await guarded.fail(ExtractorUnusableError("No extraction model is named."))

        assert [(line["event"], line.get("detail", line.get("model"))) for line in lines] == [
            ("model_answer_rejected", "tiny"),
            ("model_rejected", "The request's credential is gone."),
            ("model_rejected", "No extraction model is named."),
        ]
        remedies = ["EXTRACTION_MODEL", "EXTRACTION_API_KEY", "EXTRACTION_MODEL"]
        assert all(name in line["remedy"] for name, line in zip(remedies, lines, strict=True))
        assert {line["log_level"] for line in lines} == {"warning"}
        assert "what it said" not in str(lines)

    @pytest.mark.parametrize(
        ("work", "meanwhile"), [(Work.FORMING, "An exchange is"), (Work.SUMMARIES, "A summary is")]
    )
    async def test_say_what_an_unreadable_answer_is_about(
        self, store: Store, work: Work, meanwhile: str
    ) -> None:
        with capture_logs() as lines:
            await Guarded(store, work=work).fail(InvalidExtractionError())

        assert [meanwhile in line["remedy"] for line in lines] == [True]

    @pytest.mark.parametrize("error", [InvalidExtractionError(), ExtractorUnusableError("No model.")])
    async def test_are_none_about_hints_without_which_memories_are_formed_and_recalled(
        self, store: Store, error: ExtractorError
    ) -> None:
        with capture_logs() as lines:
            await Guarded(store, work=Work.HINTS).fail(error)

        assert lines == []


class TestBudget:
    async def test_what_calls_take_is_counted(self, own_store: Store) -> None:
        await have_said_something(own_store)
        guarded = Guarded(own_store)
        await guarded.call()
        await guarded.call(own_store.ben)
        for failure, tokens in ((InvalidExtractionError(), 7), (ExtractorError(), 5)):
            failure.tokens = tokens
            await guarded.fail(failure)

        assert await own_store.usage.used(own_store.anna, NOON.date()) == Usage(112, 212)

    async def test_what_was_spent_is_counted_however_a_call_ends(self, own_store: Store) -> None:
        await have_said_something(own_store)
        guarded = Guarded(own_store)

        async def fail() -> Extracted:
            spend(30)
            raise ExtractorTimeoutError

        async def wait() -> Extracted:
            spend(12)
            await asyncio.Event().wait()
            return Extracted()

        with pytest.raises(ExtractorTimeoutError):
            await guarded.guard.call(own_store.anna, fail)
        calling = asyncio.create_task(guarded.guard.call(own_store.anna, wait))
        await asyncio.sleep(0.1)
        calling.cancel()
        await asyncio.wait({calling})

        assert calling.cancelled()
        assert (await own_store.usage.used(own_store.anna, NOON.date())).user == 42

    async def test_a_user_whose_budget_is_spent_is_refused_until_tomorrow(self, store: Store) -> None:
        await have_said_something(store)
        guarded = Guarded(store, TokenBudget(user=200))  # what two calls take, to the token
        await guarded.call()
        await guarded.call()

        with pytest.raises(BudgetSpentError):
            await guarded.call()
        await guarded.call(store.ben)
        guarded.now += timedelta(days=1)
        await guarded.call()

        assert guarded.model.asked == 4

    async def test_all_users_together_may_take_no_more_than_theirs(self, own_store: Store) -> None:
        await have_said_something(own_store)
        guarded = Guarded(own_store, TokenBudget(everybody=100))
        await guarded.call()

        with pytest.raises(BudgetSpentError):
            await guarded.call(own_store.ben)

    async def test_a_count_that_fails_costs_no_answer(self, store: Store) -> None:
        assert (await Guarded(breakable(store, Outage(StoreError(), ("use",)))).call()).tokens == 100


class TestChatsFirst:
    async def test_a_call_given_up_for_a_chat_is_no_failure_but_its_tokens_count(
        self, own_store: Store
    ) -> None:
        await have_said_something(own_store)
        yielding, asked = Yielding(yields=True, idle=0), asyncio.Event()
        guard = CallGuard(own_store.usage, TokenBudget(), lambda: NOON, yielding)

        async def wait() -> Extracted:
            spend(12)
            asked.set()
            await asyncio.Event().wait()
            return Extracted()

        for _ in range(FAILURES + 1):
            asked.clear()
            calling = asyncio.create_task(guard.call(own_store.anna, wait))
            await asked.wait()
            yielding.note_running_chats(1)
            with pytest.raises(YieldedError):
                await calling
            yielding.note_running_chats(0)

        assert guard.guarded.failures == 0
        assert guard.guarded.errors == {}
        assert guard.guarded.given_up == FAILURES + 1
        assert (await own_store.usage.used(own_store.anna, NOON.date())).user == 12 * (FAILURES + 1)
