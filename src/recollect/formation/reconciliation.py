"""Decides what each believed candidate changes in what is known. Pure. Never: await, a model.

A wrong merge destroys, a missed one only repeats: so the word of a model that two statements are the same
counts only where no number, name, date or denial speaks against it. Letter-equal statements are one;
nothing older replaces anything newer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recollect.formation.difference.likeness import same_letter
from recollect.formation.difference.vetoes import Statement, of_candidate, of_memory
from recollect.formation.nomination import nominate
from recollect.formation.origin import Origin
from recollect.formation.relating import Meeting, Outcome, is_denied, related, safer
from recollect.formation.suspicion import suspects
from recollect.formation.weighing import Weighed
from recollect.model import (
    STATEMENTS,
    Add,
    Change,
    Exchange,
    Ignore,
    Mark,
    Memory,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Source,
    Standing,
)
from recollect.normalization import content_hash

__all__ = ["Weighed", "nominate", "reconcile"]

_Main: TypeAlias = Add | Replace | Reinforce | Ignore


def reconcile(
    weighed: Sequence[Weighed],
    shown: Sequence[Memory],
    nearby: Sequence[Memory],
    *,
    exchanges: Sequence[Exchange],
    embedding_model: str,
    at: datetime,
    new_id: Callable[[], UUID],
    asked: frozenset[int],
    corrects: frozenset[int],
    extractor: str | None,
    floor: float,
) -> list[tuple[int, Change]]:
    """Return what the candidates change, each change with the number of the turn it comes from.

    One change a candidate, in order; behind it come the marks it causes on other memories.

    Args:
        weighed: What is believed.
        shown: The memories that the extractor was shown; ``Candidate.about`` indexes them.
        nearby: Others that are near to the candidates.
        exchanges: What the candidates come from, by number of the turn.
        embedding_model: The name of the embedder that made the vectors.
        at: Now, for ``created_at``.
        new_id: Makes the id of a new memory.
        asked: Turns in which the person asks to remember something.
        corrects: Turns in which they correct something.
        extractor: Which model found the candidates, by which version of the prompt.
        floor: From which cosine on statements without a word in common may be about the same.
    """
    origin = Origin(exchanges, embedding_model, at, new_id, asked, corrects, extractor)
    batch = _Batch(origin, shown, nearby, floor)
    decided = [(each, batch.decide(each)) for each in weighed]  # all of it, before anything is marked for it
    return [
        (each.believed.turn, change) for each, main in decided for change in (main, *batch.marks(each, main))
    ]


@dataclass
class _Batch:
    """The candidates of one batch on their way, and what the ones before did."""

    origin: Origin
    shown: Sequence[Memory]
    nearby: Sequence[Memory]
    floor: float
    known: dict[UUID, Memory] = field(init=False)
    held: dict[bytes, UUID | None] = field(init=False)
    added: dict[UUID, Memory] = field(default_factory=dict)
    successors: dict[UUID, Memory] = field(default_factory=dict)
    reinforced: set[UUID] = field(default_factory=set)
    marked: set[UUID] = field(default_factory=set)
    contradicted: dict[int, Memory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # what serves everybody is nobody's own: who says it has it by themselves from then on
        own = [memory for memory in (*self.shown, *self.nearby) if memory.source is not Source.GLOBAL]
        self.known = {memory.id: memory for memory in own}
        self.held = {content_hash(memory.content): memory.id for memory in reversed(own)}

    def decide(self, weighed: Weighed) -> _Main:
        """Return what a candidate changes."""
        key = content_hash(weighed.believed.candidate.content)
        if key in self.held:
            return self._said_again(weighed, self.held[key])
        change = (
            self._repeated_by_letter(weighed) or self._related(weighed) or self._added(weighed, Reason.NEW)
        )
        self.held[key] = change.memory.id if isinstance(change, Add | Replace) else change.target
        return change

    def marks(self, weighed: Weighed, main: _Main) -> Iterator[Mark]:
        """Yield what a decision speaks against, once the whole batch is decided."""
        contradicted = self.contradicted.get(id(weighed))
        if contradicted is None:
            return
        if not isinstance(main, Replace):  # older than what it contradicts
            if self._may_be_marked(contradicted):
                yield self._mark(contradicted, Standing.DISPUTED, Reason.DISPUTED, None)
            return
        numbers = weighed.believed.candidate.unsettles
        listed = [self.shown[number] for number in numbers if 0 <= number < len(self.shown)]
        speaker = self.origin.turn(weighed).speaker or ""
        for memory in suspects(contradicted, main.memory, listed, self._statements(), speaker=speaker):
            if self._may_be_marked(memory):
                yield self._mark(memory, Standing.SUSPECT, Reason.SUSPECT, main.memory.id)

    def _may_be_marked(self, memory: Memory) -> bool:
        """Tell whether a memory is one the batch did not say, replace or mark; and that nothing is noted of."""
        return (
            memory.id in self.known
            and memory.kind in STATEMENTS
            and memory.standing is None
            and memory.id not in self.marked
            and self._is_free(memory)
        )

    def _mark(self, memory: Memory, standing: Standing, reason: Reason, cause: UUID | None) -> Mark:
        self.marked.add(memory.id)
        return Mark(memory.id, standing, reason, cause)

    def _statement(self, weighed: Weighed) -> Statement:
        return of_candidate(weighed.believed.candidate, self.origin.turn(weighed).at)

    def _statements(self) -> list[Memory]:
        """Return what a candidate can be about: what is known, and not replaced."""
        return [
            memory
            for memory in self.known.values()
            if memory.kind in STATEMENTS and memory.id not in self.successors
        ]

    def _is_free(self, memory: Memory) -> bool:
        """Tell whether the batch did not replace or reinforce a memory yet."""
        return memory.id not in self.reinforced and memory.id not in self.successors

    def _said_again(self, weighed: Weighed, target: UUID | None) -> _Main:
        """Ignore what is known already; but where it is doubted or asked for, saying it again strengthens it."""
        memory = self.known.get(target) if target else None
        strengthens = memory is not None and (memory.standing or weighed.believed.turn in self.origin.asked)
        if memory is not None and strengthens and memory.kind in STATEMENTS and self._is_free(memory):
            return self._reinforce(weighed, memory)
        return self._ignore(Reason.EQUAL_CONTENT, weighed, target)

    def _repeated_by_letter(self, weighed: Weighed) -> _Main | None:
        said = self._statement(weighed)
        for memory in (*self._statements(), *self.added.values()):
            if memory.id not in self.successors and same_letter(said, of_memory(memory)):
                return self._repeated(weighed, memory)
        return None

    def _related(self, weighed: Weighed) -> _Main | None:
        """Return what a candidate changes in what a model says it is about; None where that is nothing."""
        was_distinct = False
        for memory, relation in self._targets(weighed):
            meeting = self._meeting(weighed, memory)
            change = self._changed(weighed, memory, related(meeting, relation, floor=self.floor))
            if change is not None:
                return change
            was_distinct = was_distinct or relation is not Relation.NEW
        said = self._statement(weighed)
        for memory in self._statements():
            if self._is_free(memory) and is_denied(said, of_memory(memory)):
                return self._changed(weighed, memory, Outcome.CONTRADICTED)
        return self._added(weighed, Reason.DISTINCT) if was_distinct else None

    def _targets(self, weighed: Weighed) -> list[tuple[Memory, Relation]]:
        """Return what models say the candidate is about: the extractor's word first, then the judge's, nearest first."""
        candidate = weighed.believed.candidate
        about: list[UUID] = []
        if candidate.relation is not Relation.NEW:
            about = [self.shown[number].id for number in candidate.about if 0 <= number < len(self.shown)]
        words = {id_: relation for id_, relation in weighed.judged.items() if relation is not None}
        said = sorted(words, key=lambda id_: (-weighed.near.get(id_, 0.0), id_))
        targets = []
        for id_ in dict.fromkeys([*about, *said]):
            memory = self.known.get(id_)
            relation = safer(candidate.relation if id_ in about else None, words.get(id_))
            if memory is not None and memory.kind in STATEMENTS and relation is not None:
                targets.append((memory, relation))
        return targets

    def _meeting(self, weighed: Weighed, memory: Memory) -> Meeting:
        return Meeting(
            candidate=weighed.believed.candidate,
            new=self._statement(weighed),
            memory=memory,
            known=of_memory(memory),
            corrects=weighed.believed.turn in self.origin.corrects,
            cosine=weighed.near.get(memory.id),
        )

    def _changed(self, weighed: Weighed, memory: Memory, outcome: Outcome) -> _Main | None:
        if outcome is Outcome.REPEATED:
            return self._repeated(weighed, memory)
        if outcome is Outcome.DISTINCT or memory.id in self.reinforced:
            return None
        current = memory
        while current.id in self.successors:  # a later turn of the batch may say otherwise again
            current = self.successors[current.id]
        if self.origin.turn(weighed).at <= current.observed_at:
            if current is not memory:
                return None
            if outcome is Outcome.CONTRADICTED:
                self.contradicted[id(weighed)] = memory
            return self._ignore(Reason.NOT_NEWER, weighed, memory.id)
        return self._replaced(weighed, current, outcome)

    def _replaced(self, weighed: Weighed, old: Memory, outcome: Outcome) -> Replace:
        memory = self.origin.memory(weighed)
        self.successors[old.id] = self.added[memory.id] = memory
        if outcome is Outcome.REFINED:
            return Replace(old.id, memory, Reason.REFINES)
        self.contradicted[id(weighed)] = old
        corrects = weighed.believed.turn in self.origin.corrects
        return Replace(old.id, memory, Reason.CORRECTED if corrects else Reason.CONTRADICTS)

    def _repeated(self, weighed: Weighed, memory: Memory) -> Reinforce | Ignore:
        if memory.id in self.known and self._is_free(memory):
            return self._reinforce(weighed, memory)
        return self._ignore(Reason.REPEATS, weighed, memory.id)

    def _reinforce(self, weighed: Weighed, memory: Memory) -> Reinforce:
        self.reinforced.add(memory.id)
        return Reinforce(memory.id, messages=self.origin.messages(weighed))

    def _ignore(self, reason: Reason, weighed: Weighed, target: UUID | None) -> Ignore:
        """Ignore the candidate, but not where it was said: who forgets the target forgets that, too."""
        return Ignore(reason, weighed.believed.candidate, target, self.origin.messages(weighed))

    def _added(self, weighed: Weighed, reason: Reason) -> Add:
        turn = weighed.believed.turn
        if reason is Reason.NEW and turn in self.origin.asked:
            reason = Reason.ASKED
        elif reason is Reason.NEW and turn in self.origin.corrects:
            reason = Reason.CORRECTED
        memory = self.origin.memory(weighed)
        self.added[memory.id] = memory
        return Add(memory, reason)
