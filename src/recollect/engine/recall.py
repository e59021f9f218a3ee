"""Recalls for a turn, and prepares what its prompt is given: within a deadline, and whatever fails.

Failing open for what is recalled lives here. Never: a concrete backend, bytes of a request.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakValueDictionary

import structlog

from recollect.composition import Bounds, attached, place
from recollect.deadline import within
from recollect.engine.policy import Policy
from recollect.engine.prepared import (
    NOTHING,
    Giving,
    Mattering,
    Prepared,
    Wishes,
    begins_anew,
    in_front,
    marked,
)
from recollect.errors import EmbedderError, StoreError
from recollect.failures import place as place_of
from recollect.model import Chat, Drop, Memory, Placement, Recall, Recollection, Role, Skip, Stage, Turn
from recollect.ports import Backends, Clock
from recollect.retrieval import Ranking, of_everything, rank, select

log = structlog.get_logger(__name__)

_EXCHANGES_READ = 60
"""Of a chat, to find out which of them a request lacks."""

_THERE = frozenset({Drop.GIVEN, Drop.IN_PROMPT, Drop.REPEATS})
"""Why that is left out which the prompt says already."""

_STATEMENTS_READ = 60
"""Of a user, the most important, of which what fits stands in every chat."""


class Retriever:
    """Recalls for turns of many users."""

    def __init__(self, backends: Backends, policy: Policy, clock: Clock) -> None:
        self._backends = backends
        self._policy = policy
        self._clock = clock
        self._users_turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def rank(self, turn: Turn) -> Ranking:
        """Return what may be recalled for ``turn`` as it ranks, before gate and budget and without a deadline.

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
            reach=policy.reach,
            weights=policy.weights,
            gate=policy.gate,
            bar=policy.bar,
        )

    async def prepare(self, turn: Turn, wishes: Wishes, *, count: Callable[[str], int]) -> Prepared:
        """Return what the prompt of ``turn`` is given, within the deadline; never raises."""
        if wishes.placement is Placement.OFF:
            return Prepared(Recall(skipped=Skip.OFF), placement=Placement.OFF)
        began = time.perf_counter()
        bounds = _bounds(self._policy, wishes)
        # What was changed for the user while we run comes with the chat; as a rule it leaves recall on.
        is_on = wishes.recall and self._policy.recalls and bounds.placement is not Placement.OFF
        ranking = self._begin(turn) if is_on else None
        try:
            prepared = await self._prepare(turn, wishes, bounds, ranking, count)
        except Exception as error:  # noqa: BLE001 -- a bug in recall must not cost anybody their chat
            prepared = Prepared(_failed(error), placement=bounds.placement)
        finally:
            _give_up(ranking)
        recall = replace(prepared.recall, milliseconds=_since(began))
        return replace(prepared, recall=recall)

    def _begin(self, turn: Turn) -> "asyncio.Task[Ranking]":
        return asyncio.create_task(within(self._policy.deadline, self._rank_in_turn(turn)))

    async def _rank_in_turn(self, turn: Turn) -> Ranking:
        """Rank for one turn of each user at a time: who asks many things at once waits for their own, not others for them."""
        async with self._users_turns.setdefault(turn.scope.user_id, asyncio.Lock()):
            return await self.rank(turn)

    async def _prepare(
        self,
        turn: Turn,
        wishes: Wishes,
        bounds: Bounds,
        ranking: "asyncio.Task[Ranking] | None",
        count: Callable[[str], int],
    ) -> Prepared:
        began = time.perf_counter()
        try:
            chat = await within(self._policy.deadline, self._chat(turn, bounds))
        except (TimeoutError, StoreError) as error:
            recall = replace(_failed(error), error_stage=Stage.CHAT, degraded=(Stage.CHAT,))
            return Prepared(recall, placement=bounds.placement)
        chat_took = _since(began)
        policy = self._policy.under(chat.flags)
        bounds = _bounds(policy, wishes)
        if not policy.recalls or bounds.placement is Placement.OFF:
            return Prepared(Recall(skipped=Skip.OFF), placement=bounds.placement)
        over: tuple[str, ...] = ()
        if begins_anew(turn, chat):
            over = tuple(each.anchor for each in chat.injections)
            chat = replace(chat, injections=())
        if ranking is None and wishes.recall:
            ranking = self._begin(turn)
        try:
            prepared = await self._of_chat(turn, wishes, bounds, chat, ranking, count, began)
        except Exception as error:  # noqa: BLE001 -- a bug here does not make the old chat's blocks the new one's
            prepared = Prepared(_failed(error))
        finally:
            _give_up(ranking)
        stages = {**prepared.recall.stages, Stage.CHAT: chat_took}
        # One request's wish is no reason to lose blocks for good; that their chat is over is.
        gone = () if wishes.memory_tokens is not None else prepared.placed.detached
        return replace(
            prepared,
            recall=replace(prepared.recall, stages=stages),
            placed=replace(prepared.placed, detached=(*gone, *over)),
            placement=bounds.placement,
        )

    async def _of_chat(
        self,
        turn: Turn,
        wishes: Wishes,
        bounds: Bounds,
        chat: Chat,
        ranking: "asyncio.Task[Ranking] | None",
        count: Callable[[str], int],
        began: float,
    ) -> Prepared:
        again = attached(turn, chat, bounds)
        is_same = any(each.anchor == turn.anchor for each in again)
        if ranking is None or is_same:
            # The same turn once more is given what it was given then, and nothing else.
            placed = place(turn, (), chat, bounds, count=count, at=self._clock())
            flags = ("reattached",) if is_same else ()
            return Prepared(Recall(skipped=None if is_same else Skip.OFF), placed, flags=flags)
        is_wanted = bounds.standing_tokens and not any(each.standing for each in again)
        left = self._policy.deadline - (time.perf_counter() - began)
        mattering = asyncio.create_task(self._most_important(turn, left)) if is_wanted else None
        given = frozenset(item for each in again for item in each.items)
        giving = Giving(turn, wishes.limit, bounds, chat, given, count, self._clock())
        try:
            ranked = await ranking
        except Exception as error:  # noqa: BLE001 -- what the chat was given before stays: it costs the cache to go
            return _without_ranking(giving, _failed(error), await mattering if mattering else NOTHING)
        found = await mattering if mattering else NOTHING
        if ranked.needs.everything:
            left = self._policy.deadline - (time.perf_counter() - began)
            found, statements = await self._everything(turn, found, left)
            ranked = of_everything(ranked, statements, bar=self._policy.bar)
        return self._selected(giving, ranked, found)

    async def _most_important(self, turn: Turn, seconds: float) -> Mattering:
        """Return the user's most important statements; none where the store fails, or takes longer than so many seconds."""
        began = time.perf_counter()
        asking = self._backends.memories.most_important(turn.scope, limit=_STATEMENTS_READ)
        try:
            found = await within(seconds, asking)
        except (TimeoutError, StoreError) as error:
            log.warning("standing_part_failed", error=type(error).__name__)
            return Mattering(degraded=(Stage.STANDING,))
        return Mattering(tuple(found), {Stage.STANDING: _since(began)})

    async def _everything(
        self, turn: Turn, mattering: Mattering, seconds: float
    ) -> tuple[Mattering, tuple[Memory, ...]]:
        """Return how many statements there are for who asks for all of them, and the most important."""
        counting = asyncio.create_task(
            within(seconds, self._backends.memories.count_statements(turn.scope, at=self._clock()))
        )
        asked = mattering if mattering.statements else await self._most_important(turn, seconds)
        known, failed = 0, asked.degraded
        try:
            known = await counting
        except (TimeoutError, StoreError) as error:
            log.warning("statements_not_counted", error=type(error).__name__)
            failed = (*failed, Stage.STANDING)
        told = replace(
            mattering,
            known=known,
            degraded=tuple(dict.fromkeys((*mattering.degraded, *failed))),
            stages={**asked.stages, **mattering.stages},
        )
        return told, asked.statements

    def _selected(self, giving: Giving, ranking: Ranking, mattering: Mattering) -> Prepared:
        query = ranking.query
        how, wished = self._policy.selecting, giving.limit
        if wished is not None:
            how = replace(how, limit=wished)
        elif giving.given:
            how = replace(how, limit=min(how.limit, how.later))
        around = giving.around(asks_for_before=query.asks_for_before)
        relevant = self._policy.gate.opens(ranking.gate_score) and not ranking.needs.served
        needs = ranking.needs if wished is None else replace(ranking.needs, at_most=None)
        selected, user_wide = select(ranking.ranked, around, how, relevant=relevant, needs=needs)
        chosen = tuple(each for each in selected if each.dropped is None)
        standing = giving.standing(mattering.statements, chosen)
        given = in_front(standing, chosen)
        there = sum(each.dropped in _THERE for each in selected if each.item.id in needs.scores)
        placed = giving.placed(given, code_first=query.asks_about_code, known=max(mattering.known - there, 0))
        recall = Recall(
            recollections=given,
            ranked=marked(selected, standing),
            skipped=None if any(_is_used(each) for each in selected) else Skip.NOTHING_RELEVANT,
            degraded=(*ranking.candidates.degraded, *mattering.degraded),
            gate_score=ranking.gate_score,
            user_wide=user_wide,
            stages={**ranking.candidates.stages, **mattering.stages},
        )
        flags = (
            ("user-wide", user_wide),
            ("history", placed.history_tokens),
            ("code", query.asks_about_code),
            ("standing", placed.block is not None and placed.block.standing_tokens),
        )
        return Prepared(recall, placed, ranking, tuple(name for name, is_so in flags if is_so))

    async def _chat(self, turn: Turn, bounds: Bounds) -> Chat:
        carried = next((message.text for message in turn.history if message.role is Role.USER), None)
        lacks_nothing = not bounds.history_tokens or bool(turn.is_whole and carried)
        return await self._backends.chats.chat(
            turn.scope, exchanges=0 if lacks_nothing else _EXCHANGES_READ, unless_begun=carried, turn=turn
        )


def _without_ranking(giving: Giving, failed: Recall, mattering: Mattering) -> Prepared:
    """Return what the prompt is given where nothing could be recalled for the turn: what stands in every chat."""
    part = giving.standing(mattering.statements, ())
    recall = replace(
        failed,
        recollections=part,
        degraded=(*failed.degraded, *mattering.degraded),
        stages=mattering.stages,
    )
    return Prepared(recall, giving.placed(part), flags=("standing",) if part else ())


def _bounds(policy: Policy, wishes: Wishes) -> Bounds:
    """Return where what is added goes, and how much of it, as one request has it."""
    bounds = policy.bounds
    if wishes.memory_tokens is not None:
        share = bounds.chat_memory_tokens / max(bounds.memory_tokens, 1)
        asked = wishes.memory_tokens
        bounds = replace(
            bounds, memory_tokens=asked, later_tokens=asked, chat_memory_tokens=round(asked * share)
        )
    history = bounds.history_tokens if wishes.history_tokens is None else wishes.history_tokens
    return replace(
        bounds,
        placement=wishes.placement or bounds.placement,
        history_tokens=0 if wishes.history is False else history,
        standing_tokens=min(bounds.standing_tokens, bounds.memory_tokens // 2) if policy.stands else 0,
    )


def _is_used(each: Recollection) -> bool:
    """Tell whether the prompt holds it: newly, or by an earlier turn."""
    return each.dropped is None or each.dropped is Drop.GIVEN


def _failed(error: Exception) -> Recall:
    """Return the recall that failed, and tell why; what nobody has thought of is told of by its place alone."""
    match error:
        case TimeoutError():
            return Recall(skipped=Skip.DEADLINE, error_stage=Stage.SEARCH, degraded=(Stage.SEARCH,))
        case StoreError() | EmbedderError():
            log.warning("recall_failed", error=type(error).__name__, detail=str(error))
            if isinstance(error, EmbedderError):
                return Recall(skipped=Skip.EMBEDDER, error_stage=Stage.EMBEDDING)
            return Recall(skipped=Skip.STORE, error_stage=Stage.SEARCH)
        case _:
            log.error("recall_failed", error=type(error).__name__, place=place_of(error))
            return Recall(skipped=Skip.FAILED)


def _give_up(ranking: "asyncio.Task[Ranking] | None") -> None:
    if ranking is not None:
        ranking.cancel()
        ranking.add_done_callback(lambda task: task.cancelled() or task.exception())


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
