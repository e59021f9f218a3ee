"""A setting that is changed while the engine runs counts at once, for everybody or for one user."""

from dataclasses import astuple, replace
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.support.notes import note_placed
from tests.support.stores import NOON, Store
from tests.support.tables import table
from tests.support.watched_stores import Outage, breakable
from uuid_utils.compat import uuid7

from recollect.engine import Engine, Policy, RecallOptions
from recollect.engine.policy import Summarizing
from recollect.engine.turns.explain import request_record
from recollect.errors import StoreUnavailableError
from recollect.model import Caps, Changer, Flags, Party, Passage, Placement, Skip, Strategy
from recollect.model.flags import Guidance

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


async def test_without_words_only_the_meaning_is_looked_for_and_for_nobody_else(own_store: Store) -> None:
    subject = await engine_with_tea(own_store)
    await subject.add(own_store.ben, "I drink green tea in the morning")
    await subject.drain(own_store.anna)
    await subject.drain(own_store.ben)
    await subject.change_flags(Flags(lexical=False), ("lexical",), own_store.anna)

    records = {}
    for scope in (own_store.anna.scope, own_store.ben.scope):
        asked = own_store.turn(ASKED, scope)
        prepared = await subject.prepare(asked)
        assert prepared.included
        records[scope.user_id] = request_record(
            prepared, asked, request_id=uuid7(), at=NOON, api="completions"
        )

    assert (records[own_store.anna].lexical_hits, records[own_store.ben].lexical_hits) == (0, 1)


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


def test_a_users_flags_stand_over_everybodys() -> None:
    everybody, user = Flags(recall=False, user_cap=9), Flags(recall=True)

    assert user.over(everybody) == Flags(recall=True, user_cap=9)


def test_a_policy_says_of_every_flag_how_it_is() -> None:
    assert None not in astuple(SHIPPED.flags)
    assert (SHIPPED.under(SHIPPED.flags), SHIPPED.under(EVERY_FLAG).flags) == (SHIPPED, EVERY_FLAG)
