"""Counters since the start, for metrics: of chats, of formation and of its models' tokens. Pure. It keeps no user's id and no words, and needs no metrics library."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from functools import partial

from recollect.formation import CallStatistics, TokenBudget
from recollect.model import (
    Add,
    Change,
    Erase,
    Formed,
    Hide,
    Ignore,
    Limit,
    Mark,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    RequestRecord,
    Retire,
    SearchPath,
    Skip,
)
from recollect.model.statistics import ANSWER_SECONDS, TOKENS, Histogram

RECALL_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0)
"""The upper edges of the histogram of recalls' durations."""

_of_seconds, _of_tokens = partial(Histogram.over, ANSWER_SECONDS), partial(Histogram.over, TOKENS)


@dataclass(slots=True)
class RecallCounts:
    """Counters of recall since the start. A turn that was sent again, and one with recall off, is no question.

    Attributes:
        questions: Turns that something was looked for.
        hits: The turns whose prompt got something that recall found.
        truncated: The turns with items that did not fit into the budget.
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

    to_first_byte: Histogram = field(default_factory=_of_seconds)
    to_end: Histogram = field(default_factory=_of_seconds)
    prompt_tokens: Histogram = field(default_factory=_of_tokens)
    answer_tokens: Histogram = field(default_factory=_of_tokens)

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


LAG_SECONDS = (1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
"""The upper edges of the histogram of formation's lag."""

_DUPLICATES = frozenset({Reason.EQUAL_CONTENT, Reason.REPEATS})


@dataclass(slots=True)
class FormationCounts:
    """Counters of formation since the start.

    Attributes:
        attempts: Exchanges it was tried for.
        errors: Attempts that failed, by the error's name.
        waits: How often an exchange had to wait for a model, by cause.
        extracted: Candidates that models found.
        rejects: Candidates that were not kept, and commands that were not fulfilled, by reason.
        replaces: Memories that took another's place.
        merges: Memories that were said again.
        duplicates: Candidates whose content was there already, those merged among them.
        retired: Memories taken away, by reason.
        quarantined: Memories held back until someone approves them.
        marks: Memories that something spoke against.
        hidden: How often messages were hidden, by reason.
        re_extracted: Memories whose words are not the person's, but were injected: has to stay 0.
        summaries_made: How often one was to be; what said nothing, or could not be read, is counted here alone.
        hinted: Statements that were given hints after they were kept.
        lag: Seconds from a message to its formation.
    """

    attempts: int = 0
    successes: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    waits: Counter[str] = field(default_factory=Counter)
    extracted: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    adds: int = 0
    replaces: int = 0
    merges: int = 0
    duplicates: int = 0
    retired: Counter[str] = field(default_factory=Counter)
    quarantined: int = 0
    marks: int = 0
    hidden: Counter[str] = field(default_factory=Counter)
    re_extracted: int = 0
    summaries: int = 0
    summaries_made: int = 0
    hinted: int = 0
    lag: Histogram = field(default_factory=partial(Histogram.over, LAG_SECONDS))

    @property
    def replacement_rate(self) -> float:
        """Replaced of everything that was added or replaced; 0 before the first."""
        return self.replaces / max(1, self.adds + self.replaces)

    @property
    def dedup_rate(self) -> float:
        """Duplicates of everything that was added, replaced or found to be there; 0 before the first."""
        return self.duplicates / max(1, self.adds + self.replaces + self.duplicates)

    @property
    def non_empty_summaries(self) -> float:
        """The share of summaries that were kept because they said something; 0 before the first."""
        return self.summaries / max(1, self.summaries_made)

    def plus(self, other: "FormationCounts") -> "FormationCounts":
        """Return what both counted."""
        return FormationCounts(
            **{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)}
        )

    def tried(self, exchanges: int) -> None:
        """Count that exchanges are being formed."""
        self.attempts += exchanges

    def failed(self, error: Exception) -> None:
        """Count that it failed."""
        self.errors[type(error).__name__] += 1

    def formed(self, formed: Formed, applied: Sequence[Change], *, at: datetime) -> None:
        """Count what became of an exchange."""
        self.successes += 1
        self.extracted += formed.extracted_count
        self.re_extracted += formed.re_extracted
        for change in applied:
            self._count(change)
        self.lag.observe(max(0.0, (at - formed.exchange.turn.at).total_seconds()))

    def summarized(self, applied: Sequence[Change]) -> None:
        """Count that a summary was made, and whether one was kept."""
        self.summaries_made += 1
        self.summaries += any(isinstance(change, Add | Replace) for change in applied)

    def _count(self, change: Change) -> None:
        match change:
            case Add():
                self.adds += 1
            case Replace():
                self.replaces += 1
            case Reinforce():
                self.merges += 1
                self.duplicates += 1
            case Retire(reason=reason):
                self.retired[reason] += 1
            case Quarantine():
                self.quarantined += 1
            case Mark() | Limit():
                self.marks += 1
            case Erase(reason=reason, memories=memories):
                self.retired[reason] += len(memories)
            case Hide(reason=reason):
                self.hidden[reason] += 1
            case Ignore(reason=reason):
                self.duplicates += reason in _DUPLICATES
                self.rejects[reason] += 1


@dataclass(frozen=True, slots=True)
class ModelUse:
    """How the calls of models in the background stood at a time: the tokens since midnight UTC, for all users, and the daily limit."""

    tokens_today: int
    budget: TokenBudget
    guarded: CallStatistics
    at: datetime

    @property
    def left_alone_until(self) -> datetime | None:
        """Until when no model is called, as they failed too often; None: they are called."""
        until = self.guarded.left_alone_until
        return until if until is not None and until > self.at else None


@dataclass(frozen=True, slots=True)
class UserUsage:
    """The tokens of background models for one user since midnight of a day, UTC, and how many they may take; 0: any number."""

    day: date
    tokens: int
    limit: int
