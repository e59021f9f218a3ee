"""Whether a number of years only grew with the time that passed: an age, or how long something lasts. Pure. Never: whose."""

from recollect.formation.difference.figures import figures
from recollect.formation.difference.statements import Statement

_YEAR = 365
_MOST_YEARS = 200


def is_older_by(new: Statement, known: Statement) -> bool:
    """Tell whether two statements name one number of years each, and the newer the one that time has made of the older.

    Who was five in January may be six in April, and is not ten.

    Args:
        new: What was said.
        known: What is known.
    """
    if new.said_at is None or known.said_at is None:
        return False
    of_new, of_known = _years(new), _years(known)
    passed = (new.said_at - known.said_at).days
    if of_new is None or of_known is None or passed < 0:
        return False
    return 0 < of_new - of_known <= passed // _YEAR + 1


def _years(statement: Statement) -> int | None:
    """Return the only number of years that a statement names; None where it names none, or others too."""
    found = figures(statement.content)
    years = [number for number, unit in found.units if unit == "year" and number.isdecimal()]
    if len(years) != 1 or found.numbers != {years[0]} or len(years[0]) > len(str(_MOST_YEARS)):
        return None
    return int(years[0])
