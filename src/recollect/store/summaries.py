"""Finds the chats that are due for a summary, and stores their summaries, in Postgres."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from uuid import UUID

from asyncpg import Record

from recollect.model import (
    Actor,
    Add,
    Change,
    Conversation,
    Material,
    Memory,
    Message,
    Outline,
    Reason,
    Replace,
    Role,
    Scope,
)
from recollect.store.jobs import enqueue
from recollect.store.memories.changes import apply_changes
from recollect.store.pool import Connection, StorePart
from recollect.store.row_mapping import memory_of
from recollect.store.sql import SQL
from recollect.text.normalization import storable_id

_EXCHANGES = 100
"""The most exchanges of a chat that are summarized at once. Each has at most two messages."""

_LONGEST_MESSAGE = 4_000
"""Characters of a message that are read."""

_RECENT = timedelta(days=30)
"""The age of chats that are looked at, before the user's last message."""


class ChatSummaries(StorePart):
    """Says which chats are due for a summary, and keeps their summaries."""

    async def to_summarize(
        self, user_id: str, *, turns: int, tokens: int, without: Collection[str] = ()
    ) -> Conversation | None:
        """Return a chat of the user that is due for a summary, if there is one: the one that waits longest.

        A chat of which a person asked for a summary comes first. If the last summary was forgotten, everything that is
        left of the chat is read again.

        Due is a chat with at least ``turns`` formed exchanges, or ``tokens`` tokens in formed exchanges, since its
        last summary; 0: that alone makes none due. Hidden messages and alternates are left out. A chat is looked at
        only where something was said in it in the 30 days before the user said something last, and not if it is in ``without``.
        """
        async with self._database.for_user(user_id) as connection:
            due = await connection.fetchrow(
                SQL["chat_to_summarize"], user_id, turns, tokens, list(without), _RECENT
            )
            if due is None:
                return None
            rows = await connection.fetch(
                SQL["exchanges_to_summarize"],
                user_id,
                due["session_id"],
                due["since"],
                _EXCHANGES,
                _LONGEST_MESSAGE,
            )
            if not rows:  # all of it was forgotten between the two reads
                return None
            last = None
            if due["summary_id"] is not None:
                found = await connection.fetchrow(SQL["one_memory"], user_id, due["summary_id"])
                last = None if found is None else memory_of(found)
            return _conversation_of(due["session_id"], rows[::-1], last)

    async def ask_for_summary(self, scope: Scope, *, at: datetime) -> int:
        """Put a chat before all others to be summarized, however little is new in it; return how many turns are in no summary yet.

        If the chat's last summary is gone, all count again. With none the wish has no effect.
        """
        async with self._database.changing(scope.user_id) as connection:
            turns: int = await connection.fetchval(
                SQL["ask_for_summary"], scope.user_id, storable_id(scope.session_id), at
            )
            if turns:
                await enqueue(connection, [scope.user_id])
        return turns

    async def summarized(
        self, user_id: str, conversation: Conversation, memory: Memory | None, *, at: datetime
    ) -> list[Change]:
        """Keep the summary in place of the chat's last one, and note its last turn, in one transaction.

        The note alone is kept when ``memory`` is None, or when a message that the summary rests on was hidden or
        erased meanwhile. Not even the note is, when the chat's newest summary is not ``conversation.summary`` any more,
        or the chat was summarized up to the conversation's last turn meanwhile.
        """
        async with self._database.changing(user_id) as connection:
            session_id = conversation.session_id
            if not await _is_as_it_was(connection, user_id, conversation):
                return []
            rests_on = list(set(conversation.message_ids))
            kept = memory if await connection.fetchval(SQL["are_told"], user_id, rests_on) else None
            noted = (user_id, session_id, conversation.last_turn, int(kept is not None))
            await connection.execute(SQL["note_summarized"], *noted)
            if kept is None:
                return []
            change: Change = Add(kept, Reason.SUMMARIZED)
            if conversation.summary is not None:
                change = Replace(conversation.summary.id, kept, Reason.SUMMARIZED)
            return await apply_changes(
                connection, user_id, [change], actor=Actor.FORMATION, at=at, session_id=session_id
            )


async def _is_as_it_was(connection: Connection, user_id: str, conversation: Conversation) -> bool:
    """Return whether the chat is not summarized otherwise since the conversation was read."""
    now = await connection.fetchrow(SQL["summary_of_chat"], user_id, conversation.session_id)
    last = None if conversation.summary is None else conversation.summary.id
    return now is not None and now["summary_id"] == last and now["summarized_turn"] < conversation.last_turn


def _conversation_of(session_id: str, rows: list[Record], last: Memory | None) -> Conversation:
    newest = rows[-1]
    ids = [each for row in rows for each in (row["message_id"], row["reply_id"]) if each is not None]
    before: Iterable[UUID] = () if last is None else last.provenance.message_ids
    return Conversation(
        session_id=session_id,
        material=Material(
            messages=tuple(message for row in rows for message in _messages_of(row)),
            before="" if last is None else last.content,
            outline=(None if last is None else last.outline) or Outline(),
            at=newest["said_at"],
        ),
        message_ids=tuple(dict.fromkeys([*ids, *before])),
        last_turn=newest["turn_index"] + (newest["reply_id"] is not None),  # a reply takes the next turn
        summary=last,
        model=newest["model"],
        authorized=newest["authorized"],
        exchange_id=newest["id"],
        upstream=newest["upstream"],
    )


def _messages_of(row: Record) -> list[Message]:
    said = Message(Role.USER, row["said"], row["speaker"])
    return [said] if row["reply"] is None else [said, Message(Role.ASSISTANT, row["reply"])]
