"""What the engine needs of its background work. Never: an implementation."""

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
    """What one user's formation has still to do, in the order it was said."""

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user; False when another worker holds it.

        Renewed in the background until left, and free again a while after its holder died. No
        connection is held meanwhile.
        """
        ...

    async def pending(self, user_id: str, *, limit: int) -> list[Pending]:
        """Return the user's oldest pending exchanges that follow on each other in one chat, oldest first.

        At most ``limit``. Those after the first only while none of another chat was said between them.
        Each with its history, the messages of its chat before it, and with what was injected in its chat. None whose
        words are to be recalled no more: what is forgotten, or held back, counts as formed.
        """
        ...

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS, rest: Wait | None = None
    ) -> list[list[Change]] | None:
        """Apply the changes as ``MemoryStore.apply`` does and mark the exchanges formed, in one transaction.

        Args:
            formed: What was decided, of each exchange, in order.
            at: Now.
            caps: How many memories may be kept: what is over goes, but for what is new: what is unimportant and
                long unused first; each is retired (CAP) by the actor PRUNE, 100 at most. What a person wrote,
                asked for, corrected, approved, edited or brought back is not counted.
            rest: How those wait on of which a model's answer was read only in part (UNREADABLE).

        Returns:
            What was really done for each exchange, those retired by the caps at the end of the last; None when
            an exchange is no longer pending (formed by another worker, abandoned, or erased meanwhile): then
            nothing was changed.
        """
        ...

    async def postpone(
        self, exchange: Exchange, *, error: str, until: datetime | None, counts: bool = True
    ) -> None:
        """Note a failed attempt: again not before ``until``, or held as failed when that is None.

        Args:
            exchange: Which.
            error: Why.
            until: When to try again.
            counts: Whether it counts among the attempts.
        """
        ...

    async def wait(self, exchanges: Sequence[Exchange], wait: Wait) -> None:
        """Note that exchanges of one user wait for a model; they are pending no more until something wakes them.

        Unless the reason is their own (``Wait.counts``), so does what else is to be formed of the user and would ask the
        same model.
        """
        ...

    async def wake(self, user_id: str, *, at: datetime, unread: bool = False) -> bool:
        """Have what is due of the user's waiting exchanges tried again; return whether anything is.

        What failed for a reason of its own is. Of those that wait for the same the first one is, and tries it for all.

        Args:
            user_id: Whose.
            at: Now.
            unread: Whether what counts as formed and no model has read (``Unread``) waits again, and is due.
        """
        ...

    async def next_wake(self, user_id: str) -> datetime | None:
        """Return when the first of the user's waiting exchanges is due; None: none is by itself."""
        ...

    async def wake_the_rest(self, answered: Exchange, *, model: str) -> None:
        """Have the user's other waiting exchanges tried again, as a model was just asked about one.

        What waited for a key or a model asks the model of that exchange from then on. What this very model answered
        unreadably waits on.

        Args:
            answered: About which exchange it was asked.
            model: Which model that was.
        """
        ...

    async def wake_all(self, *, asked: str = "", everything: bool = False) -> list[str]:
        """Have what waits tried again, of each user the first exchange; return of which users something waits.

        That of users who switched formation off waits on. Each user of whom something waits, or is formed and was read by no model
        (``Unread``), gets a job. However many users there are, the number of statements is the same.

        Args:
            asked: Which model is asked now, and by which settings (``Policy.asked``): what another one answered unreadably, or the
                same by others, is tried again. Without a model's name the settings alone are compared; "": nothing is.
            everything: Whether everything that was unreadable is tried again.
        """
        ...

    async def spoken_with(self, user_id: str) -> SpokenWith | None:
        """Return with which model the user chatted last; None: with none."""
        ...

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        """Return what became of the exchange of a chat with this key (``Turn.key``).

        What it changed is all there when it is FORMED. None: the log has no such exchange of this user's (yet).
        """
        ...

    async def answers_under_way(self, since: datetime) -> int:
        """Return how many exchanges of all users have their answer under way that were said since then."""
        ...

    async def tell(self, scope: Scope, key: str, *, own: bool = False) -> News:
        """Take what was formed in a chat and its person was not shown yet, to show it with this turn's answer.

        It is told once, whoever asks, and however many do at a time. What was imported is no news.

        Args:
            scope: In which chat.
            key: With the answer to which turn it is shown.
            own: Only what that turn taught.
        """
        ...

    async def untell(self, news: News) -> None:
        """Give back what was not shown after all: it is told again."""
        ...

    async def told_with(self, scope: Scope, key: str) -> list[str]:
        """Return the keys of the other turns of a chat whose news were told with this one's answer, the newest first."""
        ...

    async def to_summarize(
        self, user_id: str, *, turns: int, tokens: int, without: Collection[str] = ()
    ) -> Conversation | None:
        """Return a chat of the user that is due for a summary, if there is one: the one that waits longest.

        Before these one that someone asked a summary of.

        Due is a chat with at least ``turns`` formed exchanges, or ``tokens`` tokens in formed exchanges, since its
        last summary; 0: that alone makes none due. Hidden messages and alternates are left out. A chat is looked at
        only where something was said in it in the 30 days before the user said something last.

        Args:
            user_id: Whose.
            turns: So many exchanges make a chat due.
            tokens: So many tokens do.
            without: The chats that are not looked at.
        """
        ...

    async def ask_for_summary(self, scope: Scope, *, at: datetime) -> int:
        """Have a chat summarized before all that are due, however little is new in it.

        Returns:
            How many turns are in no summary yet; where the chat's last summary is gone all count again. 0: nothing is
            asked for.
        """
        ...

    async def summarized(
        self, user_id: str, conversation: Conversation, memory: Memory | None, *, at: datetime
    ) -> list[Change]:
        """Keep the summary in place of the chat's last one, and note up to where it goes, in one transaction.

        Nothing is kept of it, though the note is, when ``memory`` is None, or when a message it rests on was hidden or
        erased meanwhile. Not even the note is, when the chat's newest summary is not ``conversation.summary`` any more,
        or the chat was summarized up to the conversation's last turn meanwhile.
        """
        ...

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        ...

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        ...


class Attempts(Protocol):
    """Counts how often a step was begun for a user and not ended: whatever a worker died of is counted."""

    async def unended(self, user_id: str, step: str, subject: str) -> int:
        """Return how often a step on this subject was begun and did not end; 0: it ended, or never began."""
        ...

    async def begin(self, user_id: str, step: str, subject: str, *, at: datetime, afresh: bool) -> int:
        """Count an attempt before it begins.

        Args:
            user_id: For whom.
            step: What is done; of each there is one at a time for a user.
            subject: On what; another one is begun afresh.
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
    """Counts what background calls of models take."""

    async def used(self, user_id: str, day: date) -> Usage:
        """Return what was taken on a day."""
        ...

    async def used_by_all(self, day: date) -> int:
        """Return what was taken on a day for all users."""
        ...

    async def use(self, user_id: str, day: date, tokens: int, *, for_summary: bool = False) -> None:
        """Count tokens taken for a user on a day; nothing where they have no chat: they were erased meanwhile."""
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
