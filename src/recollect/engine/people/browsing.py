"""The content of people's pages: memories, the history of changes, chats, and doubtful memories. Its methods raise."""

import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

from recollect.api.requests_and_health import WeekReport
from recollect.backends import Backends
from recollect.engine.background.model_waits import wake_all
from recollect.engine.people.memory_edits import MemoryEdits
from recollect.engine.people.weekly_report import followed_advice, make_report
from recollect.engine.policy import Policy
from recollect.engine.turns.recall import Retriever
from recollect.errors import (
    ChangeNotFoundError,
    MemoryNotFoundError,
    MessageNotFoundError,
    NotUndoableError,
    SessionNotFoundError,
    SwitchedOffError,
)
from recollect.index import Snapshot, utc
from recollect.model import (
    NOT_SAID,
    STATEMENTS,
    Actor,
    Changer,
    DayOfActivity,
    DayOfUsage,
    EmbeddingScope,
    Ending,
    Flags,
    Item,
    Kind,
    Memory,
    MemoryFilter,
    MessageSeen,
    Past,
    Reason,
    Recollection,
    Reinforce,
    Retire,
    Scope,
    Stage,
    Strategy,
    Turn,
    Update,
)
from recollect.model.local_time import in_zone, midnights, wall
from recollect.ports import Clock
from recollect.recall.calibration import measured_gate
from recollect.text.dates.date_finder import Period

_OLD = timedelta(days=180)
"""A statement that was made or confirmed longer ago may have changed: people move, change jobs and tastes."""

_LAST_CHANGES = 500
"""Among so many of a user's last changes those made together are looked for."""

_IMPORTANT = 0.6
"""A wrong one of these is worth asking about; the others are too many to go through."""


class Browsing(MemoryEdits):
    """Lets people look through what there is."""

    def __init__(self, backends: Backends, clock: Clock, policy: Policy) -> None:
        super().__init__(backends, clock)
        self.policy = policy
        browsing = self._store.browsing
        self.changes, self.chats_of = browsing.changes, browsing.chats
        self.first_words = browsing.first_words
        self.count_kept, self.count_unsettled = browsing.count_kept, browsing.count_unsettled
        self.event_places, self.events_behind = self._store.events.places, self._store.events.behind
        self.size = self._store.statistics.size
        self.users, self.count_memories = self._store.memories.users, self._store.memories.count
        self.quarantined, self.profile = self._store.memories.quarantined, self._store.profiles.profile
        self.keep_team = self._store.teams.keep

    async def retry_failed(self) -> tuple[int, int]:
        """Form all remaining exchanges: the failed ones, those that wait for a model, and those that no model has read.

        Return how many exchanges failed, and how many users had others.
        """
        failed = await self._store.inbox.retry_failed(at=self._clock())
        return failed, len(await wake_all(self._backends, self.policy, everything=True))

    async def wake_waiting(self) -> list[str]:
        """Try once the exchanges that wait for a model, as after a start; return the users who have one."""
        return await wake_all(self._backends, self.policy)

    async def change_flags(
        self, flags: Flags, named: Collection[str], user_id: str | None = None, *, by: Changer = NOT_SAID
    ) -> Flags:
        """Change some of it, as ``MemoryEdits.change_flags``; what waited for the change is formed then."""
        changed = await super().change_flags(flags, named, user_id, by=by)
        if user_id is None:
            if not {"formation", "approve_first"}.isdisjoint(named):
                await self.wake_waiting()
            return changed
        if "formation" in named:
            await self._store.index.enqueue(user_id)
        if "approve_first" in named:
            await self._store.inbox.go_on_holding(user_id)
        return changed

    async def expect_chat(self, scope: Scope) -> None:
        """Return if something that was said in the chat is kept; else raise SessionNotFoundError."""
        if not await self._store.browsing.knows_chat(scope):
            raise SessionNotFoundError

    async def messages(self, scope: Scope, *, limit: int, after: UUID | None = None) -> list[MessageSeen]:
        """Return the messages of a chat, in order, after the message ``after``.

        Raises SessionNotFoundError, and MessageNotFoundError if the chat has no message ``after``.
        """
        await self.expect_chat(scope)
        found = await self._store.browsing.messages(scope, limit=limit, after=after)
        if found is None:
            raise MessageNotFoundError
        return found

    async def summary(self, scope: Scope) -> Memory | None:
        """Return the newest summary of a chat; None if it has none (yet). Raises SessionNotFoundError."""
        await self.expect_chat(scope)
        summaries = MemoryFilter(kinds=frozenset({Kind.SUMMARY}), session_id=scope.session_id)
        page = await self._store.memories.page(scope.user_id, limit=1, taken=summaries)
        return page.memories[0] if page.memories else None

    async def ask_for_summary(self, scope: Scope) -> int:
        """Have a chat summarized now, in the background; return how many of its turns are in no summary yet.

        Raises:
            SwitchedOffError: No model reads the chats of this user.
            SessionNotFoundError: Nothing that was said in the chat is kept.
        """
        policy = self.policy.under(await self._store.flags.flags(scope.user_id))
        if policy.strategy not in {Strategy.EXTRACT, Strategy.BOTH}:
            raise SwitchedOffError("No model reads the chats of this user: it is switched off.")
        await self.expect_chat(scope)
        return await self._store.inbox.ask_for_summary(scope, at=self._clock())

    async def mark_turn(self, scope: Scope, message_id: UUID, *, marked: bool) -> None:
        """Note that a turn of a chat, with its answers, is valuable, or is not; what that changes is indexed again.

        Raises SessionNotFoundError and MessageNotFoundError.
        """
        await self.expect_chat(scope)
        if not await self._store.index.mark(scope, message_id, marked=marked):
            raise MessageNotFoundError

    async def to_review(self, user_id: str, *, limit: int) -> list[Memory]:
        """Return the statements to ask about: overdue to-dos that the user has not mentioned since, then important old statements.

        A statement is old if it was neither made nor confirmed within half a year.
        """
        now = self._clock()
        return await self._store.browsing.to_review(
            user_id, STATEMENTS, before=now - _OLD, due_before=now, importance=_IMPORTANT, limit=limit
        )

    async def end_todo(self, user_id: str, memory_id: UUID, ending: Ending, *, actor: Actor) -> Update:
        """Note that a to-do was done or dropped, and return the audit row of that; to undo it opens the to-do again.

        Raises MemoryNotFoundError.
        """
        user_id, by = await self.home(user_id, memory_id)
        todo = await self._store.memories.get(user_id, memory_id)
        if todo.owner != user_id or todo.kind is not Kind.TODO:
            raise MemoryNotFoundError
        now = self._clock()
        until = wall(now, (await self.policy_of(user_id)).zone)
        ended = Retire(memory_id, Reason.ENDED, past=Past(until, ending))
        await self._store.memories.apply(Scope(user_id, ""), [ended], actor=actor, at=now, by=by)
        return (await self._store.memories.history(user_id, memory_id, limit=1))[0]

    async def undo_together(
        self, user_id: str, update_id: UUID, *, actor: Actor = Actor.ADMIN
    ) -> tuple[Update, ...]:
        """Undo a change with the others of the same moment, as when several memories were forgotten at once.

        A change whose memory was changed since stays. Return the audit's rows of the undone changes.

        Raises:
            ChangeNotFoundError: It is none of the user's last 500 changes.
            NotUndoableError: None of them could be undone.
        """
        last = await self.history(user_id, limit=_LAST_CHANGES)
        meant = next((each for each in last if each.id == update_id), None)
        if meant is None:
            raise ChangeNotFoundError
        made = (meant.at, meant.action, meant.actor)  # one call gives all its changes one time
        together = [each.id for each in last if (each.at, each.action, each.actor) == made]
        others: dict[UUID | None, tuple[str, UUID] | None] = {
            each: await self.other_half(user_id, each) for each in together
        }
        undone = await self._store.memories.undo_all(user_id, together, actor=actor, at=self._clock())
        if not undone:
            raise NotUndoableError
        for each in undone:
            await self._follow_undo(user_id, each, others.get(each.undoes), actor=actor)
        return tuple(undone)

    async def confirm(self, user_id: str, memory_id: UUID, *, actor: Actor) -> None:
        """Note that a memory is still true, as if it had been said again; the audit says who confirmed it.

        Raises MemoryNotFoundError.
        """
        memory = await self.get(user_id, memory_id)
        if memory.owner != user_id:
            raise MemoryNotFoundError
        change = Reinforce(memory_id, Reason.REPEATS)
        await self._store.memories.apply(Scope(user_id, ""), [change], actor=actor, at=self._clock())

    async def measured_gate(self) -> float | None:
        """Return the gate that suits the embedder, measured on what users have; None if that is too little."""
        return await measured_gate(self._backends, self.policy.reach)

    async def policy_of(self, user_id: str | None) -> Policy:
        """Return the engine's policy for a user, with the settings changed for them and for everybody; None: for everybody."""
        return self.policy.under(await self._store.flags.flags(user_id))

    async def usage_by_day(self, days: int) -> Sequence[DayOfUsage]:
        """Return the tokens that each user's memory took on each of the last ``days`` days (UTC), the last day first."""
        return await self._store.statistics.usage((self._clock() - timedelta(days=days - 1)).date())

    async def report(self, days: int) -> tuple[WeekReport, Sequence[DayOfActivity]]:
        """Return the report of the last ``days`` days over all users, and each day on which anything was asked or formed."""
        now = self._clock()
        since = now - timedelta(days=days)
        followed = followed_advice(embeds_all=self.policy.embedded is EmbeddingScope.ALL)
        activity = await self._store.statistics.activity(since, midnights(since, now, self.policy.zone))
        waiting = (await self._store.inbox.backlog()).waiting
        return make_report(activity, days, followed, waiting), activity.by_day


_MOST = 500
"""The most messages by meaning, and as many by words."""
_SECONDS = 5.0
"""The time limit of an embedding: no chat waits."""
ALL_TIME = Period(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class FoundInChats:
    """A page of passages and summaries, best first, and the stages that failed or were late.

    ``next`` is the id behind which the next page begins; None on the last. A message is ``found`` by its best passage.
    """

    found: tuple[Recollection, ...]
    next: UUID | None
    degraded: tuple[Stage, ...]


class ChatSearch:
    """Searches the chats of many users; ``policy_of`` returns the policy of one."""

    def __init__(
        self, retriever: Retriever, clock: Clock, policy_of: Callable[[str], Awaitable[Policy]]
    ) -> None:
        self._retriever = retriever
        self._clock = clock
        self._policy_of = policy_of

    async def search(
        self, user_id: str, text: str, *, limit: int, period: Period = ALL_TIME, after: UUID | None = None
    ) -> FoundInChats:
        """Return messages and summaries of a user's chats from a period, the best match for a text first.

        It leaves nothing out as irrelevant. Hidden messages and erased chats are not in the log it searches.

        Raises:
            MessageNotFoundError: ``after``, the ``next`` of the page before, is not among the results.
            EmbedderError: The text could not be embedded, and words are not compared.
        """
        policy = await self._policy_of(user_id)
        reach = replace(
            policy.reach,
            log=True,
            everything=True,
            limit=_MOST,
            embedding_seconds=_SECONDS,
            log_embedding_seconds=_SECONDS,
        )
        now = self._clock()
        turn = in_zone(Turn(Scope(user_id, ""), text, f"chats:{now.isoformat()}", now, ""), policy.zone)
        ranking, _ = await self._retriever.rank_without_deadline(
            turn, lifetimes=policy.lifetimes, reach=reach, narrowed=partial(_said_in, period)
        )
        found = [each for each in ranking.ranked if _is_of_chat(each.item, period)]
        if after is not None:
            place = next((n for n, each in enumerate(found, 1) if each.item.id == after), None)
            if place is None:
                raise MessageNotFoundError
            found = found[place:]
        following = found[limit - 1].item.id if len(found) > limit else None
        return FoundInChats(tuple(found[:limit]), following, ranking.degraded)


def _said_in(period: Period, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot with the passages of a period alone."""
    passages = snapshot.passages
    if passages is None or period == ALL_TIME:
        return snapshot
    said = passages.columns.said_at
    is_in = (said >= _seconds(period.start)) & (said < _seconds(period.end))
    return replace(snapshot, passages=replace(passages, is_current=passages.is_current & is_in))


def _seconds(moment: datetime) -> float:
    """Return a moment in seconds since 1970; infinite at either end of the calendar."""
    ends = {ALL_TIME.start: -math.inf, ALL_TIME.end: math.inf}
    return ends[moment] if moment in ends else moment.timestamp()


def _is_of_chat(item: Item, period: Period) -> bool:
    if isinstance(item, Memory) and item.kind is not Kind.SUMMARY:
        return False
    return item.session_id is not None and period.start <= utc(item.dated) < period.end
