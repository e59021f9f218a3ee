"""Counters of recall since the start, for metrics. Pure. Never: a user's id, a metrics library."""

from collections import Counter
from dataclasses import dataclass, field

from recollect.model import RequestRecord, SearchPath, Skip

RECALL_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0)
"""The upper edges of the histogram of recalls' durations."""


@dataclass(slots=True)
class RecallCounts:
    """Counters of recall since the start. A turn that was sent again, and one with recall off, is no question.

    Attributes:
        questions: Turns that something was looked for.
        hits: The turns whose prompt got something that recall found.
        truncated: The turns with items that did not fit into the budget.
        seconds: How many took at most ``RECALL_SECONDS``, and more.
        seconds_sum: Their sum.
        top_score: The sum of the best scores of turns that found anything.
        scored: How many those are.
        tokens: The tokens of their memories.
        budget: The sum of their token budgets.
        paths: Which way the search went.
        given: The number of items in prompts, by type.
    """

    questions: int = 0
    hits: int = 0
    truncated: int = 0
    seconds: list[int] = field(default_factory=lambda: [0] * (len(RECALL_SECONDS) + 1))
    seconds_sum: float = 0.0
    top_score: float = 0.0
    scored: int = 0
    tokens: int = 0
    budget: int = 0
    paths: Counter[str] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)

    def count(self, request: RequestRecord) -> None:
        """Count a request."""
        if request.skipped is Skip.OFF or "reattached" in request.flags:
            return
        self.questions += 1
        self.hits += request.skipped is None
        self.truncated += request.truncated > 0
        seconds = request.milliseconds / 1000
        self.seconds[sum(seconds > edge for edge in RECALL_SECONDS)] += 1
        self.seconds_sum += seconds
        if request.top_scores:
            self.top_score += request.top_scores[0]
            self.scored += 1
        self.tokens += request.block_tokens or 0
        self.budget += request.budget or 0
        self.paths[request.found_by or SearchPath.NONE] += 1
        self.given.update(request.given_by or {})

    @property
    def hit_rate(self) -> float | None:
        """The share of questions for which something was found; None before the first."""
        return self.hits / self.questions if self.questions else None

    @property
    def mean_top_score(self) -> float | None:
        """The mean of the best scores; None before the first."""
        return self.top_score / self.scored if self.scored else None
