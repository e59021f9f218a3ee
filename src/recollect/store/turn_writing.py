"""Writes a turn's exchange, blocks, recalled memories and request in one round trip, by the function ``write_turn`` of the schema.

The arguments go as one JSON document. Turns are named by keys, and erased users and chats by hashes that name no person. The records
of requests are read again here, too, for metrics and explanation. The caller decides on the content.
"""

import asyncio
import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import msgspec
from asyncpg import Record

from recollect.errors import StoreError
from recollect.model import (
    UNNAMED,
    Exchange,
    ItemPart,
    RequestRecord,
    Scope,
    SearchPath,
    Skip,
    Stage,
    TurnNotes,
    scopes_in,
)
from recollect.store.pool import Connection, Database, StorePart
from recollect.store.row_mapping import own_content, shortest
from recollect.store.sql import SQL
from recollect.text.normalization import storable_id, storable_text
from recollect.text.tokens import estimate_tokens

_LONGEST_KEY = 200
"""Bytes. The log has a longer key as its hash: an index entry has to fit a part of a page."""


def storable_parent(parent: str | None) -> str | None:
    """Return the parent in the form of the log's keys; None if unknown, or if it could be no key."""
    try:
        return None if parent is None else storable_key(parent)
    except StoreError:  # a client's free text: without a parent the turn is still kept
        return None


def storable_key(key: str) -> str:
    """Return a turn's key for the log: itself, or its hash if an index entry could not hold it."""
    encoded = storable_id(key).encode()
    if len(encoded) <= _LONGEST_KEY:
        return key
    return "sha256:" + hashlib.sha256(encoded).hexdigest()


def mark_of(erased: Scope | str) -> bytes:
    """Return the 32 bytes (SHA-256) by which an erased user, or one of their chats, is known again."""
    named = [erased] if isinstance(erased, str) else [erased.user_id, erased.session_id]
    return hashlib.sha256(json.dumps(["recollect", *named]).encode()).digest()


def marks_of(scope: Scope) -> list[bytes]:
    """Return the marks that a turn of this chat is looked up by: its user's, of a project its person's, too, and its own."""
    return [*map(mark_of, scopes_in(scope.user_id)), mark_of(scope)]


TIMED = (Stage.EMBEDDING, Stage.SEARCH)
"""The stages of a recall whose times have columns of their own."""

_LONGEST_INLINE = 10_000
"""Characters whose tokens are counted on the loop, in half a millisecond."""

_ENCODER = msgspec.json.Encoder()


async def write_turn(database: Database, user_id: str, written: dict[str, Any]) -> Record:
    """Write the parts of a user's turn in one statement; return what became of its exchange."""
    return await database.called(user_id, "write_turn", encoded(written), is_write=True)


def encoded(written: dict[str, Any]) -> str:
    """Return the parts of a turn as the JSON document that ``write_turn`` of the schema takes."""
    return _ENCODER.encode(written).decode()


async def write_turn_on(
    connection: Connection, user_id: str, user_role: str, written: dict[str, Any]
) -> Record:
    """Write the parts of a user's turn in a transaction under the user's lock; return what became of its exchange."""
    row = await connection.fetchrow(SQL["write_turn"], user_id, user_role, encoded(written))
    assert row is not None  # noqa: S101 -- a function has one row
    return row


async def fields_of_exchange(exchange: Exchange, *, ends: bool) -> dict[str, Any]:
    """Return an exchange as the log has it: with its reply if it ends."""
    turn, content = exchange.turn, storable_text(exchange.turn.text)
    fields: dict[str, Any] = {
        "session": storable_id(turn.scope.session_id),
        "key": storable_key(turn.key),
        "id": exchange.id,
        "message_id": exchange.message_id,
        "reply_id": exchange.reply_id,
        "model": storable_text(turn.model),
        "authorized": exchange.authorized,
        "at": turn.at,
        "carried": len(turn.history),
        "anchor": storable_text(turn.anchor),
        "parent": storable_parent(turn.parent),
        "speaker": None if turn.speaker is None else storable_text(turn.speaker),
        "content": content,
        "tokens": await tokens_of(content),
        "marked": turn.marked,
        "upstream": storable_text(turn.upstream),
        "answered": storable_text(turn.answered),
        # A chat that only words distinguish may begin again with the same ones.
        "begins": not (turn.history or turn.follows) and turn.scope.session_id.startswith(UNNAMED),
        "marks": _marks(turn.scope),
        "ends": ends,
    }
    return fields | await _fields_of_end(exchange) if ends else fields


async def _fields_of_end(exchange: Exchange) -> dict[str, Any]:
    """Return the columns that the end of an exchange adds: its answer, and how that failed."""
    reply, failure = storable_text(exchange.answer), exchange.failure
    fields: dict[str, Any] = {
        "continues": exchange.continues,
        "reply": reply,
        "reply_tokens": await tokens_of(reply),
        "answer_id": storable_text(exchange.answer_id),
    }
    if failure is None:
        return fields
    came = "" if exchange.answer else storable_text(exchange.reply)
    return fields | {"failed_at": failure.stage, "failed_status": failure.status, "partial": came}


def fields_of_notes_alone(scope: Scope, notes: TurnNotes) -> dict[str, Any]:
    """Return the statement that writes a turn's notes alone, unless its user or its chat was erased since."""
    said_at = next((each.at for each in (notes.request, notes.injection) if each is not None), None)
    return fields_of_notes(scope, notes) | {"marks": _marks(scope), "at": said_at}


def _marks(scope: Scope) -> list[str]:
    return ["\\x" + mark.hex() for mark in marks_of(scope)]  # as Postgres writes bytes, which JSON can't


def fields_of_notes(scope: Scope, notes: TurnNotes | None) -> dict[str, Any]:
    """Return a turn's notes: the block in its prompt, the blocks it detaches, its request."""
    if notes is None:
        return {}
    fields: dict[str, Any] = {}
    if notes.detached or notes.injection is not None:
        fields["session"] = storable_id(scope.session_id)
    if notes.detached:
        fields["detached"] = notes.detached
    if notes.injection is not None:
        fields["injection"] = asdict(notes.injection) | {"block": storable_text(notes.injection.block)}
    if notes.request is not None:
        fields["request"] = _fields_of_request(notes.request)
    return fields


PLAIN = (
    *("id", "at", "path", "candidates", "dense_hits", "lexical_hits", "log_hits", "items", "tokens"),
    *("history_tokens", "truncated", "budget", "block_tokens", "marked", "complains"),
)
"""The fields of a request's record that have columns of their names, and of their kinds of values."""


def _fields_of_request(request: RequestRecord) -> dict[str, Any]:
    return {name: getattr(request, name) for name in PLAIN} | {
        "session_id": storable_text(request.scope.session_id),
        "model": storable_text(request.model),
        "skipped": request.skipped,
        "degraded": request.degraded,
        "error_stage": request.error_stage,
        "top_scores": request.top_scores,
        "gate_score": request.gate_score,
        "recall_ms": request.milliseconds,
        **{f"{stage}_ms": request.stages.get(stage) for stage in TIMED},
        "flags": request.flags,
        "story": request.explanation,
        "turn_key": None if request.key is None else storable_text(request.key),
        "found_by": request.found_by,
        "given": None if request.given_by is None else dict(request.given_by),
    }


async def tokens_of(text: str) -> int:
    """Return about how many tokens a text has; a long one is counted off the loop."""
    if len(text) <= _LONGEST_INLINE:
        return estimate_tokens(text)
    return await asyncio.to_thread(estimate_tokens, text)


class RequestLog(StorePart):
    """Reads the records of requests, and makes room for those to come."""

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return the record of any user's request; None if there is none (any more)."""
        user_id = await self._database.value_of_all("request_metrics_of", request_id)
        return None if user_id is None else await self.request_of(user_id, request_id)

    async def requests_of(
        self, user_id: str, *, limit: int, after: UUID | None = None
    ) -> list[RequestRecord]:
        """Return the records of the user's requests, newest first, after the request ``after``."""
        rows = await self._database.rows(user_id, "requests_of_user", after, limit)
        return [_record_of(row) for row in rows]

    async def request_of(self, user_id: str, request_id: UUID) -> RequestRecord | None:
        """Return the record of the user's request; None if there is none (any more)."""
        row = await self._database.row(user_id, "request_of_user", request_id)
        return None if row is None else _record_of(row)

    async def contents(
        self, user_id: str, items: Collection[UUID], scopes: Sequence[str]
    ) -> dict[ItemPart, str]:
        """Return the current contents of memories of these scopes and parts of messages, without deleted or hidden ones."""
        told: dict[ItemPart, str] = {}
        for scope in scopes:
            memories = await self._database.rows(scope, "contents_of_memories", list(items))
            told |= {(row["id"], None): row["content"] for row in memories}
        passages = await self._database.rows(user_id, "contents_of_passages", list(items))
        return told | {(row["id"], row["part"]): own_content(row) for row in passages}

    async def prepare_days(self, first: date, days: int) -> int:
        """Make the parts that the requests of so many days in UTC go into; return how many are new."""
        made = 0
        for day in range(days):
            async with self._database.over_all_users() as connection:
                await connection.execute(SQL["wait_briefly"])
                made += await connection.fetchval(SQL["add_request_day"], first + timedelta(days=day))
        return made


def _record_of(row: Record) -> RequestRecord:
    return RequestRecord(
        **{name: row[name] for name in (*PLAIN, "model", "question")},
        scope=Scope(row["user_id"], row["session_id"]),
        skipped=Skip(row["skipped"]) if row["skipped"] else None,
        degraded=tuple(Stage(each) for each in row["degraded"]),
        error_stage=Stage(row["error_stage"]) if row["error_stage"] else None,
        top_scores=tuple(shortest(score) for score in row["top_scores"]),
        gate_score=None if row["gate_score"] is None else shortest(row["gate_score"]),
        milliseconds=shortest(row["recall_ms"]),
        stages={stage: shortest(row[f"{stage}_ms"]) for stage in TIMED if row[f"{stage}_ms"] is not None},
        flags=tuple(row["flags"]),
        explanation=json.loads(row["story"]),
        key=row["turn_key"],
        found_by=SearchPath(row["found_by"]) if row["found_by"] else None,
        given_by=None if row["given"] is None else json.loads(row["given"]),
    )
