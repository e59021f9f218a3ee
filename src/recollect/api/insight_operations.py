"""The rows of the API's table that are about requests and the service. Never: a shape."""

from recollect.api import insights, queries
from recollect.api.failures import (
    ALWAYS_NEEDED,
    FORBIDDEN,
    INTERNAL_ERROR,
    INVALID_PARAMETER,
    MEMORY_NOT_FOUND,
    QUESTION_NOT_KEPT,
    REQUEST_NOT_FOUND,
    REQUEST_NOT_WRITTEN,
    TOO_MANY_ATTEMPTS,
    UNAUTHORIZED,
)
from recollect.api.operation import Operation, Permission

_OF_METRICS = (UNAUTHORIZED, TOO_MANY_ATTEMPTS, FORBIDDEN, INTERNAL_ERROR, INVALID_PARAMETER)

list_recalls = Operation(
    "list_recalls",
    "GET",
    "/memory/users/{user_id}/recalls",
    insights.RecallsPage,
    "List a user's last recalls",
    "The page.",
    "Return what the user's requests were given, or why nothing, newest first. Kept for 30 days.",
    "Requests",
    takes=queries.OfPage,
)
explain_request = Operation(
    "explain_request",
    "GET",
    "/memory/explain/{request_id}",
    insights.Explanation,
    "Explain what a request's prompt was given",
    "The explanation of its recall.",
    "Return what was found, with partial scores, and why each candidate is in the prompt or is not. Kept for 30 days.\n\n"
    "It is written in the background: right after the answer this waits for it, a second at most.",
    "Requests",
    permission=Permission.OWN_REQUEST,
    further=(REQUEST_NOT_FOUND, REQUEST_NOT_WRITTEN),
)
explain_users_request = Operation(
    "explain_users_request",
    "GET",
    "/memory/users/{user_id}/explain/{request_id}",
    insights.Explanation,
    "Explain what a user's prompt was given",
    "The explanation of its recall.",
    "Return the same of one of this user's requests, and of no other's. Kept for 30 days.",
    "Requests",
    further=(REQUEST_NOT_FOUND, REQUEST_NOT_WRITTEN),
)
call_not_helpful = Operation(
    "call_not_helpful",
    "POST",
    "/memory/users/{user_id}/recalls/{request_id}/memories/{memory_id}/not-helpful",
    type(None),
    "Call a recalled memory not helpful",
    "It is noted.",
    "Leave a memory out of the prompts of questions like this request's, in whatever words they come.\n\n"
    "A memory that shapes every answer, or concerns health (importance 0.85 or more), stays. Of the question its "
    "embedding is kept. It can be taken back, and is erased with the memory, with the chat, and with the user.",
    "Requests",
    status=204,
    further=(REQUEST_NOT_FOUND, MEMORY_NOT_FOUND, QUESTION_NOT_KEPT, ALWAYS_NEEDED),
)
take_back_not_helpful = Operation(
    "take_back_not_helpful",
    "DELETE",
    "/memory/users/{user_id}/recalls/{request_id}/memories/{memory_id}/not-helpful",
    type(None),
    "Take back that a recalled memory was not helpful",
    "It is taken back.",
    "Let questions like this request's get the memory again.",
    "Requests",
    status=204,
    further=(MEMORY_NOT_FOUND,),
)
list_not_helpful = Operation(
    "list_not_helpful",
    "GET",
    "/memory/users/{user_id}/memories/{memory_id}/not-helpful",
    insights.NotHelpfulFor,
    "List for which questions a memory was not helpful",
    "The questions, newest first, 50 at most.",
    "Return for which questions the user called a memory not helpful. Questions like these do not get it.",
    "Requests",
)
retry_formation = Operation(
    "retry_formation",
    "POST",
    "/memory/formation/retry",
    insights.Retried,
    "Form what failed, waits, or was read by no model",
    "How much that is.",
    "Queue every exchange again that is not formed yet: held as failed, waiting for a model, or read by none so far.\n\n"
    "Answers that could not be read are asked for again, too. Nothing is formed of what a person switched off or had forgotten.",
    "Operation",
    permission=Permission.ADMIN,
)
inspect_retrieval = Operation(
    "inspect_retrieval",
    "GET",
    "/memory/debug/retrieval",
    insights.Retrieval,
    "Try a recall",
    "What would be recalled.",
    "Return every candidate for a question of a user's, with partial scores, and the block that a prompt would be given.\n\n"
    "It is done as in a chat, deadline included. Nothing is written but that it was read, and no memory counts as used.",
    "Operation",
    takes=queries.OfRetrieval,
    permission=Permission.ADMIN,
)
read_stats = Operation(
    "read_stats",
    "GET",
    "/memory/debug/stats",
    insights.StoreStats,
    "Count what is stored",
    "The counts and sizes.",
    "Return how many messages, chats, chunks, summaries, memories and users there are, and what tables and indexes take.\n\n"
    "And of the summaries that were made the share that said something.\n\nIt takes a scan: ask seldom.",
    "Operation",
    permission=Permission.ADMIN,
)
read_embeddings = Operation(
    "read_embeddings",
    "GET",
    "/memory/embeddings",
    insights.Embeddings,
    "Read how far embedding anew has come",
    "The embedders, and what is done.",
    "Return which embedders there are, and of how many users all is embedded by today's. Until then both are searched.\n\n"
    "It reads a row of each user's: ask every few seconds at most.",
    "Operation",
    permission=Permission.ADMIN,
)
read_report = Operation(
    "read_report",
    "GET",
    "/memory/report",
    insights.WeekReport,
    "Read the report of a week",
    "The report.",
    "Return what recall and formation did in some days, over all users, and which thresholds were reached.\n\n"
    "What was not recorded is null: nothing is estimated.",
    "Operation",
    takes=queries.OfReport,
    permission=Permission.ADMIN,
)
check_health = Operation(
    "check_health",
    "GET",
    "/memory/health",
    insights.Health,
    "Ask whether Recollect works",
    "The process lives. How the store is, stands in the body.",
    "Return the state of Recollect. This needs no token and tells nothing about any user.\n\n"
    "It answers 200 whenever the process lives, whatever the database does, and within about a second: "
    "use it for liveness, and `status` for alarms. An orchestrator must not restart Recollect because its database is away.",
    "Operation",
    permission=Permission.PUBLIC,
    own_failures=(INTERNAL_ERROR, INVALID_PARAMETER),
)
read_metrics = Operation(
    "read_metrics",
    "GET",
    "/memory/metrics",
    str,
    "Read the metrics",
    "The text format of Prometheus, version 0.0.4.",
    "Return what formation did since the start, how it stands, and how many memories there are; of no user in particular.\n\n"
    "What the store says is 15 seconds old at most; while it says nothing, `recollect_store_up` is 0 and what it "
    "would say is left out. With `RECOLLECT_METRICS_PUBLIC` no token is needed.",
    "Operation",
    permission=Permission.ADMIN,
    media_type="text/plain",
    own_failures=_OF_METRICS,
)
read_metrics_as_json = Operation(
    "read_metrics_as_json",
    "GET",
    "/memory/metrics.json",
    insights.MetricsAsJson,
    "Read the metrics as JSON",
    "The same values.",
    "Return what `/memory/metrics` holds, as JSON, on the same condition.",
    "Operation",
    permission=Permission.ADMIN,
    own_failures=_OF_METRICS,
)
