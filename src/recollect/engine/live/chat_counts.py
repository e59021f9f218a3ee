"""Counters of chats since the start, for metrics, and the log line of a recall. Never: a word of anybody, a metrics library."""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial

import structlog

from recollect.engine.turns.prepared import Prepared
from recollect.model import RequestRecord, SearchPath, Skip, Turn, person_of
from recollect.model.statistics import ANSWER_SECONDS, TOKENS, Histogram

RECALL_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0)
"""The upper edges of the histogram of recalls' durations."""

_FAULTS = frozenset({Skip.DEADLINE, Skip.STORE, Skip.EMBEDDER, Skip.FAILED})
"""Reasons for recalling nothing that an operator wants to see."""

_seconds, _tokens = partial(Histogram.over, ANSWER_SECONDS), partial(Histogram.over, TOKENS)

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class RecallCounts:
    """Counters of recall since the start. A turn that was sent again, and one with recall off, is no question.

    Attributes:
        questions: Turns that something was looked for.
        hits: The turns whose prompt got something that recall found.
        truncated: The turns with items that did not fit into the budget.
        seconds: How long they took.
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
    seconds: Histogram = field(default_factory=partial(Histogram.over, RECALL_SECONDS))
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
        self.seconds.observe(request.milliseconds / 1000)
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


@dataclass(slots=True)
class AnswerCounts:
    """How long the LLM took to answer chats, and the tokens that its answers name. A refused or failed request is not counted.

    Attributes:
        to_first_byte: Seconds until the first byte of an answer's body.
        to_end: Seconds until its end.
        prompt_tokens: Tokens of the prompts, memories included.
        answer_tokens: Tokens of the answers.
    """

    to_first_byte: Histogram = field(default_factory=_seconds)
    to_end: Histogram = field(default_factory=_seconds)
    prompt_tokens: Histogram = field(default_factory=_tokens)
    answer_tokens: Histogram = field(default_factory=_tokens)

    def count(
        self, first_byte: float, end: float, *, prompt_tokens: int | None, answer_tokens: int | None
    ) -> None:
        """Count an answer by its times in seconds, and by the tokens that it names."""
        self.to_first_byte.observe(first_byte)
        self.to_end.observe(end)
        if prompt_tokens is not None:
            self.prompt_tokens.observe(prompt_tokens)
        if answer_tokens is not None:
            self.answer_tokens.observe(answer_tokens)


def log_recall(turn: Turn, prepared: Prepared) -> None:
    """Log one ``recalled``: the user, the chat, how much the prompt was given or why nothing, and how long it took.

    ``degraded`` names the stages that recall had to skip, such as a late embedder. A recall without a fault is logged
    at the level ``debug``.
    """
    recall, block = prepared.recall, prepared.placed.block
    is_news = bool(recall.degraded) or recall.skipped in _FAULTS
    say = log.info if is_news else log.debug
    say(
        "recalled",
        user_id=person_of(turn.scope.user_id),
        session_id=turn.scope.session_id,
        given=len(block.recollections) if block else 0,
        skipped=recall.skipped.value if recall.skipped else None,
        **({"degraded": [stage.value for stage in recall.degraded]} if recall.degraded else {}),
        milliseconds=round(recall.milliseconds),
    )
