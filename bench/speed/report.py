"""Makes figures of rounds, holds them to their aims, and writes them as Markdown. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from bench.figures import percentiles
from bench.report import table

Round: TypeAlias = dict[str, float]
"""The figures of one system in one round."""


class Spread(NamedTuple):
    """The median of the rounds' figures, and their quartiles."""

    median: float
    low: float
    high: float


Figures: TypeAlias = dict[str, dict[str, Spread]]


def over_rounds(values: Iterable[float | None]) -> Spread | None:
    """Return the median and the quartiles of the rounds' figures; None if no round has one."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, middle, high = percentiles(known, 25, 50, 75).values()
    return Spread(middle, low, high)


def summarize(rounds: Sequence[Mapping[str, Round]]) -> Figures:
    """Return the figures of each system: the medians of its rounds', and their quartiles.

    Differences and ratios are taken within a round first, as machines drift between minutes.
    """
    figures: Figures = {}
    for name in dict.fromkeys(name for each in rounds for name in each):
        found = [each[name] | _compared(each[name], each) for each in rounds if name in each]
        keys = dict.fromkeys(key for figure in found for key in figure)
        spreads = {key: over_rounds(figure.get(key) for figure in found) for key in keys}
        figures[name] = {key: spread for key, spread in spreads.items() if spread is not None}
    return figures


def _compared(seen: Round, others: Mapping[str, Round]) -> Round:
    """Return one system's figures beside those of the others in its round."""
    found: Round = {}
    for name in ("streams.p50", "streams.p99"):
        if name in seen and name in others.get("direct", {}):
            found[name.replace(".", ".added.")] = seen[name] - others["direct"][name]
    if rate := others.get("litellm", {}).get("rate"):
        found["rate.times_litellm"] = seen["rate"] / rate
    return found


class Aim(NamedTuple):
    """The limit of a figure of a system; ``scale`` converts the figure to ``unit``.

    Attributes:
        limit: The value that it must not exceed; with ``least``, not fall short of.
    """

    text: str
    system: str
    figure: str
    limit: float
    unit: str = "ms"
    scale: float = 1
    least: bool = False

    def measured(self, figures: Figures) -> float | None:
        """Return the measured value; None if it was not measured."""
        spread = figures.get(self.system, {}).get(self.figure)
        return None if spread is None else spread.median * self.scale

    def is_met(self, measured: float) -> bool:
        """Whether a value keeps the limit."""
        return measured >= self.limit if self.least else measured <= self.limit


_HUNDRED = "100 streams at 30 tokens/s"
_LARGE = "a 200 KB prompt adds no more than this beyond a 2 KB one"

AIMS = (
    Aim("memory off: added to the first byte, p50", "off", "added.2 KB.p50", 0.5),
    Aim("memory off: request rate against LiteLLM's", "off", "rate.times_litellm", 25, "x", least=True),
    Aim(f"memory off, {_HUNDRED}: of a core", "off", "streams.cpu_share", 20, "%", 100),
    Aim(f"memory off, {_HUNDRED}: added event delay, p99", "off", "streams.added.p99", 3),
    Aim(f"memory on, {_HUNDRED}: of a core", "on", "streams.cpu_share", 20, "%", 100),
    Aim(f"memory on, {_HUNDRED}: added event delay, p99", "on", "streams.added.p99", 3),
    Aim("memory on, new question: added to the first byte, p50", "on", "added.2 KB.p50", 15),
    Aim("memory on, new question: added to the first byte, p95", "on", "added.2 KB.p95", 40),
    Aim("memory on, same question: added to the first byte, p50", "cached", "added.2 KB.p50", 5),
    Aim(f"memory off: {_LARGE}, p50", "off", "added.larger.p50", 1),
    Aim(f"memory on: {_LARGE}, p50", "on", "added.larger.p50", 1),
)


class Column(NamedTuple):
    """A column: its head, the figure in it, what that is multiplied by, and its decimals."""

    head: str
    figure: str
    decimals: int = 2
    scale: float = 1


_SINGLE = (
    Column("added to the first byte, 2 KB prompt, ms: p50", "added.2 KB.p50"),
    Column("p95", "added.2 KB.p95"),
    Column("p99", "added.2 KB.p99"),
    Column("200 KB: p50", "added.200 KB.p50"),
    Column("p95", "added.200 KB.p95"),
    Column("requests a second, 32 connections", "rate", 0),
)
_STREAMS = (
    Column("event delay, ms: p50", "streams.p50"),
    Column("p99", "streams.p99"),
    Column("added, ms: p50", "streams.added.p50"),
    Column("p99", "streams.added.p99"),
    Column("% of a core", "streams.cpu_share", 1, 100),
    Column("CPU-s per 1,000 tokens", "streams.cpu_seconds_per_1000_tokens", 3),
    Column("% delivered in time", "streams.delivered", 0, 100),
    Column("streams complete", "streams.complete", 0),
)
_BURST = (
    Column("100 starts at once, first byte, ms: p50", "burst.p50", 1),
    Column("p99", "burst.p99", 1),
)

_BUSY = 0.05
_SINGLE_TEXT = (
    "One request at a time; added is the difference to a request sent directly just before or after. Each figure "
    "is the median of the rounds' figures (their lower to upper quartile)."
)


def markdown(results: Mapping[str, Any], figures: Figures) -> str:
    """Return the body of the report."""
    titles = results["titles"]
    parts = [
        _where(results),
        "## Aims",
        _aims(figures),
        "## One request at a time, and as many as there can be",
        _SINGLE_TEXT,
        _table(titles, figures, _SINGLE),
        "## 100 streams of 30 tokens a second",
        _table(titles, figures, _STREAMS),
        "## A burst",
        _table(titles, figures, _BURST),
        "## Start and memory",
        _costs(results),
        *_remarks(results, figures),
    ]
    return "\n\n".join(parts)


def _where(results: Mapping[str, Any]) -> str:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return (
        f"{machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}, Python {machine['python']}; "
        f"{versions}; {len(results['rounds'])} rounds; "
        f"{results['steal_share']:.1%} of the time stolen by the hypervisor, {results['foreign_share']:.1%} used by "
        "processes that are not the bench's. One core for the system under "
        "test with its database, one for the mock LLM and the load."
    )


def _aims(figures: Figures) -> str:
    rows = []
    for aim in AIMS:
        measured, sign = aim.measured(figures), "≥" if aim.least else "≤"
        limit = f"{sign} {aim.limit:g} {aim.unit}"
        if measured is None:
            rows.append((aim.text, limit, "-", "not measured"))
        else:
            met = "met" if aim.is_met(measured) else "**missed**"
            rows.append((aim.text, limit, f"{measured:.2f} {aim.unit}", met))
    return table(("aim", "limit", "measured", ""), rows)


def _table(titles: Mapping[str, str], figures: Figures, columns: Sequence[Column]) -> str:
    rows = [
        (titles[name], *(_cell(own.get(column.figure), column) for column in columns))
        for name, own in figures.items()
    ]
    return table(("", *(column.head for column in columns)), rows)


def _cell(spread: Spread | None, column: Column) -> str:
    if spread is None:
        return "-"
    told = [
        f"{each * column.scale:,.{column.decimals}f}" for each in (spread.median, spread.low, spread.high)
    ]
    middle, low, high = (
        "0" + each[2:] if each.strip("-0.,") == "" and each[0] == "-" else each for each in told
    )
    return middle if low == high else f"{middle} ({low} to {high})"


def _costs(results: Mapping[str, Any]) -> str:
    rows = []
    for title, costs in results["costs"].items():
        starts = " / ".join(f"{name} {seconds} s" for name, seconds in costs["start_seconds"].items())
        held = "; ".join(
            f"{name.replace('_', ' ')}: {size['server_rss']} / {size['children_pss']} MiB"
            for name, size in costs["mebibytes"].items()
        )
        rows.append((title, starts, held))
    return table(("", "start to a served request", "memory: server (RSS) / its children (PSS)"), rows)


def _remarks(results: Mapping[str, Any], figures: Figures) -> list[str]:
    remarks = list(results["remarks"])
    if results["foreign_share"] > _BUSY:
        remarks.append(
            "**The machine was busy with other work: measure again before believing any of this.**"
        )
    for name, own in figures.items():
        if "failed" in own and own["failed"].high > 0:
            remarks.append(f"{results['titles'][name]}: requests failed, {own['failed'].median:.0f} a round.")
    direct = figures.get("direct")
    if direct is not None:
        remarks.append(
            f"The load generator and the mock share one core; directly they reach {direct['rate'].median:,.0f} "
            "requests a second, and no figure above that is a system's ceiling. With 100 streams they use "
            f"{direct['streams.load_cpu_share'].median:.0%} of their core."
        )
    return ["## Remarks", "\n".join(f"- {remark}" for remark in remarks)] if remarks else []
