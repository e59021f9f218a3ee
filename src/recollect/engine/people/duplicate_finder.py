"""Asks the extraction model which of a user's memories repeat or contradict each other in other words. Raises.

The model reads a memory as if it were said now, and the older ones near to it as the known memories, as in formation.
Nearness only nominates. The model's word that a memory repeats another is refused where a number, a date, a name or a denial speaks against it.
Never: a concrete backend, a repair.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from uuid import UUID

from recollect.backends import Backends
from recollect.errors import ExtractorUnusableError
from recollect.formation.call_guard import CallGuard, TokenBudget
from recollect.model import (
    ALL_TOLD,
    STATEMENTS,
    Candidate,
    Disclosure,
    Exchange,
    Fault,
    Finding,
    Memory,
    Reason,
    Relation,
    Scope,
    Turn,
)
from recollect.models.yielding import Yielding
from recollect.ports import Clock
from recollect.text.comparison.vetoes import of_memory, veto

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
        self._guard = CallGuard(backends.usage, budget, clock, Yielding(yields=False, idle=None))
        self._answers: dict[UUID, tuple[Finding, ...]] = {}

    async def findings(self, user_id: str, memories: Sequence[Memory]) -> AsyncIterator[Finding]:
        """Yield which of a user's memories repeat older ones, or contradict them; each is asked about once.

        Raises:
            ExtractorError: The model can't be asked, or its daily budget is used up.
            EmbedderError: Near memories can't be found.
            StoreError: The store failed.
        """
        told = self._tells(user_id)
        new = [
            each
            for each in memories
            if each.kind in STATEMENTS and each.id not in self._answers and told.allows(each)
        ]
        vectors = await self._backends.embedder.embed([each.content for each in new]) if new else []
        for memory, vector in zip(new, vectors, strict=True):
            found = await self._backends.memories.nearest(
                Scope(user_id, ""), vector, self._backends.embedder.name, limit=_NEAR + 1
            )
            near = [each.memory for each in found if each.score >= self._backends.embedder.gate]
            older = [
                each
                for each in near
                if each.kind in STATEMENTS and told.allows(each) and _is_before(each, memory)
            ]
            answer = tuple([each async for each in self._findings(user_id, memory, older)]) if older else ()
            self._answers[memory.id] = answer
            if len(self._answers) > _MOST_KEPT:
                del self._answers[next(iter(self._answers))]
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
        if veto(of_memory(memory), of_memory(each)) is None
    ]
