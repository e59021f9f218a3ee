"""Answers the operations on recorded requests and on the service.

Each function answers the operation of its name in `recollect.api.endpoint_table`, and its docstring documents that operation.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.api.failures import REQUEST_NOT_FOUND, REQUEST_NOT_WRITTEN
from recollect.api.requests_and_health import Explanation, GivenItem, Health, ModelCalls, PastRecall, Spooled
from recollect.engine import system_clock
from recollect.engine.counters import ModelUse
from recollect.model import (
    Message,
    RecallPage,
    RequestRecord,
    Scope,
    Skip,
    Turn,
    person_of,
    project_of,
)
from recollect.text.normalization import storable_text
from recollect_proxy.chat.recall_headers import preview
from recollect_proxy.memory_api.request_and_reply import Asked, Reply, fields_of
from recollect_proxy.memory_api.request_validation import RefusedError
from recollect_proxy.metrics import CONTENT_TYPE, Condition
from recollect_proxy.web.strict_json import shaped

WAIT_SECONDS = 1.0
"""How long an explanation waits until its request's record is written."""


async def list_recalls(asked: Asked) -> Any:
    """List a user's last recalls.

    The memories given to each request, or the reason for none, newest first. Kept for 30 days.
    """
    page = await asked.engine.recalls(asked.user_id, limit=asked.sent.limit, after=asked.sent.after)
    return {"next": page.next, "recalls": [_past_recall(each, page) for each in page.requests]}


async def call_not_helpful(asked: Asked) -> Any:
    """Call a recalled memory not helpful.

    Questions like this request's, in any words, no longer get the memory.

    A memory that shapes every answer, or concerns health (importance 0.85 or more), stays. The embedding of the question
    is kept. It can be taken back, and is erased with the memory, with the chat, and with the user.
    """
    record = await _record(asked, asked.user_id)
    await asked.engine.call_not_helpful(record, asked.id("memory_id"))


async def take_back_not_helpful(asked: Asked) -> Any:
    """Take back that a recalled memory was not helpful.

    Questions like this request's get the memory again.
    """
    await asked.engine.take_back_not_helpful(asked.user_id, asked.id("request_id"), asked.id("memory_id"))


async def list_not_helpful(asked: Asked) -> Any:
    """List the questions for which a memory was not helpful.

    Newest first, 50 at most. Questions like these do not get it.
    """
    found = await asked.engine.not_helpful_for(asked.user_id, asked.id("memory_id"))
    questions = [
        {"request_id": each.request_id, "at": each.at, "question": _begin(each.question)} for each in found
    ]
    return {"questions": questions}


async def explain_request(asked: Asked) -> Any:
    """Explain the memories in a request's prompt.

    Every candidate with its partial scores, and why it is in the prompt or not. Kept for 30 days.

    It is written in the background: right after the answer this waits for it, a second at most.
    """
    record = await _record(asked, None)
    if asked.who.user_id not in {None, person_of(record.scope.user_id)}:
        raise RefusedError(REQUEST_NOT_FOUND)
    await asked.note_read(record.scope.user_id)
    return explanation_of(record)


async def explain_users_request(asked: Asked) -> Any:
    """Explain the memories in a user's prompt.

    The same for one of this user's requests, and for no other's. Kept for 30 days.
    """
    return explanation_of(await _record(asked, asked.user_id))


async def retry_formation(asked: Asked) -> Any:
    """Form all remaining exchanges.

    Queue again every exchange that is not formed yet: held as failed, waiting for a model, or read by none so far.

    Unreadable answers are asked for again, too. Nothing is formed that a person switched off or had forgotten.
    """
    retried, users = await asked.engine.retry_failed()
    return {"retried": retried, "users": users}


async def inspect_retrieval(asked: Asked) -> Any:
    """Try a recall.

    Every candidate for a question of a user's, with partial scores, and the block that a prompt would get.

    It runs as in a chat, deadline included. Only the read itself is noted, and no memory counts as used.
    """
    sent = asked.sent
    await asked.note_read(sent.user)
    turn = Turn(Scope(sent.user, sent.session or str(uuid7())), sent.q, str(uuid7()), system_clock(), "")
    found = await asked.engine.inspect(turn)
    recall = found.prepared.recall
    return {
        "query": sent.q,
        "results": [
            {**each.told, "content": each.content, "type": each.told["kind"]} for each in found.candidates
        ],
        "block": found.injected,
        "skipped": recall.skipped,
        "degraded": recall.degraded,
        "gate_score": recall.gate_score,
        "metrics": found.milliseconds,
        "flags": found.prepared.flags,
        "settings": found.flags,
    }


async def try_formation(asked: Asked) -> Any:
    """Try an extraction.

    Returns the statements that the model would keep of a user's conversation, with their quotes, and the reasons for the others.

    The model is asked as in the background, and its tokens count. Only the read itself is stored.
    """
    sent = asked.sent
    await asked.note_read(sent.user)
    conversation = [Message(each.role, storable_text(each.content)) for each in sent.messages]
    return await asked.engine.try_formation(sent.user, conversation, model=sent.model)


async def read_stats(asked: Asked) -> Any:
    """Count the stored rows.

    How many messages, chats, chunks, summaries, memories and users there are, and the size of tables and indexes.

    It also gives the share of summaries that said something. It takes a scan: ask seldom.
    """
    size = await asked.engine.size()
    made = size.summaries_made
    return {
        **fields_of(size, asked.operation.answers),
        "non_empty_summaries": size.summaries_kept / made if made else None,
        "tables": {each.name: each for each in size.tables},
    }


async def read_embeddings(asked: Asked) -> Any:
    """Read the progress of embedding again.

    The embedders, and how many users are fully embedded by today's. Until then both are searched.

    It reads a row of each user's: ask every few seconds at most.
    """
    state = await asked.engine.embeddings()
    known = [
        {
            "place": each.place,
            "model": each.model,
            "today": state.today.get(each.place) == each.model,
            "used": each.is_used,
            "chosen_at": each.chosen_at,
            "completed_at": each.completed_at,
        }
        for each in state.embedders
    ]
    counts = state.counts
    done = (counts.users, counts.texts) if state.is_complete else (counts.users_done, counts.texts_done)
    return {
        "status": "complete" if state.is_complete else "waiting" if state.waits else "embedding",
        "embedders": known,
        "users": counts.users,
        "users_done": done[0],
        "texts": counts.texts,
        "texts_done": done[1],
    }


async def read_report(asked: Asked) -> Any:
    """Read the report of a week.

    The figures of recall and formation over some days and all users, and the thresholds that were reached.

    A figure that was not recorded is null: nothing is estimated.
    """
    report, _by_day = await asked.engine.report(asked.sent.days)
    return report


async def read_usage_by_day(asked: Asked) -> Any:
    """Read the tokens by user and day.

    What each user's memory added to prompts, and what background models took for it, over some days.
    """
    return {"usage": await asked.engine.usage_by_day(asked.sent.days)}


async def check_health(asked: Asked) -> Any:
    """Check whether Recollect works.

    This needs no token and reveals nothing about any user.

    It answers 200 whenever the process lives, whatever the database does, and within about a second: use it for liveness,
    and `status` for alarms. An orchestrator must not restart Recollect because its database is away.
    """
    api, writer = asked.api, asked.api.live.log_writer
    spool = shaped({**fields_of(writer.waiting, Spooled), "lost": writer.lost, "late": writer.late}, Spooled)
    return health_of(await api.check.answer(), spool, api.skipped)


async def read_metrics(asked: Asked) -> Any:
    """Read the metrics.

    The text format of Prometheus, version 0.0.4: formation since the start, its backlog, and the number of memories; no
    user's in particular.

    Figures from the store are 15 seconds old at most; while it does not answer, `recollect_store_up` is 0 and they are
    left out. With `RECOLLECT_METRICS_PUBLIC` no token is needed.
    """
    return Reply(200, await asked.api.metrics.exposition(), f"{CONTENT_TYPE}; charset=utf-8")


async def read_metrics_as_json(asked: Asked) -> Any:
    """Read the metrics as JSON.

    The values of `/memory/metrics`, under the same condition.
    """
    return {"metrics": await asked.api.metrics.as_json()}


def health_of(condition: Condition | None, spool: Spooled, skipped: Mapping[Skip, int]) -> Health:
    """Return the JSON of a condition and of counts; None means that the store did not answer.

    It is degraded without a store, with lost turns, and as the condition says.
    """
    counts = {reason.value: count for reason, count in skipped.items()}
    if condition is None:
        return Health("degraded", "unavailable", None, None, spool, counts)
    status = "degraded" if spool.lost or condition.is_degraded else "ok"
    calls = _calls_of(condition.model_use)
    document = {"formation": condition.backlog, "model": calls, "spool": spool, "skipped": counts}
    return shaped({"status": status, "store": "ok", **document}, Health)


def explanation_of(record: RequestRecord) -> Explanation:
    """Return the JSON of a record. Of user text it holds the question, as the message log has it, and nothing else."""
    explanation = record.explanation
    found = {
        "candidates": record.candidates,
        "by_meaning": record.dense_hits,
        "by_words": record.lexical_hits,
        "from_the_log": record.log_hits,
    }
    return shaped(
        {
            **fields_of(record, Explanation),
            "request_id": record.id,
            "user_id": person_of(record.scope.user_id),
            "project": project_of(record.scope.user_id),
            "session_id": record.scope.session_id,
            "upstream": explanation.get("upstream"),
            "found": found,
            "standing_items": explanation.get("standing_items", 0),
            "standing_tokens": explanation.get("standing_tokens", 0),
            "milliseconds": round(record.milliseconds, 2),
            "stages": {stage.value: round(taken, 2) for stage, taken in record.stages.items()},
            "query": explanation.get("query", {}),
            "candidates": [{"standing": False, **each} for each in explanation.get("candidates", ())],
        },
        Explanation,
    )


def _calls_of(use: ModelUse) -> ModelCalls:
    return ModelCalls(
        tokens_today=use.tokens_today,
        tokens_per_day=use.budget.everybody,
        user_tokens_per_day=use.budget.user,
        breaker="closed" if use.left_alone_until is None else "open",
        open_until=use.left_alone_until,
    )


async def _record(asked: Asked, user_id: str | None) -> RequestRecord:
    """Return the record of the request in the path, once it is written; of any user's if ``user_id`` is None.

    Raises:
        RefusedError: There is none, or it was not written within a second.
    """
    known, engine = asked.id("request_id"), asked.engine
    is_written = await asked.api.live.noted(known, WAIT_SECONDS)
    record = await (engine.request(known) if user_id is None else engine.request_of(user_id, known))
    if record is None:
        raise RefusedError(REQUEST_NOT_FOUND if is_written else REQUEST_NOT_WRITTEN)
    return record


def _begin(question: str | None) -> str | None:
    return None if question is None else preview(question)


def _past_recall(record: RequestRecord, page: RecallPage) -> dict[str, Any]:
    given = [each for each in record.explanation.get("candidates", ()) if each["dropped"] is None]
    return {
        **fields_of(record, PastRecall),
        "request_id": record.id,
        "session_id": record.scope.session_id,
        "question": _begin(record.question),
        "milliseconds": round(record.milliseconds, 2),
        "given": [_given(each, record.id, page) for each in given],
    }


def _given(candidate: Mapping[str, Any], request_id: UUID, page: RecallPage) -> dict[str, Any]:
    known = UUID(candidate["id"])
    return {
        "standing": False,
        **{name: candidate[name] for name in GivenItem.__struct_fields__ if name in candidate},
        "preview": _begin(page.contents.get((known, candidate["part"]))),
        "not_helpful": (request_id, known) in page.not_helpful,
    }
