"""Remembering a chat never raises, and loses nothing."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import QUICK, engine_over
from tests.support.notes import note_placed
from tests.support.stores import NOON, Store
from tests.support.watched_stores import Outage, Through, breakable, broken, with_parts
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.engine.recording.exchanges import begun, new_exchange
from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import (
    Injection,
    LogEntry,
    Logged,
    Passage,
    Place,
    Recollection,
    RequestRecord,
    Role,
    Strategy,
    TurnNotes,
    Written,
)
from recollect.store.messages import MessageLog


async def waiting(store: Store) -> int:
    return len(await store.inbox.pending(store.anna, limit=9))


def events(logs: Sequence[object]) -> list[str]:
    return [line["event"] for line in logs if isinstance(line, dict)]


async def test_where_nothing_is_to_be_recorded_nothing_is_even_logged(store: Store) -> None:
    subject = engine_over(store, replace(QUICK, records=False))

    assert await subject.remember(store.turn(), "Good.") is False
    assert await waiting(store) == 0
    assert await store.memories.sessions(store.anna) == []


async def test_with_formation_and_recall_off_what_is_said_is_logged_all_the_same(store: Store) -> None:
    subject = engine_over(store, replace(QUICK, strategy=Strategy.OFF, recalls=False))

    assert await subject.remember(store.turn(), "Good.") is True
    assert await store.memories.sessions(store.anna) == [store.anna.scope.session_id]


async def test_the_name_in_a_request_is_kept_for_lists_to_show_and_no_row_says_who_changed_it(
    store: Store,
) -> None:
    subject = engine_over(store)
    for name in ("Anna", "", "Anna Almeida"):
        await subject.remember(store.turn(name=name), "Good.")

    assert (await store.flags.own_flags(store.anna)).told_name == "Anna Almeida"
    assert await store.admin_reads.settings_changes(store.anna, limit=9) == []


async def test_a_bug_in_remembering_is_not_tried_again(store: Store) -> None:
    faulty = breakable(store, Outage(LookupError("a bug")))

    with capture_logs() as logs:
        assert await engine_over(faulty).remember(store.turn(), "Good.") is False

    assert events(logs) == ["exchange_lost"]
    assert logs[0]["error"] == "LookupError"
    assert "exc_info" not in logs[0]


async def test_an_exchange_said_before_its_users_erasure_is_not_logged_after_it(store: Store) -> None:
    subject, other_process = engine_over(store), engine_over(store)
    said = store.turn("I drink tea", at=NOON - timedelta(seconds=1))
    await subject.erase(store.anna)

    with capture_logs() as logs:
        assert await subject.remember(said, "Good.") is False
        assert await other_process.remember(said, "Good.") is False
        assert await other_process.write(begun(new_exchange(said, credential=None))) is Written.ERASED

    assert "tea" not in str(logs)
    assert await waiting(store) == 0
    later = store.turn("I drink coffee", at=NOON + timedelta(seconds=1))
    assert await subject.remember(later, "Good.") is True
    assert await subject.remember(store.turn(scope=store.ben.elsewhere), "Good.") is True


class _NoNotes(Through):
    """A log that fails to write whatever goes with an exchange."""

    def __init__(self, log: MessageLog, error: Exception) -> None:
        super().__init__(log)
        self.error = error

    async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        if entry.recalled:
            raise self.error
        logged: Logged = await self._part.write_phase(entry, records=records)
        return logged


@pytest.mark.parametrize("error", [StoreError(), LookupError("a bug")])
async def test_an_exchange_is_not_lost_because_its_memories_could_not_be_counted(
    store: Store, error: Exception
) -> None:
    subject = engine_over(with_parts(store, log=_NoNotes(store.log, error)))
    recollections = [Recollection(store.memory("tea"), 0.9)]

    with capture_logs() as logs:
        remembered = await subject.remember(store.turn(), "Good.", recollections=recollections)

    assert remembered is True
    assert events(logs) == ["notes_failed"]


async def test_the_memories_in_the_prompt_are_counted(store: Store) -> None:
    subject = engine_over(store)
    written = await subject.add(store.anna, "I drink tea")

    await subject.remember(store.turn(), "Tea.", recollections=[Recollection(written, 0.9)])

    memory = await subject.get(store.anna, written.id)
    assert memory.recall_count == 1
    assert memory.last_recalled_at == NOON


async def test_a_passage_in_the_prompt_is_not_counted_for_it_is_no_memory(store: Store) -> None:
    subject = engine_over(with_parts(store, log=_NoNotes(store.log, LookupError("nothing is to be counted"))))
    passage = Passage(uuid7(), uuid7(), "chat-1", 0, 0, Role.USER, "I drink tea", NOON)

    with capture_logs() as logs:
        assert await subject.remember(store.turn(), "Good.", recollections=[Recollection(passage, 0.9)])

    assert logs == []


# -- notes of a turn -------------------------------------------------------------------------------


def injection(anchor: str, block: str = "tea") -> Injection:
    return Injection(anchor, Place.BESIDE, block, (), 5, NOON)


async def test_a_turn_that_nothing_was_added_to_asks_nothing_of_the_store(store: Store) -> None:
    with capture_logs() as logs:
        await note_placed(engine_over(broken(store)), store.turn(), Placed())

    assert logs == []


def request_of(store: Store) -> RequestRecord:
    return RequestRecord(uuid7(), NOON, store.anna.scope, "completions/stable", "scripted")


@pytest.mark.parametrize("error", [StoreUnavailableError(), LookupError("a bug, and tea")])
async def test_to_miss_a_note_fails_nothing_and_is_logged_without_its_text(
    store: Store, error: Exception
) -> None:
    said = store.turn()
    subject = engine_over(breakable(store, Outage(error)))

    with capture_logs() as logs:
        await note_placed(subject, said, Placed(injection=injection(said.anchor)))
        await subject.write_notes(said, TurnNotes(request=request_of(store)))

    assert events(logs) == ["notes_failed"] * 2
    assert [line["error"] for line in logs] == [type(error).__name__] * 2
    assert "tea" not in str(logs)


async def test_nothing_is_noted_of_a_turn_that_was_said_before_its_users_erasure(store: Store) -> None:
    said = store.turn()
    subject = engine_over(store)
    await subject.erase(store.anna)
    told = request_of(store)

    await note_placed(subject, said, Placed(injection=injection(said.anchor)))
    await subject.write_notes(said, TurnNotes(request=told))

    assert (await store.chats.chat(said.scope, exchanges=5)).injections == ()
    assert await subject.request(told.id) is None
