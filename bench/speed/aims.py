"""The limits that Recollect's costs are held to, and whether it keeps them. Pure."""

from typing import NamedTuple

from bench.speed.summary import Figures


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
