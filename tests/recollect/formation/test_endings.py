"""What is past of all that something took the place of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from tests.support.tables import table

from recollect.formation.times import past_of
from recollect.model import Candidate, Doubt, Ending, Kind, Memory, Past, Reason, Source

TOLD = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
MARCH, MAY = datetime(2026, 3, 14, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
OLD = Memory(UUID(int=1), "anna", Kind.FACT, Source.EXTRACTED, "Lives in Porto", 0.7, MARCH, MARCH)
NEW = Candidate("Lives in Berlin", Kind.FACT, 0.7, "I moved")
TODO = replace(OLD, kind=Kind.TODO, content="Has to book a dentist")
HEIR = UUID(int=2)


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
def test_only_a_change_leaves_a_past(
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
def test_a_todo_was_done_or_dropped(
    reason: Reason, kind: Kind, event_at: datetime | None, past: Past | None
) -> None:
    assert past_of(TODO, reason, replace(NEW, kind=kind, event_at=event_at), TOLD) == past


def test_days_are_those_of_the_persons_clock() -> None:
    told = TOLD.replace(hour=23).astimezone(timezone(timedelta(hours=2)))

    assert past_of(OLD, Reason.CONTRADICTS, NEW, told) == Past(TOLD.replace(day=22, hour=1), Ending.CHANGED)
