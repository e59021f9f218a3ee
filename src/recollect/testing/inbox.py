"""What is still to be formed, in memory. Never: calls a model; runs a job."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.model import (
    Actor,
    Backlog,
    Caps,
    Change,
    Exchange,
    Formed,
    Memory,
    Message,
    Outcome,
    Pending,
    Progress,
    Role,
    Scope,
)
from recollect.normalization import storable_id, storable_text
from recollect.ports import NO_CAPS, Conversation
from recollect.testing.changes import Belongings, Logged
from recollect.testing.jobs import JobQueue
from recollect.testing.summarizing import due_conversation, is_as_it_was, summary_change
from recollect.testing.undoing import is_undone

_MESSAGES_BEFORE = 6
_BLOCKS = 20
_LONGEST_ERROR = 500


class InboxStore(ABC):
    """Implements Inbox.

    Attributes:
        jobs: The queue; ``jobs.held`` are the users whose job raised.
    """

    def __init__(self) -> None:
        self.jobs = JobQueue()
        self._leased: set[str] = set()

    @abstractmethod
    def _of(self, user_id: str) -> Belongings:
        """Return what the user has, or raise what the store is told to."""

    @abstractmethod
    def _everybody(self) -> list[Belongings]:
        """Return what all users have, or raise what the store is told to."""

    @asynccontextmanager
    async def lease(self, user_id: str) -> AsyncIterator[bool]:
        """Take the right to form for this user; False when another worker holds it."""
        self._of(user_id)
        if user_id in self._leased:
            yield False
            return
        self._leased.add(user_id)
        try:
            yield True
        finally:
            self._leased.discard(user_id)

    async def pending(self, user_id: str, *, limit: int) -> list[Pending]:
        """Return the user's oldest pending exchanges that follow on each other in one chat, oldest first."""
        user = self._of(user_id)
        pending = (each for each in user.log if each.state == "pending")
        oldest = sorted(pending, key=lambda each: each.exchange.id)[:limit]
        of_one_chat: list[Pending] = []
        for each in oldest:
            if each.exchange.turn.scope != oldest[0].exchange.turn.scope:
                break
            of_one_chat.append(Pending(_to_form(each, user), each.attempts, each.not_before))
        return of_one_chat

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS
    ) -> list[list[Change]] | None:
        """Apply the changes and mark the exchanges formed; None if one is not pending."""
        if not formed:
            return []
        user = self._of(formed[0].exchange.turn.scope.user_id)
        waiting = {each.exchange.id: each for each in user.log if each.state == "pending"}
        if len({each.exchange.id for each in formed} & waiting.keys()) < len(formed):
            return None
        with user.all_or_none():
            done = [_applied(each, user, at) for each in formed]
            sessions = sorted({each.exchange.turn.scope.session_id for each in formed})
            done[-1] += user.prune(sessions, caps, at)
        for each in formed:
            logged = waiting[each.exchange.id]
            logged.state, logged.fallback, logged.error = "formed", each.fallback, None
        return done

    async def postpone(
        self, exchange: Exchange, *, error: str, until: datetime | None, counts: bool = True
    ) -> None:
        """Note a failed try: again not before ``until``, or held as failed when that is None."""
        logged = self._of(exchange.turn.scope.user_id).pending(exchange)
        if logged is not None:
            logged.attempts += counts
            logged.error = storable_text(error)[:_LONGEST_ERROR]
            logged.state = "failed" if until is None else "pending"
            logged.not_before = until or logged.not_before

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        """Return what became of the exchange of a chat with this key; None: the log has none of this user's."""
        user, known_as = self._of(scope.user_id), (storable_id(scope.session_id), storable_id(key))
        for each in user.log:
            exchange = each.exchange
            if (exchange.turn.scope.session_id, exchange.turn.key) == known_as:
                taught = [row for row in user.updates if row.exchange_id == exchange.id]
                standing = [row for row in taught if row.undoes is None and not is_undone(user, row)]
                messages = (exchange.message_id, exchange.reply_id)
                return Outcome(Progress(each.state), messages, tuple(reversed(standing)))
        return None

    async def to_summarize(
        self, user_id: str, *, turns: int, tokens: int, without: Collection[str] = ()
    ) -> Conversation | None:
        """Return a chat of the user that is due for a summary, if there is one."""
        return due_conversation(self._of(user_id), turns, tokens, without)

    async def summarized(
        self, user_id: str, conversation: Conversation, memory: Memory | None, *, at: datetime
    ) -> list[Change]:
        """Keep the summary in place of the chat's last one, and note up to where it goes."""
        user, session_id = self._of(user_id), conversation.session_id
        if not is_as_it_was(user, conversation):
            return []
        change = summary_change(user, conversation, memory)
        with user.all_or_none():
            user.summarized[session_id] = conversation.last_turn
            if change is None:
                return []
            return [user.apply(change, Actor.FORMATION, at, session_id=session_id)]

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        logged = self._all_logged()
        pending = [each.exchange.turn.at for each in logged if each.state == "pending"]
        return Backlog(
            pending=len(pending),
            failed=sum(each.state == "failed" for each in logged),
            formed=sum(each.state == "formed" for each in logged),
            fallbacks=sum(each.state == "formed" and each.fallback is not None for each in logged),
            oldest_pending_at=min(pending, default=None),
        )

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        failed = [each for each in self._all_logged() if each.state == "failed"]
        for logged in failed:
            logged.state, logged.attempts, logged.error, logged.not_before = "pending", 0, None, at
        for user_id in sorted({each.exchange.turn.scope.user_id for each in failed}):
            self.jobs.enqueue(user_id)
        self.jobs.requeue_held()
        return len(failed)

    def _all_logged(self) -> list[Logged]:
        return [each for user in self._everybody() for each in user.log]


def _to_form(logged: Logged, user: Belongings) -> Exchange:
    """Return the exchange as it is to be formed: with what was said and added to prompts before."""
    exchange, hidden = logged.exchange, user.index.hidden
    scope = exchange.turn.scope
    earlier = (each.exchange for each in user.log[: user.log.index(logged)])
    said = [message for each in earlier if each.turn.scope == scope for message in _told(each, hidden)]
    blocks = sorted(
        user.injections.get(scope.session_id, {}).values(), key=lambda each: (each.at, each.anchor)
    )
    return replace(
        exchange,
        reply="" if exchange.reply_id in hidden else exchange.reply,
        turn=replace(exchange.turn, history=tuple(said[-_MESSAGES_BEFORE:])),
        injected=tuple(each.block for each in blocks[-_BLOCKS:]),
    )


def _told(exchange: Exchange, hidden: set[UUID]) -> list[Message]:
    told = []
    if exchange.message_id not in hidden:
        told.append(Message(Role.USER, exchange.turn.text, exchange.turn.speaker))
    if exchange.reply and exchange.reply_id not in hidden:
        told.append(Message(Role.ASSISTANT, exchange.reply))
    return told


def _applied(formed: Formed, user: Belongings, at: datetime) -> list[Change]:
    session_id, exchange_id = formed.exchange.turn.scope.session_id, formed.exchange.id
    return [
        user.apply(change, Actor.FORMATION, at, session_id=session_id, exchange_id=exchange_id)
        for change in formed.changes
    ]
