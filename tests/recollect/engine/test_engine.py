"""The engine works in the background, with stand-ins for its models and the keys that people lent."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from cachetools import TTLCache
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, QUICK, engine_over
from tests.scripted.models import ScriptedExtractor, ScriptedJudge, WordEmbedder
from tests.support.people import person
from tests.support.stores import NOON, Store
from tests.support.tables import table
from tests.support.waiting import until
from tests.support.watched_stores import Before, Outage, Through, breakable, with_parts

from recollect.engine import Engine, Policy, credentials, system_clock
from recollect.engine.background.inbox import TAKEN_DELAY
from recollect.engine.background.worker import ChatsElsewhere
from recollect.engine.credentials import Credentials, Lent
from recollect.engine.policy import Batching
from recollect.engine.recording.exchanges import begun
from recollect.errors import EmbedderError, ExtractorError, StoreError, YieldedError
from recollect.formation.call_guard import FAILURES
from recollect.model import (
    Asking,
    Candidate,
    ExtractedCommand,
    Flags,
    Kind,
    LoggedMessage,
    Memory,
    Strategy,
    Vector,
)
from recollect.models.yielding import Yielding
from recollect.ports import Asker, Chosen, Extracted
from recollect.recall import Reach


def watched(store: Store) -> tuple[Store, list[int]]:
    """Return the store, and how many messages had no index yet each time an exchange was formed."""
    unindexed_then: list[int] = []

    async def note(*_: object, **__: object) -> None:
        unindexed_then.append(len(await unindexed(store)))

    return with_parts(store, inbox=Before(store.inbox, complete=note)), unindexed_then


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
    assert (memory.kind, memory.content) == (Kind.QA_TURN, "Q: I drink tea\nA: Good.")


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


@pytest.mark.parametrize("by_person", [False, True])
async def test_what_waits_when_formation_is_switched_off_is_never_formed_and_is_found_in_the_log(
    store: Store, *, by_person: bool
) -> None:
    await engine_over(store).remember(store.turn("I drink tea"), "Good.")
    off = engine_over(store, QUICK if by_person else replace(QUICK, strategy=Strategy.OFF))
    if by_person:
        await off.change_flags(Flags(formation=Strategy.OFF), ("formation",), store.anna)

    assert await off.drain(store.anna) is None
    await off.change_flags(Flags(), ("formation",), store.anna)
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


async def test_a_model_that_failed_again_and_again_is_left_alone_for_everybody(store: Store) -> None:
    extractor = ScriptedExtractor(*[ExtractorError()] * 2 * FAILURES)
    subject = engine_over(store, Policy(strategy=Strategy.EXTRACT), extractor=extractor)
    for _ in range(FAILURES + 1):
        somebody = person("somebody")
        await subject.remember(store.turn("I drink tea", somebody.scope), "Good.")
        await subject.drain(somebody)

    assert len(extractor.asked) == FAILURES
    assert (await subject.model_use()).left_alone_until is not None


async def test_what_was_said_is_indexed_before_it_counts_as_formed(store: Store) -> None:
    noting, unindexed_then = watched(store)
    subject = engine_over(noting)
    for number in range(2):
        await subject.remember(store.turn(f"I drink tea {number}"), "Good.")

    assert await subject.drain(store.anna) is None

    assert unindexed_then == [2, 0]


async def test_a_new_exchange_waits_for_no_backlog_of_older_ones(store: Store) -> None:
    before = engine_over(store, replace(QUICK, reach=Reach(log=False, lexical=False)))
    for number in range(20):  # more messages than are indexed at once
        await before.remember(store.turn(f"I drink tea {number}"), "Good.")
    await before.drain(store.anna)
    waiting = len(await unindexed(store))
    noting, unindexed_then = watched(store)
    subject = engine_over(noting)
    await subject.remember(store.turn("I drink coffee"), "Oh.")

    assert await subject.drain(store.anna) is None

    assert (unindexed_then, await unindexed(store)) == ([waiting + 2], [])


async def test_an_index_that_fails_keeps_nothing_from_being_formed(own_store: Store) -> None:
    subject = engine_over(breakable(own_store, Outage(StoreError(), ("unindexed", "index"))))
    await subject.remember(own_store.turn("I drink tea"), "Good.")

    assert await subject.drain(own_store.anna) is not None

    backlog = await subject.backlog()
    assert (backlog.pending, backlog.failed, backlog.formed) == (0, 0, 1)


# -- A model is asked once, although later steps had to wait --


WISH = "Forget what I told of my brother and his dog"
COMMAND = f"{WISH}. I row on Mondays"
ROWS = Candidate("Rows on Mondays", Kind.FACT, 0.7, "I row on Mondays")
EXTRACTING = replace(PATIENT, strategy=Strategy.EXTRACT, batching=Batching(turns=4))


class Interrupted(ScriptedJudge):
    """Gives way to a chat, once."""

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Raise the first time."""
        chosen = await super().choose(command, known, asker)
        if len(self.commands) == 1:
            raise YieldedError(timedelta())
        return chosen


class Absent(WordEmbedder):
    """Fails once, when the wish to forget is embedded."""

    left = 1

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Raise the first time."""
        if self.left and WISH in texts:
            self.left -= 1
            raise EmbedderError
        return await super().embed(texts)


@pytest.mark.parametrize("is_away", ["the model", "the embedder"])
async def test_it_is_asked_once_and_nothing_said_meanwhile_is_lost(store: Store, is_away: str) -> None:
    judges, embedder = (
        (ScriptedJudge, Absent()) if is_away == "the embedder" else (Interrupted, WordEmbedder())
    )
    understood = Extracted((ROWS,), commands=(ExtractedCommand(Asking.FORGET, WISH),))
    extractor, judge = ScriptedExtractor(understood), judges(chosen=["My brother has a dog"])
    subject = engine_over(store, EXTRACTING, extractor=extractor, judge=judge, embedder=embedder)
    await subject.add(store.anna, "My brother has a dog")
    await subject.remember(store.turn(COMMAND), "Done.")

    assert await subject.drain(store.anna) is not None
    await subject.remember(store.turn("It is cold today", key="m2"), "Indeed.")
    assert await subject.drain(store.anna) is None

    assert [[each.turn.text for each in exchanges] for exchanges, _ in extractor.asked] == [
        [COMMAND],
        ["It is cold today"],
    ]
    assert [each.content for each in (await subject.page(store.anna, limit=9)).memories] == [ROWS.content]


# -- Messages that come while another job holds the user's lease are formed right after it --


FIRST, SECOND = "I row on Mondays", "I paint on Tuesdays"


class Overheard(WordEmbedder):
    """Lets the person say more while their first message is embedded for the index."""

    subject: Engine
    store: Store
    is_told = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed, and let them speak, once."""
        if FIRST in texts and not self.is_told:
            self.is_told = True
            await self.subject.remember(self.store.turn(SECOND, key="m2"), "Nice.")
        return await super().embed(texts)


@pytest.mark.parametrize("strategy", [Strategy.EXTRACT, Strategy.QA_TURN])
async def test_what_is_said_while_indexing_waits_for_no_other_job(store: Store, strategy: Strategy) -> None:
    batching = Batching(turns=2, quiet=timedelta(seconds=30))
    embedder, extractor = Overheard(), ScriptedExtractor()
    policy = replace(PATIENT, strategy=strategy, batching=batching)
    embedder.subject = engine_over(store, policy, embedder=embedder, extractor=extractor)
    embedder.store = store
    await embedder.subject.remember(store.turn(FIRST), "Nice.")

    while (again := await embedder.subject.drain(store.anna)) is not None:
        assert again == timedelta()

    assert embedder.is_told
    assert await store.inbox.pending(store.anna, limit=9) == []
    if strategy is Strategy.EXTRACT:
        assert [len(exchanges) for exchanges, _ in extractor.asked] == [2]


async def test_a_run_that_found_the_lease_taken_takes_it_for_nothing_else(store: Store) -> None:
    class TakenOnce(Through):
        leases = 0

        @asynccontextmanager
        async def lease(self, user_id: str) -> AsyncIterator[bool]:
            self.leases += 1
            if self.leases == 1:
                yield False
                return
            async with self._part.lease(user_id) as taken:
                yield taken

    inbox = TakenOnce(store.inbox)
    subject = engine_over(with_parts(store, inbox=inbox), PATIENT)
    await subject.remember(store.turn(FIRST), "Nice.")

    assert (await subject.drain(store.anna), inbox.leases) == (TAKEN_DELAY, 1)


# -- A worker of its own sees in the log whether chats run, and says when that lasts --


ANNA = "anna"


async def test_formation_waits_while_an_answer_is_under_way_and_logs_long_waits(own_store: Store) -> None:
    now = NOON
    yielding = Yielding(yields=True, idle=0)
    watch = ChatsElsewhere(own_store.inbox, yielding, lambda: now)
    exchange = own_store.exchange("I moved to Oslo")
    await own_store.log.write_phase(begun(exchange))

    with capture_logs() as lines:
        for minutes in (0, 1, 2, 3, 4, 5):
            now = NOON + timedelta(minutes=minutes)
            await watch.look()
            assert yielding.wait(ANNA), "its proxy may have been killed, or its answer takes long"
    waits = [line for line in lines if line["event"] == "formation_paused_for_chats"]
    assert [(line["log_level"], line["running"], line["seconds"]) for line in waits] == [
        ("info", 1, 120),
        ("info", 1, 240),
    ]

    now = NOON + timedelta(minutes=11)
    await watch.look()
    assert not yielding.wait(ANNA), "no answer takes longer than ten minutes"


async def test_a_short_wait_is_not_logged(own_store: Store) -> None:
    now = NOON
    watch = ChatsElsewhere(own_store.inbox, Yielding(yields=True, idle=0), lambda: now)

    with capture_logs() as lines:
        for number in range(5):
            now = NOON + timedelta(minutes=number)
            exchange = own_store.exchange(f"I moved {number} times")
            await own_store.log.write_phase(begun(exchange))
            await watch.look()
            await own_store.log.append(exchange)
            await watch.look()

    assert [line for line in lines if line["event"] == "formation_paused_for_chats"] == []


# -- A key is its person's only once an LLM server has answered with it: a request may name anybody --


def test_a_key_that_nothing_was_answered_with_is_its_exchanges_alone() -> None:
    kept, answered, asked = Credentials(), uuid4(), uuid4()
    kept.lend(Lent(answered, "anna", "", "own", is_answered=True))
    kept.lend(Lent(asked, "anna", "", "foreign"))
    kept.lend(Lent(answered, "anna", "", "foreign"))

    assert (kept.find(uuid4(), "anna", ""), kept.find(answered, "anna", "")) == ("own", "own")
    assert kept.find(asked, "anna", "") == "foreign"

    kept.lend(Lent(asked, "anna", "", None))
    assert kept.find(asked, "anna", "") == "own"


@table(
    "answered, expected",
    [(["own", "foreign"], "own"), (["own", "foreign", "foreign", "own"], "own"), (["own", "own"], "own")],
)
def test_a_key_that_names_a_person_replaces_none_that_they_use(answered: list[str], expected: str) -> None:
    kept, exchanges = Credentials(), [uuid4() for _ in answered]
    for exchange, key in zip(exchanges, answered, strict=True):
        kept.lend(Lent(exchange, "anna", "", key, is_answered=True))

    assert kept.find(uuid4(), "anna", "") == expected
    assert [kept.find(exchange, "anna", "") for exchange in exchanges] == answered
    assert (kept.find(uuid4(), "ben", ""), kept.find(uuid4(), "anna", "other")) == (None, None)


def test_a_key_that_is_not_used_any_more_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(credentials, "TTLCache", partial(TTLCache, timer=lambda: now))
    kept = Credentials()
    for minutes, key in ((0, "old"), (40, "old"), (80, "new")):
        now = minutes * 60.0
        kept.lend(Lent(uuid4(), "anna", "", key, is_answered=True))
    assert kept.find(uuid4(), "anna", "") == "old"

    now = 101 * 60.0
    kept.lend(Lent(uuid4(), "anna", "", "new", is_answered=True))

    assert kept.find(uuid4(), "anna", "") == "new"
