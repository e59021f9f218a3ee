"""The schedule of an open loop. Pure."""


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
