"""Stores every exchange in Postgres. When a person edits a message, it undoes the changes that the earlier version caused."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from asyncpg import Record
from uuid_utils.compat import uuid7

from recollect.audit_rows import messages_of
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Exchange,
    Flags,
    LogEntry,
    Logged,
    Phase,
    Reason,
    Scope,
    Strategy,
    Turn,
    TurnNotes,
    Update,
    Written,
    person_of,
)
from recollect.store.jobs import enqueue
from recollect.store.log_index import delete_chunks, unindex
from recollect.store.memories.transaction import Transaction, hide_messages
from recollect.store.memories.undo import undo
from recollect.store.pool import Connection, StorePart, column
from recollect.store.row_mapping import update_of
from recollect.store.sql import SQL, of_table
from recollect.store.turn_writing import (
    fields_of_exchange,
    fields_of_notes,
    fields_of_notes_alone,
    marks_of,
    storable_key,
    storable_parent,
    tokens_of,
    write_turn,
    write_turn_on,
)
from recollect.store.users.settings_and_profiles import read_flags
from recollect.text.normalization import storable_id, storable_text

_ERASED_AT_ONCE = 100
"""The most exchanges erased in one transaction: the person's next answer waits for it."""

_BY_HAND, _LEFT_OUT = "by_hand", "left_out"
"""Further results of ``write_turn`` besides ``Written``: other versions, or a kept reply, have to change first; the
user has excluded the chat from the log."""


class MessageLog(StorePart):
    """Keeps every exchange, whole and in order, and its state of formation.

    A message from before the erasure of its user, or its chat, is not written any more, unless the caller wants that.
    """

    async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        """Write the turn of an exchange whose answer is under way (BEGUN), or its end (ENDED) as ``append`` does, with its notes.

        All of it is one transaction. An exchange that has just begun is not formed yet. An open exchange of its chat
        is formed now without an answer, as by ``end_abandoned``. A note is written even if the exchange is not
        wanted, but not if it mentions a memory that was forgotten since the recall.

        If ``records`` is False, the log keeps nothing of users without a setting of their own; None: nothing of any user. The outcome is
        UNWANTED if nothing of the user or of the chat is kept, and ERASED if one of them was erased since; then no note is written.
        """
        return await self._write(entry, records=records)

    async def append(self, exchange: Exchange, *, revives: bool = False) -> bool:
        """Write the exchange, or the reply to one that was begun, and enqueue its formation, in one transaction; return whether it was new, or open.

        If another turn of the chat has the same ``parent``, that one and all later ones of the chat are abandoned: hidden, never
        formed, and their changes undone as ``Memories.undo`` does (ABANDONED), the newest first, as far as possible. If that other
        turn is later (``Turn.at``), this one is abandoned instead. Another reply to a message in the log (a regenerated answer, a
        fan-out to several models) is kept as an alternate and forms nothing. The first reply with text to one without becomes its
        reply. An import ``revives`` an exchange: it is written even if its user, or its chat, was erased since.
        """
        logged = await self._write(LogEntry(Phase.ENDED, exchange), revives=revives)
        return logged.outcome is Written.NEW

    async def write_notes(self, scope: Scope, notes: TurnNotes) -> None:
        """Note the block of a turn, unless it has one, and its request, as ``write`` does; detached blocks are not added again."""
        await write_turn(self._database, scope.user_id, fields_of_notes_alone(scope, notes))

    async def _write(self, entry: LogEntry, *, records: bool | None = None, revives: bool = False) -> Logged:
        exchange, user_id = entry.exchange, entry.exchange.turn.scope.user_id
        ends = entry.phase is Phase.ENDED
        said = await fields_of_exchange(exchange, ends=ends) | {"records": records, "revives": revives}
        written = fields_of_notes(exchange.turn.scope, entry.notes) | {"exchange": said}
        if entry.recalled:
            written |= {"recalled": entry.recalled, "recalled_at": exchange.turn.at}
        row = await write_turn(self._database, user_id, written)
        if row["outcome"] == _BY_HAND:
            row = await self._write_by_hand(exchange, written)
        outcome = row["outcome"]
        if outcome == _LEFT_OUT:
            outcome = Written.KNOWN if ends else Written.UNWANTED
        return Logged(Written(outcome), row["logged"] or exchange.id, row["zone"] or "")

    async def _write_by_hand(self, exchange: Exchange, written: dict[str, Any]) -> Record:
        """Abandon the other versions of the turn, or continue a kept reply, then write the exchange, in one transaction."""
        async with self._database.changing(exchange.turn.scope.user_id) as connection:
            known = await _known(connection, exchange)
            is_another = bool(exchange.answer) and not known["kept"]
            is_late = await _abandon_others(connection, exchange, known, is_another=is_another)
            goes_on = is_another and known["replied"] and exchange.continues
            is_continued = goes_on and await _continue_reply(connection, exchange, known["id"])
            said = written["exchange"] | {"is_late": is_late, "is_continued": is_continued}
            user_id, role = exchange.turn.scope.user_id, self._database.user_role
            return await write_turn_on(connection, user_id, role, written | {"exchange": said})

    async def fail(self, exchange: Exchange) -> None:
        """Note that a model failed to answer the turn: the message stays, and waits for another request's answer.

        As long as another request asks for its answer, it is as if nothing had happened.
        """
        scope, key = exchange.turn.scope, storable_key(exchange.turn.key)
        session_id = storable_id(scope.session_id)
        async with self._database.changing(scope.user_id) as connection:
            left = await connection.fetchrow(SQL["ask_no_more"], scope.user_id, session_id, key, exchange.id)
            if left is not None:
                await _note_failure(connection, exchange, left["id"])

    async def expect(self, exchange: Exchange) -> None:
        """Note under which id the model's server keeps the answer; the exchange stays open."""
        async with self._database.changing(exchange.turn.scope.user_id) as connection:
            known = await _known(connection, exchange)
            if known["id"] is not None:
                await _note_answer(connection, exchange, known["id"])

    async def exchange_of_answer(self, user_id: str, answer_id: str) -> Exchange | None:
        """Return the user's exchange with this id of its answer at the LLM server; None if there is none.

        It has the logged reply, but neither credential nor history.
        """
        row = await self._database.row(user_id, "exchange_of_answer", storable_text(answer_id))
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
        # The id of a logged reply is taken: a further one needs its own.
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

    async def abandon_turn(self, turn: Turn) -> None:
        """Abandon a turn that seems to be a client's own question, if it was formed and taught nothing."""
        async with self._database.changing(turn.scope.user_id) as connection:
            key = storable_key(turn.key)
            await _abandon_turn(connection, turn.scope, key, turn.at)

    async def erased_among(self, scopes: Iterable[Scope], since: datetime) -> dict[str, datetime]:
        """Return of which users of these chats something was erased since a time, the user or one of the chats, and when last."""
        rows = await self._database.rows_of_all("erased_since", since)
        times = {row["mark"]: row["erased_at"] for row in rows}
        found: dict[str, datetime] = {}
        for scope in set(scopes) if times else ():
            known = [times[mark] for mark in marks_of(scope) if mark in times]
            if known:
                found[scope.user_id] = max(*known, found.get(scope.user_id, since))
        return found

    async def end_abandoned(self, before: datetime, *, failed: datetime | None = None) -> int:
        """Let exchanges that are open for long, or whose every request failed, be formed without their answers; return how many.

        No client seems to wait for an answer. If it comes all the same, it becomes the reply; only then is the other version of the turn
        abandoned. Raises StoreBusyError, as ``erase_old``.
        """
        times = (before, failed or before)
        rows = await self._database.rows_of_all("users_with_open_exchanges", *times)

        async def end(connection: Connection, user_id: str) -> int:
            ended = await connection.fetch(SQL["end_unanswered"], user_id, *times)
            if ended:
                await enqueue(connection, [user_id])
            return len(ended)

        return await self._database.change_each([row["user_id"] for row in rows], end)

    async def erase_old(self, before: datetime, *, at: datetime, strategy: Strategy | None = None) -> int:
        """Delete what all users said before a time, unless it is still to be formed; return how many exchanges. Memories stay.

        An exchange whose formation failed is deleted, since nothing retries it. One that no model has read (``Unread``) waits
        for its formation if a model reads its user's messages. ``strategy`` is that of users without a setting, None if no
        model can be asked. Raises StoreBusyError if some of the users are being changed; it is done for the others.
        """
        rows = await self._database.rows_of_all("users_with_old_exchanges", before)

        async def erase_some(connection: Connection, user_id: str) -> int:
            person = person_of(user_id)
            flags = await read_flags(connection, person)
            changed = flags.get(person, Flags()).over(flags.get(COMMONS, Flags())).formation
            reads = strategy is not None and (changed or strategy) in {Strategy.EXTRACT, Strategy.BOTH}
            old = await connection.fetch(SQL["old_exchanges"], user_id, before, _ERASED_AT_ONCE, reads)
            if old:
                await _erase_exchanges(connection, user_id, old, at=at)
            return len(old)

        return await self._database.change_each([row["user_id"] for row in rows], erase_some)


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


async def _known(connection: Connection, exchange: Exchange) -> Record:
    """Return the log's knowledge of a turn: its exchange, if there is one, and its replies."""
    scope = exchange.turn.scope
    session, key = storable_id(scope.session_id), storable_key(exchange.turn.key)
    known = await connection.fetchrow(SQL["exchange_by_key"], scope.user_id, session, key, exchange.reply_id)
    assert known is not None  # noqa: S101 -- a query over one value has one row
    return known


async def _abandon_others(
    connection: Connection, exchange: Exchange, known: Record, *, is_another: bool
) -> bool:
    """Abandon the other versions of a turn that has an answer now; return whether it is too late to replace them itself."""
    turn, scope = exchange.turn, exchange.turn.scope
    if known["id"] is None:
        key, parent, anchor = storable_key(turn.key), storable_parent(turn.parent), storable_text(turn.anchor)
        version = None if parent is None else _Version(scope, key, parent, anchor, turn.at)
        return version is not None and await _abandon_other_versions(connection, version)
    is_open = known["state"] == "open"
    is_first = is_another and not known["replied"] and known["state"] != "abandoned"
    if known["parent"] is None or not (is_open or is_first):
        return False
    anchor = known["anchor"] or known["key"]
    version = _Version(scope, known["key"], known["parent"], anchor, known["said_at"])
    is_late = await _abandon_other_versions(connection, version)
    if is_late and is_open:
        transaction = Transaction(
            connection, scope.user_id, Actor.FORMATION, known["said_at"], scope.session_id
        )
        await hide_messages(transaction, Reason.ABANDONED, [known["message_id"]])
    return is_late


async def _continue_reply(connection: Connection, exchange: Exchange, logged: UUID) -> bool:
    """Write the reply over a kept one that it begins with; return whether there is one: it is the same answer, continued."""
    user_id, content = exchange.turn.scope.user_id, storable_text(exchange.answer)
    row = await connection.fetchrow(SQL["continue_reply"], user_id, logged, content, await tokens_of(content))
    if row is not None:
        await unindex(connection, user_id, [row["id"]])
    return row is not None


async def _erase_exchanges(
    connection: Connection, user_id: str, erased: Sequence[Record], *, at: datetime
) -> None:
    """Delete exchanges of a user with their messages, and the blocks of prompts that name those.

    Memories stay, with the words that they quote. Messages next to a deleted one are to be indexed again, as they may be found
    by its words.
    """
    exchanges, chats = [row["id"] for row in erased], list({row["session_id"] for row in erased})
    messages = await column(connection, SQL["messages_of_exchanges"], user_id, exchanges)
    # First, as they are found by the messages that go.
    beside = await column(connection, SQL["beside_messages"], user_id, messages)
    await unindex(connection, user_id, beside)
    await delete_chunks(connection, user_id, messages)
    await Transaction(connection, user_id, Actor.PRUNE, at).forget_injections(messages)
    for table in ("injections", "chat_requests"):
        await connection.execute(of_table("erase_rows_of_exchanges", table), user_id, exchanges)
    for table in ("vectors", "quarantine"):
        await connection.execute(of_table("let_go_of_messages", table), user_id, messages)
    await connection.execute(SQL["erase_old_exchanges"], user_id, exchanges)
    await connection.execute(SQL["erase_old_messages"], user_id, messages)
    await connection.execute(SQL["erase_empty_sessions"], user_id, chats)
    if beside:
        await enqueue(connection, [user_id])


class _Version(NamedTuple):
    """A turn that may be another version of an earlier one, as the log has it.

    Attributes:
        parent: The message before it.
        anchor: By which its message is known again.
    """

    scope: Scope
    key: str
    parent: str
    anchor: str
    at: datetime


async def _abandon_other_versions(connection: Connection, version: _Version) -> bool:
    """Abandon the other turns of the chat with the same parent, and everything that was said in it after the first.

    Their changes are undone as far as possible, and their messages are hidden. The turn is not in the log yet, or is open.
    Return whether it is itself to be abandoned: a later version is in the log already.
    """
    (user_id, session_id), anchor = (version.scope.user_id, version.scope.session_id), version.anchor
    which = (user_id, session_id, version.parent, version.key, version.at)
    # An answer may take so long that its turn is logged after the one that replaced it.
    later = await connection.fetch(SQL["later_versions"], *which)
    if later:
        unused = {anchor} - {row["anchor"] for row in later}
        await connection.execute(SQL["delete_injections_of_anchors"], user_id, session_id, list(unused))
        return True
    exchanges = await connection.fetch(SQL["abandon_exchanges"], *which)
    if exchanges:
        await _abandon(
            Transaction(connection, user_id, Actor.FORMATION, version.at, session_id), exchanges, anchor
        )
    return False


async def _abandon_turn(connection: Connection, scope: Scope, key: str, at: datetime) -> None:
    """Abandon one turn of a chat, by its key, if it was formed and taught nothing; in a transaction under the user's lock."""
    user_id, session_id = scope.user_id, storable_id(scope.session_id)
    exchanges = await connection.fetch(SQL["abandon_exchange"], user_id, session_id, key)
    if exchanges:
        await _abandon(Transaction(connection, user_id, Actor.FORMATION, at, session_id), exchanges, "")


async def _abandon(transaction: Transaction, exchanges: Sequence[Record], anchor: str) -> None:
    """Undo the changes of exchanges and hide their messages; blocks at a message with this anchor stay."""
    connection, user_id, session_id = transaction.connection, transaction.user_id, transaction.session_id
    messages = {row[name] for row in exchanges for name in ("message_id", "reply_id")}
    undone = await _undo_what_they_taught(transaction, [row["id"] for row in exchanges], messages)
    await hide_messages(transaction, Reason.ABANDONED, list(messages), items=undone)
    await connection.execute(SQL["abandon_quarantined"], user_id, list(messages))
    anchors = {row["anchor"] for row in exchanges} - {anchor}
    await connection.execute(SQL["delete_injections_of_anchors"], user_id, session_id, list(anchors))


async def _undo_what_they_taught(
    transaction: Transaction, exchanges: Collection[UUID], messages: Collection[UUID]
) -> list[UUID]:
    """Undo as many as possible, the newest first; return the removed memories."""
    rows = await transaction.connection.fetch(SQL["updates_of_exchanges"], transaction.user_id, exchanges)
    undone: list[UUID] = []
    for update in map(update_of, rows):
        # ``abandon_quarantined`` decides on held-back statements, since another message may have said them, too.
        if update.action is Action.QUARANTINE or await _is_known_otherwise(transaction, update, messages):
            continue
        try:
            await undo(transaction, update, Reason.ABANDONED)
        except (NotUndoableError, DuplicateMemoryError):
            continue  # changed since, by a person or another message
        if update.action in {Action.ADD, Action.REPLACE}:
            undone.append(update.memory_id)
    return undone


async def _is_known_otherwise(transaction: Transaction, update: Update, messages: Collection[UUID]) -> bool:
    """Return whether a memory was said again elsewhere since, or written over."""
    if update.action not in {Action.ADD, Action.REPLACE}:
        return False
    memory = await transaction.linked(update.memory_id)
    if memory is None:
        return False
    said_since = {*memory.provenance.message_ids} - {*messages, *messages_of(update.details)}
    return bool(said_since) or memory.content != update.after
