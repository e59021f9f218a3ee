"""Searches and lists outside a chat go by the person's day; counts over all users go by the machine's."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.recollect.engines import PATIENT, QUICK, engine_over
from tests.support.notes import note_request
from tests.support.stores import NOON, Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.engine import Engine
from recollect.model import Flags, Kind, RequestRecord, SearchPath
from recollect.model.local_time import midnights

AUCKLAND = ZoneInfo("Pacific/Auckland")
TODAY = datetime(2026, 3, 15, tzinfo=UTC)
"""The day of ``NOON`` in UTC; in Auckland it is an hour past the next midnight."""


async def person_in(store: Store, zone: str | None) -> Engine:
    subject = engine_over(store, replace(PATIENT, stands=True))
    await subject.set_flags(Flags(time_zone=zone), store.anna)
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
        await subject.set_flags(Flags(profile=True, time_zone=zone), owner)
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
