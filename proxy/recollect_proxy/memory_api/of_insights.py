"""Answers what is asked about requests and the service. Each function is named as its row of the table. Never: SQL, a route."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
from uuid_utils.compat import uuid7

from recollect.api.failures import REQUEST_NOT_FOUND, REQUEST_NOT_WRITTEN
from recollect.api.insights import (
    Embeddings,
    ExplainedCandidate,
    Explanation,
    Formation,
    GivenItem,
    Health,
    MetricsAsJson,
    ModelCalls,
    NotHelpfulFor,
    NotHelpfulQuestion,
    PastRecall,
    RecallsPage,
    Result,
    Retried,
    Retrieval,
    Spooled,
    StoreStats,
    WeekReport,
)
from recollect.api.people import Flags
from recollect.engine import system_clock
from recollect.engine.counts import ModelUse
from recollect.engine.inspection import InspectedCandidate
from recollect.model import Awaits, RecallPage, RequestRecord, Scope, Skip, Turn
from recollect_proxy.chat.recall_report import preview
from recollect_proxy.memory_api.asked import Asked, Reply
from recollect_proxy.memory_api.errors import RefusedError
from recollect_proxy.metrics.exposition import CONTENT_TYPE
from recollect_proxy.metrics.health_check import Condition

WAIT_SECONDS = 1.0
"""How long an explanation waits for what is being written of its request."""


async def list_recalls(asked: Asked) -> RecallsPage:
    """Return a page of what a user's requests were given."""
    page = await asked.engine.recalls(asked.user_id, limit=asked.sent.limit, after=asked.sent.after)
    return RecallsPage(page.next, [_past_recall(each, page) for each in page.requests])


async def call_not_helpful(asked: Asked) -> None:
    """Note that a recalled memory was not helpful."""
    user, request_id = asked.user_id, asked.id("request_id")
    is_written = await asked.parts.live.noted(request_id, WAIT_SECONDS)
    record = _known(await asked.engine.request_of(user, request_id), is_written=is_written)
    await asked.engine.call_not_helpful(record, asked.id("memory_id"))


async def take_back_not_helpful(asked: Asked) -> None:
    """Take back that a recalled memory was not helpful."""
    await asked.engine.take_back_not_helpful(asked.user_id, asked.id("request_id"), asked.id("memory_id"))


async def list_not_helpful(asked: Asked) -> NotHelpfulFor:
    """Return for which questions a memory was not helpful."""
    found = await asked.engine.not_helpful_for(asked.user_id, asked.id("memory_id"))
    told = [(each, None if each.question is None else preview(each.question)) for each in found]
    return NotHelpfulFor([NotHelpfulQuestion(each.request_id, each.at, question) for each, question in told])


async def explain_request(asked: Asked) -> Explanation:
    """Return why a request's prompt was given what it was."""
    known, engine = asked.id("request_id"), asked.engine
    is_written = await asked.parts.live.noted(known, WAIT_SECONDS)
    record = _known(await engine.request(known), is_written=is_written)
    if asked.who.user_id not in {None, record.scope.user_id}:
        raise RefusedError(REQUEST_NOT_FOUND)
    await asked.note_read(record.scope.user_id)
    return explanation_of(record)


async def explain_users_request(asked: Asked) -> Explanation:
    """Return why a user's prompt was given what it was."""
    user, known, engine = asked.user_id, asked.id("request_id"), asked.engine
    is_written = await asked.parts.live.noted(known, WAIT_SECONDS)
    return explanation_of(_known(await engine.request_of(user, known), is_written=is_written))


async def retry_formation(asked: Asked) -> Retried:
    """Queue again what is not formed."""
    return Retried(*await asked.engine.retry_failed())


async def inspect_retrieval(asked: Asked) -> Retrieval:
    """Return what would be recalled for a question."""
    sent = asked.sent
    await asked.note_read(sent.user)
    turn = Turn(Scope(sent.user, sent.session or str(uuid7())), sent.q, str(uuid7()), system_clock(), "")
    found = await asked.engine.inspect(turn)
    recall = found.prepared.recall
    return Retrieval(
        sent.q,
        [_result(each) for each in found.candidates],
        found.injected,
        recall.skipped,
        list(recall.degraded),
        recall.gate_score,
        found.milliseconds,
        list(found.prepared.flags),
        Flags.of(found.flags),
    )


async def read_stats(asked: Asked) -> StoreStats:
    """Return how much is stored."""
    return StoreStats.of(await asked.engine.size())


async def read_embeddings(asked: Asked) -> Embeddings:
    """Return how far embedding anew has come."""
    return Embeddings.of(await asked.engine.embeddings())


async def read_report(asked: Asked) -> WeekReport:
    """Return the report of some days."""
    report, _by_day = await asked.engine.report(asked.sent.days)
    return report


async def check_health(asked: Asked) -> Health:
    """Return whether Recollect works."""
    parts, writer = asked.parts, asked.parts.live.log_writer
    waiting = writer.waiting
    spool = Spooled(waiting.exchanges, waiting.bytes, waiting.on_disk, writer.lost, writer.late)
    return health_of(await parts.check.condition(), spool, parts.skipped)


async def read_metrics(asked: Asked) -> Reply:
    """Return the metrics, as Prometheus reads them."""
    return Reply(200, await asked.parts.metrics.exposition(), f"{CONTENT_TYPE}; charset=utf-8")


async def read_metrics_as_json(asked: Asked) -> MetricsAsJson:
    """Return the metrics as JSON."""
    return msgspec.convert({"metrics": await asked.parts.metrics.as_json()}, MetricsAsJson)


def health_of(condition: Condition | None, spool: Spooled, skipped: Mapping[Skip, int]) -> Health:
    """Return what the store said, and what was counted, as JSON; None: the store did not answer."""
    counts = {reason.value: count for reason, count in skipped.items()}
    if condition is None:
        return Health("degraded", "unavailable", None, None, spool, counts)
    calls = calls_of(condition.model_use)
    backlog = condition.backlog
    # a budget is as its operator wants it; what is given up needs no action
    waits = backlog.waiting.keys() - {Awaits.BUDGET, Awaits.GIVEN_UP}
    degraded = backlog.failed or waits or spool.lost or calls.breaker == "open"
    return Health("degraded" if degraded else "ok", "ok", Formation.of(backlog), calls, spool, counts)


def calls_of(use: ModelUse) -> ModelCalls:
    """Return the JSON of how models are used."""
    return ModelCalls(
        tokens_today=use.tokens_today,
        tokens_per_day=use.budget.everybody,
        user_tokens_per_day=use.budget.user,
        breaker="closed" if use.left_alone_until is None else "open",
        open_until=use.left_alone_until,
    )


def explanation_of(record: RequestRecord) -> Explanation:
    """Return the JSON of a record. Of user text it holds the question, as the message log has it, and nothing else."""
    told = record.explanation
    same = [
        "at",
        "question",
        "path",
        "model",
        "skipped",
        "error_stage",
        "gate_score",
        "items",
        "truncated",
        "tokens",
        "history_tokens",
    ]
    return Explanation(
        **{name: getattr(record, name) for name in same},
        request_id=record.id,
        user_id=record.scope.user_id,
        session_id=record.scope.session_id,
        upstream=told.get("upstream"),
        degraded=list(record.degraded),
        flags=list(record.flags),
        found={
            "candidates": record.candidates,
            "by_meaning": record.dense_hits,
            "by_words": record.lexical_hits,
            "from_the_log": record.log_hits,
        },
        standing_items=told.get("standing_items", 0),
        standing_tokens=told.get("standing_tokens", 0),
        milliseconds=round(record.milliseconds, 2),
        stages={stage.value: round(taken, 2) for stage, taken in record.stages.items()},
        query=dict(told.get("query", {})),
        candidates=[ExplainedCandidate(**{"standing": False, **each}) for each in told.get("candidates", ())],
    )


def _known(record: RequestRecord | None, *, is_written: bool) -> RequestRecord:
    if record is None:
        raise RefusedError(REQUEST_NOT_FOUND if is_written else REQUEST_NOT_WRITTEN)
    return record


def _result(found: InspectedCandidate) -> Result:
    told = found.told
    alike = {name: told[name] for name in ("score", "source", "part", "parts", "dropped", "standing")}
    return Result(id=UUID(told["id"]), content=found.content, type=told["kind"], **alike)


def _past_recall(record: RequestRecord, page: RecallPage) -> PastRecall:
    return PastRecall(
        record.id,
        record.at,
        record.scope.session_id,
        None if record.question is None else preview(record.question),
        record.skipped,
        round(record.milliseconds, 2),
        record.tokens,
        [
            _given(each, record.id, page)
            for each in record.explanation.get("candidates", ())
            if each["dropped"] is None
        ],
    )


def _given(candidate: Mapping[str, Any], request_id: UUID, page: RecallPage) -> GivenItem:
    known = UUID(candidate["id"])
    content = page.contents.get((known, candidate["part"]))
    return GivenItem(
        **{name: candidate[name] for name in ("kind", "source", "part", "score")},
        id=known,
        standing=candidate.get("standing", False),
        preview=None if content is None else preview(content),
        not_helpful=(request_id, known) in page.not_helpful,
    )
