"""Makes figures of rounds, and holds them to their aims. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from bench.figures import percentiles

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
