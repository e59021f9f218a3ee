"""The report of a week as JSON: of the API, the page's and the command's. It names no user."""

from dataclasses import asdict

import msgspec

from recollect.api.service import FormedInTime, Recalls, Trigger, WeekReport
from recollect.engine import report


def week_report(told: report.Report) -> WeekReport:
    """Return the JSON of a report."""
    asked, formed, model = told.activity.questions, told.activity.formation, told.activity.model
    recalls = {
        **asdict(asked),
        "hit_rate": told.hit_rate,
        "fallback_share": told.fallback_share,
        "truncated_share": told.truncated_share,
        "p50_ms": asked.median_ms,
        "skipped": dict(told.activity.skipped),
        "paths": dict(told.activity.paths),
        "given": dict(told.activity.given),
    }
    ignored = {name: count for name, count in formed.made.items() if name.startswith("ignore:")}
    return WeekReport(
        told.days,
        msgspec.convert(recalls, Recalls),
        FormedInTime(
            formed.exchanges,
            dict(told.waiting),
            formed.median_lag,
            formed.p95_lag,
            {name: count for name, count in formed.made.items() if name not in ignored},
            {name.partition(":")[2]: count for name, count in ignored.items()},
            model.tokens,
            told.summary_token_share,
        ),
        [_trigger(each) for each in told.triggers],
    )


def _trigger(trigger: report.Trigger) -> Trigger:
    known = trigger.threshold
    value = None if trigger.value is None else round(trigger.value, 4)
    return Trigger(
        known.name,
        known.says,
        value,
        known.limit,
        known.unit,
        trigger.is_reached,
        known.meaning,
        trigger.change,
    )
