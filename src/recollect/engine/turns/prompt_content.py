"""Decides the content of a turn's prompt, by its request's options, the chat's blocks and the ranking. It neither awaits nor uses the store."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from uuid import UUID

from recollect.composition import Bounds, Placed, attached, place
from recollect.engine.policy import Policy
from recollect.index import Snapshot
from recollect.model import (
    ALL_TOLD,
    CarriedOut,
    Chat,
    Disclosure,
    Drop,
    Injection,
    Memory,
    Place,
    Placement,
    Recall,
    Recollection,
    Role,
    Skip,
    Source,
    Stage,
    Turn,
)
from recollect.model.local_time import in_zone, wall
from recollect.recall import Ranking, earlier_chats, with_chats
from recollect.recall.last_chat import ChatsAsked
from recollect.recall.needed_statements import NO_NEEDS, Needs
from recollect.recall.selection import PromptTexts, SelectionContext, is_judged, select, standing_part

_THERE = frozenset({Drop.GIVEN, Drop.IN_PROMPT, Drop.REPEATS})
"""Why that is left out which the prompt says already."""

_ANY_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """The options of one request's recall; None: as the settings have it.

    Attributes:
        limit: Memories at most.
        memory_tokens: Tokens they may take; what all blocks of the chat may take changes with it.
        history_tokens: Tokens the conversation's missing history may take.
        history: Whether the missing history is added.
        placement: Where all of it goes.
        disclosure: The memories that the LLM's server may see.
    """

    limit: int | None = None
    memory_tokens: int | None = None
    history_tokens: int | None = None
    history: bool | None = None
    placement: Placement | None = None
    recall: bool = True
    disclosure: Disclosure = ALL_TOLD


NO_OPTIONS = RecallOptions()


@dataclass(frozen=True, slots=True)
class Prepared:
    """The content for a turn's prompt.

    Attributes:
        recall: The recalled memories, and why not more.
        ranking: How it was found; None where nothing was looked for.
        flags: Marks of the recall, such as "history".
        budget: Tokens that the turn's memories may take.
        upstream: The name of the LLM's server whose policy it follows; "" where there is but one.
        carried_out: The outcome of the message's request to the memory; None without one.
        records: Whether messages are kept, by the settings of its user and of everybody.
    """

    recall: Recall
    placed: Placed = field(default_factory=Placed)
    ranking: Ranking | None = None
    flags: tuple[str, ...] = ()
    placement: Placement = Placement.STABLE
    budget: int = 0
    upstream: str = ""
    carried_out: CarriedOut | None = None
    records: bool = True

    @property
    def included(self) -> tuple[Recollection, ...]:
        """The part of it in the turn's own block."""
        return self.placed.block.recollections if self.placed.block else ()

    @property
    def in_place(self) -> tuple[Recollection, ...]:
        """The memories that would have been recalled, but are in the prompt from an earlier turn of the chat."""
        if self.recall.skipped is not None:
            return ()
        return tuple(each for each in self.recall.ranked if each.dropped is Drop.GIVEN)

    @property
    def found(self) -> tuple[Recollection, ...]:
        """The memories among them that were found for the turn, without the standing ones."""
        return tuple(each for each in self.included if each.is_found)


@dataclass(frozen=True, slots=True)
class Important:
    """The statements for every chat.

    Attributes:
        statements: The person's most important ones.
        profile: The entries of the profile that the person confirmed, as memories; they are in no list.
        known: The number of statements in all, if the prompt is to say so; 0: it is not.
    """

    statements: tuple[Memory, ...] = ()
    profile: tuple[Memory, ...] = ()
    known: int = 0


@dataclass
class RecallState:
    """The state of one turn's recall.

    Attributes:
        policy: How it is recalled for; the user's own settings count once the chat is known.
        count: Counts the tokens of a text.
        now: When it began.
        began: The same, by ``time.perf_counter``.
        over: The anchors of blocks of an earlier chat, which began with the same words.
        answers: The memory's answers to the turn's own message.
        not_helpful: The statements that the person called not helpful for questions like the turn's.
    """

    turn: Turn
    options: RecallOptions
    policy: Policy
    count: Callable[[str], int]
    now: datetime
    began: float = field(default_factory=time.perf_counter)
    chat: Chat = field(default_factory=Chat)
    over: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    not_helpful: frozenset[UUID] = frozenset()

    @property
    def milliseconds(self) -> float:
        """How long it has taken until now."""
        return (time.perf_counter() - self.began) * 1000

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline."""
        return self.policy.deadline - (time.perf_counter() - self.began)

    @cached_property
    def bounds(self) -> Bounds:
        """The places and sizes of additions for this request."""
        return _bounds_of_request(self.policy, self.options)

    @property
    def adds(self) -> bool:
        """Whether anything is added to the prompt."""
        return self.policy.recalls and self.bounds.placement is not Placement.OFF

    @property
    def searches(self) -> bool:
        """Whether anything is searched for: the request asks for recall, and its message has words to search with."""
        return self.options.recall and bool(self.turn.text)

    @property
    def wants_history(self) -> bool:
        """Whether the conversation's missing history is added."""
        return bool(self.bounds.history_tokens) and not (self.turn.is_whole and self.first_said)

    @property
    def first_said(self) -> str | None:
        """The text of the user's first earlier message in the request."""
        return next((message.text for message in self.turn.history if message.role is Role.USER), None)

    @cached_property
    def again(self) -> tuple[Injection, ...]:
        """The chat's earlier blocks that this request is given again; the chat has to be known."""
        return attached(self.turn, self.chat, self.bounds)

    @cached_property
    def prompt(self) -> PromptTexts:
        """The texts of the request, which two selections compare with."""
        return PromptTexts(self.turn.prompt)

    @property
    def is_same(self) -> bool:
        """Whether the turn is a repetition: it gets the same content as before, and nothing else."""
        return any(each.anchor == self.turn.anchor for each in self.again)

    @property
    def wants_standing(self) -> bool:
        """Whether the chat still lacks the standing statements."""
        return bool(self.bounds.standing_tokens) and not any(each.standing for each in self.again)

    @property
    def given(self) -> frozenset[UUID]:
        """The content of earlier blocks of the chat."""
        # A server that keeps the chat under its own id has all messages with their blocks, but no instructions. By an answer's id,
        # some may be in another branch.
        is_kept_whole = self.turn.is_kept and not self.turn.follows
        there = [each for each in self.chat.injections if is_kept_whole and each.place is Place.BESIDE]
        return frozenset(item for each in (*self.again, *there) for item in each.items)

    @property
    def made_of(self) -> tuple[object, ...]:
        """Everything that a choice by one ranking depends on but the time; the chat has to be known."""
        turn = replace(self.turn, at=_ANY_TIME, model="")  # several models asked at once share a choice
        return turn, self.chat, self.options, self.answers, self.count

    def know(self, chat: Chat) -> None:
        """Take note of the chat, and of its user's settings."""
        policy = self.policy.under(chat.flags)
        if policy is not self.policy:
            self.policy = policy
            self.__dict__.pop("bounds", None)  # they follow the policy
        self.turn = in_zone(self.turn, self.policy.zone)
        self.chat = chat = chat.as_told(self.options.disclosure)
        if chat.begins_anew(self.turn):
            self.over = tuple(each.anchor for each in chat.injections)
            self.chat = replace(chat, injections=())
        elif not self._has_answers(chat):  # told again: the memory's answers may have changed since
            left = tuple(each for each in chat.injections if each.anchor != self.turn.anchor)
            self.over = (self.turn.anchor,) if len(left) < len(chat.injections) else ()
            self.chat = replace(chat, injections=left)

    def _has_answers(self, chat: Chat) -> bool:
        """Return whether the chat got the same answers with this turn before."""
        own = [each.block for each in chat.injections if each.anchor == self.turn.anchor]
        return all(answer in block for block in own for answer in self.answers)

    def around(self, *, asks_for_chats: bool, lists: bool = False) -> SelectionContext:
        """Return the context of a selection; ``lists``: all statements are listed."""
        # A list has no gaps where the prompt has a statement already.
        given, prompt = ((), PromptTexts()) if lists else (self.given, self.prompt)
        return SelectionContext(
            self.turn.scope.session_id,
            asks_for_chats,
            given,
            prompt,
            self.chat.abandoned,
            self.options.disclosure,
            self.not_helpful,
        )

    def standing(
        self, important: "Important", chosen: Sequence[Recollection], needs: Needs = NO_NEEDS
    ) -> tuple[Recollection, ...]:
        """Return the standing part; if the request limits the number of memories, only as many as the chosen ones leave room for."""
        statements = *important.profile, *important.statements
        if not statements:
            return ()
        # The request has the statements' own words if they were said in this chat.
        here = self.turn.scope.session_id if self.turn.history else None
        elsewhere = [
            each
            for each in statements
            if each.source is not Source.GLOBAL  # no person said it: it is given if it is needed
            and (here is None or each.provenance.session_id != here)
            and self.options.disclosure.allows(each)
        ]
        part = standing_part(
            elsewhere,
            chosen,
            self.around(asks_for_chats=True),
            budget=self.bounds.standing_tokens,
            count=self.count,
            now=wall(self.now, self.turn.at.tzinfo),
            likely=needs.of_every_chat,
        )
        if self.options.limit is None:
            return part
        left = self.options.limit - len(chosen)
        found = {each.item.id for each in chosen}
        more = [each.item.id for each in part if each.item.id not in found][: max(left, 0)]
        return tuple(each for each in part if each.item.id in found or each.item.id in more)

    def placed(
        self,
        recollections: Sequence[Recollection],
        *,
        code_first: bool = False,
        known: int = 0,
        numbers: bool = False,
    ) -> Placed:
        """Return the places of these; the block says how many of the ``known`` statements it lacks, unless that is 0."""
        return place(
            self.turn,
            recollections,
            self.chat,
            self.bounds,
            count=self.count,
            at=self.now.astimezone(self.turn.at.tzinfo),
            code_first=code_first,
            known=known,
            answers=self.answers,
            numbers=numbers,
        )


def only_answers(state: RecallState, recall: Recall) -> Prepared:
    """Prepare the prompt if it gets only the memory's answers to the turn's own message."""
    placed = state.placed(()) if state.answers else Placed()
    return Prepared(recall, placed, placement=state.bounds.placement)


def without_recall(state: RecallState) -> Prepared:
    """Prepare the prompt without a search: it gets the chat's earlier blocks."""
    is_same = state.is_same
    flags = ("reattached",) if is_same else ()
    return Prepared(Recall(skipped=None if is_same else Skip.OFF), state.placed(()), flags=flags)


def without_ranking(state: RecallState, failed: Recall, important: Important) -> Prepared:
    """Prepare the prompt if nothing could be recalled for the turn: it gets the standing statements."""
    part = state.standing(important, ())
    recall = replace(failed, recollections=part)
    return Prepared(recall, state.placed(part), flags=("standing",) if part else ())


def selected(state: RecallState, ranking: Ranking, important: Important, snapshot: Snapshot) -> Prepared:
    """Select the ranked memories, the earlier chats and the standing statements for the prompt."""
    query, policy, limit = ranking.query, state.policy, state.options.limit
    how = policy.selecting
    if limit is not None:
        how = replace(how, limit=limit, of_log=limit)
    elif state.given:
        how = replace(how, limit=min(how.limit, how.later))
    lists = ranking.needs.everything
    around = state.around(asks_for_chats=ranking.chats is not ChatsAsked.NONE, lists=lists)
    relevant = policy.gate.opens(ranking.gate_score) and not ranking.needs.served
    # The request's own limit goes before the question's.
    needs = ranking.needs if limit is None else replace(ranking.needs, at_most=None)
    ranked = select(ranking.ranked, around, how, relevant=relevant, needs=needs)
    chats = earlier_chats(ranking.chats, ranking.ranked, snapshot, query, around, state.count)
    ranked = with_chats(chats, ranked, ranking.chats, limit)
    chosen = tuple(each for each in ranked if each.dropped is None)
    standing = state.standing(important, chosen, needs)
    given = _in_front(standing, chosen)
    known = _unlisted(state, important, ranked)
    placed = state.placed(given, code_first=bool(query.identifiers), known=known, numbers=lists)
    recall = Recall(
        recollections=given,
        ranked=_marked(ranked, standing),
        skipped=_skipped(ranked),
        degraded=ranking.degraded,
        gate_score=ranking.gate_score,
        stages=ranking.stages,
    )
    flags = (
        ("history", placed.history_tokens),
        ("code", query.identifiers),
        ("standing", placed.block is not None and placed.block.standing_tokens),
        ("chats", any(each.chat for each in chosen)),
    )
    return Prepared(recall, placed, ranking, tuple(name for name, is_so in flags if is_so))


def _unlisted(state: RecallState, important: Important, ranked: Sequence[Recollection]) -> int:
    """Return how many statements the prompt lacks; 0 for a server that may not see all."""
    if not (important.known and state.options.disclosure.is_whole):
        return 0  # the number would tell it how many it may not see
    return max(important.known - sum(each.dropped in _THERE for each in ranked if is_judged(each.item)), 0)


def finished(state: RecallState, prepared: Prepared, chat_took: float) -> Prepared:
    """Return the finished additions, with the chat's detached blocks and the milliseconds it took to read the chat."""
    # One request's option is no reason to lose blocks for good; that their chat is over is.
    placed = prepared.placed
    gone = (*(() if state.options.memory_tokens is not None else placed.detached), *state.over)
    return replace(
        prepared,
        recall=replace(prepared.recall, stages={**prepared.recall.stages, Stage.CHAT: chat_took}),
        placed=placed if gone == placed.detached else replace(placed, detached=gone),
        placement=state.bounds.placement,
        budget=_budget(state),
    )


def _budget(state: RecallState) -> int:
    """Return the tokens that the turn's memories may take: fewer where the chat was given some before."""
    bounds = state.bounds
    return min(bounds.later_tokens, bounds.memory_tokens) if state.given else bounds.memory_tokens


def _bounds_of_request(policy: Policy, options: RecallOptions) -> Bounds:
    """Return the places and sizes of additions for one request."""
    bounds = policy.bounds
    if options.memory_tokens is not None:
        share = bounds.chat_memory_tokens / max(bounds.memory_tokens, 1)
        asked = options.memory_tokens
        bounds = replace(
            bounds, memory_tokens=asked, later_tokens=asked, chat_memory_tokens=round(asked * share)
        )
    history = bounds.history_tokens if options.history_tokens is None else options.history_tokens
    return replace(
        bounds,
        placement=options.placement or bounds.placement,
        history_tokens=0 if options.history is False or not options.disclosure.history else history,
        standing_tokens=min(bounds.standing_tokens, bounds.memory_tokens // 2) if policy.stands else 0,
    )


def _skipped(ranked: Sequence[Recollection]) -> Skip | None:
    """Return why no ranked memory goes into the prompt; None if one does."""
    if any(each.dropped in {None, Drop.GIVEN} for each in ranked):
        return None
    is_withheld = any(each.dropped is Drop.UPSTREAM_POLICY for each in ranked)
    return Skip.UPSTREAM_POLICY if is_withheld else Skip.NOTHING_RELEVANT


def _in_front(standing: Sequence[Recollection], chosen: Sequence[Recollection]) -> tuple[Recollection, ...]:
    """Return the standing statements, and after them the other recalled memories."""
    there = {each.item.id for each in standing}
    return (*standing, *(each for each in chosen if each.item.id not in there))


def _marked(selected: Sequence[Recollection], standing: Sequence[Recollection]) -> tuple[Recollection, ...]:
    """Mark the standing statements among the ranked memories: they are in the prompt, even if dropped for another reason."""
    there = {each.item.id for each in standing}
    return tuple(
        replace(each, standing=True, dropped=None) if each.item.id in there else each for each in selected
    )
