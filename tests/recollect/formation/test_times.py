"""Which day an event is given, and what is past of all that something took the place of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.formation.statement_times import past_of, with_checked_date, with_written_date
from recollect.model import Candidate, Doubt, Ending, Kind, Memory, Past, Reason, Source

SAID_AT = datetime(2025, 6, 12, 18, tzinfo=UTC)  # a Thursday


def event(words: str, told: str | None, *, kind: Kind = Kind.FACT, said_at: datetime = SAID_AT) -> str | None:
    """Return the day a candidate of these words is given, where the model told that one."""
    told_at = None if told is None else datetime.fromisoformat(told).replace(tzinfo=UTC)
    found = with_checked_date(
        Candidate("Something happened", kind, 0.5, words, event_at=told_at), said_at
    ).event_at
    return None if found is None else f"{found:%Y-%m-%d}"


@table(
    ("words", "told", "right"),
    [
        ("I moved to Leipzig yesterday", "2026-11-21", "2025-06-11"),  # told from the day the job ran
        ("wir sind gestern umgezogen", "2023-06-11", "2025-06-11"),
        ("j'ai déménagé hier", "2027-11-21", "2025-06-11"),
        ("я переехал вчера", "2022-11-21", "2025-06-11"),
        ("我昨天搬家了", "2022-11-21", "2025-06-11"),
        ("we moved on 4 May 2019", "2023-05-04", "2019-05-04"),
        ("the exam is on 3 July", "2023-07-03", "2025-07-03"),
        ("we married on 20 May", "2021-05-20", "2025-05-20"),
    ],
)
def test_a_date_years_away_from_what_is_named_is_what_is_named(words: str, told: str, right: str) -> None:
    assert event(words, told) == right


@table(
    ("words", "told"),
    [
        ("I moved to Leipzig yesterday", "2025-06-11"),
        ("I moved yesterday", "2025-06-12"),  # another time zone
        ("no running for 8 weeks counting from yesterday", "2025-08-06"),
        ("it's my mum's 60th on the saturday", "2025-07-05"),
        ("it goes live on 18 December", "2025-12-18"),
        ("it went live on 18 December", "2024-12-18"),
        ("the lease ends on 1 June", "2026-06-01"),
        ("three weeks from 13 June to 4 July", "2025-06-13"),
        ("we married on 20 May 2019", "2019-05-20"),
        ("I was born in 1987", "1987-09-03"),
        ("on 03/04/2024", "2020-02-02"),
        ("I like tea", "2020-02-02"),
        ("", "2020-02-02"),
    ],
)
def test_a_date_that_the_words_do_not_speak_against_stands(words: str, told: str) -> None:
    assert event(words, told) == told


@table(
    ("words", "told", "right"),
    [
        ("It has to go live on 18 December", "2024-12-18", "2025-12-18"),
        ("It has to go live on 18 December", "2025-12-18", "2025-12-18"),
        ("It has to go live by 18 December", "2024-12-18", "2025-12-18"),
        ("muss am 17.2. zum TÜV", "2025-02-17", "2026-02-17"),
        ("muss am 17.2.2025 zum TÜV", "2025-02-17", "2025-02-17"),
        ("on 29 February the tax is due", "2024-02-29", "2024-02-29"),
    ],
)
def test_a_to_do_without_a_year_is_the_next_one(words: str, told: str, right: str) -> None:
    assert event(words, told, kind=Kind.TODO) == right


@table(
    "words",
    [
        "I work from home on Fridays",
        "I moved to Leipzig yesterday",
        "my sister's birthday is on March 9",
        "we moved on 4 May 2019",
    ],
)
def test_what_a_model_gave_no_date_gets_none(words: str) -> None:
    assert event(words, None) is None


@table(
    ("words", "day"),
    [
        ("remember that the lease ends on 4 May 2026", "2026-05-04"),
        ("merk dir: am 4. Mai 2026 läuft der Vertrag aus", "2026-05-04"),
        ("remember that the lease ends on 2026-05-04", "2026-05-04"),
        ("remember that I pay by 4 May 2026", "2026-05-04"),
        ("remember that the lease ends on 4 May", None),
        ("remember that I moved yesterday", None),
        ("remember that I swim on Fridays", None),
        ("remember the sale from 4 May 2026 to 9 May 2026", None),
        ("remember that we married in May 2019", None),
    ],
)
def test_where_there_was_no_model_only_a_date_in_full_is_given(words: str, day: str | None) -> None:
    found = with_written_date(Candidate("It is so", Kind.FACT, 0.8, words), SAID_AT).event_at

    assert (None if found is None else f"{found:%Y-%m-%d}") == day


@given(st.text(), st.none() | st.datetimes(timezones=st.just(UTC)), st.sampled_from(Kind))
def test_any_words_are_read(words: str, told: datetime | None, kind: Kind) -> None:
    candidate = Candidate("x", kind, 0.5, words, event_at=told)

    assert replace(with_checked_date(candidate, SAID_AT), event_at=told) == candidate
    assert replace(with_written_date(candidate, SAID_AT), event_at=told) == candidate


TOLD = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
MARCH, MAY = datetime(2026, 3, 14, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
OLD = Memory(UUID(int=1), "anna", Kind.FACT, Source.EXTRACTED, "Lives in Porto", 0.7, MARCH, MARCH)
NEW = Candidate("Lives in Berlin", Kind.FACT, 0.7, "I moved")
TODO = replace(OLD, kind=Kind.TODO, content="Has to book a dentist")
HEIR = UUID(int=2)
LATER = TOLD + timedelta(days=9)


@table(
    "reason, old, new, until",
    [
        (Reason.CONTRADICTS, {}, {}, TOLD),
        (Reason.CONTRADICTS, {}, {"event_at": MAY}, MAY),
        (Reason.CONTRADICTS, {}, {"holds_from": MAY, "event_at": TOLD}, MAY),
        (Reason.CONTRADICTS, {"holds_until": MAY}, {}, MAY),
        (Reason.CONTRADICTS, {"doubt": Doubt.SUSPECT}, {}, TOLD),
        (Reason.ENDED, {}, {}, TOLD),
        # a day before it began, or to come, is not when it ended
        (Reason.CONTRADICTS, {"holds_from": MAY}, {"event_at": MARCH}, TOLD),
        (Reason.CONTRADICTS, {}, {"event_at": TOLD + timedelta(days=9)}, TOLD),
        # never true, in dispute, the same in more words
        (Reason.CORRECTED, {}, {}, None),
        (Reason.CONTRADICTS, {"doubt": Doubt.DISPUTED}, {}, None),
        (Reason.REFINES, {}, {}, None),
        # taken back at once, or before it came about
        (Reason.CONTRADICTS, {"observed_at": TOLD - timedelta(hours=23)}, {}, None),
        (Reason.CONTRADICTS, {"event_at": TOLD + timedelta(days=9)}, {}, None),
        *((reason, {"kind": kind}, {}, None) for reason in Reason for kind in (Kind.SUMMARY, Kind.QA_TURN)),
        *((reason, {}, {}, None) for reason in set(Reason) - {Reason.CONTRADICTS, Reason.ENDED}),
    ],
)
def test_what_is_past(
    reason: Reason, old: dict[str, Any], new: dict[str, Any], until: datetime | None
) -> None:
    past = past_of(replace(OLD, **old), reason, replace(NEW, **new), TOLD, HEIR)

    assert past == (None if until is None else Past(until, Ending.CHANGED, HEIR))


@table(
    "reason, kind, event_at, past",
    [
        (Reason.ENDED, Kind.FACT, None, Past(TOLD, Ending.DONE)),
        (Reason.ENDED, Kind.FACT, MAY, Past(MAY, Ending.DONE)),
        (Reason.ENDED, Kind.FACT, TOLD + timedelta(days=1), Past(TOLD, Ending.DONE)),
        (Reason.CONTRADICTS, Kind.FACT, None, Past(TOLD, Ending.DONE)),
        (Reason.ENDED, Kind.DECISION, MAY, Past(TOLD, Ending.DROPPED)),
        (Reason.ENDED, Kind.TODO, None, Past(TOLD, Ending.DROPPED)),
        (Reason.CONTRADICTS, Kind.TODO, None, None),
        (Reason.CORRECTED, Kind.FACT, None, None),
    ],
)
def test_a_done_todo(reason: Reason, kind: Kind, event_at: datetime | None, past: Past | None) -> None:
    assert past_of(TODO, reason, replace(NEW, kind=kind, event_at=event_at), TOLD) == past


@table(
    "reason, planned, event_at, past",
    [
        (Reason.CONTRADICTS, LATER, LATER, None),
        (Reason.ENDED, LATER, LATER, Past(TOLD, Ending.DROPPED)),
        # before its day, and after it
        (Reason.CONTRADICTS, LATER, None, Past(TOLD, Ending.DONE)),
        (Reason.CONTRADICTS, MAY, LATER, Past(TOLD, Ending.DONE)),
    ],
)
def test_a_plan_whose_day_has_not_come_is_not_done_by_what_is_to_come(
    reason: Reason, planned: datetime, event_at: datetime | None, past: Past | None
) -> None:
    assert past_of(replace(TODO, event_at=planned), reason, replace(NEW, event_at=event_at), TOLD) == past


def test_days_are_those_of_the_persons_clock() -> None:
    told = TOLD.replace(hour=23).astimezone(timezone(timedelta(hours=2)))

    assert past_of(OLD, Reason.CONTRADICTS, NEW, told) == Past(TOLD.replace(day=22, hour=1), Ending.CHANGED)
