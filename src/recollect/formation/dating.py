"""Holds a model to the dates that the person's words name, told from the day they were said. Pure. Never: a model.

Models tell "yesterday" from the day they run, or from the day they were trained.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from recollect.model import Candidate
from recollect.retrieval.dates import Period, dates_meant

_TOLERANCE = timedelta(days=1)
"""Time zones: what is still yesterday here is today elsewhere."""

_LONGEST = timedelta(days=366)
"""Of a longer time no single date can be told."""


def dated(candidate: Candidate, said_at: datetime) -> Candidate:
    """Return the candidate with the date that its evidence names.

    Where the words name one time only (a day, a month, a year), a date outside of it is put to its beginning, and a
    single day is given to a candidate without a date. Words that name none, or several, leave the model's.

    Args:
        candidate: What was extracted.
        said_at: When the words were said.
    """
    periods = dates_meant(candidate.evidence, said_at)
    if len(periods) != 1:
        return candidate
    [period] = periods
    length = period.end - period.start
    event_at = candidate.event_at
    if event_at is None:
        return replace(candidate, event_at=period.start) if length <= _TOLERANCE else candidate
    if _is_about(event_at, period) or length > _LONGEST:
        return candidate
    return replace(candidate, event_at=period.start)


def _is_about(moment: datetime, period: Period) -> bool:
    return period.start - _TOLERANCE <= moment < period.end + _TOLERANCE
