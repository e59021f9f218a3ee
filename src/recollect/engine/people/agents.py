"""Operations of agents on a person's memories: read, write, forget. Its methods raise.

The texts that an agent's model reads may mislead it. So its statements are judged like those that a model extracts from a chat; one
that the person refused or has still to approve stays so. A feature that the person switched off is off for agents, too.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.backends import Backends
from recollect.engine.people.browsing import FoundInChats
from recollect.engine.people.memory_edits import MemoryEdits
from recollect.engine.policy import Policy
from recollect.errors import MemoryNotFoundError, SwitchedOffError
from recollect.formation import judge_dictated
from recollect.formation.forget_targets import says_all
from recollect.formation.learner import allowance_of
from recollect.formation.verification import HeldCandidate
from recollect.formation.wording import masked_tags
from recollect.index import Snapshot
from recollect.model import (
    COMMONS,
    SHOWN,
    STATEMENTS,
    Actor,
    Add,
    Dictated,
    Fate,
    Ignore,
    Kind,
    Memory,
    MemoryFilter,
    Profile,
    Provenance,
    Quarantine,
    Reason,
    Recollection,
    Retire,
    Scope,
    Source,
    Turn,
    Update,
    tags_named,
)
from recollect.model.local_time import wall
from recollect.ports import Clock
from recollect.recall import Ranking
from recollect.recall.needed_statements import is_over
from recollect.recall.profile_fields import importance_of
from recollect.recall.selection import choose_standing
from recollect.text.comparison import same_letter
from recollect.text.dates.date_finder import Period
from recollect.text.normalization import content_hash
from recollect.text.tokens import estimate_tokens

_NEAR = 20
"""Memories that a new statement is compared with."""
_PROFILE_TOKENS = 600
"""The most tokens of a profile's statements; an agent asks for it once, so it may be more than in a chat."""
_FORGETTABLE = STATEMENTS | {Kind.QA_TURN, Kind.PROFILE}


def filter_of(
    kind: Kind | None = None,
    tag: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> MemoryFilter:
    """Return a filter for one kind, or all kinds that people see, for one tag, or any, and for when it was said."""
    return MemoryFilter(
        SHOWN if kind is None else frozenset({kind}),
        tags=tags_named([tag] if tag else ()),
        observed_from=since,
        observed_until=until,
    )


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The forgotten memory, or, if none or more than one fits, those that may be meant, best first."""

    forgotten: Memory | None = None
    candidates: tuple[Memory, ...] = ()


class AgentMemories(MemoryEdits):
    """A person's memories as agents may use them. A method raises SwitchedOffError if it is switched off for the user.

    ``rank`` ranks them for a turn, ``chats`` searches their chats, and ``snapshot`` reads every memory recalled for a user: in
    a project the person's own, too.
    """

    def __init__(
        self,
        backends: Backends,
        policy: Policy,
        clock: Clock,
        *,
        rank: Callable[[Turn], Awaitable[Ranking]],
        chats: Callable[..., Awaitable[FoundInChats]],
        snapshot: Callable[[str], Awaitable[Snapshot]],
    ) -> None:
        super().__init__(backends, clock)
        self._policy = policy
        self._rank = rank
        self._chats = chats
        self._snapshot = snapshot

    async def found(
        self, user_id: str, query: str, *, limit: int, taken: MemoryFilter | None = None
    ) -> list[Recollection]:
        """Return the memories that rank best for a query, best first, without messages of chats. Raises EmbedderError."""
        await self._require_recall(user_id)
        turn = Turn(Scope(user_id, ""), query, "agent", self._clock(), "")
        ranking, taken = await self._rank(turn), taken or filter_of()
        return [each for each in ranking.ranked if isinstance(each.item, Memory) and taken.takes(each.item)][
            :limit
        ]

    async def in_chats(self, user_id: str, query: str, *, limit: int, period: Period) -> FoundInChats:
        """Return the messages and summaries of past chats that fit a query best, best first. Raises EmbedderError."""
        policy = await self._require_recall(user_id)
        if not policy.reach.log:
            raise SwitchedOffError("No messages of chats are recalled for this user: it is switched off.")
        return await self._chats(user_id, query, limit=limit, period=period)

    async def recent(self, user_id: str, *, limit: int, taken: MemoryFilter | None = None) -> list[Memory]:
        """Return the newest memories, newest first: those ``taken``, or every kind that people see."""
        await self._require_recall(user_id)
        return list((await self.page(user_id, limit=limit, taken=taken or filter_of())).memories)

    async def one(self, user_id: str, memory_id: UUID) -> Memory:
        """Return one memory. Raises MemoryNotFoundError."""
        await self._require_recall(user_id)
        return await self.get(user_id, memory_id)

    async def changed(self, user_id: str, since: datetime, *, limit: int) -> list[Update]:
        """Return the changes since a time, newest first, ``limit`` at most."""
        await self._require_recall(user_id)
        return [each for each in await self.history(user_id, limit=limit) if each.at >= since]

    async def profile(self, user_id: str) -> Profile:
        """Return a person's most important statements, with the confirmed entries of their profile."""
        policy = await self._require_recall(user_id)
        now = wall(self._clock(), policy.zone)
        snapshot = (await self._snapshot(user_id)).living(policy.lifetimes, self._clock())
        count = sum(not is_over(each, now) for each in snapshot.memories.judged_items)
        own = [each.as_memory(user_id, importance_of(each.field)) for each in snapshot.profile]
        chosen = choose_standing(
            (*own, *snapshot.memories.important), budget=_PROFILE_TOKENS, count=estimate_tokens, now=now
        )
        return Profile(chosen, count)

    async def dictate(
        self,
        user_id: str,
        content: str,
        *,
        kind: Kind,
        importance: float,
        tags: Sequence[str] = (),
        expires_at: datetime | None = None,
        agent: str,
    ) -> Dictated:
        """Keep a statement, unless it is known, has to be approved, or may not be kept; say which. The audit names the ``agent``."""
        await self.parts(user_id, writes=True)
        policy = self._policy.under(await self._store.flags.flags(user_id))
        if not policy.records:
            raise SwitchedOffError("Nothing is kept of this user: it is switched off.")
        allowance = await allowance_of(user_id, self._policy.rules, self._backends, at=self._clock())
        verdict = judge_dictated(content, kind=kind, importance=importance, allowance=allowance)
        if isinstance(verdict, Ignore):
            return Dictated(Fate.REJECTED, reason=verdict.reason)
        candidate = verdict.candidate
        kind, importance = candidate.kind, candidate.importance
        memory = replace(
            self._written(candidate.content, user_id, Source.EXTRACTED, kind, importance, None),
            provenance=Provenance(extractor=agent),
            tags=masked_tags(tags),
            expires_at=expires_at,
        )
        [memory] = await self._embedded_if_possible([memory])
        known = await self._known(user_id, memory)
        masked = candidate.content != content
        if known is not None:
            return Dictated(Fate.KNOWN, known, masked=masked)
        change: Add | Quarantine = Add(memory, Reason.WRITTEN, agent)
        if isinstance(verdict, HeldCandidate):
            change = Quarantine(memory, verdict.reason, agent)
        elif policy.rules.approve_first:
            change = Quarantine(memory, Reason.APPROVAL, agent, hides=False)
        return replace(await self._applied(user_id, change), masked=masked)

    async def forget_one(self, user_id: str, memory_id: UUID, *, agent: str) -> Memory:
        """Forget a memory, current or past, and return it as it was. Raises MemoryNotFoundError."""
        memory = await self.get(user_id, memory_id, past=True)
        change = Retire(memory_id, Reason.DELETED, decided_by=agent)
        home, by = await self.home(user_id, memory_id)
        await self._store.memories.apply(
            Scope(home, ""), [change], actor=Actor.AGENT, at=self._clock(), by=by
        )
        return memory

    async def forget_named(self, user_id: str, query: str, *, agent: str) -> Forgetting:
        """Forget the one memory that a query names; if it names none or several, none goes. Raises EmbedderError.

        A query names each memory that holds all its words; if one has the very words of the query, it names that one alone.
        """
        found = [each.item for each in await self.found(user_id, query, limit=_NEAR)]
        near = [each for each in found if isinstance(each, Memory) and each.kind in _FORGETTABLE]
        of = {*await self.parts(user_id), COMMONS}  # in a project nothing of the person's own is forgotten
        near = [each for each in near if each.owner in of]
        key = content_hash(query)
        same = [each for each in near if content_hash(each.content) == key]
        named = same or [each for each in near if says_all(query, each.content)]
        if len(named) == 1:
            return Forgetting(await self.forget_one(user_id, named[0].id, agent=agent))
        return Forgetting(candidates=tuple(named or near))

    async def _require_recall(self, user_id: str) -> Policy:
        policy = self._policy.under(await self._store.flags.flags(user_id))
        if not policy.recalls:
            raise SwitchedOffError("Nothing is recalled for this user: it is switched off.")
        return policy

    async def _known(self, user_id: str, memory: Memory) -> Memory | None:
        """Return the user's own memory that says the same, but for differences without meaning."""
        if memory.embedding is None or memory.embedding_model is None:
            return None
        near = await self._store.memories.nearest(
            Scope(user_id, ""), memory.embedding, memory.embedding_model, limit=_NEAR
        )
        own = (each.memory for each in near if each.memory.source is not Source.GLOBAL)
        same = (each for each in own if each.kind in STATEMENTS and same_letter(memory.content, each.content))
        return next(same, None)

    async def _applied(self, user_id: str, change: Add | Quarantine) -> Dictated:
        """Apply it, and return the change as made: the store knows equal, held back and refused statements."""
        [done] = await self._store.memories.apply(
            Scope(user_id, ""), [change], actor=Actor.AGENT, at=self._clock()
        )
        match done:
            case Add():
                await self._embed_later(user_id, done.memory)
                return Dictated(Fate.KEPT, done.memory)
            case Quarantine():
                return Dictated(Fate.HELD, reason=done.reason)
            case Ignore(target=UUID() as target):
                with suppress(MemoryNotFoundError):
                    return Dictated(Fate.KNOWN, await self.get(user_id, target))
                return Dictated(Fate.KNOWN)
            case Ignore(reason=Reason.REFUSED | Reason.TOO_MANY as reason):
                return Dictated(Fate.REJECTED, reason=reason)
            case _:
                held = Reason.APPROVAL if isinstance(change, Quarantine) else Reason.INSTRUCTION
                return Dictated(Fate.HELD, reason=held)
