"""Drains one user's inbox: forms memories of its exchanges in batches, in the order they were said."""

import time
from collections.abc import Awaitable, Callable, Container, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.background.model_waits import (
    RETRY_DELAYS,
    PutOff,
    expect_room,
    wait_for_model,
    wait_for_rest,
)
from recollect.engine.counters import FormationCounts
from recollect.engine.policy import Batching, Policy
from recollect.errors import (
    CredentialGoneError,
    EmbedderError,
    ExtractorError,
    ExtractorTimeoutError,
    HeldFullError,
    RecollectError,
    StoreUnavailableError,
    WorkerStoppedError,
    YieldedError,
    raised_at,
)
from recollect.formation import (
    Batch,
    CallGuard,
    Extraction,
    FormationPipeline,
    log_decision,
    log_formed,
)
from recollect.index_run import Indexer
from recollect.model import (
    Awaits,
    Exchange,
    Formed,
    Pending,
    Strategy,
    Unread,
    person_of,
    team_of,
)
from recollect.model.local_time import in_zone
from recollect.models.background_limits import Step, Steps, Yielding
from recollect.ports import Clock

if TYPE_CHECKING:
    from recollect.store.inbox import Inbox

# Its lease has run out by then if it died. Every exchange has a job of its own, so that one user's backlog is as many jobs that come
# back: seldom, to leave the workers to other users.
TAKEN_DELAY = timedelta(seconds=20)
"""When to look again at an inbox that another worker drains."""

GONE_DELAY = timedelta(seconds=1)
"""When to look again if exchanges were no longer due once they were formed: a message was edited meanwhile, or another
worker took the lease."""

STORE_DELAY = timedelta(seconds=5)
"""When to look again after the store could not be reached."""

EMBEDDER_DELAY = timedelta(seconds=30)
"""When to try again to find the memories to forget, which needs the embedder."""

RUN = 20
"""The batches formed in one run; then other users' jobs have their turn."""

REST = timedelta(seconds=1)
"""The pause after a run. A job that came back at once would be taken before the others, as it is older."""

SHARE_OF_SLOW = 0.5
"""After a model took too long, it is asked for this share of the usual answer, and about this share of the turns."""

_MARGIN = timedelta(minutes=1)
"""The most that the clocks of two processes may differ."""

PATIENCE = timedelta(hours=1)
"""How long an exchange waits for an embedder that is away. After that its attempts count, and it is held in the end.

The wait begins when the exchange was due: when it was said, logged later, or put back.
"""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class BatchFormer:
    """Indexes consecutive exchanges of one chat, and forms memories of them.

    Attributes:
        extracted: A model's earlier findings by batch.
        unread: The reason no model reads exchanges while formation is off; None: the person wants it so.
    """

    backends: Backends
    guard: CallGuard
    policy: Policy
    clock: Clock
    indexer: Indexer
    extracted: MutableMapping[Batch, Extraction]
    unread: Unread | None = None

    async def form(self, exchanges: Sequence[Exchange]) -> list[Formed]:
        """Return what exchanges change; they are indexed before.

        So recall finds a message no later than the memories learned from it. A backlog of older messages is indexed after
        the drain. With formation off the exchanges change nothing. Raises HeldFullError, as ``expect_room``.
        """
        if self.policy.strategy is Strategy.OFF:
            return [Formed(each, unread=self.unread) for each in exchanges]
        if not await self._may_state(exchanges[-1].turn.scope.user_id):
            return [Formed(each) for each in exchanges]
        # A request that told the zone, new instructions, or the wish to approve first may have come since the drain began.
        flags = await self.backends.store.flags.flags(exchanges[-1].turn.scope.user_id)
        policy = self.policy.under(flags)
        exchanges = [
            replace(each, turn=in_zone(each.turn, policy.zone), guidance=policy.guidance)
            for each in exchanges
        ]
        last = exchanges[-1]
        if policy.rules.approve_first:
            await expect_room(self.backends, exchanges)
        if self.backends.generations.changing and self.backends.generations.is_today:
            # New statements are compared with those that are near to them: by the same embedder.
            await self.indexer.embed_missing(last.turn.scope.user_id, log_too=False)
        await self.indexer.index_user(last.turn.scope.user_id, until=max(last.message_id, last.reply_id))
        forming = FormationPipeline(
            self.backends,
            self.guard,
            policy.rules,
            clock=self.clock,
            new_id=uuid7,
            extracted=self.extracted,
        )
        return await forming.form(exchanges, strategy=self.policy.strategy)

    async def _may_state(self, user_id: str) -> bool:
        """Return whether messages become memories: in a team only its writers' do."""
        if not team_of(user_id):
            return True
        team = await self.backends.store.teams.around(user_id)
        return team is not None and team.may_write(person_of(user_id))


@dataclass(frozen=True, slots=True)
class InboxDrain:
    """Drains an inbox.

    Attributes:
        form: Forms consecutive exchanges of one chat; returns what each changes.
        credential: Finds a credential by an exchange's id, user and upstream, while this process has one.
        slow: The ids of exchanges that took a model too long.
        extracted: A model's earlier findings by batch; such batches are formed unchanged.
        forms_unread: Whether to form exchanges now that count as formed although no model read them.
    """

    inbox: "Inbox"
    policy: Policy
    form: Callable[[Sequence[Exchange]], Awaitable[list[Formed]]]
    credential: Callable[[UUID, str, str], str | None]
    clock: Clock
    steps: Steps
    batching: Batching
    yielding: Yielding
    slow: MutableMapping[UUID, None]
    extracted: Container[tuple[UUID, ...]]
    forms_unread: bool
    counts: FormationCounts

    async def drain(self, user_id: str) -> timedelta | None:
        """Form everything in the user's inbox, and return after how long to call again, or None.

        An exchange that fails blocks the later ones until it is formed, waits for a model or is held.
        """
        try:
            while True:
                async with self.inbox.lease(user_id) as taken:
                    if not taken:
                        return TAKEN_DELAY
                    again, seen = await self._until_empty(user_id)
                if again is not None and seen is None:
                    return again
                # An exchange that came between the last look and the lease's end found the lease taken.
                if await self.waiting(user_id) in {seen, ()}:
                    return again
        except StoreUnavailableError:
            log.warning("inbox_store_failed", retry_seconds=STORE_DELAY.total_seconds())
            return STORE_DELAY

    async def waiting(self, user_id: str) -> tuple[UUID, ...]:
        """Return which exchanges would be looked at next."""
        return _ids(await self.inbox.pending(user_id, limit=self._limit()))

    async def _until_empty(self, user_id: str) -> tuple[timedelta | None, tuple[UUID, ...] | None]:
        """Return after how long to look again, or None; and the exchanges that wait for a quiet chat."""
        await self.inbox.wake(user_id, at=self.clock(), unread=self.forms_unread)
        batches = 0
        while pending := await self.inbox.pending(user_id, limit=self._limit()):
            if batches == RUN:
                return REST, None
            batches += 1
            wait = max(self._wait(pending), self.yielding.wait(user_id))
            if wait > timedelta():
                return wait, _ids(pending)
            batch = self._batch(pending)
            again = await self._try(user_id, batch)
            if again is not None:
                return again, None
        return None, None

    def _limit(self) -> int:
        """Return the most exchanges formed at once: more if they had to wait for chats."""
        turns = self.batching.turns
        return max(turns, self.batching.grown) if self.yielding.yields else turns

    async def _try(self, user_id: str, batch: Sequence[Pending]) -> timedelta | None:
        """Form a batch, once. Return how long to wait if the store or the embedder is away; None if the inbox goes on."""
        first = batch[0]
        async with self.steps.step(user_id, Step.FORM, str(first.exchange.id)) as begun:
            if begun > self.policy.attempts:
                self.counts.failed(error := WorkerStoppedError(begun - 1))
                await self._hold(first, error, attempts=begun - 1)
                return None
            if begun > 1:
                batch = [first]  # another of them may have killed a worker
            try:
                with self.yielding.turn(user_id):
                    done = await self._complete(batch)
            except StoreUnavailableError:
                raise
            except YieldedError as error:
                return error.wait  # no attempt of theirs: a chat came first
            except (ExtractorError, HeldFullError) as error:
                return await self._put_off(batch, error)
            except Exception as error:  # noqa: BLE001 - a bug, too, must neither loop for ever nor lose anything
                self.counts.failed(error)
                waits = [await self._postpone(each, error) for each in batch]
                return waits[0]  # the inbox goes on with the first, which blocks the others
            if not done:
                return GONE_DELAY
            await self.inbox.wake_the_rest(batch[-1].exchange, model=self._model_name(batch[-1].exchange))
            return None

    def _wait(self, pending: Sequence[Pending]) -> timedelta:
        """Return for how long nothing is to be formed yet: until the first is due, and its chat is quiet."""
        first, now = pending[0], self.clock()
        quiet = first.due
        if not first.attempts and len(pending) < self.batching.turns:
            longest = first.exchange.turn.at + self.batching.turns * self.batching.quiet
            quiet = min(pending[-1].exchange.turn.at + self.batching.quiet, longest)
        wait = max(first.due, quiet) - now
        # No wait is that long: the clock has been set back since the message or its postponement.
        is_of_another_clock = wait > _MARGIN + max(RETRY_DELAYS) + self.batching.turns * self.batching.quiet
        return timedelta() if is_of_another_clock else wait

    def _batch(self, pending: Sequence[Pending]) -> list[Pending]:
        """Return the exchanges to form at once."""
        if pending[0].attempts or pending[0].waits:  # alone, so that it takes no other down with it
            return [pending[0]]
        # A batch that a model was asked about already is formed as it was, by the answer that is kept.
        ids = _ids(pending)
        asked = (turns for turns in range(len(ids), 0, -1) if ids[:turns] in self.extracted)
        if turns := next(asked, 0):
            return list(pending[:turns])
        if pending[0].exchange.id in self.slow:  # the whole took a model too long
            pending = pending[: max(1, int(SHARE_OF_SLOW * len(pending)))]
        batch, upstream = [pending[0]], pending[0].exchange.turn.upstream
        # A batch is one request, to one server and with one key.
        key = self._credential(pending[0].exchange)
        for each in pending[1:]:
            another = self._credential(each.exchange)
            is_of_two_accounts = each.exchange.turn.upstream != upstream or (
                key and another not in (None, key)
            )
            if each.attempts or each.waits or is_of_two_accounts:
                break
            key = key or another
            batch.append(each)
        return batch

    async def _complete(self, batch: Sequence[Pending]) -> bool:
        """Form the exchanges and store the outcome; return whether they were still to be formed."""
        is_slow = batch[0].exchange.id in self.slow
        exchanges = [self._prepared(each.exchange, is_slow=is_slow) for each in batch]
        began = time.perf_counter()
        self.counts.tried(len(exchanges))
        formed = await self.form(exchanges)
        at = self.clock()
        rest = wait_for_rest(batch[0], at=at, asked=self._model_name(batch[0].exchange))
        applied = await self.inbox.complete(formed, at=at, caps=self.policy.caps, rest=rest)
        if applied is None:
            return False
        if waiting := sum(each.unread is Unread.UNREADABLE for each in formed):
            self.counts.waits[Awaits.UNREADABLE] += waiting
        for each, changes in zip(formed, applied, strict=True):
            self.counts.formed(each, changes, at=at)
            log_decision(each, changes)
        log_formed(formed, applied, milliseconds=(time.perf_counter() - began) * 1000)
        return True

    def _credential(self, exchange: Exchange) -> str | None:
        turn = exchange.turn
        return exchange.credential or self.credential(exchange.id, turn.scope.user_id, turn.upstream)

    def _prepared(self, exchange: Exchange, *, is_slow: bool) -> Exchange:
        credential = self._credential(exchange)
        return replace(exchange, credential=credential, share=SHARE_OF_SLOW if is_slow else 1.0)

    def _model_name(self, exchange: Exchange) -> str:
        """Return the name under which the model asked about an exchange is stored."""
        return self.policy.asked(self.policy.extraction_model or exchange.turn.model)

    async def _put_off(self, batch: Sequence[Pending], error: PutOff) -> timedelta | None:
        """Have exchanges wait for a model, or their person; return how long to wait before the inbox goes on."""
        first, now = batch[0], self.clock()
        if isinstance(error, ExtractorError):
            self.counts.failed(error)
        if isinstance(error, ExtractorTimeoutError) and first.exchange.id not in self.slow:
            # A timeout is never repeated unchanged: the next attempt asks for less, and counts as no attempt (decision 0031).
            self.slow.update(dict.fromkeys(each.exchange.id for each in batch))
            log.warning("formation_timed_out", exchange_id=str(first.exchange.id), turns=len(batch))
            return None
        is_last = first.attempts + 1 >= self.policy.attempts
        asked, keyed_at = self._model_name(first.exchange), None
        if isinstance(error, CredentialGoneError):
            keyed_at = await self.inbox.keyed_at(first.exchange)
        wait = wait_for_model(error, first, at=now, asked=asked, is_last=is_last, keyed_at=keyed_at)
        if wait is None:
            delays = [await self._postpone(each, error) for each in batch]
            return delays[0]
        log.info(
            "formation_postponed",
            exchange_id=str(first.exchange.id),
            turns=len(batch),
            waits_for=wait.reason.value,
            error=wait.error,
        )
        self.counts.waits[wait.reason] += len(batch)
        await self.inbox.wait([each.exchange for each in batch], wait)
        return None

    async def _postpone(self, pending: Pending, error: Exception) -> timedelta | None:
        """Store what failed. Return how long to wait if the store or the embedder is away; None if the exchange now has its own time."""
        told, exchange = _describe_error(error), pending.exchange
        if (wait := self._wait_for(pending, error)) is not None:
            log.info(
                "formation_postponed",
                exchange_id=str(exchange.id),
                error=told,
                retry_seconds=wait.total_seconds(),
            )
            await self.inbox.postpone(exchange, error=told, until=pending.due, counts=False)
            return wait
        if pending.attempts + 1 >= self.policy.attempts:
            await self._hold(pending, error, attempts=pending.attempts + 1)
            return None
        delay = RETRY_DELAYS[min(pending.attempts, len(RETRY_DELAYS) - 1)]
        self._warn(pending, error, attempts=pending.attempts + 1, held=False)
        await self.inbox.postpone(exchange, error=told, until=self.clock() + delay)
        return None

    async def _hold(self, pending: Pending, error: Exception, *, attempts: int) -> None:
        """Hold an exchange as failed, until an operator retries it."""
        self._warn(pending, error, attempts=attempts, held=True)
        await self.inbox.postpone(pending.exchange, error=_describe_error(error), until=None)

    def _warn(self, pending: Pending, error: Exception, *, attempts: int, held: bool) -> None:
        log.warning(
            "formation_failed",
            exchange_id=str(pending.exchange.id),
            error=_describe_error(error),
            raised_at=raised_at(error),
            attempts=attempts,
            held=held,
        )

    def _wait_for(self, pending: Pending, error: Exception) -> timedelta | None:
        """Return how long to wait for an embedder that is away; None if something else failed."""
        is_young = self.clock() - pending.exchange.turn.at < PATIENCE
        # A failed exchange is due again after each attempt, so its age decides whether it waited for long.
        if isinstance(error, EmbedderError) and (
            is_young or (self.clock() - pending.due < PATIENCE and not pending.attempts)
        ):
            return EMBEDDER_DELAY
        return None


def _ids(pending: Sequence[Pending]) -> tuple[UUID, ...]:
    return tuple(each.exchange.id for each in pending)


def _describe_error(error: Exception) -> str:
    """Return the description of an error: the text of our own, which never quote a user, and only the kind of others."""
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, RecollectError) else name
