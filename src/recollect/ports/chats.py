"""The ports for chats: the message log, the blocks in prompts, the records of requests.

Never: an implementation.
"""

from collections.abc import Collection, Iterable, Sequence
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
    LogEntry,
    Logged,
    PointedAt,
    RequestRecord,
    Scope,
    Turn,
    TurnNotes,
)


class MessageLog(Protocol):
    """Keeps every exchange, whole and in order, and its state of formation.

    A message from before the erasure of its user, or its chat, is not written any more, unless the caller wants that.
    """

    async def write(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        """Write the turn of an exchange whose answer is under way, or its end as ``append`` does, and what is noted with it.

        All of it is one transaction. Of an exchange that began nothing is formed yet; an open exchange of its chat is formed
        without an answer now, as by ``end_abandoned``. A note is written although the exchange is not wanted; none that
        speaks of what was forgotten since it was recalled.

        Args:
            entry: The phase: BEGUN or ENDED.
            records: Whether anything is kept of users who changed no setting of that; None: of all users.

        Returns:
            The outcome. UNWANTED: nothing of the user, or of the chat, is kept. ERASED: the user, or the chat, was erased
            since it was said; then nothing is noted either.
        """
        ...

    async def append(self, exchange: Exchange, *, revives: bool = False) -> bool:
        """Write the exchange, or the reply to one that was begun, and enqueue its formation, in one transaction.

        Args:
            exchange: Which.
            revives: Whether it is written although its user, or its chat, was erased since: who imports wants that.

        Returns:
            Whether it was new, or open. If another turn of the chat has the same ``parent``, that one and all later ones of the
            chat are abandoned: hidden, never formed, and their changes undone as ``MemoryStore.undo`` does (ABANDONED), the newest
            first, as far as possible. If that other turn is later (``Turn.at``), this one is abandoned instead. Another reply to a
            message in the log (a regenerated answer, a fan-out to several models) is kept as an alternate and forms nothing. The
            first reply with text to one without becomes its reply.
        """
        ...

    async def note(self, scope: Scope, notes: TurnNotes) -> None:
        """Note what goes with a turn of a chat by itself, as ``write`` does."""
        ...

    async def fail(self, exchange: Exchange) -> None:
        """Note that a model failed to answer the turn: the message stays, and waits for another request's answer.

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
        """Let exchanges that are open for long be formed without their answers, as no client seems to wait for them.

        If it comes all the same, it is kept as the reply; and only then the other version of the turn is abandoned.

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
        """Delete the entries of a user, or of one of their chats, until then; return how many.

        Raises:
            OSError: The disk refuses.
        """
        ...


class ChatMemory(Protocol):
    """What a chat was said, and what was added to its prompts."""

    async def chat(
        self, scope: Scope, *, exchanges: int, unless_begun: str | None = None, turn: Turn | None = None
    ) -> Chat:
        """Return a chat.

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
        """Note the block of a turn, unless it has one; blocks at the ``detached`` anchors are not added again."""
        ...


class ChatRequestStore(Protocol):
    """Keeps what chats asked of the memory, and lets nothing be kept of some chats. Every method raises StoreError."""

    async def pointed_at(self, turn: Turn) -> PointedAt:
        """Return the lists, requests and changes before a turn of a chat that it may point at."""
        ...

    async def note(self, scope: Scope, request: KeptRequest) -> None:
        """Keep a message's request."""
        ...

    async def unlog(self, turn: Turn) -> None:
        """Delete the log's entry of a turn whose answer is under way."""
        ...

    async def take_in(self, scope: Scope) -> bool:
        """Keep the messages of a chat again; return whether it was left out."""
        ...


USAGE_OUTLIVES = timedelta(days=60)
"""How much longer the tokens of a day are kept than the records of requests."""

ADMIN_READS_OUTLIVE = timedelta(days=335)
"""How much longer the reads of administrators are kept than the records of requests: a year in all."""


class RequestLog(Protocol):
    """Keeps what requests were like, for a while."""

    async def record(self, request: RequestRecord) -> None:
        """Keep the record of a request."""
        ...

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return the record of any user's request; None if there is none (any more)."""
        ...

    async def requests_of(
        self, user_id: str, *, limit: int, after: UUID | None = None
    ) -> list[RequestRecord]:
        """Return the records of the user's requests, newest first, after the request ``after``."""
        ...

    async def request_of(self, user_id: str, request_id: UUID) -> RequestRecord | None:
        """Return the record of a user's request; None if there is none (any more)."""
        ...

    async def contents(self, user_id: str, items: Collection[UUID]) -> dict[ItemPart, str]:
        """Return the present text of memories, and of parts of messages, without those that are gone or hidden."""
        ...

    async def prepare_days(self, first: date, days: int) -> int:
        """Make room for the requests of the next ``days`` days, in UTC, from ``first`` on; return of how many days it is new."""
        ...

    async def prune_requests(self, before: datetime) -> int:
        """Delete the records of requests before a time; return how many. Records of that very day may stay until it is over.

        The tokens of models (``UsageLog``) go with them, for days longer ago than ``USAGE_OUTLIVES`` before that time; and the
        notes of erasures that no waiting entry can precede any more.
        """
        ...


ANSWERS_KEPT = timedelta(days=1)
"""For so long a repeated request gets the first one's answer."""


class AnswerStore(Protocol):
    """Keeps what requests were answered that are to be done once, for a day. What is older counts as gone."""

    async def reserve(self, user_id: str, key: str, request: bytes, *, at: datetime) -> KeptAnswer | None:
        """Take a key of a user's for a request, and return None; or return the answer kept for the request that has it.

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
        """Delete the records before a time; return of how many requests."""
        ...


class FlagStore(Protocol):
    """Keeps the settings that were changed while the engine runs."""

    async def flags(self, user_id: str | None) -> Flags:
        """Return the settings that were changed for everybody; with a user, theirs take precedence."""
        ...

    async def own_flags(self, user_id: str) -> Flags:
        """Return the settings that were changed for this user alone."""
        ...

    async def set_flags(
        self, user_id: str | None, flags: Flags, *, at: datetime, by: Changer = NOT_SAID
    ) -> None:
        """Keep the changed settings of a user, or of everybody, in place of the last ones; of a user also the actor."""
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
