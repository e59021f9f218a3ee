"""What is remembered of a chat, over stand-ins: it never raises, and loses nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import QUICK, engine_over
from tests.recollections import NOON, recollection, turn
from uuid_utils.compat import uuid7

from recollect import remembering as remembering_module
from recollect.composition import Placed
from recollect.errors import StoreUnavailableError
from recollect.model import (
    Injection,
    Passage,
    Place,
    Recollection,
    RequestRecord,
    Role,
    Scope,
    Strategy,
)
from recollect.testing import BrokenStore, InMemoryStore

DELAYS = remembering_module._APPEND_DELAYS


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a store that is away again at once, five times."""
    monkeypatch.setattr(remembering_module, "_APPEND_DELAYS", (0.0,) * 5)


def events(logs: Sequence[object]) -> list[str]:
    return [line["event"] for line in logs if isinstance(line, dict)]


async def test_an_exchange_is_remembered_once() -> None:
    subject, said = engine_over(), turn("I drink tea")

    assert await subject.remember(said, "Good.") is True
    assert await subject.remember(said, "Good!") is False
    assert (await subject.backlog()).pending == 1


async def test_without_formation_nothing_is_even_logged() -> None:
    subject = engine_over(policy=replace(QUICK, strategy=Strategy.OFF))

    assert await subject.remember(turn(), "Good.") is False
    assert (await subject.backlog()).pending == 0


async def test_an_exchange_waits_for_a_store_that_is_away() -> None:
    store = BrokenStore()
    remembering = asyncio.create_task(engine_over(store).remember(turn("I drink tea"), "Good."))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    store.failure = None

    assert await remembering is True
    assert (await store.backlog()).pending == 1


async def test_an_exchange_is_given_up_when_the_store_stays_away() -> None:
    with capture_logs() as logs:
        assert await engine_over(BrokenStore()).remember(turn(), "Good.") is False

    assert events(logs) == ["remember_failed"] * 6 + ["exchange_lost"]


async def test_a_bug_in_remembering_is_not_tried_again() -> None:
    store = InMemoryStore()
    store.failure = LookupError("a bug")  # type: ignore[assignment]  # that is the bug

    with capture_logs() as logs:
        assert await engine_over(store).remember(turn(), "Good.") is False

    assert events(logs) == ["remember_failed", "exchange_lost"]
    assert logs[0]["error"] == "LookupError"
    assert "exc_info" not in logs[0]


def test_no_gap_between_tries_is_longer_than_a_shutdown_can_bear() -> None:
    assert max(DELAYS) <= 15
    assert 540 <= sum(DELAYS) <= 660


async def test_an_exchange_said_before_its_users_erasure_is_not_logged_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remembering_module, "_APPEND_DELAYS", (0.0,) * 1000)
    store = BrokenStore()
    subject = engine_over(store)
    remembering = asyncio.create_task(subject.remember(turn("I drink tea"), "Good."))
    await asyncio.sleep(0)
    store.failure = None
    await subject.erase("anna")

    with capture_logs() as logs:
        assert await remembering is False

    assert "tea" not in str(logs)
    assert (await store.backlog()).pending == 0
    later = turn("I drink coffee", at=NOON + timedelta(seconds=1))
    assert await subject.remember(later, "Good.") is True
    assert await subject.remember(turn(scope=Scope("bert", "chat-2")), "Good.") is True


class _Untouchable(InMemoryStore):
    """A store that can't count."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.touched = 0

    async def touch(self, user_id: str, memory_ids: Sequence[UUID], *, at: datetime) -> None:  # noqa: ARG002 -- the port's
        self.touched += 1
        raise self.error


@pytest.mark.parametrize("error", [StoreUnavailableError(), LookupError("a bug")])
async def test_an_exchange_is_not_lost_because_its_memories_could_not_be_counted(error: Exception) -> None:
    store = _Untouchable(error)

    with capture_logs() as logs:
        remembered = await engine_over(store).remember(turn(), "Good.", recollections=[recollection("tea")])

    assert remembered is True
    assert store.touched == 1
    assert "exchange_lost" not in events(logs)


async def test_the_memories_in_the_prompt_are_counted() -> None:
    subject = engine_over()
    written = await subject.add("anna", "I drink tea")

    await subject.remember(turn(), "Tea.", recollections=[Recollection(written, 0.9)])

    memory = await subject.get("anna", written.id)
    assert memory.recall_count == 1
    assert memory.last_recalled_at == NOON


async def test_a_passage_in_the_prompt_is_not_counted_for_it_is_no_memory() -> None:
    store = _Untouchable(LookupError("nothing is to be counted"))
    passage = Passage(uuid7(), uuid7(), "chat-1", 0, 0, Role.USER, "I drink tea", NOON)

    assert await engine_over(store).remember(turn(), "Good.", recollections=[Recollection(passage, 0.9)])

    assert store.touched == 0


# -- what was added to a turn ----------------------------------------------------------------------


def injection(anchor: str, block: str = "tea") -> Injection:
    return Injection(anchor, Place.BESIDE, block, (), 5, NOON)


async def test_what_was_added_to_a_turn_is_known_when_the_chat_goes_on() -> None:
    store, said = InMemoryStore(), turn()
    added = injection(said.anchor)

    await engine_over(store).inject(said, Placed(injection=added))

    assert (await store.chat(said.scope, exchanges=5)).injections == (added,)


async def test_what_was_added_first_stays() -> None:
    store, said = InMemoryStore(), turn()
    first = injection(said.anchor)
    subject = engine_over(store)

    await subject.inject(said, Placed(injection=first))
    await subject.inject(said, Placed(injection=injection(said.anchor, "coffee")))

    assert (await store.chat(said.scope, exchanges=5)).injections == (first,)


async def test_what_is_detached_is_attached_no_more() -> None:
    store, said = InMemoryStore(), turn()
    subject = engine_over(store)
    await subject.inject(said, Placed(injection=injection("a:1")))

    await subject.inject(said, Placed(detached=("a:1",)))

    assert (await store.chat(said.scope, exchanges=5)).injections == ()


async def test_a_turn_that_nothing_was_added_to_asks_nothing_of_the_store() -> None:
    with capture_logs() as logs:
        await engine_over(BrokenStore()).inject(turn(), Placed())

    assert logs == []


def request_of(said_at: str = "chat-1") -> RequestRecord:
    return RequestRecord(uuid7(), NOON, Scope("anna", said_at), "completions/stable", "scripted")


async def test_a_request_is_kept_and_found_by_its_id() -> None:
    subject = engine_over()
    told = request_of()

    await subject.record(told, turn())

    assert await subject.request(told.id) == told
    assert await subject.request(uuid7()) is None


@pytest.mark.parametrize("error", [StoreUnavailableError(), LookupError("a bug, and tea")])
async def test_to_miss_a_note_fails_nothing_and_is_logged_without_its_text(error: Exception) -> None:
    store, said = InMemoryStore(), turn()
    store.failure = error  # type: ignore[assignment]  # a bug is one of them
    subject = engine_over(store)

    with capture_logs() as logs:
        await subject.inject(said, Placed(injection=injection(said.anchor)))
        await subject.record(request_of(), said)

    assert events(logs) == ["inject_failed", "record_failed"]
    assert [line["error"] for line in logs] == [type(error).__name__] * 2
    assert "tea" not in str(logs)


async def test_nothing_is_noted_of_a_turn_that_was_said_before_its_users_erasure() -> None:
    store, said = InMemoryStore(), turn()
    subject = engine_over(store)
    await subject.erase("anna")
    told = request_of()

    await subject.inject(said, Placed(injection=injection(said.anchor)))
    await subject.record(told, said)

    assert (await store.chat(said.scope, exchanges=5)).injections == ()
    assert await subject.request(told.id) is None
