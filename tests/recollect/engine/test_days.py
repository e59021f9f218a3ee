"""Searches go by the person's day, and statements change on a day: over, due or still to come."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.recollect.engines import PATIENT, QUICK, engine_over
from tests.scripted.models import ScriptedExtractor, ScriptedJudge
from tests.support.notes import note_request
from tests.support.stores import NOON, Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.engine import Engine, RecallOptions
from recollect.model import (
    Asking,
    Candidate,
    ExtractedCommand,
    Flags,
    Kind,
    Relation,
    RequestRecord,
    SearchPath,
    Strategy,
)
from recollect.model.local_time import midnights
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.ports import Extracted

AUCKLAND = ZoneInfo("Pacific/Auckland")
TODAY = datetime(2026, 3, 15, tzinfo=UTC)
"""The day of ``NOON`` in UTC; in Auckland it is an hour past the next midnight."""


async def person_in(store: Store, zone: str | None) -> Engine:
    subject = engine_over(store, replace(PATIENT, stands=True))
    await subject.change_flags(Flags(time_zone=zone), ("time_zone",), store.anna)
    return subject


@table(
    ("zone", "day"), [(None, 16), ("Pacific/Auckland", 17), ("+11:59", 16), ("+12:00", 17), ("-12:01", 15)]
)
async def test_a_question_outside_a_chat_means_the_persons_tomorrow(
    store: Store, zone: str | None, day: int
) -> None:
    subject = await person_in(store, zone)

    ranking = await subject.rank(store.turn("What is due tomorrow?"))

    [period] = ranking.query.periods
    assert period.start == datetime(2026, 3, day, tzinfo=UTC)


async def test_a_todo_stands_and_is_proposed_until_the_persons_day_is_over(store: Store) -> None:
    subject = await person_in(store, None)
    for owner, zone in ((store.anna, "Pacific/Auckland"), (store.ben, None)):
        await subject.change_flags(Flags(profile=True, time_zone=zone), ("profile", "time_zone"), owner)
        await subject.add(
            owner, "Works as a teacher in Ghent", kind=Kind.TODO, importance=0.9, event_at=TODAY
        )

    stands = [len((await subject.agents.profile(each)).statements) for each in (store.anna, store.ben)]
    proposed = [len((await subject.propose_profile(each)).entries) for each in (store.anna, store.ben)]

    assert stands == [0, 1]
    assert proposed == [0, 1]


@table("changes", [datetime(2026, 4, 5, tzinfo=AUCKLAND), datetime(2026, 9, 27, tzinfo=AUCKLAND)])
async def test_questions_are_counted_by_the_machines_days(own_store: Store, changes: datetime) -> None:
    first, last = changes, (changes + timedelta(days=1)).astimezone(UTC)
    moments = [first.astimezone(UTC) - timedelta(seconds=1), first, last - timedelta(seconds=1), last]
    for at in moments:
        record = RequestRecord(
            uuid7(), at, own_store.anna.scope, "completions/stable", "m", found_by=SearchPath.DENSE
        )
        await note_request(own_store.log, record)

    told = await own_store.statistics.activity(moments[0], midnights(moments[0], last, AUCKLAND))

    day = first.date()
    assert [(each.day, each.questions) for each in told.by_day] == [
        (day - timedelta(days=1), 1),
        (day, 2),
        (day + timedelta(days=1), 1),
    ]


async def test_a_report_counts_the_days_of_the_machines_zone(own_store: Store) -> None:
    record = RequestRecord(uuid7(), NOON, own_store.anna.scope, "completions/stable", "m")
    await note_request(own_store.log, record)

    _, by_day = await engine_over(own_store, replace(QUICK, zone=AUCKLAND)).report(7)

    assert [each.day for each in by_day] == [date(2026, 3, 16)]


# -- A question about the past gets statements that a change ended, and no forgotten ones. The embedder is the real one --


HOME, MOVED, WRONG = (
    "I live in Porto",
    "I have moved to Berlin",
    "No, I never lived in Porto, I live in Berlin",
)
PORTO = Candidate("Lives in Porto", Kind.FACT, 0.7, HOME)
BERLIN = Candidate("Lives in Berlin", Kind.FACT, 0.7, MOVED, relation=Relation.CONTRADICTS, about=(0,))
ASKED = "Where did I live before Berlin?"


@pytest.fixture(scope="module")
async def second() -> AsyncIterator[MultilingualE5Embedder]:
    made = MultilingualE5Embedder()
    yield made
    await made.aclose()


def person(store: Store, second: MultilingualE5Embedder, *told: list[Candidate] | Extracted) -> Engine:
    policy = replace(PATIENT, strategy=Strategy.EXTRACT)
    extractor = ScriptedExtractor(*told)
    judge = ScriptedJudge(chosen=[PORTO.content])
    return engine_over(store, policy, extractor=extractor, judge=judge, embedder=second)


async def say(store: Store, subject: Engine, text: str, days_ago: int) -> None:
    said = store.turn(text, store.anna.chat(text), key=text, at=NOON - timedelta(days=days_ago))
    await subject.remember(said, "I see.")
    assert await subject.drain(store.anna) is None


async def block(store: Store, subject: Engine, text: str) -> str:
    turn = store.turn(text, store.anna.chat("asking"))
    return (await subject.prepare(turn, RecallOptions())).placed.system


async def test_what_changed_is_told_as_over_to_a_question_about_it_alone(
    store: Store, second: MultilingualE5Embedder
) -> None:
    subject = person(store, second, [PORTO], [BERLIN])
    await say(store, subject, HOME, 90)
    await say(store, subject, MOVED, 30)

    assert f"Lives in Porto (over since {NOON - timedelta(days=30):%Y-%m-%d})" in await block(
        store, subject, ASKED
    )
    assert "Porto" not in await block(store, subject, "Where do I live?")


async def test_who_asks_to_forget_the_past_is_not_told_it_again(
    store: Store, second: MultilingualE5Embedder
) -> None:
    forget = "Forget that I lived in Porto"
    wish = Extracted(commands=(ExtractedCommand(Asking.FORGET, forget),))
    subject = person(store, second, [PORTO], [BERLIN], wish)
    await say(store, subject, HOME, 90)
    await say(store, subject, MOVED, 30)

    await say(store, subject, forget, 1)

    assert "Lives in Porto" not in await block(store, subject, ASKED)
    assert [each.content for each in (await subject.page(store.anna, limit=9)).memories] == [BERLIN.content]


# -- A statement about a later day changes nothing before it --


JANUARY = NOON + timedelta(days=40)
SAID = "From January I will live in Porto"
HOME_NOW = "I live in Kiel"
KIEL = Candidate("Lives in Kiel", Kind.FACT, 0.7, HOME_NOW)
PORTO_TO_COME = Candidate(
    "Lives in Porto", Kind.FACT, 0.7, SAID, relation=Relation.CONTRADICTS, about=(0,), holds_from=JANUARY
)


async def test_until_then_it_is_as_it_was_and_taken_back_it_stays_so(store: Store) -> None:
    policy = replace(PATIENT, strategy=Strategy.EXTRACT)
    subject = engine_over(store, policy, extractor=ScriptedExtractor([KIEL], [PORTO_TO_COME]))
    await subject.remember(store.turn(HOME_NOW, key="m1", at=NOON - timedelta(days=9)), "Moin!")
    assert await subject.drain(store.anna) is None
    (kiel,) = (await subject.page(store.anna, limit=9)).memories

    later = store.turn(SAID, key="m2")
    await subject.remember(later, "Boa sorte!")
    assert await subject.drain(store.anna) is None
    memories = (await subject.page(store.anna, limit=9)).memories
    await subject.take_back(later.scope, later.key)

    assert {each.content: (each.holds_from, each.holds_until) for each in memories} == {
        "Lives in Porto": (JANUARY, None),
        "Lives in Kiel": (None, JANUARY),
    }
    assert (await subject.page(store.anna, limit=9)).memories == (kiel,)
