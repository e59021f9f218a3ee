"""The report of a week as lines of text, of 80 columns at most. Never: how it is counted."""

import textwrap
from collections.abc import Iterator, Mapping

from recollect.api.insights import Trigger, WeekReport

_UNKNOWN = "unknown"
_WIDTH, _NAME = 80, 22


def report_lines(report: WeekReport) -> Iterator[str]:
    """Yield the report as text, line by line. A threshold that the settings already answer is left out."""
    for name, figures in _figures(report):
        yield from _wrapped(f"  {name:<{_NAME - 2}}", figures)
    yield "Thresholds:"
    for trigger in report.triggers:
        if not trigger.reached or trigger.change:
            yield from _trigger_lines(trigger)


def _figures(report: WeekReport) -> Iterator[tuple[str, str]]:
    recalls, formation = report.recalls, report.formation
    yield "questions", f"{recalls.questions} of {recalls.users} people in {report.days} days"
    yield (
        "something found",
        f"{_share(recalls.hit_rate)}, by a fallback {_share(recalls.fallback_share)}, not all of it given {_share(recalls.truncated_share)}",
    )
    yield "recall took", _percentiles("ms", recalls.p50_ms, recalls.p95_ms, recalls.p99_ms)
    yield (
        "tokens in prompts",
        f"{recalls.tokens} of {recalls.budget} allowed, and {recalls.history_tokens} of missing history",
    )
    yield "nothing given", _counts(recalls.skipped)
    yield "ways of search", _counts(recalls.paths)
    yield "given", _counts(recalls.given)
    yield "formed", f"{formation.exchanges} exchanges"
    yield (
        "formation lag",
        _percentiles(
            "seconds", formation.lag_p50_seconds, formation.lag_p95_seconds, formation.lag_p99_seconds
        ),
    )
    yield "waiting for a model", _counts(formation.waiting)
    yield "changes", _counts(formation.made)
    yield "rejected", _counts(formation.rejected)
    yield (
        "background tokens",
        f"{formation.model_tokens}, for summaries {_share(formation.summary_token_share)}",
    )


def _percentiles(unit: str, *values: float | None) -> str:
    names = ("median", "95 %", "99 %")
    return ", ".join(f"{name} {_of_unit(value, unit)}" for name, value in zip(names, values, strict=True))


def _trigger_lines(trigger: Trigger) -> Iterator[str]:
    value, limit = _of_unit(trigger.value, trigger.unit), _of_unit(trigger.limit, trigger.unit)
    mark = {True: "REACHED", False: "ok", None: _UNKNOWN}[trigger.reached]
    yield from _wrapped(f"  {mark:<8} ", f"{trigger.says}: {value} (over {limit})")
    if trigger.reached:
        yield from _wrapped(" " * 11, f"{trigger.meaning} {trigger.change}")


def _wrapped(start: str, text: str) -> Iterator[str]:
    """Yield a text in lines, in which a number stays with its per cent sign."""
    joined = text.replace(" %", "\x00%")
    for line in textwrap.wrap(
        joined, _WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False
    ):
        yield line.replace("\x00", " ")


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
