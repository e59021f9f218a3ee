"""The JSON of the service and of requests: health, figures, reports, explanations."""

from datetime import date
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from msgspec import Struct

from recollect.api.fields import Time, about, one_of
from recollect.api.memories import Page
from recollect.api.people import Flags


class Retried(Struct):
    """The number of exchanges that a retry queued."""

    retried: Annotated[int, about("Failed exchanges that are formed again; waiting ones are, too.")]
    users: Annotated[int, about("Users with exchanges that waited for a model or were read by none.")]


class Formation(Struct):
    """The backlog of formation, over all users."""

    pending: Annotated[int, about("Exchanges to be formed as soon as it is their turn.")]
    waiting: Annotated[
        dict[str, int],
        about(
            "Exchanges that wait for a model, by what is missing: `key` (the person's, which comes with "
            "their next chat, or one of the settings), `model` (none is named, or its server has none of "
            "that name), `outage`, `budget`, `unreadable` (it answered so that nothing could be read, or "
            "too slowly).",
            example={"key": 1},
        ),
    ]
    oldest_waiting_at: Annotated[Time | None, about("When the first of those was said; null if none waits.")]
    failed: Annotated[int, about("Exchanges held because their formation kept failing.")]
    formed: Annotated[int, about("Exchanges formed.")]
    oldest_pending_at: Annotated[Time | None, about("When the first pending one was said; null if none is.")]


class ModelCalls(Struct):
    """How the background's calls of models stand, over all users."""

    tokens_today: Annotated[int, about("What they took since midnight, UTC.")]
    tokens_per_day: Annotated[int, about("What they may take a day; 0: any number.")]
    user_tokens_per_day: Annotated[int, about("What they may take a day for one user; 0: any number.")]
    breaker: Annotated[str, one_of("closed", "open"), about("open after too many failures: models rest.")]
    open_until: Annotated[Time | None, about("When they are tried again; null while closed.")]


class Spooled(Struct):
    """The exchanges that this process could not log yet."""

    exchanges: Annotated[int, about("How many exchanges wait.")]
    bytes: Annotated[int, about("How much room they take.")]
    on_disk: Annotated[bool, about("Whether they outlive the process; false if the disk refuses.")]
    lost: Annotated[int, about("How much since the start neither the store nor the spool could take.")]
    late: Annotated[int, about("Messages since the start that the LLM got before the disk had them.")]


class Health(Struct):
    """Whether Recollect works. That there is an answer at all says that the process lives."""

    status: Annotated[
        str,
        one_of("ok", "degraded"),
        about(
            "degraded while the store is unavailable, exchanges are held as failed or wait for a model, "
            "some were lost, or the breaker is open."
        ),
    ]
    store: Annotated[str, one_of("ok", "unavailable"), about("Whether the store answered within a second.")]
    formation: Annotated[
        Formation | None, about("The state of formation; null while the store is unavailable.")
    ]
    model: Annotated[
        ModelCalls | None, about("The state of its models; null while the store is unavailable.")
    ]
    spool: Annotated[Spooled, about("What waits for the store.")]
    skipped: Annotated[
        dict[str, int],
        about(
            "How many chat requests had no memory since the start, by reason, as `x-recollect-skipped` says it.",
            example={"nothing-relevant": 12, "task": 3},
        ),
    ]


class Sample(Struct):
    """A value."""

    labels: Annotated[dict[str, str], about("Its labels.", example={"path": "dense"})]
    value: float


class MetricsAsJson(Struct):
    """The metrics."""

    metrics: Annotated[
        dict[str, list[Sample]], about("By name, as in Prometheus; `le` is a bucket's upper edge.")
    ]


class Ranked(Struct, kw_only=True):
    """A memory or a message that a recall found."""

    id: Annotated[UUID, about("Of the memory, or of the message in the log.")]
    source: Annotated[str, about("How the memory came to be, or `log`.", example="extracted")]
    part: Annotated[int | None, about("Which part of the message; null for a memory.")]
    score: Annotated[float, about("What it was ranked by; 0 of what stands in every chat.", example=0.81)]
    standing: Annotated[bool, about("Whether it is in every chat, whatever is asked.")]


Kind: TypeAlias = Annotated[str, about("The memory's kind, or `message`.", example="fact")]
Parts: TypeAlias = Annotated[
    dict[str, float],
    about("Each signal's part of the score; of the best ten.", example={"dense": 0.49, "lexical": 0.2}),
]
Dropped: TypeAlias = Annotated[str | None, about("Why it is not in the prompt; null where it is.")]


class GivenItem(Ranked, kw_only=True):
    """An item in a prompt."""

    kind: Kind
    preview: Annotated[str | None, about("Its first 160 characters as they are now; null if it is gone.")]
    not_helpful: Annotated[bool, about("Whether the user called it not helpful for this question.")]


class NotHelpfulQuestion(Struct):
    """A question for which a memory was not helpful."""

    request_id: Annotated[UUID, about("The request that was given it.")]
    at: Annotated[Time, about("When the user said so.")]
    question: Annotated[
        str | None, about("The question's first 160 characters, secrets masked; null as in `explain`.")
    ]


class NotHelpfulFor(Struct):
    """For which questions a memory was not helpful."""

    questions: list[NotHelpfulQuestion]


class ExplainedCandidate(Ranked, kw_only=True):
    """A memory or a message that was found."""

    kind: Kind
    parts: Parts
    dropped: Dropped = None


class Result(Ranked, kw_only=True):
    """Something that was found."""

    type: Kind
    content: str
    parts: Parts
    dropped: Dropped


class Retrieval(Struct):
    """A tried recall."""

    query: str
    results: Annotated[list[Result], about("Every candidate, best first.")]
    block: Annotated[str, about("The block that the prompt would be given; empty for none.")]
    skipped: Annotated[str | None, about("Why nothing would be recalled.")]
    degraded: Annotated[list[str], about("Stages that failed or were late.")]
    gate_score: Annotated[float | None, about("How likely the question asks for a memory, 0 to 1.")]
    metrics: Annotated[
        dict[str, float],
        about(
            "Milliseconds: `total`; `dense`, the question's embedding; `search`, all that compares and ranks.",
            example={"total": 21.4, "dense": 12.1, "search": 6.8},
        ),
    ]
    flags: Annotated[list[str], about("What was special, as `history`.")]
    settings: Annotated[Flags, about("What was changed for the user, or for everybody; null: as started.")]


class PastRecall(Struct):
    """The memories given to one request, or the reason for none."""

    request_id: Annotated[UUID, about("`explain` tells more about it.")]
    at: Time
    session_id: Annotated[str, about("In which chat.")]
    question: Annotated[
        str | None, about("The question's first 160 characters, secrets masked; null as in `explain`.")
    ]
    skipped: Annotated[str | None, about("Why nothing was recalled; null where something was.")]
    milliseconds: Annotated[float, about("How long recall took.")]
    tokens: Annotated[int, about("What all memories in the prompt take.")]
    given: Annotated[list[GivenItem], about("What the prompt was given for this turn.")]


class RecallsPage(Page[PastRecall, UUID]):
    """One page of a user's recalls, newest first."""

    recalls: list[PastRecall]


class Explanation(Struct, kw_only=True):
    """A request and its recall."""

    request_id: UUID
    user_id: str
    project: Annotated[str, about("The project of its chat; empty for none.")]
    session_id: str
    at: Time
    question: Annotated[
        str | None,
        about(
            "What was asked, as the message log has it: 2,000 characters at most, secrets masked. Null "
            "where it is not kept, was forgotten, or the setting `queries` is off."
        ),
    ]
    path: Annotated[str, about("The API it was spoken in, and the placement.", example="completions/stable")]
    model: str
    skipped: Annotated[str | None, about("Why nothing was recalled; null where something was.")]
    degraded: Annotated[list[str], about("Skipped stages, failed or late.")]
    error_stage: Annotated[str | None, about("The stage that ended the recall; null for none.")]
    flags: list[str]
    gate_score: Annotated[float | None, about("How likely the question asks for a memory, 0 to 1.")]
    found: Annotated[
        dict[str, int],
        about(
            "How many candidates; by meaning, by words, from the log.",
            example={"candidates": 1, "by_meaning": 1, "by_words": 1, "from_the_log": 0},
        ),
    ]
    items: Annotated[int, about("How many went into the prompt.")]
    truncated: Annotated[int, about("How many found no place in the token budget.")]
    standing_items: Annotated[int, about("How many of those are in every chat.")]
    standing_tokens: Annotated[int, about("What their lines take.")]
    tokens: Annotated[int, about("What all memories in the prompt take.")]
    history_tokens: Annotated[int, about("What earlier parts of the conversation take.")]
    milliseconds: Annotated[float, about("Milliseconds.")]
    stages: Annotated[
        dict[str, float], about("Milliseconds of each stage.", example={"embedding": 12.1, "search": 6.8})
    ]
    query: Annotated[dict[str, Any], about("What the words were taken to ask for.", example={"terms": 2})]
    candidates: Annotated[list[ExplainedCandidate], about("The ten best, and the others in the prompt.")]
    upstream: Annotated[
        str | None, about("The upstream whose policy it followed; null without a policy.")
    ] = None


class TableSize(Struct):
    """The size of a table."""

    rows: Annotated[int, about("By the database's own count, which is late by seconds.")]
    bytes: Annotated[int, about("Without its indexes.")]
    indexes: Annotated[dict[str, int], about("Bytes of each index.", example={"messages_pkey": 40_960})]


class StoreStats(Struct):
    """How much is stored."""

    messages: int
    sessions: int
    chunks: Annotated[int, about("The parts of messages by which these are found.")]
    summaries: int
    memories: Annotated[int, about("Each counted for each user who sees it; summaries too.")]
    users: Annotated[int, about("Of how many something is remembered.")]
    summaries_made: Annotated[int, about("How often a chat that is still kept was summarized.")]
    non_empty_summaries: Annotated[float | None, about("The share of these with content; null if none.")]
    profile_consents: Annotated[int, about("How many people allow a profile.")]
    tables: dict[str, TableSize]


class KnownEmbedder(Struct):
    """An embedder that is used, or that was and has embeddings in the store still."""

    place: Annotated[
        str, one_of("statements", "log"), about("What it embeds: statements, or the messages of the log.")
    ]
    model: Annotated[
        str, about("What its embeddings are known by.", example="local:multilingual-e5-small@1c2d3e4f")
    ]
    today: Annotated[bool, about("Whether the process that answers uses it.")]
    used: Annotated[bool, about("Whether any process was seen within a minute that uses it.")]
    chosen_at: Annotated[Time, about("Since when it is used.")]
    completed_at: Annotated[Time | None, about("When all was found to be embedded by it; null: not yet.")]


class Embeddings(Struct):
    """The progress of embedding again after a change of embedder, over all users."""

    status: Annotated[
        str,
        one_of("complete", "waiting", "embedding"),
        about(
            "complete: all is of today's; waiting: other processes still use another embedder; embedding: "
            "workers embed what is left, and meanwhile both are searched."
        ),
    ]
    embedders: Annotated[list[KnownEmbedder], about("The last one chosen first.")]
    users: Annotated[int, about("Who has anything that is embedded.")]
    users_done: Annotated[int, about("Of whom all is embedded by today's.")]
    texts: Annotated[int, about("Memories and parts of messages that they have.")]
    texts_done: Annotated[int, about("How many belong to users who are done.")]


Share: TypeAlias = Annotated[float | None, about("0 to 1; null: not known.")]


class Recalls(Struct):
    """Questions and recalls."""

    questions: Annotated[int, about("Turns that something was looked for.")]
    users: Annotated[int, about("Of how many people.")]
    hit_rate: Share
    fallback_share: Share
    truncated_share: Share
    p50_ms: Annotated[float | None, about("What half of the recalls took at most.")]
    p95_ms: Annotated[float | None, about("What 95 % of them took at most.")]
    p99_ms: Annotated[float | None, about("What 99 % of them took at most.")]
    tokens: Annotated[int, about("What the turns' memories took.")]
    budget: Annotated[int, about("What they might have taken.")]
    history_tokens: Annotated[int, about("What missing history took.")]
    mean_top_score: float | None
    complaints: Annotated[int, about("Messages that say something told was forgotten.")]
    not_helpful: Annotated[int, about("How often people called a recalled memory not helpful.")]
    skipped: Annotated[dict[str, int], about("Known people's requests without memories, by reason.")]
    paths: Annotated[dict[str, int], about("Which way the searches went.", example={"dense": 411})]
    given: Annotated[dict[str, int], about("Items in prompts, by type.", example={"statements": 390})]


class FormedInTime(Struct):
    """Formation in some days."""

    exchanges: int
    waiting: Annotated[dict[str, int], about("Exchanges that wait for a model now, as in `health`.")]
    lag_p50_seconds: Annotated[
        float | None, about("The median time from arrival to formation; imported chats are left out.")
    ]
    lag_p95_seconds: float | None
    lag_p99_seconds: float | None
    made: Annotated[
        dict[str, int], about("How often it did `add:new`, `retire:forgotten`, ...", example={"add:new": 120})
    ]
    rejected: Annotated[dict[str, int], about("Candidates that were not kept, by reason.")]
    model_tokens: Annotated[int, about("What background models took.")]
    summary_token_share: Share


class UserDay(Struct):
    """The tokens that a user's memory took on a day."""

    user_id: str
    day: Annotated[date, about("From midnight to midnight, UTC.")]
    turns: Annotated[int, about("Requests that memory was asked for; known for 30 days.")]
    prompt_tokens: Annotated[int, about("What memories and missing history added to their prompts.")]
    model_tokens: Annotated[int, about("What background models took.")]
    model_calls: Annotated[int, about("In how many calls.")]


class UsageByDay(Struct):
    """The tokens that memory took, by user and day, the last day first."""

    usage: list[UserDay]


class Trigger(Struct):
    """A threshold, and whether it was reached."""

    name: str
    says: Annotated[str, about("What is measured.")]
    value: Annotated[float | None, about("Null: not known.")]
    limit: Annotated[float, about("Over this it is reached.")]
    unit: Annotated[str, about("`share` of a week's questions, `per week` or `seconds`.", example="share")]
    reached: Annotated[bool | None, about("Null: not known.")]
    meaning: Annotated[str, about("What it means where it is reached.")]
    change: Annotated[str, about("What to change then; empty where the settings are so already.")]


class WeekReport(Struct):
    """The figures of recall and formation, and the advice that follows."""

    days: int
    recalls: Recalls
    formation: FormedInTime
    triggers: list[Trigger]
