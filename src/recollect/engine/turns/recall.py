"""Recalls for a turn, and prepares what its prompt is given, within a deadline. A failure of recall passes the chat by here."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias
from weakref import WeakValueDictionary

import structlog

from recollect.backends import Backends
from recollect.engine.policy import Policy
from recollect.engine.turns.equal_questions import EqualQuestions
from recollect.engine.turns.prompt_content import (
    Important,
    Prepared,
    RecallOptions,
    RecallState,
    finished,
    only_answers,
    selected,
    without_ranking,
    without_recall,
)
from recollect.errors import EmbedderError, StoreError, TeamNotFoundError, raised_at
from recollect.index import Passages, Snapshot
from recollect.model import (
    Chat,
    EntryState,
    Lifetimes,
    Placement,
    ProfileEntry,
    Recall,
    Skip,
    Stage,
    Turn,
    Vector,
    Versions,
    person_of,
    team_of,
)
from recollect.model.local_time import in_zone, wall
from recollect.ports import Clock
from recollect.recall import (
    ChatsAsked,
    LogSources,
    MessageVectors,
    Ranking,
    Reach,
    StatementVectors,
    Tuning,
    Watch,
    chats_of,
    compare_words,
    rank,
    statement_vectors,
    with_overview,
    with_words_of_chats,
)
from recollect.recall.needed_statements import is_over
from recollect.recall.profile_fields import importance_of
from recollect.recall.question import RecallQuery, read_of, read_query, said_before
from recollect.runtime.deadline import within
from recollect.text.memory_requests import Request, read_memory_request

log = structlog.get_logger(__name__)

_EXCHANGES_READ = 60
"""The exchanges of a chat that are read, to find those that a request lacks."""

_AT_ONCE = 2
"""The turns of one person that are prepared at a time, so that the embedder always has the next question."""

_READ_ON_LOOP, _LONG_BEFORE = 400, 4_000
"""Characters of a question that is read on the event loop, and of a message before it, of which fewer things are read."""


_Embedded: TypeAlias = tuple[StatementVectors, Watch]
"""A question's vectors for statements, and the watch that timed them."""


@dataclass(slots=True)
class _SharedRanking:
    """A ranking that equal questions share, with the last prompt that was prepared by it and all else that this was made of.

    Several models asked at once differ in nothing.
    """

    ranking: Ranking
    chosen: tuple[tuple[object, ...], Prepared] | None = None


class Retriever:
    """Recalls for turns of many users."""

    def __init__(self, backends: Backends, policy: Policy, clock: Clock) -> None:
        self._backends = backends
        self._store = backends.store
        self._policy = policy
        self._clock = clock
        self._embedded: EqualQuestions[_Embedded] = EqualQuestions(lambda made: not made[1].degraded)
        self._queries: EqualQuestions[RecallQuery] = EqualQuestions()
        self._rankings: EqualQuestions[_SharedRanking] = EqualQuestions(
            lambda shared: Stage.EMBEDDING not in shared.ranking.degraded  # the next try may have it
        )
        self._messages = MessageVectors()
        # Weak: an entry goes with the person's last turn.
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @property
    def entries(self) -> int:
        """The number of messages whose vectors are kept."""
        return self._messages.entries

    def clear(self) -> None:
        """Forget the vectors of messages, and the rankings of a moment ago."""
        self._messages.clear()
        self._embedded.clear()
        self._queries.clear()
        self._rankings.clear()

    async def rank_without_deadline(
        self,
        turn: Turn,
        *,
        lifetimes: Lifetimes,
        reach: Reach | None = None,
        narrowed: Callable[[Snapshot], Snapshot] = lambda whole: whole,
    ) -> tuple[Ranking, Snapshot]:
        """Return what may be recalled for ``turn`` as it ranks, before gate and budget.

        No memory counts whose day by ``lifetimes`` has come.
        ``narrowed`` returns the part of the person's snapshot that is ranked.

        Raises:
            EmbedderError: The turn could not be embedded.
            StoreError: The store failed.
        """
        reach = reach or self._policy.reach
        embedding = asyncio.create_task(self._embed(turn, reach))
        query = await self._read(turn)
        whole = (await self.whole_snapshot(turn.scope.user_id)).living(lifetimes, turn.at)
        snapshot = narrowed(whole)
        return await self._rank_snapshot(query, embedding, snapshot, reach), snapshot

    async def whole_snapshot(self, user_id: str) -> Snapshot:
        """Return a person's snapshot; that of a project with the person's own memory, unless it is recalled alone.

        Raises:
            TeamNotFoundError: It is of a team that the person is not in.
            StoreError: The store failed.
        """
        snapshots, person = self._store.snapshots, person_of(user_id)
        if person == user_id:
            return await snapshots.get(user_id)
        names: dict[str, str] = {}
        if team_of(user_id):
            team = await self._store.teams.around(user_id)
            if team is None:
                raise TeamNotFoundError
            names = dict(team.scopes(person))
        around = [each for each in names if each != user_id]
        around += [] if await self._store.projects.is_alone(user_id) else [person]
        project, *others = await asyncio.gather(*map(snapshots.get, (user_id, *around)))
        return await snapshots.with_others(project, others, names)

    async def prepare(
        self,
        turn: Turn,
        options: RecallOptions,
        *,
        count: Callable[[str], int],
        answers: tuple[str, ...] = (),
    ) -> Prepared:
        """Prepare the prompt of ``turn``, with the memory's answers to its own message, within the deadline; never raises."""
        if options.placement is Placement.OFF:
            return Prepared(Recall(skipped=Skip.OFF), placement=Placement.OFF)
        turn = in_zone(turn, self._policy.zone)
        state = RecallState(turn, options, self._policy, count, self._clock(), answers=answers)
        turns = self._turns.setdefault(person_of(turn.scope.user_id), asyncio.Semaphore(_AT_ONCE))
        try:
            async with asyncio.timeout(state.seconds_left):
                await turns.acquire()
            try:
                prepared = await self._prepared(state)
            finally:
                turns.release()
        except Exception as error:  # noqa: BLE001 -- a bug in recall must not cost anybody their chat
            prepared = only_answers(state, _failed(error))
        recall = replace(prepared.recall, milliseconds=state.milliseconds)
        return replace(prepared, recall=recall, records=state.policy.records)

    async def chat_of_answer(self, user_id: str, answer_id: str) -> str | None:
        """Return the user's chat that has an answer of the LLM's server; None if that is not known in time; never raises."""
        try:
            asking = self._store.chats.session_of_answer(user_id, answer_id)
            return await within(self._policy.deadline, asking)
        except (TimeoutError, StoreError) as error:  # the turn then begins a chat of its own
            log.warning("chat_lookup_failed", error=type(error).__name__)
            return None

    def _embedding(self, state: RecallState) -> "asyncio.Task[_Embedded]":
        """Begin to embed a turn's question, or take part in the embedding of an equal one."""
        turn, reach = state.turn, state.policy.reach
        key = turn.scope.user_id, reach, turn.text, said_before(turn)
        # Time spent waiting for the person's other turns counts twice: else under constant load all would be let in just too late,
        # and the embedder would work for nothing (decision 0098).
        left = replace(reach, embedding_seconds=reach.embedding_seconds - 2 * state.milliseconds / 1000)
        return self._embedded.begin(key, partial(self._embed, turn, left))

    async def _embed(self, turn: Turn, reach: Reach) -> _Embedded:
        """Embed a turn's question."""
        made = partial(statement_vectors, turn.text, said_before(turn), self._backends.embedder)
        watch = Watch()
        return await made(watch, known=self._messages, seconds=reach.embedding_seconds), watch

    async def _read(self, turn: Turn) -> RecallQuery:
        """Read a turn's question."""
        # To read a long question takes tens of milliseconds: the loop's streams don't wait for that.
        before = max((len(each.text) for each in turn.history[-2:]), default=0)
        is_long = len(turn.text) > _READ_ON_LOOP or before > _LONG_BEFORE
        return await asyncio.to_thread(read_query, turn) if is_long else read_query(turn)

    async def _rank_snapshot(
        self,
        query: RecallQuery,
        embedding: Awaitable[_Embedded],
        snapshot: Snapshot,
        reach: Reach,
        entries: tuple[ProfileEntry, ...] = (),
    ) -> Ranking:
        policy, backends = self._policy, self._backends
        compared = await compare_words(query, snapshot, reach)
        vectors, watch = await embedding
        return await rank(
            query,
            compared,
            vectors,
            sources=LogSources(
                backends.log_embedder, backends.generations, backends.store.snapshots.nearest_passages
            ),
            reach=reach,
            tuning=Tuning(gate=policy.gate, bar=policy.bar),
            watch=Watch(watch.degraded.copy(), watch.stages.copy()),  # several rankings may share the vectors
            entries=entries,
        )

    async def _prepared(self, state: RecallState) -> Prepared:
        # The user's changed settings come with the chat; usually they leave recall on.
        recalls = state.adds and state.searches and not state.options.disclosure.is_nothing
        embedding = self._embedding(state) if recalls else None
        reads_history = state.wants_history
        try:
            chat = await within(state.seconds_left, self._chat(state))
        except (TimeoutError, StoreError) as error:  # the chat says whether this person wants recall
            recall = replace(_failed(error), error_stage=Stage.CHAT, degraded=(Stage.CHAT,))
            return only_answers(state, recall)
        chat_took = state.milliseconds
        state.know(chat)
        if state.wants_history and not reads_history:  # the user's own setting differs from the others
            state.know(await within(state.seconds_left, self._chat(state)))
        if not state.adds:
            return only_answers(state, Recall(skipped=Skip.OFF))
        if chat.team is None and team_of(state.turn.scope.user_id):
            return only_answers(state, Recall(skipped=Skip.NOT_IN_TEAM))
        if state.options.disclosure.is_nothing:
            return only_answers(state, Recall(skipped=Skip.UPSTREAM_POLICY))
        try:
            prepared = await self._in_chat(state, embedding)
        except Exception as error:  # noqa: BLE001 -- a bug here does not make the old chat's blocks the new one's
            prepared = only_answers(state, _failed(error))
        return finished(state, prepared, chat_took)

    async def _in_chat(self, state: RecallState, embedding: "asyncio.Task[_Embedded] | None") -> Prepared:
        if state.is_same or not state.options.recall:
            return without_recall(state)
        try:
            snapshot = (await self._snapshot(state)).living(state.policy.lifetimes, state.now)
        except Exception as error:  # noqa: BLE001 -- earlier blocks stay: to drop them costs the prompt cache
            return without_ranking(state, _failed(error), Important())
        made_of = state.made_of  # with the counting function of all turns, before each has one of its own
        state.count = snapshot.memories.counting(state.count)
        if not state.searches:  # a photo, a recording or a file alone: there are no words to search with
            return without_ranking(state, Recall(skipped=Skip.EMPTY), self._important(state, snapshot, None))
        try:
            shared = await within(state.seconds_left, self._shared_ranking(state, snapshot, embedding))
            ranking = shared.ranking
            asks = ranking.chats is not ChatsAsked.NONE and state.policy.reach.log
            told = await within(state.seconds_left, self._with_chats(ranking, snapshot)) if asks else snapshot
        except Exception as error:  # noqa: BLE001 -- the statements for every chat are there
            return without_ranking(state, _failed(error), self._important(state, snapshot, None))
        if asks:  # equal questions do not share it: words without an entry raise no version
            return self._chosen(state, ranking, told)
        if shared.chosen is None or shared.chosen[0] != made_of:
            shared.chosen = made_of, self._chosen(state, ranking, snapshot)
        return shared.chosen[1]

    async def _with_chats(self, ranking: Ranking, snapshot: Snapshot) -> Snapshot:
        """Return a person's memory with the words of the chats that a question may ask for, in place of its log."""
        read, of_topic = self._store.snapshots.passages_of_chats, chats_of(ranking.ranked)
        said = await read(snapshot.user_id, of_topic, ranking.query.moments)
        return await asyncio.to_thread(with_words_of_chats, snapshot, said)

    def _chosen(self, state: RecallState, ranking: Ranking, snapshot: Snapshot) -> Prepared:
        """Prepare the prompt by a ranking."""
        important = self._important(state, snapshot, ranking.question)
        request = read_memory_request(state.turn.text)
        if ranking.needs.everything or (request is not None and request.asking is Request.KNOWN):
            ranking = with_overview(ranking, snapshot, bar=self._policy.bar)
            now = wall(state.now, state.turn.at.tzinfo)
            known = sum(not is_over(each, now) for each in snapshot.memories.judged_items)
            important = replace(important, known=known)
        log = snapshot if state.policy.reach.log else replace(snapshot, passages=Passages())
        state.not_helpful = ranking.not_helpful
        return selected(state, ranking, important, log)

    async def _snapshot(self, state: RecallState) -> Snapshot:
        """Return the person's snapshot; a project's with the other memories that are recalled there.

        Raises:
            StoreError: It had to be read, and the store failed.
            TimeoutError: It was not read in time.
        """
        user_id, chat = state.turn.scope.user_id, state.chat
        around = {**chat.of_team} | ({} if chat.own is None else {person_of(user_id): chat.own})
        if not around and chat.team is None:
            return await self._current(state, user_id, chat.versions)
        every = ((user_id, chat.versions), *around.items())
        project, *others = await asyncio.gather(*(self._current(state, *each) for each in every))
        names = {} if chat.team is None else dict(chat.team.scopes(person_of(user_id)))
        return await within(state.seconds_left, self._store.snapshots.with_others(project, others, names))

    async def _current(self, state: RecallState, user_id: str, versions: Versions | None) -> Snapshot:
        snapshots = self._store.snapshots
        if versions is not None and (kept := snapshots.at_hand(user_id, versions)) is not None:
            return kept
        return await within(state.seconds_left, snapshots.get(user_id, versions, log_may_follow=True))

    async def _shared_ranking(
        self, state: RecallState, snapshot: Snapshot, embedding: "asyncio.Task[_Embedded] | None"
    ) -> _SharedRanking:
        """Return a person's memory as it ranks for a turn, by the person's own settings; equal questions share it."""
        embedding = embedding or self._embedding(state)
        # The embedder works on the question by now. Meanwhile we do the work that needs no vector.
        query = await self._queries.once(read_of(state.turn), partial(self._read, state.turn))
        # An entry that is longer than the whole standing part is judged like a statement.
        judged = tuple(each for each in _allowed_entries(state, snapshot) if _is_long(state, each))
        reach = state.policy.reach
        # Within a minute no date comes nearer.
        asked = replace(query, now=query.now.replace(second=0, microsecond=0))
        key = (
            snapshot.user_id,
            snapshot.versions,
            snapshot.around,
            asked,
            said_before(state.turn),  # it shifts the vectors
            reach,
            tuple(each.id for each in judged),
        )
        ranking = self._rankings.begin(
            key, partial(self._new_shared_ranking, query, embedding, snapshot, reach, judged)
        )
        if not ranking.done():
            state.prompt.normalize()
        return await asyncio.shield(ranking)

    async def _new_shared_ranking(
        self,
        query: RecallQuery,
        embedding: "asyncio.Task[_Embedded]",
        snapshot: Snapshot,
        reach: Reach,
        entries: tuple[ProfileEntry, ...],
    ) -> _SharedRanking:
        made = asyncio.shield(embedding)
        return _SharedRanking(await self._rank_snapshot(query, made, snapshot, reach, entries))

    def _important(self, state: RecallState, snapshot: Snapshot, question: Vector | None) -> Important:
        """Return the statements for every chat, with the confirmed entries of the profile as memories.

        An entry's importance depends on its field, and on how near its embedding is to the question's.
        """
        if not state.wants_standing:
            return Important()
        model, user_id = self._backends.embedder.name, state.turn.scope.user_id
        profile = []
        for each in _allowed_entries(state, snapshot):
            embedding = each.embedding if each.embedding_model == model else None
            importance = importance_of(each.field, embedding, question)
            profile.append(each.as_memory(user_id, importance))
        return Important(snapshot.memories.important, tuple(profile))

    async def _chat(self, state: RecallState) -> Chat:
        """Return the chat; with its exchanges if the request may lack some."""
        return await self._store.chats.chat(
            state.turn.scope,
            exchanges=_EXCHANGES_READ if state.wants_history else 0,
            unless_begun=state.first_said,
            turn=state.turn,
        )


def _allowed_entries(state: RecallState, snapshot: Snapshot) -> tuple[ProfileEntry, ...]:
    """Return the confirmed entries of the profile; none if the person allows no profile."""
    if not state.chat.flags.profile:
        return ()
    return tuple(
        each for each in snapshot.profile if each.state is EntryState.CONFIRMED and not each.outdated
    )


def _is_long(state: RecallState, entry: ProfileEntry) -> bool:
    memory = entry.as_memory(state.turn.scope.user_id, importance_of(entry.field))
    return state.count(memory.labelled) > state.bounds.standing_tokens


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
            log.error("recall_failed", error=type(error).__name__, raised_at=raised_at(error))
            return Recall(skipped=Skip.FAILED)
