"""All data of one user: exported as rows of JSON, and restored. Embeddings and search terms are computed again.

It does not validate rows, and leaves no table out.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from recollect.model import COMMONS, project_scope
from recollect.store.pool import StorePart, column
from recollect.store.row_mapping import TERMS_BY, terms_of_memory
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash

SECTIONS = (
    # Earlier sections may refer to later ones, which are read in the same snapshot.
    "projects",
    "settings",
    "profile",
    "memories",
    "summaries",
    "history",
    "quarantine",
    "sessions",
    "chats_left_out",
    "exchanges",
    "messages",
    "injections",
    "usage",
    "requests",
    "chat_requests",
    "not_helpful",
    "admin_reads",
    "kept_answers",
)
_HASHED = frozenset({"profile", "memories", "summaries", "quarantine"})
_ROWS_AT_ONCE = 200


class _Rows(NamedTuple):
    """The rows of a table as they are: the columns that an export has, and by which of them it is in order."""

    table: str
    columns: str
    order: str = "id"


_AS_THEY_ARE = {
    "settings": _Rows("user_settings", "flags, changed_at", "user_id"),
    "profile": _Rows(
        "profile_entries", "id, field, state, content, memory_id, own_words, created_at, changed_at"
    ),
    "history": _Rows(
        "memory_updates",
        "id, at, action, actor, reason, memory_id, replaced_id, before, after, session_id, exchange_id, undoes, details",
    ),
    "sessions": _Rows(
        "sessions",
        "id, started_at, last_at, next_turn_index, summarized_turn, summary_asked_at, summaries_made, summaries_kept",
    ),
    "chats_left_out": _Rows("chats_left_out", "session_id, since", "session_id"),
    "exchanges": _Rows(
        "exchanges",
        "id, session_id, key, turn_index, message_id, reply_id, model, authorized, said_at, state, attempts, not_before, "
        "error, fallback, formed_at, carried, anchor, parent, unanswered, told_with, made, upstream, answer_ids, "
        "arrived_at, answered, waits_for, wakes_at, waits, asked, failed_at, failed_status, partial, erased_at",
    ),
    "messages": _Rows(
        "messages",
        "id, session_id, exchange_id, turn_index, role, speaker, content, tokens, alternate, created_at, hidden, changed_at, "
        "marked",
    ),
    "injections": _Rows(
        "injections",
        "session_id, anchor, place, block, items, tokens, at, detached, standing",
        "session_id, at, anchor",
    ),
    "usage": _Rows("model_usage", "day, tokens, calls, summary_tokens", "day"),
    "requests": _Rows(
        "request_metrics",
        "id, at, session_id, path, model, skipped, degraded, error_stage, candidates, dense_hits, lexical_hits, log_hits, "
        "items, tokens, history_tokens, truncated, top_scores, gate_score, recall_ms, embedding_ms, search_ms, flags, story, "
        "turn_key, found_by, budget, block_tokens, given, marked, complains",
    ),
    "chat_requests": _Rows(
        "chat_requests", "session_id, anchor, asking, items, at", "session_id, at, anchor"
    ),
    "not_helpful": _Rows(
        "not_helpful", "memory_id, request_id, session_id, message_id, at", "request_id, memory_id"
    ),
    "admin_reads": _Rows("admin_reads", "id, at, reader, operation"),
}
"""The sections that one statement can export and another restore; some are restored by a statement of their own."""


def query_of(doing: str, section: str) -> str:
    """Return the statement that exports or restores a section, by the name of which of the two it does."""
    own = SQL.get(f"{doing}_{section}")
    if own is not None:
        return own
    rows = _AS_THEY_ARE[section]
    columns = SQL[f"{doing}_rows"].replace("{columns}", rows.columns)
    return columns.replace("{table}", rows.table).replace("{order}", rows.order)


class Portability(StorePart):
    """A user's data as rows to export and import, described in ``docs/reference/export.md``."""

    async def export(self, user_id: str) -> AsyncIterator[tuple[str, str]]:
        """Yield each row as its section's name and JSON text, all of one point in time; those of a project name it."""
        async with self._database.snapshot(user_id) as connection:
            projects = await column(connection, SQL["projects_of"], user_id)
            for section, project in product(SECTIONS, ["", *projects]):
                scope = project_scope(user_id, project)
                if projects:  # else the role sees the right rows already
                    await connection.execute(SQL["as_user"], scope, self._database.user_role)
                named = f'{{"project":{json.dumps(project)},' if project else "{"
                rows = connection.cursor(query_of("export", section), scope, prefetch=_ROWS_AT_ONCE)
                async for row in rows:
                    yield section, named + row[0].removeprefix("{")

    async def restore(self, user_id: str, section: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Keep rows of a section, in one transaction; return how many are new. Existing rows stay.

        Sections must come in the order of ``export``, and rows must be validated.
        """
        are_memories = section in {"memories", "summaries"}
        query = query_of("restore", "memories" if are_memories else section)
        given = [_hashed(row) if section in _HASHED else row for row in rows]
        if are_memories:
            given = [{**row, **_terms_of(row["content"])} for row in given]
        async with self._database.changing(user_id) as connection:
            if section == "memories":
                # Else a memory that no one sees might be erased before this user sees it.
                await connection.execute(SQL["lock_user"], COMMONS)
            return len(await connection.fetch(query, user_id, json.dumps(given)))


def _hashed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the hash of its content; a refused statement has only its hash, or none."""
    refused = row.get("refused_hash")
    if row["content"] is None:
        return {**row, "content_hash": None}
    return {**row, "content_hash": "\\x" + (refused or content_hash(row["content"]).hex())}


def _terms_of(content: str) -> dict[str, Any]:
    """Return the columns of a memory's terms."""
    terms, counts = terms_of_memory(content)
    return {"terms": terms, "counts": f"\\x{counts.hex()}", "terms_by": TERMS_BY}
