"""The report of a week as lines of text. Never: how it is counted."""

from collections.abc import Iterator, Mapping

from recollect.api.insights import Trigger, WeekReport

_UNKNOWN = "unknown"


def report_lines(report: WeekReport) -> Iterator[str]:
    """Yield the report as text, line by line."""
    recalls, formation = report.recalls, report.formation
    yield f"The last {report.days} days: {recalls.questions} questions of {recalls.users} people"
    yield (
        f"  something found   {_share(recalls.hit_rate)}, with fallback {_share(recalls.fallback_share)}, "
        f"truncated {_share(recalls.truncated_share)}"
    )
    yield f"  recall took       median {_of_unit(recalls.p50_ms, 'ms')}, 95 % {_of_unit(recalls.p95_ms, 'ms')}"
    yield (
        f"  tokens            {recalls.tokens} of {recalls.budget} allowed, and {recalls.history_tokens} of "
        "missing history"
    )
    yield f"  skipped           {_counts(recalls.skipped)}"
    yield f"  ways of search    {_counts(recalls.paths)}"
    yield f"  given             {_counts(recalls.given)}"
    yield (
        f"  formed            {formation.exchanges} exchanges, lag median {_of_unit(formation.lag_p50_seconds, 'seconds')}, "
        f"95 % {_of_unit(formation.lag_p95_seconds, 'seconds')}"
    )
    yield f"  waiting now       {_counts(formation.waiting)} (for a model, by what is missing)"
    yield f"  changes           {_counts(formation.made)}"
    yield f"  rejected          {_counts(formation.rejected)}"
    yield (
        f"  background tokens {formation.model_tokens}, for summaries {_share(formation.summary_token_share)}"
    )
    yield "Thresholds:"
    for trigger in report.triggers:
        yield from _trigger_lines(trigger)


def _trigger_lines(trigger: Trigger) -> Iterator[str]:
    value, limit = _of_unit(trigger.value, trigger.unit), _of_unit(trigger.limit, trigger.unit)
    mark = {True: "REACHED", False: "ok", None: _UNKNOWN}[trigger.reached]
    yield f"  {mark:<8} {trigger.says}: {value} (over {limit})"
    if trigger.reached:
        yield f"           {trigger.meaning}"
        if trigger.change:
            yield f"           {trigger.change}"


def _of_unit(value: float | None, unit: str) -> str:
    if unit == "share":
        return _share(value)
    return f"{_number(value)} {'s' if unit == 'seconds' else unit}" if value is not None else _UNKNOWN


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.1f}".removesuffix(".0")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
