"""The log of every exchange, in Postgres. Never: forms a memory."""

import hashlib
from uuid import UUID

from recollect.errors import StoreError
from recollect.model import Exchange, Role
from recollect.normalization import storable_id, storable_text
from recollect.postgres.abandoning import abandon_other_versions
from recollect.postgres.pool import Connection, Database
from recollect.postgres.queue import enqueue
from recollect.postgres.sql import SQL
from recollect.tokens import estimate_tokens

_LONGEST_KEY = 200
"""Bytes. A longer key stands in the log as its hash: an index entry has to fit a part of a page."""


class PostgresMessageLog:
    """Implements ``MessageLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, exchange: Exchange) -> bool:
        """Write the exchange and enqueue its formation; return whether it was new."""
        scope = exchange.turn.scope
        session_id, key = storable_id(scope.session_id), storable_key(exchange.turn.key)
        async with self._database.changing(scope.user_id) as connection:
            known = await connection.fetchrow(
                SQL["exchange_by_key"], scope.user_id, session_id, key, exchange.reply_id
            )
            appending = _Appending(connection, exchange)
            if known is None:
                parent = storable_parent(exchange.turn.parent)
                is_late = parent is not None and await abandon_other_versions(
                    connection, exchange.turn, key=key, parent=parent
                )
                await appending.turn_and_reply(key, parent, "abandoned" if is_late else "pending")
                await enqueue(connection, [scope.user_id])
            elif _has_text(exchange) and not known["kept"]:
                await appending.another_reply(known["id"], known["turn_index"], alternate=known["replied"])
                if not known["replied"]:
                    await enqueue(connection, [scope.user_id])  # it is still to be indexed
            return known is None


class _Appending:
    def __init__(self, connection: Connection, exchange: Exchange) -> None:
        self._connection = connection
        self._exchange = exchange
        self._turn = exchange.turn
        self._scope = exchange.turn.scope

    async def turn_and_reply(self, key: str, parent: str | None, state: str) -> None:
        exchange, turn, scope = self._exchange, self._turn, self._scope
        turn_index: int = await self._connection.fetchval(
            SQL["next_turn_index"], scope.user_id, scope.session_id, turn.at
        )
        await self._connection.execute(
            SQL["insert_exchange"],
            scope.user_id,
            exchange.id,
            scope.session_id,
            key,
            turn_index,
            exchange.message_id,
            exchange.reply_id,
            storable_text(turn.model),
            exchange.authorized,
            turn.at,
            len(turn.history),
            turn.anchor,
            parent,
            state,
        )
        is_hidden = state == "abandoned"
        speaker = None if turn.speaker is None else storable_text(turn.speaker)
        await self._message(
            exchange.message_id,
            exchange.id,
            turn_index,
            Role.USER,
            turn.text,
            speaker=speaker,
            hidden=is_hidden,
        )
        if _has_text(exchange):
            await self._reply(exchange.id, turn_index)

    async def another_reply(self, exchange_id: UUID, turn_index: int, *, alternate: bool) -> None:
        """Keep a further reply to a known turn, or the first one with text as its reply."""
        if not alternate:
            await self._connection.execute(
                SQL["set_reply"], self._scope.user_id, exchange_id, self._exchange.reply_id
            )
        await self._reply(exchange_id, turn_index, alternate=alternate)

    async def _reply(self, exchange_id: UUID, turn_index: int, *, alternate: bool = False) -> None:
        reply_id, text = self._exchange.reply_id, self._exchange.reply
        await self._message(reply_id, exchange_id, turn_index + 1, Role.ASSISTANT, text, alternate=alternate)

    async def _message(
        self,
        message_id: UUID,
        exchange_id: UUID,
        turn_index: int,
        role: Role,
        text: str,
        *,
        speaker: str | None = None,
        alternate: bool = False,
        hidden: bool = False,
    ) -> None:
        content = storable_text(text)
        await self._connection.execute(
            SQL["insert_message"],
            self._scope.user_id,
            message_id,
            self._scope.session_id,
            turn_index,
            role,
            speaker,
            content,
            estimate_tokens(content),
            alternate,
            self._turn.at,
            exchange_id,
            self._turn.marked,
            hidden,
        )


def _has_text(exchange: Exchange) -> bool:
    return bool(exchange.reply.strip())


def storable_parent(parent: str | None) -> str | None:
    """Return the parent as the log has keys; None where none is known, or none that could be a key."""
    try:
        return None if parent is None else storable_key(parent)
    except StoreError:
        return None


def storable_key(key: str) -> str:
    """Return what the log has of a turn's key: itself, or its hash where an index entry could not hold it."""
    encoded = storable_id(key).encode()
    if len(encoded) <= _LONGEST_KEY:
        return key
    return "sha256:" + hashlib.sha256(encoded).hexdigest()
