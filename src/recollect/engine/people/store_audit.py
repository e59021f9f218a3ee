"""Finds faults in the memories of a store, user by user, and repairs them undoably. Its methods raise.

It asks the rules by which memories are formed (`recollect.formation.memory_faults`), and needs no model; one may be asked
about pairs. It reads a user's memories in pages. To find pairs it keeps two numbers for each memory read, for 100,000
at most.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.people.memory_edits import MemoryEdits
from recollect.errors import (
    DuplicateMemoryError,
    ExtractorUnusableError,
    MemoryNotFoundError,
    NotUndoableError,
)
from recollect.formation.breaker_and_budget import CallGuard, TokenBudget
from recollect.formation.memory_faults import contradiction_of, duplicate_of, faults_of
from recollect.formation.verification import FormationRules
from recollect.model import (
    ALL_TOLD,
    STATEMENTS,
    Action,
    Actor,
    Candidate,
    Change,
    Disclosure,
    Doubt,
    EmbeddedRevision,
    Exchange,
    Fault,
    Finding,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Relation,
    Replace,
    Retire,
    Revision,
    Scope,
    Turn,
    Update,
)
from recollect.models.background_limits import Yielding
from recollect.ports import Clock
from recollect.text.comparison import distinction, frame_key, of_memory, repetition_key

_NEAR = 8
"""The most older memories that the model is shown with one."""
_MOST_KEPT = 100_000
"""The most answers that are kept, so that a repair does exactly as shown."""


class DuplicateFinder:
    """Finds pairs of memories by a model; ``tells`` returns the part of a user's memory that the model's server may see, by default all."""

    def __init__(
        self,
        backends: Backends,
        budget: TokenBudget,
        clock: Clock,
        tells: Callable[[str], Disclosure] = lambda _user_id: ALL_TOLD,
    ) -> None:
        self._backends = backends
        self._tells = tells
        self._guard = CallGuard(backends.store.usage, budget, clock, Yielding(yields=False, idle=None))
        self._answers: dict[UUID, tuple[Finding, ...]] = {}

    async def findings(self, user_id: str, memories: Sequence[Memory]) -> AsyncIterator[Finding]:
        """Yield which of a user's memories repeat older ones, or contradict them; each is asked about once.

        Raises ExtractorError and EmbedderError.
        """
        disclosure = self._tells(user_id)
        new = [
            each
            for each in memories
            if each.kind in STATEMENTS and each.id not in self._answers and disclosure.allows(each)
        ]
        vectors = await self._backends.embedder.embed([each.content for each in new]) if new else []
        for memory, vector in zip(new, vectors, strict=True):
            # One more than wanted, as the memory itself is among them.
            found = await self._backends.store.memories.nearest(
                Scope(user_id, ""), vector, self._backends.embedder.name, limit=_NEAR + 1
            )
            near = [each.memory for each in found if each.score >= self._backends.embedder.gate]
            older = [
                each
                for each in near
                if each.kind in STATEMENTS and disclosure.allows(each) and _is_before(each, memory)
            ]
            answer = tuple([each async for each in self._findings(user_id, memory, older)]) if older else ()
            self._answers[memory.id] = answer
            if len(self._answers) > _MOST_KEPT:
                del self._answers[next(iter(self._answers))]  # the oldest
        for memory in memories:
            for finding in self._answers.get(memory.id, ()):
                yield finding

    async def _findings(
        self, user_id: str, memory: Memory, older: Sequence[Memory]
    ) -> AsyncIterator[Finding]:
        extractor = self._backends.extractor
        if extractor is None:
            raise ExtractorUnusableError
        turn = Turn(Scope(user_id, ""), memory.content, "", memory.observed_at, "")
        exchange = Exchange(memory.id, turn, "", memory.id, memory.id)
        extracted = await self._guard.call(user_id, lambda: extractor.extract([exchange], older))
        for candidate in extracted.candidates:
            for finding in _related(candidate, memory, older):
                yield finding


def _is_before(one: Memory, memory: Memory) -> bool:
    """Return whether one of a user's own memories is older than another."""
    if one.owner != memory.owner or one.id == memory.id or one.doubt is not None:
        return False
    return (one.observed_at, one.id) < (memory.observed_at, memory.id)


def _related(candidate: Candidate, memory: Memory, older: Sequence[Memory]) -> list[Finding]:
    """Return the faults that a model's word on a memory leads to."""
    about = [(number, older[number]) for number in candidate.about if 0 <= number < len(older)]
    if candidate.relation is Relation.CONTRADICTS:
        return [
            Finding(
                Fault.CONTRADICTION,
                each,
                Reason.CONTRADICTS,
                memory,
                decided_by=f"model: contradicts {number}",
            )
            for number, each in about
            if each.holds_until is None or each.holds_until > memory.dated
        ]
    if candidate.relation is not Relation.REPEATS:
        return []
    return [
        Finding(Fault.DUPLICATE, memory, Reason.REPEATS, each, decided_by=f"model: repeats {number}")
        for number, each in about[:1]
        if distinction(of_memory(memory), of_memory(each)) is None
    ]


_PAGE = 200
_MOST_KEYS = 100_000
"""Memories of one user among which pairs are found: a newer and an older one further apart are not compared."""
_MOST_MESSAGES = 20
"""The most messages of a memory that are read, the last ones: one with its words is enough."""
_MOST_UPDATES = 50
"""The newest changes of a memory among which one by a person is looked for."""

_IN_PAIRS = frozenset({Fault.DUPLICATE, Fault.CONTRADICTION})

_JUDGED_BY_PEOPLE = frozenset({Fault.ORDER, Fault.NO_SOURCE, Fault.WRONG_DATE, Fault.JUNK})
"""Faults that a person's own decision overrules: they wrote, approved, corrected or confirmed the memory."""


@dataclass(slots=True)
class _Pairs:
    """The numbers by which earlier memories are found; each leads to one memory."""

    repetitions: dict[int, UUID] = field(default_factory=dict)
    frames: dict[int, UUID] = field(default_factory=dict)

    def add_pair(self, numbers: dict[int, UUID], number: int, memory_id: UUID) -> None:
        numbers[number] = memory_id
        if len(numbers) > _MOST_KEYS:
            del numbers[next(iter(numbers))]


class StoreAudit(MemoryEdits):
    """Finds faults of memories, and repairs them; asks no model without ``asked``. Every method raises StoreError when the store fails."""

    def __init__(
        self, backends: Backends, rules: FormationRules, clock: Clock, *, asked: DuplicateFinder | None = None
    ) -> None:
        super().__init__(backends, clock)
        self._rules = rules
        self._asked = asked
        self.runs, self.repaired_users = self._store.repairs.runs, self._store.repairs.users

    async def users(self) -> list[str]:
        """Return the users of whom memories are kept; a project is one of its own."""
        return [each.id for each in await self._store.memories.users(projects=True) if each.memories]

    async def findings(self, user_id: str, wanted: Collection[Fault]) -> AsyncIterator[Finding]:
        """Yield the wanted faults of a user's own memories, the newest memory first; shared ones are repaired by no user.

        Raises ExtractorError and EmbedderError if a model is to be asked, and can't be.
        """
        pairs, reported = _Pairs(), set[tuple[Fault, UUID]]()
        after: UUID | None = None
        while True:
            page = await self._store.memories.page(user_id, limit=_PAGE, after=after)
            own = [each for each in page.memories if each.owner == user_id]
            async for finding in self._of_page(user_id, own, pairs):
                if finding.fault in wanted and not await self._is_stood_behind(user_id, finding):
                    yield finding
                if self._asked is not None and finding.fault in _IN_PAIRS:
                    reported.add((finding.fault, finding.memory.id))
            if self._asked is not None and not _IN_PAIRS.isdisjoint(wanted):
                async for finding in self._asked.findings(user_id, own):
                    if finding.fault in wanted and (finding.fault, finding.memory.id) not in reported:
                        yield finding
            after = page.next
            if after is None:
                return

    async def _of_page(self, user_id: str, own: Sequence[Memory], pairs: _Pairs) -> AsyncIterator[Finding]:
        said = await self._exchanges_of(user_id, own)
        for memory in own:
            rests_on = [said[each] for each in _read_of(memory) if each in said]
            for finding in faults_of(memory, rests_on, rules=self._rules, at=self._clock()):
                yield finding
            async for finding in self._in_pairs(user_id, memory, pairs):
                yield finding

    async def _exchanges_of(self, user_id: str, memories: Sequence[Memory]) -> dict[UUID, Exchange]:
        messages = list(dict.fromkeys(each for memory in memories for each in _read_of(memory)))
        found = await self._store.repairs.said(user_id, messages) if messages else []
        return {each.message_id: each for each in found}

    async def _in_pairs(self, user_id: str, memory: Memory, pairs: _Pairs) -> AsyncIterator[Finding]:
        """Yield the faults of a memory compared with newer ones."""
        if memory.kind not in STATEMENTS:
            return
        repetition, frame = repetition_key(memory.content), frame_key(memory.content)
        stays = memory.id
        newer = await self._known(user_id, pairs.repetitions.get(repetition))
        if newer is not None and (found := duplicate_of(memory, newer)):
            yield found
            stays = found.other.id if found.other else stays
        pairs.add_pair(pairs.repetitions, repetition, stays)
        if frame is None:
            return
        newer = await self._known(user_id, pairs.frames.get(frame))
        if newer is not None and (found := contradiction_of(memory, newer)):
            yield found
        if newer is None:
            pairs.add_pair(pairs.frames, frame, memory.id)

    async def _known(self, user_id: str, memory_id: UUID | None) -> Memory | None:
        if memory_id is None:
            return None
        try:
            return await self._store.memories.get(user_id, memory_id)
        except MemoryNotFoundError:  # it was repaired, or taken away, meanwhile
            return None

    async def _is_stood_behind(self, user_id: str, finding: Finding) -> bool:
        """Return whether a person wrote, approved, corrected, confirmed or brought back the memory."""
        if finding.fault not in _JUDGED_BY_PEOPLE:
            return False
        updates = await self._store.memories.history(user_id, finding.memory.id, limit=_MOST_UPDATES)
        return any(_stands_behind(each, finding) for each in updates)

    async def repair(self, user_id: str, wanted: Collection[Fault], *, run: UUID) -> int:
        """Repair the wanted faults of a user's memories, of each memory one; return how many. ``run`` names the run, to undo it.

        Earlier repairs stay when the store fails.
        """
        repaired: set[UUID] = set()
        async for finding in self.findings(user_id, wanted):
            if finding.memory.id in repaired:
                continue
            changes = [each async for each in self._changes(finding)]
            done = await self._store.repairs.repair(
                user_id, finding.memory, changes, run=run, actor=Actor.ADMIN, at=self._clock()
            )
            if done:
                repaired.add(finding.memory.id)
                for each in changes:
                    if isinstance(each, Replace):
                        await self._embed_later(user_id, each.memory)
        return len(repaired)

    async def undo_run(self, user_id: str, run: UUID) -> tuple[int, int]:
        """Undo a run's repairs of a user's memories, the last first; return the number undone and the number that can't be."""
        undone = left = 0
        for update in await self._store.repairs.repaired(user_id, run):
            try:
                await self.undo(user_id, update.id)
            except (NotUndoableError, DuplicateMemoryError):  # later changes build on it
                left += 1
            else:
                undone += 1
        return undone, left

    async def _changes(self, finding: Finding) -> AsyncIterator[Change | EmbeddedRevision]:
        """Yield the changes that repair a fault; undoing the first undoes the rest."""
        memory, by = finding.memory, f"audit: {finding.fault} ({finding.decided_by})"
        corrected = finding.corrected
        if corrected is not None and corrected == replace(memory, event_at=corrected.event_at):
            yield EmbeddedRevision(Revision(memory.id, event_at=corrected.event_at))
        elif corrected is not None:
            new = replace(corrected, id=uuid7(), created_at=self._clock(), embedding_model=None)
            [embedded] = await self._embedded_if_possible([new])
            yield Replace(memory.id, embedded, finding.reason, by)
        elif finding.fault is Fault.CONTRADICTION and finding.reason is Reason.DISPUTED:
            cause = finding.other.id if finding.other else None
            yield Mark(memory.id, Doubt.DISPUTED, finding.reason, cause, by)
        else:
            yield Retire(memory.id, finding.reason, finding.other, by)
            if finding.fault is Fault.ORDER:
                yield Quarantine(replace(memory, id=uuid7()), finding.reason, by, hides=False)


def _read_of(memory: Memory) -> Iterator[UUID]:
    """Yield which of the messages that a statement rests on are read."""
    if memory.kind in STATEMENTS:
        yield from islice(reversed(memory.provenance.message_ids), _MOST_MESSAGES)


def _stands_behind(update: Update, finding: Finding) -> bool:
    """Return whether a row of a memory's audit shows a person's decision to keep it as it is."""
    if "run" in update.details:  # a repair
        return False
    if update.action is Action.ADD and update.actor is Actor.AGENT:
        return finding.fault is Fault.NO_SOURCE  # it kept the given words
    if update.actor not in {Actor.USER, Actor.ADMIN}:
        return False
    if update.action is Action.RESTORE:
        return update.actor is Actor.USER  # an administrator's may undo a repair run
    return update.action in {Action.ADD, Action.EDIT, Action.REINFORCE}
