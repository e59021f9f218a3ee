"""In which numbers, units and dates two statements differ. Pure. Never: a model, the rest of what they say."""

from datetime import datetime, timedelta

from recollect.formation.difference.figures import Figures, figures
from recollect.formation.difference.statements import Sides, Statement

_DAY = timedelta(days=1)


def numbers_between(new: Statement, known: Statement) -> Sides:
    """Return the numbers, and the numbers with their units, that only one of two statements has."""
    of_new, of_known = figures(new.content), figures(known.content)
    dated_new, dated_known = _day_numbers(new), _day_numbers(known)
    units_new, units_known = _units(of_new, of_known), _units(of_known, of_new)
    return Sides(
        (of_new.numbers - of_known.numbers - dated_known) | units_new,
        (of_known.numbers - of_new.numbers - dated_new) | units_known,
    )


def _units(of: Figures, other: Figures) -> frozenset[str]:
    """Return the numbers with their units that the other names with other units alone."""
    others: dict[str, set[str]] = {}
    for number, unit in other.units:
        others.setdefault(number, set()).add(unit)
    return frozenset(
        f"{number} {unit}" for number, unit in of.units if number in others and unit not in others[number]
    )


def _day_numbers(statement: Statement) -> frozenset[str]:
    at = statement.event_at
    return frozenset({str(at.year), str(at.day)}) if at else frozenset()


def dates_between(new: Statement, known: Statement) -> Sides:
    """Return the months, weekdays, periods and days of events that only one of two statements has."""
    of_new, of_known = figures(new.content).dates, figures(known.content).dates
    months_new = {f"month {new.event_at.month}"} if new.event_at else set()
    months_known = {f"month {known.event_at.month}"} if known.event_at else set()
    day_new, day_known = _event_day(new), _event_day(known)
    if day_new and day_known and abs(day_new - day_known) > _DAY:
        return Sides(
            (of_new - of_known) | {f"{day_new:%Y-%m-%d}"}, (of_known - of_new) | {f"{day_known:%Y-%m-%d}"}
        )
    return Sides(of_new - of_known - months_known, of_known - of_new - months_new)


def _event_day(statement: Statement) -> datetime | None:
    """Return when it happened, unless that is only the day it was said."""
    event, said = statement.event_at, statement.said_at
    return None if event is None or (said is not None and abs(event - said) <= _DAY) else event
