"""The measure of growth as a table, a picture and raw figures. Never: measures."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

_OURS, _OTHERS, _SKETCHES, _GRID, _TEXT, _FAINT = (
    "#1f6f54",
    "#b3541e",
    "#3b5ba5",
    "#e3e5e8",
    "#22262b",
    "#697077",
)
_FONTS = "system-ui, Helvetica, Arial, sans-serif"
_WIDE, _HIGH, _LEFT, _TOP, _GAP = 400, 220, 70, 60, 130
_AIMED_DATABASE, _AIMED_RECALL = 25.0, 200.0
_AIMED_STATEMENTS = 1_000
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Line:
    """What one line of a panel shows: the rows, which of their figures lies below and which upwards, and its colour."""

    rows: Rows
    across: str
    up: str
    told: str
    colour: str = _OURS
    dashed: bool = False


def write_results(results: Mapping[str, Any], output: Path) -> None:
    """Write `growth.json`, `growth.md` and `growth.svg` into a folder."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "growth.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (output / "growth.md").write_text("\n".join(_tables(results)) + "\n", encoding="utf-8")
    (output / "growth.svg").write_text(picture(results), encoding="utf-8")


def _tables(results: Mapping[str, Any]) -> Iterator[str]:
    yield "# What recall takes as memories grow\n"
    yield f"`make bench-growth`: {results['asks']} questions for each row; milliseconds; {results['cores']} cores that other work may share:"
    yield "look at the load. *Search* and *words* are the times that the database itself tells for a search, its queries one after the other, and"
    yield "for `lexicon`; *processor* is what the server's process spends on one search; *pages* are what all these read, in memory or not; *recall* is"
    yield "the whole of it, with two embeddings of a question never asked before.\n"
    yield "![what recall takes](growth.svg)\n"
    for title, rows in (
        ("One person's statements and messages grow", results["alone"]),
        ("Other people's statements and messages grow", results["among"]),
    ):
        if rows:
            yield f"## {title}\n"
            yield from _rows(rows)
            yield ""
    if results["nearest"]:
        yield from _nearest(results["nearest"])
        yield ""
    yield "## Aims\n"
    yield from _aims(results)


def _rows(rows: Rows) -> Iterator[str]:
    yield "| people | statements of all | own statements | own messages | search p50 / p95 | words p50 / p95 | processor | pages | recall p50 / p95 | load |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        sizes = " | ".join(f"{row[name]:,}" for name in ("people", "total", "statements", "messages"))
        times = [
            f"{row[f'{name}_p50']:.1f} / {row[f'{name}_p95']:.1f}" for name in ("database", "words", "recall")
        ]
        yield f"| {sizes} | {times[0]} | {times[1]} | {row['processor']:.1f} | {row['pages']:,.0f} | {times[2]} | {row['load']:.1f} |"


def _nearest(rows: Rows) -> Iterator[str]:
    yield "## The hundred nearest of one person's statements by one embedding\n"
    yield "Exact, by sketches, and by HNSW with iterative scan (pgvector 0.8; an index over everybody's). Of the exact twenty and hundred nearest"
    yield "so many are found.\n"
    yield "| own statements | statements of all | exact p50 / p95 | sketches p50 / p95 | found of 20, 100 | HNSW p50 / p95 | found of 20, 100 | its index: seconds to build, MB | load |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        sizes = f"{row['statements']:,} | {row['total']:,}"
        exact = _times(row, "exact")
        sketches = f"{_times(row, 'sketches')} | {_shares(row, 'sketches')}"
        hnsw = "not built | |"
        if "hnsw_p50" in row:
            index = f"{row['build_seconds']:.0f}, {row['megabytes']:.0f}"
            hnsw = f"{_times(row, 'hnsw')} | {_shares(row, 'hnsw')} | {index}"
        yield f"| {sizes} | {exact} | {sketches} | {hnsw} | {row['load']:.1f} |"


def _times(row: Mapping[str, Any], way: str) -> str:
    return f"{row[f'{way}_p50']:.1f} / {row[f'{way}_p95']:.1f}"


def _shares(row: Mapping[str, Any], way: str) -> str:
    return f"{row[f'{way}_found_20']:.1%}, {row[f'{way}_found_100']:.1%}"


def _aims(results: Mapping[str, Any]) -> Iterator[str]:
    yield "| aim | measured | |"
    yield "|---|---|---|"
    if results["among"]:
        row = max(results["among"], key=lambda each: each["total"])
        took = row["database_p95"] + row["words_p95"]
        yield f"| one with 1,000 memories at {row['total']:,} in all: 25 ms in the database (p95) | {took:.1f} | {_met(took, _AIMED_DATABASE)} |"
    for row in (*results["alone"], *results["among"]):
        took, own = row["recall_p95"], f"{row['statements']:,} statements and as many messages"
        yield f"| a recall of one with {own}, at {row['total']:,} in all: 200 ms (p95) | {took:.0f} | {_met(took, _AIMED_RECALL)} |"


def _met(took: float, aimed: float) -> str:
    return "met" if took <= aimed else "**missed**"


# -- the picture ----------------------------------------------------------------------------------------------


def picture(results: Mapping[str, Any]) -> str:
    """Return the figures as one picture, SVG written by hand: four panels, both axes logarithmic."""
    alone, among = results["alone"], results["among"]
    nearest = [each for each in results["nearest"] if each["statements"] == each["total"]]
    own, of_all = "own statements, and as many messages", "statements of all; 1,000 are one's own"
    panels = [
        ("A search in the database, ms", own, _both(alone, "statements", "database")),
        ("A search in the database, ms", of_all, _both(among, "total", "database")),
        ("A whole recall, ms", own, _both(alone, "statements", "recall")),
        (
            "The hundred nearest statements, p50, ms",
            "own statements",
            [
                Line(nearest, "statements", "exact_p50", "exact"),
                Line(nearest, "statements", "sketches_p50", "by sketches", _SKETCHES),
                Line(
                    [each for each in nearest if "hnsw_p50" in each],
                    "statements",
                    "hnsw_p50",
                    "HNSW",
                    _OTHERS,
                ),
            ],
        ),
    ]
    width, height = 2 * (_LEFT + _WIDE + 60), _TOP + 2 * (_HIGH + _GAP) - 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{_FONTS}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(20, 30, "What recall takes as memories grow", size=18, weight=600),
    ]
    for number, (title, across, lines) in enumerate(panels):
        left = _LEFT + (number % 2) * (_WIDE + _LEFT + 60)
        top = _TOP + 20 + (number // 2) * (_HIGH + _GAP - 40)
        parts += _panel(title, across, [each for each in lines if each.rows], left, top)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _both(rows: Rows, across: str, name: str) -> list[Line]:
    return [
        Line(rows, across, f"{name}_p50", "p50"),
        Line(rows, across, f"{name}_p95", "p95", dashed=True),
    ]


def _panel(title: str, across: str, lines: Sequence[Line], left: int, top: int) -> Iterator[str]:
    yield _text(left, top - 8, title, weight=600)
    if not lines:
        yield _text(left, top + 20, "not measured", fill=_FAINT)
        return
    xs = [row[line.across] for line in lines for row in line.rows]
    ys = [max(0.1, row[line.up]) for line in lines for row in line.rows]
    (x_low, x_high), (y_low, y_high) = _ends(xs), _ends(ys)

    def place(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - x_low) / (x_high - x_low) * _WIDE
        up = (math.log10(max(0.1, y)) - y_low) / (y_high - y_low) * _HIGH
        return left + right, top + _HIGH - up

    for power in range(x_low, x_high + 1):
        x, _ = place(10.0**power, 10.0**y_low)
        yield f'<path d="M{x:.1f} {top}V{top + _HIGH}" stroke="{_GRID}"/>'
        yield _text(x, top + _HIGH + 16, f"{10**power:,}", fill=_FAINT, anchor="middle", size=11)
    for power in range(y_low, y_high + 1):
        _, y = place(10.0**x_low, 10.0**power)
        yield f'<path d="M{left} {y:.1f}H{left + _WIDE}" stroke="{_GRID}"/>'
        yield _text(left - 8, y + 4, f"{10.0**power:,g}", fill=_FAINT, anchor="end", size=11)
    yield _text(left + _WIDE / 2, top + _HIGH + 34, across, fill=_FAINT, anchor="middle", size=12)
    for line in lines:
        points = [place(row[line.across], row[line.up]) for row in line.rows]
        dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
        told = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path d="M{told}" fill="none" stroke="{line.colour}" stroke-width="2"{dashes}/>'
        for (x, y), row in zip(points, line.rows, strict=True):
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{line.colour}"/>'
            yield _text(x, y - 8, f"{row[line.up]:,.1f}", size=10, fill=line.colour, anchor="middle")
        yield _text(points[-1][0] + 10, points[-1][1] + 4, line.told, fill=line.colour, size=12)


def _ends(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


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
