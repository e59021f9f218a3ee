"""The log of every exchange, in Postgres. Never: forms a memory."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from uuid import UUID

from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import UNNAMED, Exchange, Flags, Role, Scope, Turn, Written
from recollect.postgres.abandoning import Version, abandon_other_versions, abandon_turn
from recollect.postgres.ending import abandon_others, end_exchange, end_without_reply
from recollect.postgres.log_index import unindex
from recollect.postgres.marking import marks_of
from recollect.postgres.pool import Connection, Database
from recollect.postgres.queue import enqueue
from recollect.postgres.settings import flags_of
from recollect.postgres.sql import SQL
from recollect.text.normalization import storable_id, storable_text
from recollect.text.tokens import estimate_tokens

_LONGEST_KEY = 200
"""Bytes. The log has a longer key as its hash: an index entry has to fit a part of a page."""


_ONCE_MORE = timedelta(hours=1)
"""If a first message comes again soon, it is the same chat."""

_LONGEST_INLINE = 10_000
"""Characters whose tokens are counted on the loop, in half a millisecond."""


class PostgresMessageLog:
    """Implements ``MessageLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(
        self, exchange: Exchange, *, keeps: Callable[[Flags], bool] | None = None
    ) -> UUID | Written:
        """Write the turn as that of an open exchange; return the id of its exchange in the log, or why there is none."""
        scope = exchange.turn.scope
        key = storable_key(exchange.turn.key)
        async with self._database.changing(scope.user_id) as connection:
            known = await _known(connection, exchange, key)
            if known["is_erased"]:
                return Written.ERASED
            if await _is_left_out(connection, exchange.turn, known):
                return Written.UNWANTED
            if keeps is not None and not keeps(_flags(known)):
                return Written.UNWANTED
            if known["id"] is not None:
                await connection.execute(SQL["ask_too"], scope.user_id, known["id"], exchange.id)
                known_id: UUID = known["id"]
                return known_id
            await _end_before(connection, exchange.turn, key, known)
            await _begin(connection, exchange, key)
            return exchange.id

    async def append(self, exchange: Exchange, *, revives: bool = False) -> bool:
        """Write the exchange, or end it, and enqueue its formation; return whether it was new, or open."""
        scope = exchange.turn.scope
        key = storable_key(exchange.turn.key)
        async with self._database.changing(scope.user_id) as connection:
            known = await _known(connection, exchange, key)
            if known["is_erased"] and not revives:
                return False
            if await _is_left_out(connection, exchange.turn, known):
                return False
            appending = _Appending(connection, exchange, is_news=not revives)
            if not revives:
                await _wake_by_chat(connection, exchange)
            if known["id"] is None:
                await _end_before(connection, exchange.turn, key, known)
                await appending.whole(key)
                await _note_answer(connection, exchange, exchange.id)
                await _note_failure(connection, exchange, exchange.id)
                await enqueue(connection, [scope.user_id])
                return True
            return not known["is_blank"] and await _end_known(connection, exchange, known, appending)

    async def fail(self, exchange: Exchange) -> None:
        """Note that this request's model failed to answer the turn; it stays open, as it may be asked again."""
        scope, key = exchange.turn.scope, storable_key(exchange.turn.key)
        session_id = storable_id(scope.session_id)
        async with self._database.changing(scope.user_id) as connection:
            left = await connection.fetchrow(SQL["ask_no_more"], scope.user_id, session_id, key, exchange.id)
            if left is not None:
                await _note_failure(connection, exchange, left["id"])

    async def expect(self, exchange: Exchange) -> None:
        """Note under which id the model's server keeps the answer; the exchange stays open."""
        scope, key = exchange.turn.scope, storable_key(exchange.turn.key)
        async with self._database.changing(scope.user_id) as connection:
            known = await _known(connection, exchange, key)
            if known["id"] is not None:
                await _note_answer(connection, exchange, known["id"])

    async def exchange_of_answer(self, user_id: str, answer_id: str) -> Exchange | None:
        """Return the user's exchange whose answer the model's server keeps under an id; None if there is none."""
        async with self._database.for_user(user_id) as connection:
            row = await connection.fetchrow(SQL["exchange_of_answer"], user_id, storable_text(answer_id))
        if row is None:
            return None
        turn = Turn(
            Scope(user_id, row["session_id"]),
            row["said"],
            row["key"],
            row["said_at"],
            row["model"],
            speaker=row["speaker"],
            upstream=row["upstream"],
        )
        ids = row["message_id"], row["reply_id"] if row["reply"] is None else uuid7()
        return Exchange(
            row["id"],
            turn,
            row["reply"] or "",
            *ids,
            authorized=row["authorized"],
            answer_id=answer_id,
            continues=True,
        )

    async def withdraw(self, exchange: Exchange) -> None:
        """Delete the open turn that this request asks about, unless another request asks for its answer."""
        scope, key = exchange.turn.scope, storable_key(exchange.turn.key)
        user_id, session_id = scope.user_id, storable_id(scope.session_id)
        async with self._database.changing(user_id) as connection:
            left = await connection.fetchrow(SQL["ask_no_more"], user_id, session_id, key, exchange.id)
            if left is None or left["is_asked"]:
                return
            await connection.execute(SQL["delete_messages_of_exchange"], user_id, left["id"])
            await connection.execute(SQL["delete_exchange"], user_id, left["id"])
            await connection.execute(SQL["delete_session_without_exchange"], user_id, session_id)

    async def abandon(self, turn: Turn) -> None:
        """Abandon a turn that seems to be a client's own question, if it was formed and taught nothing."""
        async with self._database.changing(turn.scope.user_id) as connection:
            key = storable_key(turn.key)
            await abandon_turn(connection, turn.scope, key, turn.at)

    async def erased_among(self, scopes: Iterable[Scope], since: datetime) -> dict[str, datetime]:
        """Return of which users of these chats something was erased since a time, the user or one of the chats, and when last."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["erased_since"], since)
        times = {row["mark"]: row["erased_at"] for row in rows}
        found: dict[str, datetime] = {}
        for scope in set(scopes) if times else ():
            known = [times[mark] for mark in marks_of(scope) if mark in times]
            if known:
                found[scope.user_id] = max(*known, found.get(scope.user_id, since))
        return found

    async def end_abandoned(self, before: datetime, *, failed: datetime | None = None) -> int:
        """Let exchanges that are open since before a time be formed without their answers; return how many there are."""
        times = (before, failed or before)
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["users_with_open_exchanges"], *times)
        count = 0
        for user_id in [row["user_id"] for row in rows]:
            async with self._database.changing(user_id) as connection:
                left = await connection.fetch(SQL["open_exchanges_of_user"], user_id, *times)
                await end_without_reply(connection, user_id, left)
                count += len(left)
        return count


async def _wake_by_chat(connection: Connection, exchange: Exchange) -> None:
    """Make exchanges pending that wait for a key or a model: the person has just chatted with both."""
    turn = exchange.turn
    said_to = (storable_text(turn.upstream), storable_text(turn.model), exchange.authorized)
    await connection.execute(SQL["wake_by_chat"], turn.scope.user_id, *said_to)


async def _end_known(
    connection: Connection, exchange: Exchange, known: Record, appending: "_Appending"
) -> bool:
    """End a turn that the log has, or add another reply to it; return whether it was open."""
    scope = exchange.turn.scope
    await _note_answer(connection, exchange, known["id"])
    is_open: bool = known["state"] == "open"
    is_another = bool(exchange.answer) and not known["kept"]
    is_first = is_another and not known["replied"]
    if is_open:
        await end_exchange(connection, scope, known)
        await _say_again(connection, exchange, known)
    elif is_first and known["state"] != "abandoned":
        await abandon_others(connection, scope, known)
    has_grown = is_another and await appending.another_reply(
        known["id"], known["turn_index"], alternate=known["replied"]
    )
    await _note_failure(connection, exchange, known["id"])
    if is_open or is_first or has_grown:
        await enqueue(connection, [scope.user_id])  # it is to be formed, or still to be indexed
    return is_open


async def _is_left_out(connection: Connection, turn: Turn, known: Record) -> bool:
    """Return whether the user has excluded the turn's chat from the log.

    A new chat that begins with the same words is included, if only words distinguish the chats.
    """
    since: datetime | None = known["left_out_since"]
    if since is None:
        return False
    begins = not (turn.history or turn.follows) and turn.scope.session_id.startswith(UNNAMED)
    if begins and turn.at - since > _ONCE_MORE:
        await connection.execute(SQL["take_chat_in"], turn.scope.user_id, storable_id(turn.scope.session_id))
        return False
    return True


async def _end_before(connection: Connection, turn: Turn, key: str, known: Record) -> None:
    """End the open exchange before a new turn of its chat: a person who goes on waits for no answer any more."""
    if known["follows_open"]:
        session = (turn.scope.user_id, turn.scope.session_id)
        before = await connection.fetch(SQL["open_exchanges_before"], *session, key, turn.at)
        await end_without_reply(connection, turn.scope.user_id, before)


async def _note_answer(connection: Connection, exchange: Exchange, logged: UUID) -> None:
    """Note the id under which the LLM's server keeps the answer: a later request may name its predecessor by that alone."""
    if exchange.answer_id:
        answer_id = storable_text(exchange.answer_id)
        await connection.execute(SQL["note_answer_id"], exchange.turn.scope.user_id, logged, answer_id)


async def _note_failure(connection: Connection, exchange: Exchange, logged: UUID) -> None:
    """Note the failure of the answer and the part that came, apart from the messages: it is neither recalled nor learned from."""
    if (failure := exchange.failure) is not None:
        came = "" if exchange.answer else storable_text(exchange.reply)
        noted = (failure.stage, failure.status, came)
        await connection.execute(SQL["note_failure"], exchange.turn.scope.user_id, logged, *noted)


async def _say_again(connection: Connection, exchange: Exchange, known: Record) -> None:
    """Write the turn as it is known at its end: its answer may have told what in it is a secret."""
    content = storable_text(exchange.turn.text)
    await connection.execute(
        SQL["say_again"], exchange.turn.scope.user_id, known["message_id"], content, estimate_tokens(content)
    )


async def _begin(connection: Connection, exchange: Exchange, key: str) -> None:
    """Write the turn of an open exchange, in one statement: its chat waits."""
    turn, scope, content = exchange.turn, exchange.turn.scope, storable_text(exchange.turn.text)
    await connection.execute(
        SQL["begin_exchange"],
        scope.user_id,
        exchange.id,
        scope.session_id,
        key,
        exchange.message_id,
        exchange.reply_id,
        storable_text(turn.model),
        exchange.authorized,
        turn.at,
        len(turn.history),
        storable_text(turn.anchor),
        storable_parent(turn.parent),
        None if turn.speaker is None else storable_text(turn.speaker),
        content,
        await _tokens_of(content),
        turn.marked,
        storable_text(turn.upstream),
        storable_text(turn.answered),
    )


def _flags(known: Record) -> Flags:
    """Return the settings that were changed for a user."""
    return flags_of(known["flags_of_user"]).over(flags_of(known["flags_of_everybody"]))


async def _known(connection: Connection, exchange: Exchange, key: str) -> Record:
    """Return the log's knowledge of a turn: its exchange, if there is one, and whether it was erased since."""
    turn = exchange.turn
    session = (turn.scope.user_id, storable_id(turn.scope.session_id))
    known = await connection.fetchrow(
        SQL["exchange_by_key"], *session, key, exchange.reply_id, marks_of(turn.scope), turn.at
    )
    assert known is not None  # noqa: S101 -- a query over one value has one row
    return known


class _Appending:
    def __init__(self, connection: Connection, exchange: Exchange, *, is_news: bool) -> None:
        self._connection = connection
        self._is_news = is_news
        self._exchange = exchange
        self._turn = exchange.turn
        self._scope = exchange.turn.scope

    async def whole(self, key: str) -> None:
        """Keep a turn that was not begun before, and its reply."""
        turn, parent = self._turn, storable_parent(self._turn.parent)
        is_late = parent is not None and await abandon_other_versions(
            self._connection, Version(turn.scope, key, parent, storable_text(turn.anchor), turn.at)
        )
        await self.turn_and_reply(key, parent, "abandoned" if is_late else "pending")

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
            storable_text(turn.anchor),
            parent,
            state,
            None if self._is_news else "",
            storable_text(turn.upstream),
            storable_text(turn.answered),
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
        if exchange.answer:
            await self._reply(exchange.id, turn_index)

    async def another_reply(self, exchange_id: UUID, turn_index: int, *, alternate: bool) -> bool:
        """Keep a further reply to a known turn, or the first one with text as its reply; return whether it continues a kept one."""
        if alternate and self._exchange.continues and await self._continues(exchange_id):
            return True
        if not alternate:
            await self._connection.execute(
                SQL["set_reply"], self._scope.user_id, exchange_id, self._exchange.reply_id
            )
        await self._reply(exchange_id, turn_index, alternate=alternate)
        return False

    async def _continues(self, exchange_id: UUID) -> bool:
        """Write the reply over a kept one that it begins with, if there is one: it is the same answer, continued."""
        content = storable_text(self._exchange.answer)
        tokens = await _tokens_of(content)
        row = await self._connection.fetchrow(
            SQL["continue_reply"], self._scope.user_id, exchange_id, content, tokens
        )
        if row is not None:
            await unindex(self._connection, self._scope.user_id, [row["id"]])
        return row is not None

    async def _reply(self, exchange_id: UUID, turn_index: int, *, alternate: bool = False) -> None:
        reply_id, text = self._exchange.reply_id, self._exchange.answer
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
            await _tokens_of(content),
            alternate,
            self._turn.at,
            exchange_id,
            self._turn.marked,
            hidden,
        )


async def _tokens_of(text: str) -> int:
    """Return about how many tokens a text has; a long one is counted off the loop."""
    if len(text) <= _LONGEST_INLINE:
        return estimate_tokens(text)
    return await asyncio.to_thread(estimate_tokens, text)


def storable_parent(parent: str | None) -> str | None:
    """Return the parent in the form of the log's keys; None if unknown, or if it could be no key."""
    try:
        return None if parent is None else storable_key(parent)
    except StoreError:
        return None


def storable_key(key: str) -> str:
    """Return a turn's key for the log: itself, or its hash if an index entry could not hold it."""
    encoded = storable_id(key).encode()
    if len(encoded) <= _LONGEST_KEY:
        return key
    return "sha256:" + hashlib.sha256(encoded).hexdigest()
