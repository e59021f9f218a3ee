"""The administrators' page of figures on recall, formation and the store, over all users. It names no user. Never: SQL."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

from litestar import Response, get
from litestar.params import FromQuery

from recollect.engine.background.counts import LAG_SECONDS
from recollect.engine.live.chat_counts import RECALL_SECONDS
from recollect.engine.people.report import share
from recollect.model import DayOfActivity, StoreSize
from recollect.model.local_time import wall
from recollect.model.statistics import TableSize
from recollect_proxy.pages.catalogues import Catalogue
from recollect_proxy.pages.charts import Bar, Columns, bars, days_until
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.visit import InVisit, Visit, require_administrator

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


def _by_day(known: Sequence[DayOfActivity], days: Sequence[date]) -> list[Columns]:
    """Return the charts of ``days``; a day of which nothing is known counts nothing."""
    found = {each.day: each for each in known}
    told = [found.get(day, DayOfActivity(day)) for day in days]

    def values_of(read: Callable[[DayOfActivity], float | None]) -> list[float | None]:
        return [read(each) for each in told]

    return [
        Columns.from_series(
            "hits",
            days,
            {"questions": values_of(lambda d: d.questions), "hits": values_of(lambda d: d.hits)},
            "count",
        ),
        Columns.from_series(
            "hit_rate",
            days,
            {"hit_rate": values_of(lambda d: share(d.hits, d.questions))},
            "share",
            1.0,
        ),
        Columns.from_series(
            "latency",
            days,
            {"median": values_of(lambda d: d.median_ms), "p95": values_of(lambda d: d.p95_ms)},
            "ms",
        ),
        Columns.from_series(
            "tokens",
            days,
            {"budget": values_of(lambda d: d.budget), "taken": values_of(lambda d: d.tokens)},
            "count",
        ),
        Columns.from_series(
            "lag",
            days,
            {"median": values_of(lambda d: d.median_lag), "p95": values_of(lambda d: d.p95_lag)},
            "seconds",
        ),
    ]


def _since_start(visit: Visit) -> dict[str, list[Bar]]:
    """Return the histograms of this process's metrics."""
    words = visit.shown.words
    return {
        "latency": _histogram(words, RECALL_SECONDS, visit.parts.live.recalls.seconds),
        "lag": _histogram(words, LAG_SECONDS, visit.engine.counts.lag),
    }


def _histogram(words: Catalogue, edges: Sequence[float], counts: Sequence[int]) -> list[Bar]:
    """Return the bars of counts by their upper edges in seconds; the last count has the values above the last edge."""
    told = [words.duration(edge) for edge in edges]
    names = [*(words("analytics.up_to", edge=edge) for edge in told), words("analytics.over", edge=told[-1])]
    return bars(dict(zip(names, counts, strict=True)), sort=False)


def _tables(size: StoreSize) -> list[tuple[TableSize, int, float]]:
    """Return the tables, the largest first, each with its indexes' bytes and the length of its bar, 0 to 1."""
    indexes = [sum(each.indexes.values()) for each in size.tables]
    taken = [each.bytes + more for each, more in zip(size.tables, indexes, strict=True)]
    largest = max(taken, default=0) or 1
    parts = [each / largest for each in taken]
    return sorted(zip(size.tables, indexes, parts, strict=True), key=lambda each: -each[2])
