"""The inbox in Postgres: exchanges from which memories are still to be formed, a user at a time.

It also keeps the outcome of each exchange, and the news of its changes until an answer shows them. It calls no model, and runs no job.
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from asyncpg import Record

from recollect.model import (
    NO_CAPS,
    Actor,
    Add,
    Awaits,
    Backlog,
    Caps,
    Change,
    Exchange,
    Formed,
    Ignore,
    Message,
    News,
    Outcome,
    Pending,
    Progress,
    Reason,
    Replace,
    Retire,
    Role,
    Scope,
    SpokenWith,
    Wait,
)
from recollect.store.jobs import enqueue, requeue_held
from recollect.store.memories.changes import apply_changes, prune
from recollect.store.memories.quarantine import wake_approvals
from recollect.store.pool import Connection, Database, column
from recollect.store.row_mapping import exchange_of, message_of, update_of
from recollect.store.sql import SQL
from recollect.store.summaries import ChatSummaries
from recollect.store.turn_writing import storable_key
from recollect.store.user_leases import hold_lease
from recollect.text.normalization import content_hash, storable_id, storable_text

_MESSAGES_BEFORE = 6
"""Messages of the session shown with an exchange, so that "the second one" can be understood."""

_BLOCKS = 20
"""An exchange comes with so many of the newest blocks in its chat's prompts."""

_BULLET = "\u2022 "
_BULLETS = 60
"""Lines of a chat's turns that are looked up, as they begin as ours do."""

_OF_EVERY_UPSTREAM = frozenset({Awaits.OUTAGE, Awaits.BUDGET})
"""The name of the breaker that all upstreams share."""

_LONGEST_ERROR = 500
"""Characters kept of why an attempt failed."""


class Inbox(ChatSummaries):
    """The exchanges of one user from which memories are still to be formed, in order.

    A lease holds so long after its last renewal; it is renewed three times as often.
    """

    def __init__(self, database: Database, *, lease: timedelta) -> None:
        super().__init__(database)
        self._lease = lease

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user; False when another worker holds it.

        Raises:
            StoreUnavailableError: At the end of the body, which is cancelled, when the lease was
                lost: another holder has it, the user was erased, or the store went away.
        """
        return hold_lease(self._database, user_id, self._lease)

    async def pending(self, user_id: str, *, limit: int) -> list[Pending]:
        """Return the user's oldest pending exchanges that follow on each other in one chat, oldest first.

        At most ``limit``. It stops before one that has a message of another chat between it and the first.
        Each with its history, the messages of its chat before it, and with the blocks in prompts of its chat. None whose
        words may not be recalled: a forgotten or held back exchange counts as formed.
        """
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["pending_exchanges"], user_id, limit)
            if not rows:
                return []
            session_id = rows[0]["session_id"]
            blocks = await connection.fetch(SQL["blocks_of_chat"], user_id, session_id, _BLOCKS)
            histories = [
                await connection.fetch(
                    SQL["messages_before"], user_id, session_id, row["turn_index"], _MESSAGES_BEFORE
                )
                for row in rows
            ]
            copied = await _copied(connection, user_id, [row["said"] for row in rows])
        injected = (*(row["block"] for row in reversed(blocks)), *copied)
        return [
            Pending(
                replace(exchange_of(user_id, row, _history(row, before)), injected=injected),
                row["attempts"],
                row["not_before"],
                row["waits"],
            )
            for row, before in zip(rows, histories, strict=True)
        ]

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS, rest: Wait | None = None
    ) -> list[list[Change]] | None:
        """Apply the changes as ``Memories.apply`` does and mark the exchanges formed, in one transaction.

        Where more memories are kept than the caps allow, the actor PRUNE retires the rest (CAP), 100 at most, unimportant and long
        unused ones first, and none that is new. A memory that a person wrote, asked for, corrected, approved, edited or brought back
        is not counted. An exchange of which a model's answer was read only in part (UNREADABLE) waits on as ``rest`` says.

        Returns:
            The changes that were made for each exchange, those by the caps at the end of the last; None when an exchange
            is no longer pending (formed by another worker, abandoned, or erased meanwhile): then nothing was changed.
        """
        if not formed:
            return []
        user_id = formed[0].exchange.turn.scope.user_id
        ids = [each.exchange.id for each in formed]
        async with self._database.changing(user_id) as connection:
            unread = [each.unread for each in formed]
            later = (None, None, None) if rest is None else (_reason(rest.error), rest.until, rest.asked)
            marked = await connection.fetch(SQL["mark_formed"], user_id, ids, unread, at, *later)
            if not marked:
                return None
            again = {row["message_id"] for row in marked if row["again"]}
            done = [await _apply(connection, each, at, again=again) for each in formed]
            made = [
                (user_id, each.exchange.id, _made(changes))
                for each, changes in zip(formed, done, strict=True)
            ]
            await connection.executemany(SQL["note_made"], made)
            taught = [
                each.exchange.id
                for each, changes in zip(formed, done, strict=True)
                if any(map(_is_of_statement, changes))
            ]
            await connection.execute(SQL["index_what_taught"], user_id, taught)
            sessions = sorted({each.exchange.turn.scope.session_id for each in formed})
            done[-1] += await prune(connection, user_id, sessions, caps, at=at)
        return done

    async def postpone(
        self, exchange: Exchange, *, error: str, until: datetime | None, counts: bool = True
    ) -> None:
        """Note a failed attempt, which mostly ``counts``: again not before ``until``, or held as failed when that is None."""
        user_id = exchange.turn.scope.user_id
        await self._database.rows(user_id, "postpone", exchange.id, _reason(error), until, int(counts))

    async def wait(self, exchanges: Sequence[Exchange], wait: Wait) -> None:
        """Note that exchanges of one user wait for a model; until something wakes them, they are not pending.

        Unless the reason is their own (``Wait.counts``) or their person's (APPROVAL), the user's other exchanges that would ask
        the same model wait with them.
        """
        turn = exchanges[0].turn
        user_id, ids = turn.scope.user_id, [each.id for each in exchanges]
        noted = (wait.reason, _reason(wait.error), wait.until, wait.asked)
        async with self._database.changing(user_id) as connection:
            await connection.execute(SQL["wait_for_model"], user_id, ids, *noted, int(wait.counts))
            if not wait.counts and wait.reason is not Awaits.APPROVAL:
                upstream = None if wait.reason in _OF_EVERY_UPSTREAM else turn.upstream
                model = turn.model if wait.reason is Awaits.MODEL else None
                await connection.execute(SQL["wait_too"], user_id, *noted, upstream, model)

    async def wake(self, user_id: str, *, at: datetime, unread: bool = False) -> bool:
        """Make the due ones of the user's waiting exchanges pending again; return whether any is.

        Each one that failed for a reason of its own is due. Of several that wait for the same, the first is, and tries
        it for all. With ``unread`` an exchange is due, too, that counts as formed though no model has read it (``Unread``).
        """
        async with self._database.changing(user_id) as connection:
            if unread:
                await connection.execute(SQL["reopen_unread"], user_id, at)
            return bool(await connection.fetch(SQL["wake_due"], user_id, at))

    async def go_on_holding(self, user_id: str) -> None:
        """Make the user's exchanges pending again that wait as their list of memories to approve was full."""
        async with self._database.changing(user_id) as connection:
            await wake_approvals(connection, user_id)

    async def keyed_at(self, exchange: Exchange) -> datetime | None:
        """Return when the last exchange came with a key that waits for the same server as this one; None: none did."""
        turn = exchange.turn
        said_at: datetime | None = await self._database.value(turn.scope.user_id, "keyed_at", turn.upstream)
        return said_at

    async def next_wake(self, user_id: str) -> datetime | None:
        """Return when the first of the user's waiting exchanges is due; None if time alone makes none due."""
        due: datetime | None = await self._database.value(user_id, "next_wake")
        return due

    async def wake_the_rest(self, answered: Exchange, *, model: str) -> None:
        """Make the user's other waiting exchanges pending again, as a model has just answered about one.

        An exchange that waited for a key or a model asks the model of that one from then on. If this very model
        answered it unreadably, it waits on.
        """
        turn = answered.turn
        which = (turn.scope.user_id, turn.upstream, turn.model, answered.authorized, model)
        async with self._database.for_user(turn.scope.user_id) as connection:
            await connection.execute(SQL["wake_the_rest"], *which)

    async def wake_all(self, *, asked: str = "", everything: bool = False) -> list[str]:
        """Make each user's first waiting exchange pending again; return the users who have one that waits.

        Exchanges of users who switched formation off wait on. Each user gets a job who has an exchange that waits, or
        that no model has read (``Unread``). The number of statements is the same for any number of users.

        An unreadable answer is asked for again if another model gave it, or the same with other settings than those ``asked`` now
        (``Policy.asked``; without a model's name the settings alone are compared, "" compares nothing); or if ``everything`` is.
        """
        async with self._database.over_all_users() as connection:
            users = await column(connection, SQL["users_who_wait"])
            await connection.execute(SQL["wake_first"], everything, asked)
            await enqueue(connection, users)
        return users

    async def spoken_with(self, user_id: str) -> SpokenWith | None:
        """Return with which model the user chatted last; None: with none."""
        row = await self._database.row(user_id, "spoken_with")
        return None if row is None else SpokenWith(**dict(row))

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        """Return the outcome of the exchange of a chat with this key (``Turn.key``).

        All its changes are made once it is FORMED. None: the log has no such exchange of this user's (yet).
        """
        user_id = scope.user_id
        async with self._database.for_user(user_id) as connection:
            row = await connection.fetchrow(
                SQL["progress_of_exchange"], user_id, storable_id(scope.session_id), storable_key(key)
            )
            if row is None:
                return None
            updates = await connection.fetch(SQL["updates_of_exchanges"], user_id, [row["id"]])
        messages = (row["message_id"], row["reply_id"])
        # Open: its answer is under way.
        progress = Progress.PENDING if row["state"] == "open" else Progress(row["state"])
        return Outcome(progress, messages, tuple(map(update_of, updates)))

    async def answers_under_way(self, since: datetime) -> int:
        """Return how many exchanges of all users have their answer under way that were said since then."""
        count: int = await self._database.value_of_all("answers_under_way", since)
        return count

    async def take_news(self, scope: Scope, key: str, *, since: datetime | None = None) -> News:
        """Take the changes that a user was not shown yet, to show them with the answer of the turn ``key``.

        Without ``since`` it takes the changes of that turn; with it those of its whole chat, and of all chats since then. Each
        change is taken once, even by concurrent callers. Imported memories are no news.
        """
        user_id, first = scope.user_id, None if since is None else _first_id(since)
        which = (user_id, storable_id(scope.session_id), storable_key(key), first)
        async with self._database.for_user(user_id) as connection:
            taken = await connection.fetch(SQL["take_news"], *which)
            ids = tuple(row["id"] for row in taken)
            updates = await connection.fetch(SQL["updates_of_exchanges"], user_id, ids) if ids else ()
        return News(user_id, ids, tuple(map(update_of, updates)))

    async def requeue_news(self, news: News) -> None:
        """Give back news that were not shown after all."""
        await self._database.rows(news.user_id, "requeue_news", news.exchanges)

    async def told_with(self, scope: Scope, key: str) -> list[tuple[Scope, str]]:
        """Return the other turns, by chat and key, whose news came with this one's answer, the newest first."""
        which = (scope.user_id, storable_id(scope.session_id), storable_key(key))
        async with self._database.for_user(scope.user_id) as connection:
            rows = await connection.fetch(SQL["turns_told_with"], *which)
        return [(Scope(scope.user_id, row["session_id"]), row["key"]) for row in rows]

    async def backlog(self) -> Backlog:
        """Count the pending, failed and formed exchanges."""
        async with self._database.over_all_users() as connection:
            row = await connection.fetchrow(SQL["backlog"])
            waiting = await connection.fetch(SQL["waiting_by_reason"])
            unread = await connection.fetch(SQL["unread_by_reason"])
        return Backlog(**dict(row or {}), waiting=dict(map(tuple, waiting)), unread=dict(map(tuple, unread)))

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["retry_failed"], at)
            await enqueue(connection, sorted({row["user_id"] for row in rows}))
            await requeue_held(connection)
            return len(rows)


def _first_id(since: datetime) -> UUID:
    """Return the least UUID of version 7 of a moment: ids of exchanges are in order of time."""
    # Such a UUID begins with 48 bits of milliseconds (RFC 9562, section 5.7).
    return UUID(int=int(since.timestamp() * 1000) << 80)


def _history(row: Record, before: Sequence[Record]) -> tuple[Message, ...]:
    """Return the messages before an exchange, oldest first: those in the log, and the answer that only the request had."""
    logged = tuple(message_of(each) for each in reversed(before))
    return logged if row["answered"] is None else (*logged, Message(Role.ASSISTANT, row["answered"]))


async def _copied(connection: Connection, user_id: str, texts: Sequence[str]) -> list[str]:
    """Return lines of ours that a person copied from another chat: a memory's words after the bullet of our blocks.

    A turn that says it was given no block that could tell.
    """
    lines = [
        line.strip() for text in texts for line in text.splitlines() if line.lstrip().startswith(_BULLET)
    ]
    hashes = [content_hash(line[len(_BULLET) :].strip()) for line in lines[:_BULLETS]]
    if not hashes:
        return []
    return [
        _BULLET + row["content"] for row in await connection.fetch(SQL["known_of_hashes"], user_id, hashes)
    ]


async def _apply(
    connection: Connection, formed: Formed, at: datetime, *, again: Collection[UUID]
) -> list[Change]:
    """Apply the changes of an exchange. If it is formed again, a model's reading replaces the verbatim memory of it.

    Without such a reading that stays, and is not kept twice. A change of an exchange that was undone is not made again.
    """
    exchange, scope = formed.exchange, formed.exchange.turn.scope
    changes: list[Change] = list(formed.changes)
    if exchange.message_id in again:
        rows = await connection.fetch(SQL["verbatim_of_messages"], scope.user_id, [exchange.message_id])
        if formed.is_read:
            changes[:0] = [Retire(row["id"], Reason.KEPT_VERBATIM) for row in rows]
        elif rows:
            changes = [each for each in changes if each.reason is not Reason.KEPT_VERBATIM]
        undone = await connection.fetch(SQL["taken_back_of_exchange"], scope.user_id, exchange.id)
        changes = _without_undone(changes, undone)
    return await apply_changes(
        connection,
        scope.user_id,
        changes,
        actor=Actor.FORMATION,
        at=at,
        session_id=scope.session_id,
        exchange_id=formed.exchange.id,
    )


def _without_undone(changes: Sequence[Change], undone: Sequence[Record]) -> list[Change]:
    """Return changes without those that touch a memory, or tell a statement, whose earlier change was undone."""
    touched = {row[name] for row in undone for name in ("memory_id", "replaced_id")} - {None}
    hashes = {content_hash(row["after"]) for row in undone if row["after"] is not None}
    left: list[Change] = []
    for change in changes:
        # A Replace has an `old`, and most others have a `target`.
        target = getattr(change, "old", None) or getattr(change, "target", None)
        memory = getattr(change, "memory", None)
        is_undone = target in touched or (memory is not None and content_hash(memory.content) in hashes)
        left.append(Ignore(Reason.UNDONE, target=target) if is_undone else change)
    return left


def _is_of_statement(change: Change) -> bool:
    return isinstance(change, Add | Replace) and change.reason is not Reason.KEPT_VERBATIM


def _made(changes: Sequence[Change]) -> str:
    """Return the number of changes of each kind and reason as JSON, by names such as "add:new" or "ignore:no_evidence"."""
    return json.dumps(Counter(f"{type(change).__name__.lower()}:{change.reason}" for change in changes))


def _reason(text: str | None) -> str | None:
    return None if text is None else storable_text(text)[:_LONGEST_ERROR]
