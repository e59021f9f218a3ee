"""The ports of the engine's background work. Never: an implementation."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date, datetime, timedelta
from typing import Protocol

from recollect.model import (
    Backlog,
    Caps,
    Change,
    Exchange,
    Formed,
    Memory,
    News,
    Outcome,
    Pending,
    Scope,
    SpokenWith,
    Usage,
    Wait,
)
from recollect.ports.models import Conversation

NO_CAPS = Caps()
"""Any number of memories may be kept."""


class Inbox(Protocol):
    """The exchanges of one user from which memories are still to be formed, in order."""

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user; False when another worker holds it.

        Renewed in the background until left, and free again a while after its holder died. No
        connection is held meanwhile.
        """
        ...

    async def pending(self, user_id: str, *, limit: int) -> list[Pending]:
        """Return the user's oldest pending exchanges that follow on each other in one chat, oldest first.

        At most ``limit``. It stops before one that has a message of another chat between it and the first.
        Each with its history, the messages of its chat before it, and with the blocks in prompts of its chat. None whose
        words may not be recalled: a forgotten or held back exchange counts as formed.
        """
        ...

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS, rest: Wait | None = None
    ) -> list[list[Change]] | None:
        """Apply the changes as ``MemoryStore.apply`` does and mark the exchanges formed, in one transaction.

        Args:
            formed: The decisions for each exchange, in order.
            at: Now.
            caps: How many memories may be kept. The actor PRUNE retires the rest (CAP), 100 at most, unimportant and long
                unused ones first, and none that is new. A memory that a person wrote, asked for, corrected, approved,
                edited or brought back is not counted.
            rest: How the exchanges wait on of which a model's answer was read only in part (UNREADABLE).

        Returns:
            The changes that were made for each exchange, those by the caps at the end of the last; None when an exchange
            is no longer pending (formed by another worker, abandoned, or erased meanwhile): then nothing was changed.
        """
        ...

    async def postpone(
        self, exchange: Exchange, *, error: str, until: datetime | None, counts: bool = True
    ) -> None:
        """Note a failed attempt: again not before ``until``, or held as failed when that is None.

        Args:
            exchange: The exchange.
            error: The reason.
            until: When to try again.
            counts: Whether it counts among the attempts.
        """
        ...

    async def wait(self, exchanges: Sequence[Exchange], wait: Wait) -> None:
        """Note that exchanges of one user wait for a model; until something wakes them, they are not pending.

        Unless the reason is their own (``Wait.counts``), the user's other exchanges that would ask the same model wait
        with them.
        """
        ...

    async def wake(self, user_id: str, *, at: datetime, unread: bool = False) -> bool:
        """Make the due ones of the user's waiting exchanges pending again; return whether any is.

        Each one that failed for a reason of its own is due. Of several that wait for the same, the first is, and tries
        it for all.

        Args:
            user_id: The user.
            at: Now.
            unread: Whether an exchange that counts as formed, though no model has read it (``Unread``), is due, too.
        """
        ...

    async def next_wake(self, user_id: str) -> datetime | None:
        """Return when the first of the user's waiting exchanges is due; None if time alone makes none due."""
        ...

    async def wake_the_rest(self, answered: Exchange, *, model: str) -> None:
        """Make the user's other waiting exchanges pending again, as a model was just asked about one.

        An exchange that waited for a key or a model asks the model of that one from then on. If this very model
        answered it unreadably, it waits on.

        Args:
            answered: The exchange that the model was asked about.
            model: The model.
        """
        ...

    async def wake_all(self, *, asked: str = "", everything: bool = False) -> list[str]:
        """Make each user's first waiting exchange pending again; return the users who have one that waits.

        Exchanges of users who switched formation off wait on. Each user gets a job who has an exchange that waits, or
        that no model has read (``Unread``). The number of statements is the same for any number of users.

        Args:
            asked: The model that is asked now, and its settings (``Policy.asked``): an exchange is tried again that another
                model answered unreadably, or the same with other settings. Without a model's name the settings alone are
                compared; "": nothing is.
            everything: Whether all unreadable ones are tried again.
        """
        ...

    async def spoken_with(self, user_id: str) -> SpokenWith | None:
        """Return the model that the user chatted with last; None if there is none."""
        ...

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        """Return the outcome of the exchange of a chat with this key (``Turn.key``).

        All its changes are made once it is FORMED. None: the log has no such exchange of this user's (yet).
        """
        ...

    async def answers_under_way(self, since: datetime) -> int:
        """Return how many exchanges of all users, begun since then, have their answer under way."""
        ...

    async def tell(self, scope: Scope, key: str, *, own: bool = False) -> News:
        """Take the changes in a chat that its user was not shown yet, to show them with this turn's answer.

        Each is taken once, however many callers ask at a time. Imported memories are no news.

        Args:
            scope: The chat.
            key: The turn with whose answer they are shown.
            own: Only the changes of that turn.
        """
        ...

    async def untell(self, news: News) -> None:
        """Give back news that were not shown after all: they are taken again later."""
        ...

    async def told_with(self, scope: Scope, key: str) -> list[str]:
        """Return the keys of the other turns of a chat whose news came with this one's answer, the newest first."""
        ...

    async def to_summarize(
        self, user_id: str, *, turns: int, tokens: int, without: Collection[str] = ()
    ) -> Conversation | None:
        """Return a chat of the user that is due for a summary, if there is one: the one that waits longest.

        A chat of which a person asked for a summary comes first.

        Due is a chat with at least ``turns`` formed exchanges, or ``tokens`` tokens in formed exchanges, since its
        last summary; 0: that alone makes none due. Hidden messages and alternates are left out. A chat is looked at
        only where something was said in it in the 30 days before the user said something last.

        Args:
            user_id: The user.
            turns: So many exchanges make a chat due.
            tokens: So many tokens do.
            without: The chats that are not looked at.
        """
        ...

    async def ask_for_summary(self, scope: Scope, *, at: datetime) -> int:
        """Put a chat before all others to be summarized, however little is new in it.

        Returns:
            How many turns are in no summary yet; if the chat's last summary is gone, all count again. 0: the wish has no
            effect.
        """
        ...

    async def summarized(
        self, user_id: str, conversation: Conversation, memory: Memory | None, *, at: datetime
    ) -> list[Change]:
        """Keep the summary in place of the chat's last one, and note its last turn, in one transaction.

        The note alone is kept when ``memory`` is None, or when a message that the summary rests on was hidden or
        erased meanwhile. Not even the note is, when the chat's newest summary is not ``conversation.summary`` any more,
        or the chat was summarized up to the conversation's last turn meanwhile.
        """
        ...

    async def backlog(self) -> Backlog:
        """Count the pending, failed and formed exchanges."""
        ...

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        ...


class Attempts(Protocol):
    """Counts how often a step was begun for a user and not ended, so that a step that kills its worker is counted."""

    async def unended(self, user_id: str, step: str, subject: str) -> int:
        """Return how often a step on this subject was begun and did not end; 0: it ended, or never began."""
        ...

    async def begin(self, user_id: str, step: str, subject: str, *, at: datetime, afresh: bool) -> int:
        """Count an attempt before it begins.

        Args:
            user_id: The user.
            step: The step; a user has one of each at a time.
            subject: The subject of the step; another one is begun afresh.
            at: Now.
            afresh: Whether the attempts before are known to have ended, though no one could note it.

        Returns:
            How often it was begun since it last ended, this attempt included.
        """
        ...

    async def end(self, user_id: str, step: str) -> None:
        """Note that it ended, well or not."""
        ...


class UsageLog(Protocol):
    """Counts the tokens of background calls of models."""

    async def used(self, user_id: str, day: date) -> Usage:
        """Return a user's tokens on a day."""
        ...

    async def used_by_all(self, day: date) -> int:
        """Return all users' tokens on a day."""
        ...

    async def use(self, user_id: str, day: date, tokens: int, *, for_summary: bool = False) -> None:
        """Count tokens for a user on a day; not if they have no chat: they were erased meanwhile."""
        ...


class Jobs(Protocol):
    """Durable background work in the same database as the memories."""

    async def run(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several users at once.

        A job says only that this user has something to form. ``drain`` returns None when the
        user's inbox is empty, else after how long to call it again; that time survives a crash.
        When ``drain`` raises a StoreError, it is called again later, for as long as that lasts;
        when it raises anything else, the job is held as failed, visible, never dropped.
        """
        ...
