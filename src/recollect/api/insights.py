"""The JSON of the service: health, figures, reports, and why a prompt was given what it was. Never: an engine."""

from typing import Annotated, Any, Self, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Struct

from recollect import model
from recollect.api.fields import Time, about, one_of
from recollect.api.memories import Page
from recollect.api.people import Flags


class Retried(Struct):
    """What a retry set in motion."""

    retried: Annotated[
        int,
        about("How many exchanges held as failed are to be formed again; what waits for a model is, too."),
    ]
    users: Annotated[
        int, about("Of how many users something waited for a model, or was read by none so far.")
    ]


class Formation(Struct):
    """What formation has before it and behind it, over all users."""

    pending: Annotated[int, about("Exchanges to be formed as soon as it is their turn.")]
    waiting: Annotated[
        dict[str, int],
        about(
            "Exchanges that wait for a model, by what is missing: `key` (the person's, which comes with their next "
            "chat, or one of the settings), `model` (none is named, or its server has none of that name), `outage`, `budget`, "
            "`unreadable` (it answered so that nothing could be read, or too slowly).",
            example={"key": 1},
        ),
    ]
    oldest_waiting_at: Annotated[
        Time | None, about("When the first of those was said; null where none waits.")
    ]
    failed: Annotated[int, about("Exchanges held because their formation kept failing.")]
    formed: Annotated[int, about("Exchanges formed.")]
    oldest_pending_at: Annotated[
        Time | None, about("When the first pending one was said; null where none is.")
    ]

    @classmethod
    def of(cls, backlog: model.Backlog) -> Self:
        """Return the JSON of ``backlog``."""
        return msgspec.convert(backlog, cls, from_attributes=True)


class ModelCalls(Struct):
    """How the background's calls of models stand, over all users."""

    tokens_today: Annotated[int, about("What they took since midnight, UTC.")]
    tokens_per_day: Annotated[int, about("What they may take a day; 0: any number.")]
    user_tokens_per_day: Annotated[int, about("What they may take a day for one user; 0: any number.")]
    breaker: Annotated[
        str, one_of("closed", "open"), about("open while models are left alone, as they failed too often.")
    ]
    open_until: Annotated[Time | None, about("When they are tried again; null while closed.")]


class Spooled(Struct):
    """What waits to be logged, as the store is away, in this process."""

    exchanges: Annotated[int, about("How many exchanges wait.")]
    bytes: Annotated[int, about("How much room they take.")]
    on_disk: Annotated[
        bool, about("Whether they outlive the process; false where the data folder can't be written.")
    ]
    lost: Annotated[int, about("How much since the start neither the store nor the spool could take.")]
    late: Annotated[
        int,
        about(
            "How many messages since the start went to the LLM before they were safe on disk: a process that is killed "
            "in that moment loses them."
        ),
    ]


class Health(Struct):
    """Whether Recollect works. That there is an answer at all says that the process lives."""

    status: Annotated[
        str,
        one_of("ok", "degraded"),
        about(
            "degraded while the store is unavailable, exchanges are held as failed or wait for a model, some were "
            "lost, or the breaker is open."
        ),
    ]
    store: Annotated[
        str, one_of("ok", "unavailable"), about("Whether the memory store answered within a second.")
    ]
    formation: Annotated[
        Formation | None, about("How formation stands; null while the store is unavailable.")
    ]
    model: Annotated[ModelCalls | None, about("How its models stand; null while the store is unavailable.")]
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
        dict[str, list[Sample]],
        about("By name, as in the format of Prometheus; `le` is a bucket's upper edge."),
    ]


class Ranked(Struct, kw_only=True):
    """A memory or a message that a recall found."""

    id: Annotated[UUID, about("Of the memory, or of the message in the log.")]
    source: Annotated[str, about("How the memory came to be, or `log`.", example="extracted")]
    part: Annotated[int | None, about("Which part of the message; null for a memory.")]
    score: Annotated[float, about("What it was ranked by; 0 of what stands in every chat.", example=0.81)]
    standing: Annotated[bool, about("Whether it stands in every chat, whatever is asked.")]


Kind: TypeAlias = Annotated[str, about("The memory's kind, or `message`.", example="fact")]
Parts: TypeAlias = Annotated[
    dict[str, float],
    about("What each signal gave to the score; of the best ten.", example={"dense": 0.49, "lexical": 0.2}),
]
Dropped: TypeAlias = Annotated[str | None, about("Why it is not in the prompt; null where it is.")]


class GivenItem(Ranked, kw_only=True):
    """What went into a prompt."""

    kind: Kind
    preview: Annotated[
        str | None, about("How it begins now, 160 characters at most; null where it is there no more.")
    ]
    not_helpful: Annotated[bool, about("Whether the user called it not helpful for this question.")]


class NotHelpfulQuestion(Struct):
    """A question for which a memory was not helpful."""

    request_id: Annotated[UUID, about("The request that was given it.")]
    at: Annotated[Time, about("When the user said so.")]
    question: Annotated[
        str | None,
        about("How what was asked begins, 160 characters at most, secrets masked; null as in `explain`."),
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
    """What would be recalled for a question."""

    query: str
    results: Annotated[list[Result], about("Every candidate, best first.")]
    injected: Annotated[str, about("The block that the prompt would be given; empty for none.")]
    skipped: Annotated[str | None, about("Why nothing would be recalled.")]
    degraded: Annotated[list[str], about("Stages that failed or were late.")]
    gate_score: Annotated[
        float | None, about("How sure it was that anything remembered was asked for, 0 to 1.")
    ]
    metrics: Annotated[
        dict[str, float],
        about(
            "Milliseconds: `total`; `dense` and `second_dense`, the embeddings; `search`, all that compares and ranks.",
            example={"total": 21.4, "dense": 12.1, "second_dense": 0.0, "search": 6.8},
        ),
    ]
    flags: Annotated[list[str], about("What was special, as `user-wide`.")]
    settings: Annotated[Flags, about("What was changed for the user, or for everybody; null: as started.")]


class PastRecall(Struct):
    """What one request was given, or why nothing."""

    request_id: Annotated[UUID, about("`explain` tells more about it.")]
    at: Time
    session_id: Annotated[str, about("In which chat.")]
    question: Annotated[
        str | None,
        about("How what was asked begins, 160 characters at most, secrets masked; null as in `explain`."),
    ]
    skipped: Annotated[str | None, about("Why nothing was recalled; null where something was.")]
    milliseconds: Annotated[float, about("How long recall took.")]
    tokens: Annotated[int, about("What all memories in the prompt take.")]
    given: Annotated[list[GivenItem], about("What the prompt was given for this turn.")]


class RecallsPage(Page[PastRecall, UUID]):
    """One page of a user's recalls, newest first."""

    recalls: list[PastRecall]


class Explanation(Struct, kw_only=True):
    """What a request was like."""

    request_id: UUID
    user_id: str
    session_id: str
    at: Time
    question: Annotated[
        str | None,
        about(
            "What was asked, as the message log has it: 2,000 characters at most, secrets masked. Null where it is "
            "not kept, was forgotten, or the setting `queries` is off."
        ),
    ]
    path: Annotated[str, about("The API it was spoken in, and the placement.", example="completions/stable")]
    model: str
    skipped: Annotated[str | None, about("Why nothing was recalled; null where something was.")]
    degraded: Annotated[list[str], about("Stages that failed or were late, and were done without.")]
    error_stage: Annotated[str | None, about("The stage that ended the recall; null for none.")]
    flags: list[str]
    gate_score: Annotated[
        float | None, about("How sure it was that anything remembered was asked for, 0 to 1.")
    ]
    found: Annotated[
        dict[str, int],
        about(
            "How many candidates; by meaning, by words, from the log.",
            example={"candidates": 1, "by_meaning": 1, "by_words": 1, "from_the_log": 0},
        ),
    ]
    items: Annotated[int, about("How many went into the prompt.")]
    truncated: Annotated[int, about("How many found no place in the token budget.")]
    standing_items: Annotated[int, about("How many of those stand in every chat.")]
    standing_tokens: Annotated[int, about("What their lines take.")]
    tokens: Annotated[int, about("What all memories in the prompt take.")]
    history_tokens: Annotated[int, about("What earlier parts of the conversation take.")]
    milliseconds: Annotated[float, about("Milliseconds.")]
    stages: Annotated[
        dict[str, float],
        about("Milliseconds of each stage.", example={"embedding": 12.1, "search": 6.8}),
    ]
    query: Annotated[dict[str, Any], about("What the words were taken to ask for.", example={"terms": 2})]
    candidates: Annotated[
        list[ExplainedCandidate], about("What was found, best first: ten, and what else is in the prompt.")
    ]
    upstream: Annotated[
        str | None,
        about("The upstream whose policy it followed; null where there is but one, without a policy."),
    ] = None


class TableSize(Struct):
    """What a table takes."""

    rows: Annotated[int, about("By the database's own count, which is late by seconds.")]
    bytes: Annotated[int, about("Without its indexes.")]
    indexes: Annotated[
        dict[str, int], about("What each index takes, in bytes.", example={"messages_pkey": 40_960})
    ]


class StoreStats(Struct):
    """How much is stored."""

    messages: int
    sessions: int
    chunks: Annotated[int, about("The parts of messages by which these are found.")]
    summaries: int
    memories: Annotated[int, about("Each counted for each user who sees it; summaries too.")]
    users: Annotated[int, about("Of how many something is remembered.")]
    summaries_made: Annotated[
        int, about("How often a chat that is still kept was summarized, since that is counted.")
    ]
    non_empty_summaries: Annotated[
        float | None, about("The share of these that said something; null before the first.")
    ]
    profile_consents: Annotated[int, about("How many people allow a profile.")]
    tables: dict[str, TableSize]

    @classmethod
    def of(cls, size: model.StoreSize) -> Self:
        """Return the JSON of ``size``."""
        made = size.summaries_made
        alike = set(cls.__struct_fields__) - {"tables", "non_empty_summaries"}
        return cls(
            **{name: getattr(size, name) for name in alike},
            non_empty_summaries=size.summaries_kept / made if made else None,
            tables={each.name: TableSize(each.rows, each.bytes, dict(each.indexes)) for each in size.tables},
        )


class KnownEmbedder(Struct):
    """An embedder that is used, or that was and has embeddings in the store still."""

    place: Annotated[
        str,
        one_of("first", "second"),
        about("first: of memories and what was said; second: of statements, beside the first."),
    ]
    model: Annotated[str, about("What its embeddings are known by.", example="local:all-MiniLM-L6-v2")]
    today: Annotated[bool, about("Whether the process that answers uses it.")]
    used: Annotated[bool, about("Whether any process was seen within a minute that uses it.")]
    chosen_at: Annotated[Time, about("Since when it is used.")]
    completed_at: Annotated[Time | None, about("When all was found to be embedded by it; null: not yet.")]


class Embeddings(Struct):
    """How far what an embedder before today's embedded is embedded anew. It names nobody."""

    status: Annotated[
        str,
        one_of("complete", "waiting", "embedding"),
        about(
            "complete: all is of today's; waiting: other processes still use another embedder; embedding: workers "
            "embed what is left, and meanwhile both are searched."
        ),
    ]
    embedders: Annotated[list[KnownEmbedder], about("The last one chosen first.")]
    users: Annotated[int, about("Who has anything that is embedded.")]
    users_done: Annotated[int, about("Of whom all is embedded by today's.")]
    texts: Annotated[int, about("Memories and parts of messages that they have.")]
    texts_done: Annotated[int, about("How many belong to users who are done.")]

    @classmethod
    def of(cls, state: model.EmbeddingState) -> Self:
        """Return the JSON of ``state``."""
        known = [
            KnownEmbedder(
                each.place.value,
                each.model,
                state.today.get(each.place) == each.model,
                each.is_used,
                each.chosen_at,
                each.completed_at,
            )
            for each in state.embedders
        ]
        counts = state.counts
        done = (counts.users, counts.texts) if state.is_complete else (counts.users_done, counts.texts_done)
        status = "complete" if state.is_complete else "waiting" if state.waits else "embedding"
        return cls(status, known, counts.users, done[0], counts.texts, done[1])


Share: TypeAlias = Annotated[float | None, about("0 to 1; null: not known.")]


class Recalls(Struct):
    """What was asked, and recalled."""

    questions: Annotated[int, about("Turns that something was looked for.")]
    users: Annotated[int, about("Of how many people.")]
    hit_rate: Share
    fallback_share: Share
    truncated_share: Share
    p50_ms: Annotated[float | None, about("What half of the recalls took at most.")]
    p95_ms: Annotated[float | None, about("What 95 % of them took at most.")]
    tokens: Annotated[int, about("What the turns' memories took.")]
    budget: Annotated[int, about("What they might have taken.")]
    history_tokens: Annotated[int, about("What missing history took.")]
    mean_top_score: float | None
    complaints: Annotated[int, about("Messages that say something told was forgotten.")]
    not_helpful: Annotated[int, about("How often people called a recalled memory not helpful.")]
    skipped: Annotated[
        dict[str, int],
        about("Why nothing was recalled, of requests of people who are known; `health` counts the others."),
    ]
    paths: Annotated[dict[str, int], about("Which way the searches went.", example={"dense": 411})]
    given: Annotated[
        dict[str, int], about("What went into prompts, by what it is.", example={"statements": 390})
    ]


class FormedInTime(Struct):
    """What was formed."""

    exchanges: int
    waiting: Annotated[
        dict[str, int],
        about("How many exchanges wait for a model now, by what is missing, as in `health`."),
    ]
    lag_p50_seconds: Annotated[
        float | None, about("How long after they arrived half of them were formed, at most.")
    ]
    lag_p95_seconds: float | None
    made: Annotated[
        dict[str, int],
        about("How often formation did what, as `add:new` or `retire:forgotten`.", example={"add:new": 120}),
    ]
    rejected: Annotated[dict[str, int], about("Candidates that were not kept, by reason.")]
    model_tokens: Annotated[int, about("What background models took.")]
    summary_token_share: Share


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
    """What recall and formation did, and whether something should change."""

    days: int
    recalls: Recalls
    formation: FormedInTime
    triggers: list[Trigger]
