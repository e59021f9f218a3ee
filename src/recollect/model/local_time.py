"""A person's time zone, and the time on their clock.

There are two kinds of times. A message has a moment, which is the same everywhere. An event has a day: "the dentist
on Monday" stays a Monday in every zone. So the store keeps a day as its midnight in UTC, and code compares it with
``wall``, the time on the person's clock, written in UTC as well.
"""

import os
import re
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from recollect.model.chat import Turn

_LONGEST = 64
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?")
_FURTHEST = timedelta(hours=14)
_LOCALTIME = Path("/etc/localtime")


@lru_cache(maxsize=1024)
def zone_named(name: str) -> tzinfo | None:
    """Return a time zone by its name in the IANA's database, or its offset (``+13:00``, ``UTC-5``); None if there is none."""
    name = name.strip()
    if not name or len(name) > _LONGEST:
        return None
    if found := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(-offset if found[1] == "-" else offset) if offset <= _FURTHEST else None
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, a name that is no path, a folder of zones
        return None


def server_zone() -> tzinfo:
    """Return the time zone of this machine: as ``TZ`` names it, else as the system has it."""
    named = os.environ.get("TZ", "").removeprefix(":").strip()
    if not named and _LOCALTIME.is_symlink():
        named = str(_LOCALTIME.resolve()).rpartition("zoneinfo/")[2]
    return zone_named(named) or datetime.now(UTC).astimezone().tzinfo or UTC


def wall(moment: datetime, zone: tzinfo | None = None) -> datetime:
    """Return the time of a clock in a zone, by default the moment's own, written in UTC, to compare it with days; a naive moment is in UTC."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (known if zone is None else known.astimezone(zone)).replace(tzinfo=UTC)


def midnights(first: datetime, last: datetime, zone: tzinfo) -> list[datetime]:
    """Return when each day begins in a zone, from the day of one moment to that of another."""
    days = range((wall(last, zone).date() - wall(first, zone).date()).days + 1)
    return [datetime.combine(wall(first, zone).date() + timedelta(days=n), time(), zone) for n in days]


def in_zone(turn: Turn, zone: tzinfo) -> Turn:
    """Return a turn with its time in the zone that its request names, else in ``zone``."""
    wanted = zone_named(turn.zone) or zone
    return turn if turn.at.tzinfo is wanted else replace(turn, at=turn.at.astimezone(wanted))
