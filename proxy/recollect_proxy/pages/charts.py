"""Figures for a template to draw: columns over time, and bars with names. Pure. Never: HTML, words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

HEIGHT = 100.0
"""The height of a chart with columns, in its own units; the page stretches it."""

_STEP = 10.0
_GAP = 1.5


@dataclass(frozen=True, slots=True)
class Column:
    """A rectangle, in the chart's own units.

    Attributes:
        series: The number of its series, from 0; it decides the colour.
        x: Its left edge.
        y: Its upper edge: 0 is the top of the chart.
        width: How wide it is.
        height: How high.
    """

    series: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Columns:
    """A chart of one or more values a day.

    Attributes:
        name: By which the template finds its words.
        days: The days, the first first, without a gap.
        series: The values of each series by its name, one a day; None: unknown.
        unit: The unit of the values: "count", "ms", "seconds" or "share".
        top: The value at which a column is as high as the chart.
    """

    name: str
    days: Sequence[date]
    series: Mapping[str, Sequence[float | None]]
    unit: str
    top: float

    @classmethod
    def from_series(
        cls,
        name: str,
        days: Sequence[date],
        series: Mapping[str, Sequence[float | None]],
        unit: str,
        top: float | None = None,
    ) -> Self:
        """Return the chart; without ``top`` the largest value is the top."""
        largest = max(
            (value for values in series.values() for value in values if value is not None), default=0
        )
        return cls(name, days, series, unit, top if top is not None else largest)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        told = [value for values in self.series.values() for value in values if value is not None]
        return not told or (self.unit == "count" and not any(told))

    @property
    def width(self) -> float:
        """How wide the chart is, in its own units."""
        return _STEP * max(len(self.days), 1)

    def columns(self) -> Iterable[Column]:
        """Yield the columns of each day, the series side by side."""
        if self.top <= 0:
            return
        each_width = (_STEP - _GAP) / len(self.series)
        for number, values in enumerate(self.series.values()):
            for place, value in enumerate(values):
                height = HEIGHT * min((value or 0.0) / self.top, 1.0)
                left = place * _STEP + _GAP / 2 + number * each_width
                yield Column(number, round(left, 2), round(HEIGHT - height, 2), each_width, round(height, 2))


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its name.

    Attributes:
        name: The name of the value.
        value: The value.
        part: How long its bar is, 0 to 1: 1 is as long as the longest.
    """

    name: str
    value: float
    part: float


def bars(values: Mapping[str, float], *, sort: bool = True) -> list[Bar]:
    """Return the bars of ``values``, the longest first, or in their own order."""
    longest = max(values.values(), default=0)
    given = sorted(values.items(), key=lambda each: -each[1]) if sort else values.items()
    return [Bar(name, value, value / longest if longest else 0.0) for name, value in given]


def days_until(last: date, count: int) -> list[date]:
    """Return so many days, ``last`` the last."""
    return [last - timedelta(days=back) for back in range(count - 1, -1, -1)]
