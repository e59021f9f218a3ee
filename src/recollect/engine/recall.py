"""Recalls for a turn, and prepares what its prompt is given: within a deadline, and whatever fails.

A failure of recall passes the chat by here. Never: a concrete backend, bytes of a request.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from recollect.deadline import within
from recollect.engine.policy import Policy
from recollect.engine.prepared import (
    ImportantStatements,
    Prepared,
    RecallOptions,
    RecallState,
    finished,
    only_answers,
    selected,
    without_ranking,
    without_recall,
)
from recollect.errors import EmbedderError, StoreError
from recollect.failures import place
from recollect.model import (
    Chat,
    EntryState,
    Memory,
    Placement,
    ProfileEntry,
    Recall,
    Skip,
    Stage,
    Turn,
    Vector,
)
from recollect.model.local_time import in_zone, wall
from recollect.ports import Backends, Clock
from recollect.retrieval import Ranking, SearchReach, of_everything, rank, with_entries
from recollect.retrieval.profile_fields import importance_of
from recollect.text.cues.memory_requests import Request, read_memory_request

log = structlog.get_logger(__name__)

_EXCHANGES_READ = 60
"""The exchanges of a chat that are read, to find those that a request lacks."""

_STATEMENTS_READ = 60
"""The most important statements of a user; every chat gets those that fit."""


_ZONES_KEPT = 10_000


class Retriever:
    """Recalls for turns of many users."""

    def __init__(self, backends: Backends, policy: Policy, clock: Clock) -> None:
        self._backends = backends
        self._policy = policy
        self._clock = clock
        self._zones: LRUCache[str, tzinfo] = LRUCache(_ZONES_KEPT)
        self._users_turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def clear_caches(self) -> None:
        """Forget the time zones learned of people."""
        self._zones.clear()

    async def rank(self, turn: Turn, *, reach: SearchReach | None = None) -> Ranking:
        """Return what may be recalled for ``turn`` as it ranks, before gate and budget and without a deadline.

        Args:
            turn: What is asked.
            reach: How far is searched; None: as the policy has it.

        Raises:
            EmbedderError: The turn could not be embedded.
            StoreError: The store could not be asked.
        """
        policy = self._policy
        return await rank(
            turn,
            embedder=self._backends.embedder,
            second_embedder=self._backends.second_embedder,
            store=self._backends.memories,
            reach=reach or policy.reach,
            weights=policy.weights,
            gate=policy.gate,
            bar=policy.bar,
            generations=self._backends.generations,
        )

    async def prepare(
        self,
        turn: Turn,
        options: RecallOptions,
        *,
        count: Callable[[str], int],
        answers: tuple[str, ...] = (),
    ) -> Prepared:
        """Prepare the prompt of ``turn`` within the deadline; never raises.

        Args:
            turn: What was said.
            options: What its request asks for.
            count: Counts the tokens of a text.
            answers: The memory's answers to the turn's own message, for the prompt.
        """
        if options.placement is Placement.OFF:
            return Prepared(Recall(skipped=Skip.OFF), placement=Placement.OFF)
        turn = in_zone(turn, self._zones.get(turn.scope.user_id, self._policy.zone))
        state = RecallState(turn, options, self._policy, count, self._clock(), answers=answers)
        # The user's changed settings come with the chat; usually they leave recall on.
        if state.adds and state.searches and not options.disclosure.is_nothing:
            state.ranking = self._begin(turn)
        try:
            prepared = await self._prepared(state)
        except Exception as error:  # noqa: BLE001 -- a bug in recall must not cost anybody their chat
            prepared = only_answers(state, _failed(error))
        finally:
            _give_up(state.ranking)
        return replace(prepared, recall=replace(prepared.recall, milliseconds=state.milliseconds))

    async def chat_of_answer(self, user_id: str, answer_id: str) -> str | None:
        """Return the user's chat that has an answer of the LLM's server; None if that is not known in time; never raises."""
        try:
            asking = self._backends.chats.session_of_answer(user_id, answer_id)
            return await within(self._policy.deadline, asking)
        except (TimeoutError, StoreError) as error:
            log.warning("chat_not_known", error=type(error).__name__)
            return None

    def _begin(
        self, turn: Turn, reach: SearchReach | None = None, seconds: float | None = None
    ) -> "asyncio.Task[Ranking]":
        deadline = self._policy.deadline if seconds is None else seconds
        return asyncio.create_task(within(deadline, self._rank_in_turn(turn, reach)))

    async def _rank_in_turn(self, turn: Turn, reach: SearchReach | None) -> Ranking:
        """Rank one turn of each user at a time, so that a person with many questions at once holds up no other."""
        async with self._users_turns.setdefault(turn.scope.user_id, asyncio.Lock()):
            return await self.rank(turn, reach=reach)

    async def _prepared(self, state: RecallState) -> Prepared:
        reads_history = state.wants_history
        try:
            chat = await within(self._policy.deadline, self._chat(state))
        except (TimeoutError, StoreError) as error:
            recall = replace(_failed(error), error_stage=Stage.CHAT, degraded=(Stage.CHAT,))
            return only_answers(state, recall)
        chat_took = state.milliseconds
        zone = state.turn.at.tzinfo
        state.know(chat)
        self._zones[state.turn.scope.user_id] = state.policy.zone
        if state.wants_history and not reads_history:  # the user's own setting differs from the others
            state.know(await within(state.seconds_left, self._chat(state)))
        if not state.adds:
            return only_answers(state, Recall(skipped=Skip.OFF))
        if state.options.disclosure.is_nothing:
            return only_answers(state, Recall(skipped=Skip.UPSTREAM_POLICY))
        is_otherwise = state.policy.reach != self._policy.reach or state.turn.at.tzinfo != zone
        if state.ranking is not None and is_otherwise:
            _give_up(
                state.ranking
            )  # the few who search otherwise, or whose zone is new, wait for the chat first
            state.ranking = self._begin(state.turn, state.policy.reach, state.seconds_left)
        if state.ranking is None and state.searches:
            state.ranking = self._begin(state.turn, state.policy.reach)
        try:
            prepared = await self._in_chat(state)
        except Exception as error:  # noqa: BLE001 -- a bug here does not make the old chat's blocks the new one's
            prepared = only_answers(state, _failed(error))
        return finished(state, prepared, chat_took)

    async def _in_chat(self, state: RecallState) -> Prepared:
        if state.is_same or not state.options.recall:
            return without_recall(state)
        asking = asyncio.create_task(self._important(state))
        if state.ranking is None:  # a photo, a recording or a file alone: there are no words to search with
            important = self._with_profile(state, await asking, None)
            return without_ranking(state, Recall(skipped=Skip.EMPTY), important)
        try:
            ranking = await state.ranking
        except Exception as error:  # noqa: BLE001 -- what the chat was given before stays: it costs the cache to go
            important = self._with_profile(state, await asking, None)
            return without_ranking(state, _failed(error), important)
        question = ranking.candidates.second_question
        important = self._with_profile(state, await asking, question)
        request = read_memory_request(state.turn.text)
        if ranking.needs.everything or (request is not None and request.asking is Request.KNOWN):
            important, statements = await self._everything(state, important)
            ranking = of_everything(ranking, statements, bar=self._policy.bar)
        elif long := self._long_entries(state, important, question):
            ranking = with_entries(ranking, long, bar=self._policy.bar)
        return selected(state, ranking, important)

    async def _important(self, state: RecallState) -> ImportantStatements:
        """Return the standing statements for the chat; once it has them, the profile alone, which recall searches, too."""
        if state.wants_standing:
            return await self._most_important(state)
        return ImportantStatements(entries=await self._profile(state) or ())

    def _long_entries(
        self, state: RecallState, important: ImportantStatements, question: Vector | None
    ) -> list[tuple[Memory, float | None]]:
        """Return the profile's entries that are longer than the whole standing part, with their cosines to the question."""
        found = []
        for each in important.entries:
            memory = each.as_memory(state.turn.scope.user_id, importance_of(each.field, None, None))
            if state.count(memory.labelled) > state.bounds.standing_tokens:
                found.append((memory, self._cosine(each, question)))
        return found

    def _cosine(self, entry: ProfileEntry, question: Vector | None) -> float | None:
        """Return the cosine of an entry to the question; None if they are not by the same embedder."""
        second = self._backends.second_embedder
        if (
            second is None
            or entry.embedding_model != second.name
            or entry.embedding is None
            or question is None
        ):
            return None
        return float(entry.embedding @ question)

    async def _most_important(self, state: RecallState) -> ImportantStatements:
        """Return the user's most important statements, and their profile; none where the store fails, or is late."""
        began = time.perf_counter()
        asking = self._backends.memories.most_important(state.turn.scope, limit=_STATEMENTS_READ)
        reading = asyncio.create_task(self._profile(state))
        try:
            found = await within(state.seconds_left, asking)
        except (TimeoutError, StoreError) as error:
            log.warning("standing_part_failed", error=type(error).__name__)
            return ImportantStatements(degraded=(Stage.STANDING,), entries=await reading or ())
        entries = await reading
        return ImportantStatements(
            tuple(found),
            {Stage.STANDING: (time.perf_counter() - began) * 1000},
            degraded=() if entries is not None else (Stage.STANDING,),
            entries=entries or (),
        )

    async def _profile(self, state: RecallState) -> tuple[ProfileEntry, ...] | None:
        """Return the user's confirmed profile entries; none if they allow no profile; None if the store fails or is late."""
        if not state.chat.flags.profile:
            return ()
        asking = self._backends.profiles.profile(state.turn.scope.user_id)
        try:
            found = await within(state.seconds_left, asking)
        except (TimeoutError, StoreError) as error:
            log.warning("profile_failed", error=type(error).__name__)
            return None
        return tuple(
            each for each in found.entries if each.state is EntryState.CONFIRMED and not each.outdated
        )

    def _with_profile(
        self, state: RecallState, important: ImportantStatements, question: Vector | None
    ) -> ImportantStatements:
        """Return the important statements with the user's confirmed profile entries added as memories.

        An entry's importance depends on its field, and on how near its embedding is to the question's.
        """
        if not state.wants_standing:
            return important
        second = self._backends.second_embedder
        profile = []
        for each in important.entries:
            is_read = second is not None and each.embedding_model == second.name
            importance = importance_of(each.field, each.embedding if is_read else None, question)
            profile.append(each.as_memory(state.turn.scope.user_id, importance))
        return replace(important, profile=tuple(profile))

    async def _everything(
        self, state: RecallState, important: ImportantStatements
    ) -> tuple[ImportantStatements, tuple[Memory, ...]]:
        """Return how many statements there are for who asks for all of them, and the most important."""
        asking = self._backends.memories.count_statements(
            state.turn.scope, at=wall(state.now, state.turn.at.tzinfo)
        )
        counting = asyncio.create_task(within(state.seconds_left, asking))
        asked = important if important.statements else await self._most_important(state)
        known, failed = 0, asked.degraded
        try:
            known = await counting
        except (TimeoutError, StoreError) as error:
            log.warning("statements_not_counted", error=type(error).__name__)
            failed = (*failed, Stage.STANDING)
        told = replace(
            important,
            known=known,
            degraded=tuple(dict.fromkeys((*important.degraded, *failed))),
            stages={**asked.stages, **important.stages},
        )
        return told, asked.statements

    async def _chat(self, state: RecallState) -> Chat:
        """Return the chat; with its exchanges if the request may lack some."""
        return await self._backends.chats.chat(
            state.turn.scope,
            exchanges=_EXCHANGES_READ if state.wants_history else 0,
            unless_begun=state.first_said,
            turn=state.turn,
        )


def _failed(error: Exception) -> Recall:
    """Return the recall that failed, and log the reason; of an unexpected error the log has the place alone."""
    match error:
        case TimeoutError():
            return Recall(skipped=Skip.DEADLINE, error_stage=Stage.SEARCH, degraded=(Stage.SEARCH,))
        case StoreError() | EmbedderError():
            log.warning("recall_failed", error=type(error).__name__, detail=str(error))
            if isinstance(error, EmbedderError):
                return Recall(skipped=Skip.EMBEDDER, error_stage=Stage.EMBEDDING)
            return Recall(skipped=Skip.STORE, error_stage=Stage.SEARCH)
        case _:
            log.error("recall_failed", error=type(error).__name__, place=place(error))
            return Recall(skipped=Skip.FAILED)


def _give_up(ranking: "asyncio.Task[Ranking] | None") -> None:
    if ranking is not None:
        ranking.cancel()
        ranking.add_done_callback(lambda task: task.cancelled() or task.exception())
