"""What Recollect is to cost at most, and whether it does. Pure."""

from dataclasses import dataclass

from bench.speed.summary import Figures


@dataclass(frozen=True)
class Aim:
    """A limit of a figure.

    Attributes:
        text: What is aimed at.
        system: Whose figure.
        figure: Its name.
        limit: What it must not exceed; or not fall short of.
        least: Whether the limit is the least.
        unit: What it is in.
        scale: What the figure is multiplied by to be in it.
    """

    text: str
    system: str
    figure: str
    limit: float
    least: bool = False
    unit: str = "ms"
    scale: float = 1


@dataclass(frozen=True)
class Verdict:
    """An aim and what was measured; None: it was not."""

    aim: Aim
    measured: float | None

    @property
    def met(self) -> bool | None:
        """Whether the aim was met; None: not measured."""
        if self.measured is None:
            return None
        return self.measured >= self.aim.limit if self.aim.least else self.measured <= self.aim.limit


_HUNDRED = "100 streams at 30 tokens/s"
_LARGE = "a 200 KB prompt adds no more than this beyond a 2 KB one"

AIMS = (
    Aim("memory off: added to the first byte, p50", "off", "added.2 KB.p50", 0.5),
    Aim("memory off: request rate against LiteLLM's", "off", "rate.times_litellm", 25, least=True, unit="x"),
    Aim(f"memory off, {_HUNDRED}: of a core", "off", "streams.cpu_share", 20, unit="%", scale=100),
    Aim(f"memory off, {_HUNDRED}: added event delay, p99", "off", "streams.added.p99", 3),
    Aim(f"memory on, {_HUNDRED}: of a core", "on", "streams.cpu_share", 20, unit="%", scale=100),
    Aim(f"memory on, {_HUNDRED}: added event delay, p99", "on", "streams.added.p99", 3),
    Aim("memory on, new question: added to the first byte, p50", "on", "added.2 KB.p50", 15),
    Aim("memory on, new question: added to the first byte, p95", "on", "added.2 KB.p95", 40),
    Aim("memory on, same question: added to the first byte, p50", "cached", "added.2 KB.p50", 5),
    Aim(f"memory off: {_LARGE}, p50", "off", "added.larger.p50", 1),
    Aim(f"memory on: {_LARGE}, p50", "on", "added.larger.p50", 1),
)


def verdicts(figures: Figures) -> list[Verdict]:
    """Return each aim with what was measured."""
    found = []
    for aim in AIMS:
        spread = figures.get(aim.system, {}).get(aim.figure)
        found.append(Verdict(aim, None if spread is None else spread.median * aim.scale))
    return found
