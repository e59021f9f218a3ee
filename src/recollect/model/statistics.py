"""Totals over all users, formation's pending work, each user's counts and costs, and the progress of embedding.

It has no words of a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Backlog:
    """The work of formation, pending and done, over all users.

    Attributes:
        pending: Exchanges that are to be formed as soon as it is their turn.
        waiting: Exchanges that wait for a model, by ``Awaits``.
        oldest_waiting_at: The time of the first waiting exchange.
        failed: Exchanges whose formation kept failing; they are held, never dropped.
        oldest_pending_at: The time of the first pending exchange.
        pending_since: Since when one has been pending: an imported one was said long before it arrived.
        unread: Formed exchanges that no model has read, by ``Unread``.
    """

    pending: int = 0
    failed: int = 0
    formed: int = 0
    oldest_pending_at: datetime | None = None
    waiting: Mapping[str, int] = field(default_factory=dict)
    oldest_waiting_at: datetime | None = None
    pending_since: datetime | None = field(default=None, compare=False)
    unread: Mapping[str, int] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class KnownUser:
    """A user of whom something is kept, and how much; in how many chats they said something, and when they last said or asked something, or were given a memory."""

    id: str
    memories: int = 0
    sessions: int = 0
    exchanges: int = 0
    pending: int = 0
    last_seen: datetime | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TableSize:
    """The size of a table without indexes, and its rows by the database's own count, which is late by seconds and may be off by some."""

    name: str
    rows: int
    bytes: int
    indexes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StoreSize:
    """Totals of the store.

    Attributes:
        chunks: The parts of messages by which these are found.
        memories: Memories, each counted for each who sees it.
        summaries: Summaries of chats among them.
        summaries_made: How often a chat was summarized, since that is counted.
        summaries_kept: How often the summary said something and was kept.
    """

    users: int
    sessions: int
    messages: int
    chunks: int
    memories: int
    summaries: int
    summaries_made: int
    summaries_kept: int
    profile_consents: int
    tables: tuple[TableSize, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """Figures about the turns of a period for which recall searched.

    Attributes:
        measured: The turns for which all of the following is known.
        few_lexical: The turns that found fewer than three items by words.
        fallbacks: The searches that lacked embeddings.
        summaries_alone: The prompts that got summaries only.
        median_ms: The median duration of a recall, in milliseconds; None without any.
        mean_top_score: The mean of the best scores; None if nothing was found.
    """

    questions: int = 0
    users: int = 0
    measured: int = 0
    hits: int = 0
    few_lexical: int = 0
    truncated: int = 0
    fallbacks: int = 0
    summaries_alone: int = 0
    marked: int = 0
    complaints: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    tokens: int = 0
    budget: int = 0
    history_tokens: int = 0
    mean_top_score: float | None = None
    not_helpful: int = 0


@dataclass(frozen=True, slots=True)
class FormedExchanges:
    """Figures about formation in a period.

    Attributes:
        measured: The exchanges for which the results were counted.
        median_lag: The median time from arrival to formation, in seconds; None without any.
        made: The number of changes by action and reason, such as "add:new" or "ignore:no_evidence".
    """

    exchanges: int = 0
    measured: int = 0
    median_lag: float | None = None
    p95_lag: float | None = None
    p99_lag: float | None = None
    made: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """The tokens of background models in a period; ``known`` are those of days for which the share of summaries is known."""

    tokens: int = 0
    known: int = 0
    summaries: int = 0


@dataclass(frozen=True, slots=True)
class DayOfActivity:
    """Figures of one day by the machine's calendar, over all users, as in ``Questions`` and ``FormedExchanges``."""

    day: date
    questions: int = 0
    hits: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    tokens: int = 0
    budget: int = 0
    exchanges: int = 0
    median_lag: float | None = None
    p95_lag: float | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """Figures about questions, recall and formation in a period, over all users."""

    questions: Questions = field(default_factory=Questions)
    skipped: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    formation: FormedExchanges = field(default_factory=FormedExchanges)
    model: ModelTokens = field(default_factory=ModelTokens)
    by_day: tuple[DayOfActivity, ...] = ()


@dataclass(frozen=True, slots=True)
class DayOfUsage:
    """The tokens that a user's memory took on a day (UTC)."""

    user_id: str
    day: date
    turns: int = 0
    prompt_tokens: int = 0
    model_tokens: int = 0
    model_calls: int = 0


ANSWER_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
TOKENS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0)
"""Upper edges for seconds and tokens of a model's answers, from OpenTelemetry's conventions for generative AI."""


@dataclass(slots=True)
class Histogram:
    """Counts of values at most each upper edge and above the one before; the last count has the values above all."""

    edges: tuple[float, ...]
    counts: list[int]
    total: float = 0.0

    @classmethod
    def over(cls, edges: tuple[float, ...]) -> "Histogram":
        """Return an empty histogram."""
        return cls(edges, [0] * (len(edges) + 1))

    def __add__(self, other: "Histogram") -> "Histogram":
        """Return a histogram of the values of both."""
        counts = [sum(pair) for pair in zip(self.counts, other.counts, strict=True)]
        return Histogram(self.edges, counts, self.total + other.total)

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[sum(value > edge for edge in self.edges)] += 1
        self.total += value


class EmbedderPlace(StrEnum):
    """The texts that an embedder embeds: statements, and all texts that are compared with them; or messages of the log."""

    STATEMENTS = "statements"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class EmbedderInUse:
    """An embedder that is used by a process, or of which there are embeddings in the store.

    Attributes:
        model: Names the vector space.
        made_by: The settings by which it is made again, without a key.
        seen_at: When a process was last seen that uses it.
        completed_at: When all was found to be embedded by it; None: not yet.
    """

    place: EmbedderPlace
    model: str
    made_by: Mapping[str, str]
    chosen_at: datetime
    seen_at: datetime
    completed_at: datetime | None
    is_used: bool


@dataclass(frozen=True, slots=True)
class EmbeddingCounts:
    """How far embedding has come, over all users.

    Attributes:
        users_done: The number of users whose texts are all embedded by the current embedders.
        texts: How many texts these users have: memories and parts of messages.
    """

    users: int
    users_done: int
    texts: int
    texts_done: int


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """The embedders, how far texts of earlier ones have been embedded by the current ones, and whether that ``waits`` for processes that use another one to end."""

    embedders: tuple[EmbedderInUse, ...]
    today: Mapping[EmbedderPlace, str]
    is_complete: bool
    waits: bool
    counts: EmbeddingCounts
