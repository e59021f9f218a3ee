"""The arithmetic of a comparison: pairs, rounds, the schedule of an open loop. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.figures import percentiles


def added(own: Sequence[float], base: Sequence[float]) -> list[float]:
    """Return the difference of each measurement to its pair.

    Raises:
        ValueError: They are not pairs.
    """
    return [mine - theirs for mine, theirs in zip(own, base, strict=True)]


@dataclass(frozen=True)
class Spread:
    """A figure over the rounds.

    Attributes:
        median: The median of the rounds' figures.
        low: Their lower quartile.
        high: Their upper quartile.
        rounds: How many there are.
    """

    median: float
    low: float
    high: float
    rounds: int


def over_rounds(values: Iterable[float | None]) -> Spread | None:
    """Return the median and the quartiles of the rounds' figures; None if no round has one."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, middle, high = percentiles(known, 25, 50, 75).values()
    return Spread(middle, low, high, len(known))


class Schedule:
    """The due times of an open loop: at a constant rate, whether earlier requests were answered or not.

    A latency is measured from the due time, so that a system that stalls is charged for the
    requests it kept from being sent ("coordinated omission", Tene 2013).
    """

    def __init__(self, *, began: int, rate: float, seconds: float) -> None:
        """Plan from ``began`` (nanoseconds) for ``seconds`` at ``rate`` requests a second."""
        self._began = began
        self._rate = rate
        self._next = 0
        self.count = max(1, round(rate * seconds))

    def due_at(self, number: int) -> int:
        """Return when a request is due, in nanoseconds; without the drift that adding periods has."""
        return self._began + round(number * 1_000_000_000 / self._rate)

    def take_due(self, now: int) -> list[int]:
        """Return the due times up to ``now`` that were not taken before."""
        first = self._next
        while self._next < self.count and self.due_at(self._next) <= now:
            self._next += 1
        return [self.due_at(number) for number in range(first, self._next)]

    @property
    def over(self) -> bool:
        """Whether all were taken."""
        return self._next == self.count


def share_of_core(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Return how much of one core was used between two readings of ``cpu_seconds`` and ``at`` (seconds)."""
    return (after["cpu_seconds"] - before["cpu_seconds"]) / (after["at"] - before["at"])
