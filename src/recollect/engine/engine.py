"""The facade: recall, remember, and what a person may do with their memories. Never: a concrete backend.

Failing open lives in what is recalled and remembered, and nowhere else: ``prepare``, ``recall`` and
``remember`` never raise. What a person asks for by name (``add``, ``revise``, ``forget``, ``erase``, ...) does
raise, so that nothing fails silently.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.composition import Placed
from recollect.engine.administration import Administration
from recollect.engine.counts import FormationCounts, ModelUse, UserUsage
from recollect.engine.policy import Policy
from recollect.engine.prepared import NO_WISHES, Prepared, Wishes
from recollect.engine.recall import Retriever
from recollect.engine.recorder import Recorder
from recollect.engine.worker import FormationWorker, Worker
from recollect.errors import StoreError
from recollect.model import (
    Backlog,
    Erasure,
    Exchange,
    LogEntry,
    News,
    Outcome,
    Recall,
    Recollection,
    RequestRecord,
    Scope,
    Turn,
    Written,
)
from recollect.ports import Backends, Clock
from recollect.retrieval import Ranking
from recollect.text.tokens import estimate_tokens

__all__ = ["Backends", "Engine", "Policy", "Prepared", "Wishes", "system_clock"]


def system_clock() -> datetime:
    """Return now, in UTC."""
    return datetime.now(UTC)


class Engine(Administration):
    """Long-term memory of many users, kept apart from each other."""

    def __init__(
        self,
        backends: Backends,
        policy: Policy,
        *,
        clock: Clock = system_clock,
        worker: Worker | None = None,
    ) -> None:
        """Put an engine together.

        Args:
            backends: What it works with.
            policy: How.
            clock: Tells the time.
            worker: Works in the background; None: this process does, as long as ``run`` runs.
        """
        super().__init__(backends, clock)
        self._policy = policy
        self._own_worker = FormationWorker(backends, policy, clock)
        self._worker = worker or self._own_worker
        self._retriever = Retriever(backends, policy, clock)
        self._recorder = Recorder(backends, policy, clock, lend=self._worker.lend)

    # -- within a chat: never raises ---------------------------------------------------------------

    async def prepare(
        self, turn: Turn, wishes: Wishes = NO_WISHES, *, count: Callable[[str], int] = estimate_tokens
    ) -> Prepared:
        """Return what the prompt of ``turn`` is given, within the deadline; never raises."""
        return await self._retriever.prepare(turn, wishes, count=count)

    async def recall(self, turn: Turn) -> Recall:
        """Return what may go into the prompt of ``turn``, within the deadline; never raises."""
        return (await self.prepare(turn)).recall

    async def rank(self, turn: Turn) -> Ranking:
        """Return what may be recalled for ``turn`` as it ranks, before the gate and without a deadline.

        Raises:
            EmbedderError: The turn could not be embedded.
            StoreError: The store could not be asked.
        """
        return await self._retriever.rank(turn)

    async def remember(
        self,
        turn: Turn,
        reply: str,
        *,
        recollections: Sequence[Recollection] = (),
        credential: str | None = None,
    ) -> bool:
        """Log the exchange, and let it be formed in the background; never raises, and tries once.

        Args:
            turn: What the user said.
            reply: What of the answer went by; "" if the user left before its first word.
            recollections: What of the user's memories went into the prompt.
            credential: The request's own ``Authorization``; kept in this process's memory alone.

        Returns:
            Whether it was a new exchange that is now logged.
        """
        return await self._recorder.remember(turn, reply, recollections=recollections, credential=credential)

    async def begin(self, turn: Turn, *, credential: str | None = None) -> Exchange:
        """Log a turn before the model is asked, secrets masked, and return the exchange that ``end`` takes.

        What was said is then kept even if the reply never comes.

        Args:
            turn: What the user said.
            credential: The request's own ``Authorization``; kept in this process's memory alone.

        Raises:
            StoreError: The store failed.
        """
        return await self._recorder.begin(turn, credential=credential)

    async def end(
        self, exchange: Exchange, reply: str, *, recollections: Sequence[Recollection] = ()
    ) -> Written:
        """Log the reply of an exchange, secrets masked, and let memories be formed of it in the background.

        Args:
            exchange: As ``begin`` returned it.
            reply: What of the answer arrived; "" if none did.
            recollections: Which of the user's memories went into the prompt.

        Returns:
            What became of it; ``Written.KNOWN`` if it was ended before.

        Raises:
            StoreError: The store failed.
        """
        return await self._recorder.end(exchange, reply, recollections=recollections)

    async def write(self, entry: LogEntry) -> Written:
        """Write a phase of an exchange to the log; to write it twice changes nothing more.

        Raises:
            StoreError: The store failed.
        """
        return await self._recorder.write(entry)

    async def inject(self, turn: Turn, placed: Placed) -> None:
        """Note what was added to a turn, so that it can be added again byte for byte; never raises."""
        await self._recorder.inject(turn, placed)

    async def record(self, request: RequestRecord, turn: Turn) -> None:
        """Keep what a request was like; never raises."""
        await self._recorder.record(request, turn)

    def chats(self, running: int) -> None:
        """Let what works in the background know how many chats run on the upstream now: they come first."""
        self._worker.chats(running)

    # -- in the background -------------------------------------------------------------------------

    async def run(self) -> None:
        """Form memories of what was remembered, and keep the index, until cancelled."""
        await self._worker.run()

    async def drain(self, user_id: str) -> timedelta | None:
        """Form and index what this user said, all or as much as one run does; return how long to wait before the next run, if any."""
        return await self._own_worker.drain(user_id)

    # -- what a person may do: raises --------------------------------------------------------------

    async def erase(self, user_id: str) -> Erasure:
        """Delete everything of this user, and prove it by counts."""
        now = self._clock()
        self._recorder.note_erasure(user_id, now)  # first, so that nothing waiting slips in behind it
        erasure = await self._backends.memories.erase(user_id, at=now)
        self._clear_caches()
        return await self._erase_spooled(user_id, erasure)

    async def erase_session(self, scope: Scope) -> Erasure:
        """Delete one chat of a user and what only it taught, and prove it by counts."""
        now = self._clock()
        self._recorder.note_erasure(scope, now)
        erasure = await self._backends.memories.erase_session(scope, at=now)
        self._clear_caches()
        # A memory that came back may have no embedding of today's model.
        await self._backends.index.enqueue(scope.user_id)
        return await self._erase_spooled(scope, erasure)

    async def _erase_spooled(self, erased: Scope | str, erasure: Erasure) -> Erasure:
        """Delete what waits to be logged, too; what waits in other processes is not logged any more."""
        if self._backends.spool is None:
            return erasure
        try:
            count = await self._backends.spool.erase(erased, at=erasure.at)
        except OSError as error:
            raise StoreError(f"What waits to be logged can't be erased ({type(error).__name__}).") from None
        return replace(erasure, rows=(*erasure.rows, ("spool", count)))

    async def sessions(self, user_id: str, *, begun_before: datetime | None = None) -> list[str]:
        """Return the chats of a user that are remembered, the one where something was said last first.

        Args:
            user_id: Whose.
            begun_before: With its zone: only chats where something was said by then; None: all.
        """
        return await self._backends.memories.sessions(user_id, begun_before=begun_before)

    def _clear_caches(self) -> None:
        for cache in self._backends.caches:
            cache.clear()
        self._worker.clear_caches()

    # -- how it does -------------------------------------------------------------------------------

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return what a request was like and what was recalled for it and why; None if it is not known (any more)."""
        return await self._backends.requests.request(request_id)

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        """Return what became of the exchange with this key (``Turn.key``); None where it is not logged (yet)."""
        return await self._backends.inbox.outcome(scope, key)

    async def tell(self, scope: Scope, key: str, *, own: bool = False) -> News:
        """Take what a chat, or this turn alone, taught and its person was not shown yet, to show it with the turn's answer.

        Raises:
            StoreError: The store failed.
        """
        return await self._backends.inbox.tell(scope, key, own=own)

    async def untell(self, news: News) -> None:
        """Give back what could not be shown: the chat's next answer shows it.

        Raises:
            StoreError: The store failed.
        """
        await self._backends.inbox.untell(news)

    async def backlog(self) -> Backlog:
        """Count what is waiting to be formed, and what failed."""
        return await self._backends.inbox.backlog()

    async def retry_failed(self) -> int:
        """Try every exchange held as failed once more; return how many."""
        return await self._backends.inbox.retry_failed(at=self._clock())

    @property
    def counts(self) -> FormationCounts:
        """What formation did since the start."""
        return self._worker.counts

    async def count_memories(self) -> int:
        """Count the memories of all users."""
        return await self._backends.memories.count()

    async def usage(self, user_id: str) -> UserUsage:
        """Return what models took in the background for a user today, and what they may take."""
        day = self._clock().date()
        used = await self._backends.usage.used(user_id, day)
        return UserUsage(day, used.user, self._policy.budget.user)

    async def model_use(self) -> ModelUse:
        """Return how the calls of models in the background stand."""
        used = await self._backends.usage.used_by_all(self._clock().date())
        return ModelUse(used, self._policy.budget, self._worker.guarded, self._clock())
