"""What a clock shows somewhere, and what follows from it for dates: without a proxy."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from tests.support.recollections import memory, passage
from tests.support.tables import table, texts

from recollect.composition.block_lines import line_of
from recollect.model import Kind, Recollection
from recollect.model.local_time import midnights, server_zone, wall, zone_named
from recollect.recall.needed_statements import is_over

AUCKLAND, DENVER = ZoneInfo("Pacific/Auckland"), ZoneInfo("America/Denver")
SUNDAY = datetime(2026, 11, 28, 14, 9, tzinfo=UTC)
"""Sunday, 03:09 in Auckland; Saturday, 07:09 in Denver."""


@table(
    ("name", "hours"),
    [
        ("Pacific/Auckland", 13),
        (" America/Denver ", -7),
        ("+13:00", 13),
        ("-0330", -3.5),
        ("UTC-5", -5),
        ("UTC", 0),
        ("GMT+1", 1),
    ],
)
def test_a_zone_is_known_by_name_or_offset(name: str, hours: float) -> None:
    zone = zone_named(name)
    assert zone is not None
    assert SUNDAY.astimezone(zone).utcoffset() == timedelta(hours=hours)


@table(
    "name",
    [
        *texts("Mars/Olympus | ../../etc/passwd | /etc/localtime | Europe | +25 | +13:99 | {{TZ}}"),
        *("", "x" * 65, "a\0b"),
    ],
)
def test_what_names_no_zone_is_none(name: str) -> None:
    assert zone_named(name) is None


@table(("named", "zone"), [("Pacific/Auckland", AUCKLAND), (":America/Denver", DENVER)])
def test_the_machines_zone_is_that_of_its_environment(named: str, zone: tzinfo) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", named)
        assert server_zone() == zone


def test_a_clock_is_compared_with_days() -> None:
    assert wall(SUNDAY, AUCKLAND) == datetime(2026, 11, 29, 3, 9, tzinfo=UTC)
    assert wall(SUNDAY.astimezone(DENVER)) == datetime(2026, 11, 28, 7, 9, tzinfo=UTC)


@table(("month", "hours"), [(4, [24, 25, 24]), (9, [24, 23, 24])])
def test_a_day_on_which_the_clock_changes_has_another_length(month: int, hours: list[int]) -> None:
    changes = {4: 5, 9: 27}[month]
    first = datetime(2026, month, changes - 1, 0, 1, tzinfo=AUCKLAND)

    begins = midnights(first, first + timedelta(days=3), AUCKLAND)

    assert [each.day for each in begins] == [(first + timedelta(days=n)).day for n in range(4)]
    instants = [each.astimezone(UTC) for each in begins]
    assert [(later - each) / timedelta(hours=1) for each, later in pairwise(instants)] == hours


@table(("zone", "is_past"), [(AUCKLAND, True), (DENVER, False)])
def test_a_todo_is_over_when_the_persons_day_is(zone: tzinfo, *, is_past: bool) -> None:
    due = memory("See the dentist", kind=Kind.TODO, event_at=datetime(2026, 11, 28, tzinfo=UTC))

    assert is_over(due, wall(SUNDAY, zone)) is is_past


@table(("zone", "day"), [(AUCKLAND, "2026-11-29"), (DENVER, "2026-11-28")])
def test_what_was_said_is_dated_by_the_persons_calendar(zone: tzinfo, day: str) -> None:
    said = passage("I live in Ghent.", said_at=SUNDAY)

    line = line_of(Recollection(said, 1.0), count=len, at=SUNDAY.astimezone(zone))

    assert f", {day}:" in line.text


@table("zone", [AUCKLAND, DENVER, UTC])
def test_the_day_of_an_event_is_the_same_everywhere(zone: tzinfo) -> None:
    due = memory("See the dentist", kind=Kind.TODO, event_at=datetime(2026, 11, 30, tzinfo=UTC))

    line = line_of(Recollection(replace(due, observed_at=SUNDAY), 1.0), count=len, at=SUNDAY.astimezone(zone))

    assert line.text.endswith("(due 2026-11-30)")
