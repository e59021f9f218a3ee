"""How much there is of all users together. Never: of anyone in particular."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True, slots=True)
class TableSize:
    """What a table takes.

    Attributes:
        rows: How many rows it has, by the database's own count, which is late by seconds and may be off by some.
        bytes: What it takes, without its indexes.
        indexes: What each of its indexes takes, in bytes.
    """

    name: str
    rows: int
    bytes: int
    indexes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StoreSize:
    """How much is stored.

    Attributes:
        users: Of how many people something is remembered.
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
    """What the questions of a time were like: turns that something was looked for.

    Attributes:
        users: Of how many people.
        measured: Of how many all of the following is known; older ones lack some of it.
        few_lexical: How many found fewer than three things by their words.
        truncated: For how many something had no place in the budget.
        fallbacks: How many searches went another way than by meaning and unmistaken words.
        summaries_alone: How many prompts were given summaries and nothing else.
        marked: How many messages someone called valuable by hand.
        complaints: How many messages say that something told was forgotten.
        median_ms: What half of the recalls took at most, in milliseconds; None where there was none.
        tokens: What the turns' memories took.
        budget: What they might have taken.
        history_tokens: What missing history took.
        mean_top_score: The mean of the best scores; None where nothing was found.
        not_helpful: How often people called a recalled memory not helpful.
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
    tokens: int = 0
    budget: int = 0
    history_tokens: int = 0
    mean_top_score: float | None = None
    not_helpful: int = 0


@dataclass(frozen=True, slots=True)
class FormedExchanges:
    """What formation did in a time.

    Attributes:
        measured: Of how many it was counted what was made of them.
        median_lag: How many seconds after they arrived half of them were, at most; None where there was none.
        p95_lag: How many 95 % were.
        made: How often it did what, and why: "add:new", "ignore:no_evidence".
    """

    exchanges: int = 0
    measured: int = 0
    median_lag: float | None = None
    p95_lag: float | None = None
    made: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """What background models took in a time.

    Attributes:
        known: On days of which it is known how much was for summaries.
        summaries: For summaries, on those days.
    """

    tokens: int = 0
    known: int = 0
    summaries: int = 0


@dataclass(frozen=True, slots=True)
class DayOfActivity:
    """What was asked and formed on a day of the machine's calendar, over all users; as of ``Questions`` and ``FormedExchanges``."""

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
    """What was asked, recalled and formed in a time, over all users.

    Attributes:
        skipped: Why nothing was recalled for requests of people who are known, by reason.
        paths: Which way the searches went.
        given: How many items went into prompts, by what they are.
        by_day: The days on which anything was asked or formed, the first first.
    """

    questions: Questions = field(default_factory=Questions)
    skipped: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    formation: FormedExchanges = field(default_factory=FormedExchanges)
    model: ModelTokens = field(default_factory=ModelTokens)
    by_day: tuple[DayOfActivity, ...] = ()
