"""What recall did since the start: counted, for metrics. Pure. Never: a user's id, a metrics library."""

from collections import Counter
from dataclasses import dataclass, field

from recollect.model import RequestRecord, SearchPath, Skip

RECALL_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0)
"""The upper edges by which is told how long recalls take."""


@dataclass(slots=True)
class RecallCounts:
    """What recall did since the start. A turn that was sent again, and one with recall off, is no question.

    Attributes:
        questions: Turns that something was looked for.
        hits: Those for which something was found that the prompt holds.
        truncated: Those for which something found no place in the budget.
        seconds: How many took at most ``RECALL_SECONDS``, and more.
        seconds_sum: Their sum.
        top_score: The sum of their best scores, of those that found anything.
        scored: How many those are.
        tokens: What their memories took.
        budget: What these might have taken.
        paths: Which way the search went.
        given: How many items went into prompts, by what they are.
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
