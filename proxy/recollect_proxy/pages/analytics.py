"""The page of figures, drawn as charts: on recall, formation and the store, over all users. They name none."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from litestar import Response, get
from litestar.params import FromQuery

from recollect.engine.people.weekly_report import share
from recollect.model import DayOfActivity, StoreSize
from recollect.model.local_time import wall
from recollect.model.statistics import Histogram, TableSize
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.page_request import InVisit, Visit, require_administrator
from recollect_proxy.pages.rendering import Catalogue

HEIGHT = 100.0
"""The height of a chart with columns, in its own units; the page stretches it."""

_STEP = 10.0
_GAP = 1.5


@dataclass(frozen=True, slots=True)
class DailyChart:
    """A chart of one or more values a day, the first day first, without a gap.

    Attributes:
        name: By which the template finds its words.
        days: The days.
        series: The values of each series by its name, one a day; None: unknown.
        unit: The unit of the values: "count", "ms", "seconds" or "share".
        limit: The value at which a column is as high as the chart; None: the largest.
    """

    name: str
    days: Sequence[date]
    series: Mapping[str, Sequence[float | None]]
    unit: str
    limit: float | None = None

    @property
    def top(self) -> float:
        """The value at which a column is as high as the chart."""
        return max(self._known(), default=0) if self.limit is None else self.limit

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        known = self._known()
        return not known or (self.unit == "count" and not any(known))

    @property
    def width(self) -> float:
        """How wide the chart is, in its own units."""
        return _STEP * max(len(self.days), 1)

    def columns(self) -> Iterator[tuple[int, float, float, float, float]]:
        """Yield each day's columns, the series side by side: the series' number, left and upper edge, width, height."""
        if self.top <= 0:
            return
        width = (_STEP - _GAP) / len(self.series)
        for number, values in enumerate(self.series.values()):
            for place, value in enumerate(values):
                height = HEIGHT * min((value or 0.0) / self.top, 1.0)
                left = place * _STEP + _GAP / 2 + number * width
                yield number, round(left, 2), round(HEIGHT - height, 2), width, round(height, 2)

    def _known(self) -> list[float]:
        return [value for values in self.series.values() for value in values if value is not None]


class _Bar(NamedTuple):
    """A value with its name, and the length of its bar: 1 is as long as the longest."""

    name: str
    value: float
    part: float


def bars(values: Mapping[str, float], *, sort: bool = True) -> list[_Bar]:
    """Return the bars of ``values``, the longest first, or in their own order."""
    longest = max(values.values(), default=0) or 1
    given = sorted(values.items(), key=lambda each: -each[1]) if sort else values.items()
    return [_Bar(name, value, value / longest) for name, value in given]


def days_until(last: date, count: int) -> list[date]:
    """Return so many days, ``last`` the last."""
    return [last - timedelta(days=back) for back in range(count - 1, -1, -1)]


_PERIODS = {"7": 7, "14": 14, "30": 30}
"""The periods in days that the page offers; requests are kept for 30."""


@get("/analytics")
async def show_analytics(entered: InVisit, days: FromQuery[str] = "7") -> Response[str]:
    """Return the page of plots, each with a table that says the same."""
    require_administrator(entered)
    if days not in _PERIODS:
        raise PageError(BAD_INPUT)
    engine = entered.engine
    (report, active_days), size, backlog = await asyncio.gather(
        engine.report(_PERIODS[days]), engine.size(), engine.backlog()
    )
    until_today = days_until(wall(datetime.now(UTC), engine.policy.zone).date(), _PERIODS[days])
    return entered.page(
        "analytics.html",
        days=days,
        periods=_PERIODS,
        report=report,
        size=size,
        backlog=backlog,
        bars=bars,
        by_day=_by_day(active_days, until_today),
        since_start=_since_start(entered),
        tables=_tables(size),
    )


_CHARTS: tuple[tuple[str, Mapping[str, Callable[[DayOfActivity], float | None]], str, float | None], ...] = (
    ("hits", {"questions": lambda d: d.questions, "hits": lambda d: d.hits}, "count", None),
    ("hit_rate", {"hit_rate": lambda d: share(d.hits, d.questions)}, "share", 1.0),
    ("latency", {"median": lambda d: d.median_ms, "p95": lambda d: d.p95_ms}, "ms", None),
    ("tokens", {"budget": lambda d: d.budget, "taken": lambda d: d.tokens}, "count", None),
    ("lag", {"median": lambda d: d.median_lag, "p95": lambda d: d.p95_lag}, "seconds", None),
)
"""The charts of days: name, series, unit and limit."""


def _by_day(known: Sequence[DayOfActivity], days: Sequence[date]) -> list[DailyChart]:
    """Return the charts of ``days``; a day of which nothing is known counts nothing."""
    found = {each.day: each for each in known}
    activity = [found.get(day, DayOfActivity(day)) for day in days]
    return [
        DailyChart(
            name, days, {each: [read(day) for day in activity] for each, read in series.items()}, unit, limit
        )
        for name, series, unit, limit in _CHARTS
    ]


def _since_start(visit: Visit) -> dict[str, list[_Bar]]:
    """Return the histograms of this process's metrics."""
    words = visit.shown.words
    return {
        "latency": _histogram(words, visit.parts.live.recalls.seconds),
        "lag": _histogram(words, visit.engine.counts.lag),
    }


def _histogram(words: Catalogue, seconds: Histogram) -> list[_Bar]:
    """Return the bars of counts by their upper edges in seconds; the last count has the values above the last edge."""
    labels = [words.duration(edge) for edge in seconds.edges]
    names = [
        *(words("analytics.up_to", edge=edge) for edge in labels),
        words("analytics.over", edge=labels[-1]),
    ]
    return bars(dict(zip(names, seconds.counts, strict=True)), sort=False)


def _tables(size: StoreSize) -> list[tuple[TableSize, int, float]]:
    """Return the tables, the largest first, each with its indexes' bytes and the length of its bar, 0 to 1."""
    indexes = [sum(each.indexes.values()) for each in size.tables]
    taken = [each.bytes + more for each, more in zip(size.tables, indexes, strict=True)]
    largest = max(taken, default=0) or 1
    parts = [each / largest for each in taken]
    return sorted(zip(size.tables, indexes, parts, strict=True), key=lambda each: -each[2])
