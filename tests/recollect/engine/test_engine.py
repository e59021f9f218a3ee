"""The engine works in the background, with stand-ins for its models and the keys that people lent."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import astuple, replace
from datetime import timedelta
from functools import partial
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from cachetools import TTLCache
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, QUICK, engine_over
from tests.scripted.models import ScriptedExtractor, ScriptedJudge, WordEmbedder
from tests.support.notes import note_placed
from tests.support.people import person
from tests.support.stores import NOON, Store
from tests.support.tables import table
from tests.support.watched_stores import Before, Outage, Through, breakable, with_parts

from recollect.engine import Engine, Policy, RecallOptions, kept_credentials
from recollect.engine.background.formation_worker import ChatsElsewhere
from recollect.engine.background.inbox_drain import TAKEN_DELAY
from recollect.engine.exchange_recorder import begun
from recollect.engine.kept_credentials import Credentials, LentCredential
from recollect.engine.policy import Batching, Summarizing
from recollect.errors import EmbedderError, ExtractorError, StoreError, StoreUnavailableError, YieldedError
from recollect.formation.breaker_and_budget import FAILURES
from recollect.model import (
    Asking,
    Candidate,
    Caps,
    Changer,
    ExtractedCommand,
    Flags,
    Kind,
    LoggedMessage,
    Memory,
    Party,
    Passage,
    Placement,
    Skip,
    Strategy,
    Vector,
)
from recollect.model.runtime_settings import Guidance
from recollect.models.background_limits import Yielding
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
    kept.lend(LentCredential(answered, "anna", "", "own", is_answered=True))
    kept.lend(LentCredential(asked, "anna", "", "foreign"))
    kept.lend(LentCredential(answered, "anna", "", "foreign"))

    assert (kept.find(uuid4(), "anna", ""), kept.find(answered, "anna", "")) == ("own", "own")
    assert kept.find(asked, "anna", "") == "foreign"

    kept.lend(LentCredential(asked, "anna", "", None))
    assert kept.find(asked, "anna", "") == "own"


@table(
    "answered, expected",
    [(["own", "foreign"], "own"), (["own", "foreign", "foreign", "own"], "own"), (["own", "own"], "own")],
)
def test_a_key_that_names_a_person_replaces_none_that_they_use(answered: list[str], expected: str) -> None:
    kept, exchanges = Credentials(), [uuid4() for _ in answered]
    for exchange, key in zip(exchanges, answered, strict=True):
        kept.lend(LentCredential(exchange, "anna", "", key, is_answered=True))

    assert kept.find(uuid4(), "anna", "") == expected
    assert [kept.find(exchange, "anna", "") for exchange in exchanges] == answered
    assert (kept.find(uuid4(), "ben", ""), kept.find(uuid4(), "anna", "other")) == (None, None)


def test_a_key_that_is_not_used_any_more_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(kept_credentials, "TTLCache", partial(TTLCache, timer=lambda: now))
    kept = Credentials()
    for minutes, key in ((0, "old"), (40, "old"), (80, "new")):
        now = minutes * 60.0
        kept.lend(LentCredential(uuid4(), "anna", "", key, is_answered=True))
    assert kept.find(uuid4(), "anna", "") == "old"

    now = 101 * 60.0
    kept.lend(LentCredential(uuid4(), "anna", "", "new", is_answered=True))

    assert kept.find(uuid4(), "anna", "") == "new"


# -- A setting that is changed while the engine runs counts at once, for everybody or for one user --


ASKED = "What do I drink in the morning, green tea?"


async def engine_with_tea(store: Store, policy: Policy = PATIENT) -> Engine:
    engine = engine_over(store, policy)
    await engine.add(store.anna, "I drink green tea in the morning")
    return engine


async def test_who_wants_no_recall_is_given_nothing_nor_again_what_a_chat_was_given(store: Store) -> None:
    subject, asked = await engine_with_tea(store), store.turn(ASKED)
    given = await subject.prepare(asked)
    assert given.included
    await note_placed(subject, asked, given.placed)

    await subject.change_flags(Flags(recall=False), ("recall",), store.anna)

    for turn in (asked, store.turn(ASKED, store.anna.elsewhere)):
        prepared = await subject.prepare(turn)
        assert (prepared.included, prepared.recall.skipped) == ((), Skip.OFF)
        assert (prepared.placed.system, dict(prepared.placed.beside)) == ("", {})


async def test_the_log_tells_who_changed_what_for_everybody_once_it_is_changed(own_store: Store) -> None:
    outage, by = Outage(StoreUnavailableError()), Changer(Party.ADMINISTRATOR, "support")
    subject = engine_over(breakable(own_store, outage), PATIENT)

    with capture_logs() as lines:
        with pytest.raises(StoreUnavailableError):
            await subject.change_flags(Flags(recall=False), ("recall",), by=by)
        assert lines == []
        outage.failure = None
        await subject.change_flags(Flags(recall=False), ("recall",), by=by)

    told = {"event": "settings_changed", "by": "support", "names": ["recall"]}
    assert [told | {"log_level": "info"}] == lines


async def test_who_wants_nothing_of_the_log_is_given_memories_alone_meanwhile(own_store: Store) -> None:
    subject = engine_over(own_store, replace(PATIENT, strategy=Strategy.OFF))
    before = own_store.turn("I drink green tea in the morning", own_store.anna.elsewhere)
    await subject.remember(before, "Good.")
    await subject.drain(own_store.anna)

    async def found() -> int:
        ranking = (await subject.prepare(own_store.turn(ASKED))).ranking
        assert ranking is not None
        return sum(isinstance(each.item, Passage) for each in ranking.ranked)

    assert await found() > 0
    await subject.change_flags(Flags(history=False), ("history",), own_store.anna)
    assert await found() == 0
    await subject.change_flags(Flags(), ("history",), own_store.anna)
    assert await found() > 0


async def test_a_turns_memories_take_no_more_than_a_user_allows(store: Store) -> None:
    subject = await engine_with_tea(store)
    for number in range(5):
        await subject.add(store.anna, f"I drink green tea in the morning with friend number {number}")
    plenty = await subject.prepare(store.turn(ASKED))

    await subject.change_flags(Flags(max_memory_tokens=60), ("max_memory_tokens",), store.anna)
    scarce = await subject.prepare(store.turn(ASKED))

    assert plenty.placed.block is not None
    assert plenty.placed.block.tokens > 60
    assert scarce.budget == 60
    assert scarce.placed.tokens <= 60
    assert len(scarce.included) < len(plenty.included)
    asked_for = await subject.prepare(store.turn(ASKED), RecallOptions(memory_tokens=1000))
    assert len(asked_for.included) == len(plenty.included)


SHIPPED = Policy(caps=Caps(50, 200), summarizing=Summarizing(5, 4000))
EVERY_FLAG = Flags(
    record=False,
    recall=False,
    standing=False,
    formation=Strategy.BOTH,
    placement=Placement.USER,
    summaries=True,
    queries=False,
    profile=False,
    lexical=False,
    history=False,
    max_memory_tokens=100,
    max_history_tokens=50,
    summary_turns=9,
    minimum_importance=0.7,
    session_cap=1,
    user_cap=2,
    approve_first=False,  # it would end summaries, too
    time_zone="Pacific/Auckland",
    operator_instructions="Keep editors.",
    instructions="Never my health.",
    lifetimes="todo:9",
    told_zone="",
    told_name="",
)


def test_what_is_changed_while_it_runs_counts_in_place_of_the_settings() -> None:
    assert SHIPPED.under(EVERY_FLAG) == replace(
        SHIPPED,
        records=False,
        recalls=False,
        stands=False,
        strategy=Strategy.BOTH,
        tells_queries=False,
        reach=replace(SHIPPED.reach, lexical=False, log=False),
        bounds=replace(
            SHIPPED.bounds,
            placement=Placement.USER,
            memory_tokens=100,
            later_tokens=100,
            chat_memory_tokens=800,
            history_tokens=50,
        ),
        summarizing=Summarizing(9, 4000),
        rules=replace(SHIPPED.rules, minimum_importance=0.7),
        caps=Caps(1, 2),
        lifetimes=SHIPPED.lifetimes.with_own("todo:9"),
        zone=ZoneInfo("Pacific/Auckland"),
        guidance=Guidance("Keep editors.", "Never my health."),
    )


@table(
    "flags, policy",
    [
        (Flags(), SHIPPED),
        (Flags(summaries=True), SHIPPED),
        (Flags(summary_turns=9), replace(SHIPPED, summarizing=Summarizing(9, 4000))),
        (Flags(summary_turns=9, summaries=False), replace(SHIPPED, summarizing=Summarizing())),
        (Flags(standing=False), replace(SHIPPED, stands=False)),
    ],
)
def test_what_is_changed_alone_leaves_the_rest_of_the_policy(flags: Flags, policy: Policy) -> None:
    assert SHIPPED.under(flags) == policy
    assert policy.under(Flags(standing=True)) == replace(policy, stands=True)


def test_a_policy_says_of_every_flag_how_it_is() -> None:
    assert None not in astuple(SHIPPED.flags)
    assert (SHIPPED.under(SHIPPED.flags), SHIPPED.under(EVERY_FLAG).flags) == (SHIPPED, EVERY_FLAG)
