"""The results as one picture, SVG written by hand: four panels, a row a system. Pure."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from bench.speed.summary import Figures

_WIDTH, _ROW, _TOP, _GAP = 1160, 24, 74, 62
_LABELS, _PLOT, _BETWEEN = 250, 330, 60
_OURS, _OTHERS, _GRID, _TEXT, _FAINT = "#1f6f54", "#8a8f98", "#e3e5e8", "#22262b", "#697077"

_FONTS = "system-ui, Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Panel:
    """A panel: its title, the figure of the dot, that of the line's end (or none), and how they are told."""

    title: str
    dot: str
    end: str | None
    scale: float = 1
    decimals: int = 2
    suffix: str = ""
    logarithmic: bool = True


_PANELS = (
    Panel("Added to the first byte, ms: p50 to p95", "added.2 KB.p50", "added.2 KB.p95"),
    Panel("Requests a second, 32 connections", "rate", None, decimals=0),
    Panel("Event delay with 100 streams, ms: p50 to p99", "streams.p50", "streams.p99"),
    Panel(
        "Share of a core for 100 streams of 30 tokens/s",
        "streams.cpu_share",
        None,
        100,
        1,
        " %",
        logarithmic=False,
    ),
)


def picture(results: Mapping[str, Any], figures: Figures) -> str:
    """Return the SVG, on a white ground and in whatever sans-serif there is."""
    names = list(figures)
    high = _TOP + 2 * (len(names) * _ROW + _GAP) + 10
    size = f'viewBox="0 0 {_WIDTH} {high}" width="{_WIDTH}" height="{high}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONTS}" font-size="13">',
        f'<rect width="{_WIDTH}" height="{high}" fill="#fff"/>',
        _text(20, 28, "What stands between a client and its LLM", size=18, weight=600),
        _text(20, 48, _where(results), fill=_FAINT),
    ]
    for number, panel in enumerate(_PANELS):
        left = _LABELS + (number % 2) * (_PLOT + _BETWEEN + 70)
        top = _TOP + (number // 2) * (len(names) * _ROW + _GAP)
        parts += _panel(panel, results["titles"], figures, left, top, labelled=number % 2 == 0)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _where(results: Mapping[str, Any]) -> str:
    machine = results["machine"]
    told = f"{machine['cpu']}, one core for each system; median of {len(results['rounds'])} rounds"
    return f"{told}; commit {results['commit']}, {results['began'][:10]}; scales of times and rates are logarithmic"


@dataclass(frozen=True)
class Axis:
    """Where values lie between two ends."""

    left: int
    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: list[float], *, left: int, logarithmic: bool) -> "Axis":
        """Return an axis that all these lie on."""
        if not logarithmic:
            return cls(left, 0, 100 * math.ceil(max([*values, 1]) / 100), logarithmic)
        positive = [value for value in values if value > 0] or [1]
        low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
        return cls(left, low, max(high, low + 1), logarithmic)

    def place(self, value: float) -> float:
        """Return where a value lies; none lies left of the axis."""
        if self.logarithmic:
            value = math.log10(value) if value > 0 else self.low
        return self.left + max(0.0, value - self.low) / (self.high - self.low) * _PLOT

    def ticks(self) -> list[float]:
        """Return the values of the grid's lines."""
        if self.logarithmic:
            return [10.0**power for power in range(int(self.low), int(self.high) + 1)]
        return [self.high * quarter / 4 for quarter in range(5)]


def _panel(
    panel: Panel, titles: Mapping[str, str], figures: Figures, left: int, top: int, *, labelled: bool
) -> Iterator[str]:
    rows = {name: _values(panel, own) for name, own in figures.items()}
    axis = Axis.of([each for row in rows.values() for each in row], left=left, logarithmic=panel.logarithmic)
    bottom = top + 26 + len(rows) * _ROW
    yield _text(left, top + 12, panel.title, weight=600)
    for tick in axis.ticks():
        x = axis.place(tick)
        yield f'<path d="M{x:.1f} {top + 22}V{bottom}" stroke="{_GRID}"/>'
        yield _text(x, bottom + 15, f"{tick:,g}{panel.suffix}", fill=_FAINT, anchor="middle", size=11)
    for number, (name, values) in enumerate(rows.items()):
        y = top + 26 + number * _ROW + _ROW / 2
        colour = _OURS if titles[name].startswith("Recollect") else _OTHERS
        if labelled:
            yield _text(left - 14, y + 4, titles[name], anchor="end", fill=colour, weight=600)
        yield from _row(panel, axis, values, y, colour)


def _row(panel: Panel, axis: Axis, values: tuple[float, ...], y: float, colour: str) -> Iterator[str]:
    if not values:
        yield _text(axis.left + 4, y + 4, "-", fill=_FAINT, size=12)
        return
    start, end = axis.place(values[0]), axis.place(values[-1])
    yield f'<path d="M{start:.1f} {y}H{end:.1f}" stroke="{colour}" stroke-width="3" stroke-opacity=".45"/>'
    yield f'<circle cx="{start:.1f}" cy="{y}" r="5" fill="{colour}"/>'
    told = " to ".join(f"{value:,.{panel.decimals}f}" for value in values) + panel.suffix
    yield _text(end + 10, y + 4, told.replace("-0.00", "0.00"), size=12)


def _values(panel: Panel, own: Mapping[str, Any]) -> tuple[float, ...]:
    found = (own.get(name) for name in (panel.dot, panel.end) if name)
    return tuple(spread.median * panel.scale for spread in found if spread is not None)


def _text(
    x: float,
    y: float,
    text: str,
    *,
    fill: str = _TEXT,
    anchor: str = "start",
    size: int = 13,
    weight: int = 400,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )
