"""The engine: recalls for turns, logs messages, forms memories in the background, and does people's operations on their memories.

Only recall and remembering fail open: ``prepare``, ``recall`` and ``remember`` never raise. The operations that a
person asks for (``add``, ``revise``, ``forget``, ``erase``, ...) do raise, so that nothing fails silently.
It knows neither its callers nor a concrete backend.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any
from uuid import UUID

import structlog

from recollect.backends import Backends
from recollect.engine.background.formation_trial import FormationTrial, form_conversation
from recollect.engine.background.formation_worker import FormationWorker, Worker
from recollect.engine.background.model_waits import await_outcome
from recollect.engine.counters import FormationCounts, ModelUse, UserUsage
from recollect.engine.exchange_recorder import Recorder
from recollect.engine.people.agents import AgentMemories
from recollect.engine.people.browsing import ChatSearch
from recollect.engine.people.feedback_and_profiles import Profiles
from recollect.engine.policy import Policy
from recollect.engine.requests_to_memory import CONFIDENTIAL, RequestsToMemory
from recollect.engine.turns.explain import Inspection, inspection
from recollect.engine.turns.prompt_content import NO_OPTIONS, Prepared, RecallOptions
from recollect.engine.turns.recall import Retriever
from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    EVERYTHING,
    TEAM,
    Erasure,
    Memory,
    MemoryFilter,
    Message,
    Outcome,
    Placement,
    RankedMemories,
    Recall,
    RecallPage,
    RequestRecord,
    Scope,
    Source,
    Turn,
    project_scope,
)
from recollect.model.local_time import in_zone
from recollect.ports import Clock
from recollect.recall import Ranking, Reach
from recollect.text.secrets import mask
from recollect.text.tokens import estimate_tokens

log = structlog.get_logger(__name__)

_OF_MEMORIES: Mapping[str, Any] = {
    "log": False,
    "limit": 500,
    "listed": 500,
    "embedding_seconds": 5.0,
    "log_embedding_seconds": 5.0,
}
"""How far is searched for who looks through their memories: no chat waits, so more is read, and for longer."""


_REDACTED_FIELDS: Mapping[str, Collection[str]] = {
    "profile": ("content",),
    "memories": ("content", "evidence", "topics", "questions"),
    "summaries": ("content", "evidence"),
    "history": ("before", "after", "details"),
    "quarantine": ("content", "evidence", "topics", "questions"),
    "exchanges": ("answered",),
    "messages": ("content",),
    "injections": ("block",),
}
"""The texts of an export's rows that may hold a secret, by section; in an own export they are masked already."""


def system_clock() -> datetime:
    """Return now, in UTC."""
    return datetime.now(UTC)


class Engine(Profiles):
    """Long-term memory of many users, kept apart from each other."""

    def __init__(
        self,
        backends: Backends,
        policy: Policy,
        *,
        clock: Clock = system_clock,
        worker: Worker | None = None,
    ) -> None:
        """Put an engine together. Without a ``worker`` this process works in the background, as long as ``run`` runs."""
        super().__init__(backends, clock, policy)
        self._own_worker = FormationWorker(backends, policy, clock)
        self._worker = worker or self._own_worker
        self._retriever = Retriever(backends, policy, clock)
        self._recorder = recorder = Recorder(backends, policy, clock, lend=self._worker.lend)
        # Tasks of one part alone, by the part's own names.
        store = self._store
        self.remember, self.write_phase = recorder.remember, recorder.write_phase
        self.log_turn, self.log_reply = recorder.log_turn, recorder.log_reply
        self.write_notes, self.when_erased = recorder.write_notes, recorder.when_erased
        self.run, self.note_running_chats = self._worker.run, self._worker.note_running_chats
        self.drain = self._own_worker.drain
        self.chat_of_answer = self._retriever.chat_of_answer
        self.exchange_of_answer = store.log.exchange_of_answer
        self.abandon_turn, self.erased_among = store.log.abandon_turn, store.log.erased_among
        self.sessions, self.vacuum = store.memories.sessions, store.memories.vacuum
        self.outcome, self.backlog = store.inbox.outcome, store.inbox.backlog
        self.take_news, self.requeue_news = store.inbox.take_news, store.inbox.requeue_news
        self.export = store.portability.export
        self.refresh_snapshots, self.enqueue_indexing = store.snapshots.refresh, store.index.enqueue
        leave_out = partial(self.erase_session, leaves_out=True)
        self._requests = RequestsToMemory(self, leave_out, backends, policy, clock)
        self.search_chats = ChatSearch(self._retriever, clock, self.policy_of).search
        self.agents = AgentMemories(
            backends,
            policy,
            clock,
            rank=self.rank,
            chats=self.search_chats,
            snapshot=self._retriever.whole_snapshot,
        )

    async def prepare(
        self,
        turn: Turn,
        options: RecallOptions = NO_OPTIONS,
        *,
        count: Callable[[str], int] = estimate_tokens,
    ) -> Prepared:
        """Return the additions to the prompt of ``turn``, within the deadline; never raises.

        A request to the memory as a whole is carried out first, if the prompt can report it.
        """
        placement = options.placement or self.policy.bounds.placement
        carried_out = None if placement is Placement.OFF else await self._requests.carry_out(turn)
        answers = () if carried_out is None else (carried_out.report,)
        if answers and answers != (CONFIDENTIAL,):  # the message asks for nothing else
            options = replace(options, recall=False)
        prepared = await self._retriever.prepare(turn, options, count=count, answers=answers)
        return prepared if carried_out is None else replace(prepared, carried_out=carried_out)

    async def recall(self, turn: Turn) -> Recall:
        """Return what may go into the prompt of ``turn``, within the deadline; never raises."""
        return (await self.prepare(turn)).recall

    async def rank(self, turn: Turn, *, reach: Reach | None = None) -> Ranking:
        """Return what may be recalled for ``turn`` as it ranks, before the gate and without a deadline. Raises EmbedderError."""
        policy = await self.policy_of(turn.scope.user_id)
        ranking, _ = await self._retriever.rank_without_deadline(
            in_zone(turn, policy.zone), reach=reach, lifetimes=policy.lifetimes
        )
        return ranking

    async def search(
        self,
        user_id: str,
        text: str,
        *,
        limit: int,
        taken: MemoryFilter = EVERYTHING,
    ) -> RankedMemories:
        """Return at most ``limit`` of the user's memories that serve a text best, ranked as for a chat's turn, but ungated.

        By meaning and by words; without the embedder by words alone, or EmbedderError is raised where words are not searched for. They
        include no memory that serves everybody, and no message of the log, and only memories that are ``taken``.
        """
        now = self._clock()
        turn = Turn(Scope(user_id, ""), text, key=f"search:{now.isoformat()}", at=now, model="")
        ranking = await self.rank(turn, reach=replace(self.policy.reach, **_OF_MEMORIES))
        of = {*await self.parts(user_id), COMMONS}
        fitting = (
            (each.item, float(each.score), tuple((name, float(value)) for name, value in each.parts))
            for each in ranking.ranked
            if isinstance(each.item, Memory)
            and each.item.owner in of
            and each.item.source is not Source.GLOBAL
            and taken.takes(each.item)
        )
        found = list(islice(fitting, limit))
        memories = await self._store.memories.counted(user_id, [memory for memory, *_ in found])
        of_today = zip(memories, found, strict=True)
        return RankedMemories(
            tuple((memory, score, parts) for memory, (_, score, parts) in of_today), ranking.degraded
        )

    async def erase(self, user_id: str) -> Erasure:
        """Delete everything of this user, look through all of it once more, and prove it by counts."""
        now = self._clock()
        self._recorder.note_erasure(user_id, now)  # first, so that nothing waiting slips in behind it
        scopes = await self.scopes_of(user_id)
        for each in scopes[1:]:
            self._recorder.note_erasure(each, now)
        erasure = await self._store.memories.erase(user_id, at=now)
        for each in scopes:
            self._store.snapshots.forget(each)
        self._clear_caches()
        remembered = sum(cache.entries for cache in self._backends.caches)
        remembered += self._store.snapshots.has(user_id) + self._retriever.entries
        erasure = await self._erase_spooled(user_id, erasure)
        # Once more, to count the entries that were still there.
        again = await self._erase_spooled(user_id, replace(erasure, rows=()))
        left = (*erasure.left, *again.rows, ("caches", remembered))
        if any(count for _, count in left):
            log.warning("rows_left_after_erasure", left={name: count for name, count in left if count})
        return replace(erasure, left=left)

    async def erase_team(self, team: str) -> list[Erasure]:
        """Delete everything stated and said in a team, then the team; return the proof of each member's part.

        Raises TeamNotFoundError.
        """
        members = (await self._store.teams.one(team)).members
        parts = [project_scope(each.person, f"{TEAM}{team}") for each in members]
        erased: list[Erasure] = []
        while True:
            erased += [await self.erase(each) for each in parts]
            parts = await self._store.teams.delete(team)
            if not parts:  # else a member's turn was written meanwhile
                return erased

    async def erase_session(self, scope: Scope, *, leaves_out: bool = False) -> Erasure:
        """Delete one chat of a user and what only it taught, and prove it by counts; keep nothing of it from now on if it ``leaves_out``."""
        now = self._clock()
        self._recorder.note_erasure(scope, now)
        erasure = await self._store.memories.erase_session(scope, at=now, leaves_out=leaves_out)
        self._clear_caches()
        # A memory that came back may have no embedding of today's model.
        await self._store.index.enqueue(scope.user_id)
        return await self._erase_spooled(scope, erasure)

    async def _erase_spooled(self, erased: Scope | str, erasure: Erasure) -> Erasure:
        """Delete the entries that wait for the log, too; those in other processes are not logged any more."""
        if self._backends.spool is None:
            return erasure
        try:
            count = await self._backends.spool.erase(erased, at=erasure.at)
        except OSError as error:
            raise StoreError(f"What waits to be logged can't be erased ({type(error).__name__}).") from None
        return replace(erasure, rows=(*erasure.rows, ("spool", count)))

    async def restore(self, user_id: str, section: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Keep rows that ``export`` yielded, secrets masked; return how many are new. Existing rows stay as they are."""
        fields = (
            _REDACTED_FIELDS.get(section, ()) if section != "messages" or not self.policy.log_secrets else ()
        )
        masked = await asyncio.to_thread(_masked_rows, rows, fields)
        return await self._store.portability.restore(user_id, section, masked)

    async def restored(self, user_id: str) -> None:
        """Index and embed the restored rows, and form those that are not formed yet."""
        self._clear_caches()
        await self._store.index.enqueue(user_id)

    def _clear_caches(self) -> None:
        super()._clear_caches()
        self._retriever.clear()
        self._worker.clear_caches()

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return the record of a request with its recalled memories and the reasons; None if there is none (any more)."""
        found = await self._store.requests.request(request_id)
        return None if found is None else (await self._with_allowed_questions(found.scope.user_id, found))[0]

    async def request_of(self, user_id: str, request_id: UUID) -> RequestRecord | None:
        """Return the record of a user's request; None if there is none (any more)."""
        found = await self._store.requests.request_of(user_id, request_id)
        return None if found is None else (await self._with_allowed_questions(user_id, found))[0]

    async def recalls(self, user_id: str, *, limit: int, after: UUID | None = None) -> RecallPage:
        """Return the memories in the user's last requests, or why there are none, newest first, after the request ``after``."""
        requests = self._store.requests
        found = await requests.requests_of(user_id, limit=limit + 1, after=after)
        page = await self._with_allowed_questions(user_id, *found[:limit])
        items = {item for each in page for item, _ in each.given}
        scopes = await self.scopes_within_reach(user_id, writes=False) if items else ()
        contents = await requests.contents(user_id, items, scopes) if items else {}
        not_helpful = await self._store.feedback.of_requests(user_id, [each.id for each in page])
        return RecallPage(page, contents, page[-1].id if len(found) > limit else None, not_helpful)

    async def _with_allowed_questions(
        self, user_id: str, *records: RequestRecord
    ) -> tuple[RequestRecord, ...]:
        """Return the user's records, without the questions if they are to stay hidden."""
        if self.policy.under(await self._store.flags.flags(user_id)).tells_queries:
            return records
        return tuple(replace(each, question=None) for each in records)

    async def unembedded(self, user_id: str) -> int:
        """Count what of a user's has no embedding of the embedders in use, and is to have one."""
        return await self._store.index.count_unembedded(
            user_id, self._backends.embedder.name, self._backends.log_embedder.name
        )

    async def formed(self, scope: Scope, key: str, *, seconds: float) -> Outcome | None:
        """Wait at most so long until memories of a turn are formed, or never will be; None if the log lacks it."""
        return await await_outcome(lambda: self.outcome(scope, key), seconds)

    async def inspect(self, turn: Turn) -> Inspection:
        """Return what would be recalled for a turn, and why; nothing is written, and no memory counts as used."""
        flags = await self._store.flags.flags(turn.scope.user_id)
        prepared = await self._retriever.prepare(turn, RecallOptions(history=False), count=estimate_tokens)
        return inspection(prepared, flags)

    async def try_formation(
        self, user_id: str, conversation: Sequence[Message], *, model: str = ""
    ) -> FormationTrial:
        """Return the statements that a model would keep of a conversation, and why; nothing is stored but the count of its tokens.

        The model of the chat is asked if no other is named to form memories.

        Raises:
            ExtractorError: There is no model, it failed, or its budget is spent.
        """
        policy = await self.policy_of(user_id)
        return await form_conversation(self._backends, policy, self._clock, user_id, conversation, model)

    @property
    def counts(self) -> FormationCounts:
        """The work of formation since the start."""
        return self._worker.counts

    async def usage(self, user_id: str) -> UserUsage:
        """Return the tokens of background models for a user today, and their budget."""
        day = self._clock().date()
        used = await self._store.usage.used(user_id, day)
        return UserUsage(day, used.user, self.policy.budget.user)

    async def model_use(self) -> ModelUse:
        """Return how the calls of models in the background stand."""
        used = await self._store.usage.used_by_all(self._clock().date())
        return ModelUse(used, self.policy.budget, self._worker.guarded, self._clock())


def _masked_rows(rows: Sequence[Mapping[str, Any]], fields: Collection[str]) -> list[Mapping[str, Any]]:
    """Return rows with the secrets masked in these fields."""
    return [
        {**row, **{name: _without_secrets(row[name]) for name in fields if row.get(name)}} if fields else row
        for row in rows
    ]


def _without_secrets(value: Any) -> Any:
    """Return a text, texts, or the details of an edit, whose hints are texts, with the secrets masked."""
    if isinstance(value, str):
        return mask(value).text
    if isinstance(value, list):
        return [_without_secrets(each) for each in value]
    return {
        name: _without_secrets(each) if each and name in {"now", "hints", "topics", "questions"} else each
        for name, each in value.items()
    }
