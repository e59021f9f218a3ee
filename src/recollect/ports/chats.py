"""What the engine needs of what keeps chats: the log, what was added to prompts, what requests were like.

Never: an implementation.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Protocol
from uuid import UUID

from recollect.model import (
    NOT_SAID,
    Changer,
    Chat,
    Exchange,
    Flags,
    Injection,
    ItemPart,
    KeptAnswer,
    KeptRequest,
    PointedAt,
    RequestRecord,
    Scope,
    Turn,
    Written,
)


class MessageLog(Protocol):
    """Keeps every exchange, whole and in order, and what is still to be formed.

    What was said before its user, or its chat, was erased is not written any more, unless someone wants just that.
    """

    async def begin(
        self, exchange: Exchange, *, keeps: Callable[[Flags], bool] | None = None
    ) -> UUID | Written:
        """Write the turn, whose answer is under way: its exchange is open, and nothing is formed of it yet.

        What is open in its chat since before is formed without an answer now, as by ``end_abandoned``.

        Args:
            exchange: Which.
            keeps: Whether anything is kept of a user of whom this is otherwise than the settings have it; None: it is.

        Returns:
            The id of its exchange in the log: another's where the log has the turn already, by its key. UNWANTED:
            nothing of the user is kept. ERASED: the user, or the chat, was erased since it was said.
        """
        ...

    async def append(self, exchange: Exchange, *, revives: bool = False) -> bool:
        """Write the exchange, or the reply to one that was begun, and enqueue its formation, in one transaction.

        Args:
            exchange: Which.
            revives: Whether it is written although its user, or its chat, was erased since: who imports wants that.

        Returns:
            Whether it was new, or open. Where another turn of the chat has the same ``parent``, that one, and all that
            was said in the chat after it, is abandoned: hidden, never formed, and what was formed from it is
            undone as ``MemoryStore.undo`` does (ABANDONED), the newest first, as far as it can be. Where that other
            turn was said later (``Turn.at``), this one is abandoned instead. Another reply to a user message the log has (a regenerated
            answer, a fan-out to several models) is kept as an alternate and forms nothing; the
            first reply with text to one that had none becomes its reply.
        """
        ...

    async def fail(self, exchange: Exchange) -> None:
        """Note that a model failed to answer the turn: what was said stays, and waits for another request's answer.

        As long as another request asks for its answer, it is as if nothing had happened.
        """
        ...

    async def expect(self, exchange: Exchange) -> None:
        """Note under which id the model's server keeps the answer; its exchange stays open until someone fetches that."""
        ...

    async def exchange_of_answer(self, user_id: str, answer_id: str) -> Exchange | None:
        """Return the user's exchange whose answer the model's server keeps under an id; None if there is none.

        Its reply is what the log has; its credential, and what was said before it, are not in it.
        """
        ...

    async def withdraw(self, exchange: Exchange) -> None:
        """Delete the open turn that this request asks about, unless another request asks for its answer."""
        ...

    async def abandon(self, turn: Turn) -> None:
        """Hide a turn that seems to be a client's own question, if it was formed and taught nothing."""
        ...

    async def erased_among(self, scopes: Iterable[Scope], since: datetime) -> dict[str, datetime]:
        """Return of which users of these chats something was erased since a time, the user or one of the chats, and when last."""
        ...

    async def end_abandoned(self, before: datetime, *, failed: datetime | None = None) -> int:
        """Let what is open for long be formed without its answer, as no one seems to wait for that.

        Where it comes all the same, it is kept as the reply; and what it is another version of is abandoned only then.

        Args:
            before: What was said before this time.
            failed: What was said before this one, where every request for its answer failed; None: as of the others.

        Returns:
            How many exchanges those are.
        """
        ...


class Spooled(Protocol):
    """What waits to be written to the log."""

    async def erase(self, erased: Scope | str, *, at: datetime) -> int:
        """Delete what a user said until then, or what was said in one of their chats; return how many entries.

        Raises:
            OSError: The disk refuses.
        """
        ...


class ChatMemory(Protocol):
    """What a chat was said, and what was added to its prompts."""

    async def chat(
        self, scope: Scope, *, exchanges: int, unless_begun: str | None = None, turn: Turn | None = None
    ) -> Chat:
        """Return what is known of a chat.

        Args:
            scope: Which.
            exchanges: How many of its last exchanges are read.
            unless_begun: With which first message of the chat none of them is: who sends that, lacks nothing.
            turn: The one that comes: what it abandons, once it is in the log, is told; nothing if it is there already.
        """
        ...

    async def session_of_answer(self, user_id: str, answer_id: str) -> str | None:
        """Return the chat of the user in which the LLM's server answered under an id; None if there is none."""
        ...

    async def inject(self, scope: Scope, injection: Injection | None, detached: Sequence[str]) -> None:
        """Note what was added to a turn, unless something was before; ``detached`` anchors are added no more."""
        ...


class ChatRequestStore(Protocol):
    """Keeps what chats asked of the memory, and lets nothing be kept of some chats. Every method raises StoreError."""

    async def pointed_at(self, turn: Turn) -> PointedAt:
        """Return what a turn of a chat may point at: what was listed, asked for and done before it."""
        ...

    async def note(self, scope: Scope, request: KeptRequest) -> None:
        """Keep what a message asked for."""
        ...

    async def unlog(self, turn: Turn) -> None:
        """Delete what is logged of a turn whose answer is under way."""
        ...

    async def take_in(self, scope: Scope) -> bool:
        """Keep again what is said in a chat; return whether it was left out."""
        ...


USAGE_OUTLIVES = timedelta(days=60)
"""What models took on a day is kept for so much longer than what requests were like."""

ADMIN_READS_OUTLIVE = timedelta(days=335)
"""What administrators read of a user is kept for so much longer than what requests were like: for a year in all."""


class RequestLog(Protocol):
    """Keeps what requests were like, for a while."""

    async def record(self, request: RequestRecord) -> None:
        """Keep what a request was like."""
        ...

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return what a request was like, whoever made it; None if it is not known (any more)."""
        ...

    async def requests_of(
        self, user_id: str, *, limit: int, after: UUID | None = None
    ) -> list[RequestRecord]:
        """Return what the user's requests were like, newest first, behind the request ``after``."""
        ...

    async def request_of(self, user_id: str, request_id: UUID) -> RequestRecord | None:
        """Return what a request of the user's was like; None if they have no such request (any more)."""
        ...

    async def contents(self, user_id: str, items: Collection[UUID]) -> dict[ItemPart, str]:
        """Return what memories, and parts of messages, say now; what is gone, or hidden, is left out."""
        ...

    async def prepare_days(self, first: date, days: int) -> int:
        """Make room for the requests of the next ``days`` days, in UTC, from ``first`` on; return of how many days it is new."""
        ...

    async def prune_requests(self, before: datetime) -> int:
        """Delete what was kept of requests before a time; return of how many. What is of that very day may stay until it is over.

        What models took (``UsageLog``) is deleted with it, of days longer ago than ``USAGE_OUTLIVES`` before that time;
        and that someone was erased, of whom nothing can wait to be written any more.
        """
        ...


ANSWERS_KEPT = timedelta(days=1)
"""For so long a repeated request gets the first one's answer."""


class AnswerStore(Protocol):
    """Keeps what requests were answered that are to be done once, for a day. What is older counts as gone."""

    async def reserve(self, user_id: str, key: str, request: bytes, *, at: datetime) -> KeptAnswer | None:
        """Take a key of a user's for a request, and return None; or what is kept of the one that has it.

        Args:
            user_id: Whose key.
            key: Which.
            request: A hash of what is asked for.
            at: Now; the key is known by it to ``keep`` and ``release``.
        """
        ...

    async def keep(self, user_id: str, key: str, answer: bytes, etag: str | None, *, at: datetime) -> None:
        """Keep the answer of the request that took the key then."""
        ...

    async def release(self, user_id: str, key: str, *, at: datetime) -> None:
        """Free the key that was taken then, as nothing was done."""
        ...

    async def prune(self, before: datetime) -> int:
        """Delete what was kept before a time; return of how many requests."""
        ...


class FlagStore(Protocol):
    """Keeps what was changed while the engine runs."""

    async def flags(self, user_id: str | None) -> Flags:
        """Return what was changed for everybody; with a user, for them over that."""
        ...

    async def own_flags(self, user_id: str) -> Flags:
        """Return what was changed for this user alone."""
        ...

    async def set_flags(
        self, user_id: str | None, flags: Flags, *, at: datetime, by: Changer = NOT_SAID
    ) -> None:
        """Keep what is changed for a user, or for everybody, in place of what was; of a user also by whom."""
        ...

    async def change_flags(
        self,
        user_id: str | None,
        flags: Flags,
        named: Collection[str],
        *,
        at: datetime,
        by: Changer = NOT_SAID,
    ) -> Flags:
        """Change those of ``flags`` that are named, and leave the others; None takes one back. In one step.

        Returns:
            What is changed then for the user alone, or for everybody.
        """
        ...
