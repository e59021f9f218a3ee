"""Decides which memories each believed candidate changes. Pure.

A statement that contradicts, refines or ends a memory, as the model says, replaces it: the audit has the change, and it can be
undone. Two of the model's decisions would lose a true statement: to drop a new one as known, and to replace a memory by a
refinement that leaves out a part. There both stay if their numbers, dates, names or denials differ. Letter-equal statements are
one. An older statement never replaces a newer one. A statement that holds from a later day on leaves today's as it is until then.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recollect.formation.new_memories import Origin
from recollect.formation.statement_times import past_of
from recollect.formation.verification import AcceptedCandidate, RefusedCandidate
from recollect.model import (
    STATEMENTS,
    Add,
    Change,
    Doubt,
    Ignore,
    Kind,
    Limit,
    Mark,
    Memory,
    Past,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Retire,
    Source,
)
from recollect.model.local_time import wall
from recollect.text.comparison import (
    Veto,
    disagreement,
    distinction,
    of_candidate,
    of_memory,
    same_letter,
    same_letters,
    says_all_of,
    says_little_of,
    veto,
)
from recollect.text.normalization import content_hash

_Main: TypeAlias = Add | Replace | Reinforce | Ignore

_REASONS = {Relation.REFINES: Reason.REFINES, Relation.CONTRADICTS: Reason.CONTRADICTS}


def reconcile(
    weighed: Sequence[AcceptedCandidate],
    shown: Sequence[Memory],
    nearby: Sequence[Memory],
    origin: Origin,
    *,
    ending: Sequence[RefusedCandidate] = (),
) -> list[tuple[int, Change]]:
    """Return the candidates' changes, each with the number of its turn.

    One change a candidate, in order; behind it come further memories that go with it, and marks on others. ``shown`` are the
    memories that ``Candidate.about`` indexes, ``nearby`` others, and ``ending`` refused candidates that end memories.
    """
    batch = _Batch(origin, shown, nearby)
    decided = [(each, batch.decide(each)) for each in weighed]
    ended = [(each, main, list(batch.ended(each, main))) for each, main in decided]
    let_go = [(each.turn, gone) for each in ending for gone in batch.ended_by_refused(each)]
    changes = [  # a memory that goes is not marked, too, even by another candidate
        (each.turn, change)
        for each, main, gone in ended
        for change in (main, *gone, *batch.marks(each, main))
    ]
    return [*changes, *let_go]


@dataclass
class _Batch:
    """The state of one batch's reconciliation: what its earlier candidates changed."""

    origin: Origin
    shown: Sequence[Memory]
    nearby: Sequence[Memory]
    known: dict[UUID, Memory] = field(init=False)
    held: dict[bytes, UUID | None] = field(init=False)
    added: dict[UUID, Memory] = field(default_factory=dict)
    successors: dict[UUID, Memory] = field(default_factory=dict)
    reinforced: set[UUID] = field(default_factory=set)
    marked: set[UUID] = field(default_factory=set)
    limited: set[UUID] = field(default_factory=set)
    gone: set[UUID] = field(default_factory=set)

    def __post_init__(self) -> None:
        # a memory for everybody is no user's own: a user who says the same has it, too, from then on
        own = [memory for memory in (*self.shown, *self.nearby) if memory.source is not Source.GLOBAL]
        self.known = {memory.id: memory for memory in own}
        # Reversed, so that of equal contents those that the extractor was shown count.
        self.held = {content_hash(memory.content): memory.id for memory in reversed(own)}

    def decide(self, weighed: AcceptedCandidate) -> _Main:
        """Return the change by a candidate without a relation."""
        key = content_hash(weighed.candidate.content)
        if key in self.held:
            return self._said_again(weighed, self.held[key], Reason.EQUAL_CONTENT, "equal text")
        change = self._repeated_by_letter(weighed) or self._related(weighed)
        if isinstance(change, Add | Replace):
            self.held[key] = change.memory.id
        else:  # an older statement says another thing than the memory it is about
            self.held[key] = None if change.reason is Reason.NOT_NEWER else change.target
        return change

    def ended(self, weighed: AcceptedCandidate, main: _Main) -> Iterator[Retire | Limit]:
        """Yield the further memories that a candidate retires or limits, once the whole batch is decided.

        A memory that it replaces on a later day holds until then.
        """
        candidate = weighed.candidate
        heir = self._heir(main)
        if heir is None:
            return
        further: list[tuple[int, Memory, Reason, str]] = []
        comes = self._comes_at(weighed)
        supersedes = isinstance(main, Replace | Reinforce) or comes is not None
        if supersedes and candidate.relation in _REASONS:
            word = candidate.relation.value
            further = [
                (number, memory, reason, word)
                for number, memory in self._numbered(candidate.about)
                for left_out, reason in [self._superseded(weighed, memory)]
                if left_out is None
            ]
        further += [
            (number, memory, Reason.ENDED, "ends") for number, memory in self._numbered(candidate.ends)
        ]
        for number, memory, reason, word in further:
            if memory.id == heir.id or not (self._is_free(memory) and self._is_older(memory, weighed)):
                continue
            decided_by = f"model: {word} {number}"
            if comes is None or not self._stays_until_then(weighed, memory):
                self.successors[memory.id] = heir
                past = self._past(weighed, memory, reason, heir)
                yield Retire(memory.id, reason, heir, decided_by, past=past)
            elif memory.holds_until is None or memory.holds_until > comes:
                self.limited.add(memory.id)
                yield Limit(memory.id, comes, reason, heir, decided_by)

    def ended_by_refused(self, refused: RefusedCandidate) -> Iterator[Retire]:
        """Yield the memories that a refused candidate ends, and the to-dos that it contradicts."""
        candidate, told_at = refused.candidate, self.origin.exchanges[refused.turn].turn.at
        # "Bought the milk" is refused as no news for years, and still ends the errand.
        contradicted = candidate.about if candidate.relation is Relation.CONTRADICTS else ()
        ended = [(number, memory, Reason.ENDED, "ends") for number, memory in self._numbered(candidate.ends)]
        ended += [
            (number, memory, Reason.CONTRADICTS, candidate.relation.value)
            for number, memory in self._numbered(contradicted)
            if memory.kind is Kind.TODO
        ]
        for number, memory, reason, word in ended:
            past = past_of(memory, reason, candidate, told_at)
            is_over = past is not None or reason is Reason.ENDED  # a to-do that is put off is not
            if is_over and self._is_free(memory) and memory.observed_at < told_at:
                self.gone.add(memory.id)
                yield Retire(memory.id, Reason.ENDED, decided_by=f"model: {word} {number}", past=past)

    def marks(self, weighed: AcceptedCandidate, main: _Main) -> Iterator[Mark]:
        """Yield marks on the memories that a decision contradicts, once the whole batch is decided."""
        candidate = weighed.candidate
        if isinstance(main, Ignore) and main.reason is Reason.NOT_NEWER:
            memory = self.known.get(main.target) if main.target else None
            if candidate.relation is Relation.CONTRADICTS and memory and self._may_be_marked(memory):
                yield self._mark(memory, Doubt.DISPUTED, Reason.DISPUTED, None, main.decided_by)
        elif isinstance(main, Add | Replace):
            for number, memory in self._numbered(candidate.unsettles):
                if self._may_be_marked(memory) and self._is_older(memory, weighed):
                    decided_by = f"model: affects {number}"
                    yield self._mark(memory, Doubt.SUSPECT, Reason.SUSPECT, main.memory.id, decided_by)

    def _numbered(self, numbers: Sequence[int]) -> list[tuple[int, Memory]]:
        """Return the user's own statements that were shown under these numbers, each once."""
        return [
            (number, self.shown[number])
            for number in dict.fromkeys(numbers)
            if 0 <= number < len(self.shown)
            and self.shown[number].id in self.known
            and self.shown[number].kind in STATEMENTS
        ]

    def _heir(self, main: _Main) -> Memory | None:
        """Return the memory with a candidate's statement; None if there is none, or it is not newer."""
        if isinstance(main, Add | Replace):
            return main.memory
        if main.target is None or main.reason is Reason.NOT_NEWER:
            return None
        return self.known.get(main.target) or self.added.get(main.target)

    def _may_be_marked(self, memory: Memory) -> bool:
        """Return whether a memory has no mark and was not stated, replaced or marked by the batch."""
        return memory.doubt is None and memory.id not in self.marked and self._is_free(memory)

    def _mark(
        self, memory: Memory, doubt: Doubt, reason: Reason, cause: UUID | None, decided_by: str | None
    ) -> Mark:
        self.marked.add(memory.id)
        return Mark(memory.id, doubt, reason, cause, decided_by)

    def _is_free(self, memory: Memory) -> bool:
        """Return whether the batch has not yet replaced, reinforced, limited or ended a memory."""
        touched = (self.reinforced, self.limited, self.successors, self.gone)
        return not any(memory.id in each for each in touched)

    def _is_older(self, memory: Memory, weighed: AcceptedCandidate) -> bool:
        return memory.observed_at < self.origin.turn(weighed).at

    def _said_again(
        self, weighed: AcceptedCandidate, target: UUID | None, reason: Reason, decided_by: str
    ) -> Reinforce | Ignore:
        """Reinforce a known memory, at most once per batch."""
        memory = self.known.get(target) if target else None
        if memory is not None and memory.kind in STATEMENTS and self._is_free(memory):
            self.reinforced.add(memory.id)
            return Reinforce(memory.id, reason, self.origin.messages(weighed), decided_by)
        return self._ignore(reason, weighed, target, decided_by)

    def _repeated_by_letter(self, weighed: AcceptedCandidate) -> _Main | None:
        content = weighed.candidate.content
        for memory in (*self.known.values(), *self.added.values()):
            is_statement = memory.kind in STATEMENTS and memory.id not in self.successors
            if is_statement and same_letter(content, memory.content):
                return self._said_again(weighed, memory.id, Reason.REPEATS, "equal letters")
        return None

    def _related(self, weighed: AcceptedCandidate) -> _Main:
        """Return the change by a candidate with the relation that the model named."""
        candidate = weighed.candidate
        targets = self._numbered(candidate.about)
        if candidate.relation is Relation.NEW or not targets:
            return self._added(weighed, Reason.NEW, "form: remember" if self.origin.by_form else "model: new")
        if candidate.relation is Relation.REPEATS:
            return self._repeated(weighed, targets)
        return self._superseding(weighed, targets)

    def _repeated(self, weighed: AcceptedCandidate, targets: Sequence[tuple[int, Memory]]) -> _Main:
        """Reinforce the first repeated memory without a veto; else replace one that the candidate says in full; else keep both."""
        said = of_candidate(weighed.candidate, self.origin.turn(weighed).at)
        vetoed = ""
        for number, memory in targets:
            against = distinction(said, of_memory(memory))
            if against is None:
                return self._said_again(weighed, memory.id, Reason.REPEATS, f"model: repeats {number}")
            vetoed = vetoed or f"veto: {against} (model: repeats {number})"
        for number, memory in targets:
            if (
                says_all_of(said, of_memory(memory))
                and self._is_free(memory)
                and self._is_older(memory, weighed)
            ):
                return self._replaced(weighed, memory, Reason.REFINES, f"says more (model: repeats {number})")
        return self._added(weighed, Reason.DISTINCT, vetoed)

    def _superseding(self, weighed: AcceptedCandidate, targets: Sequence[tuple[int, Memory]]) -> _Main:
        """Replace the first older memory of which nothing is lost; where only newer ones are meant, ignore the candidate."""
        candidate = weighed.candidate
        decided_by = f"model: {candidate.relation}"
        vetoed = ""
        newer: tuple[int, Memory] | None = None
        for number, memory in targets:
            if memory.id in self.reinforced or self._is_of_the_past(weighed, memory):
                continue
            current = memory
            while current.id in self.successors:  # a later turn of the batch may say otherwise again
                current = self.successors[current.id]
            if self._is_older(current, weighed):
                if self._stays_until_then(weighed, current):
                    return self._added(weighed, Reason.NEW, f"later ({decided_by} {number})")
                left_out, reason = self._superseded(weighed, current)
                if left_out is None:
                    return self._replaced(weighed, current, reason, f"{decided_by} {number}")
                vetoed = vetoed or f"veto: {left_out} ({decided_by} {number})"
                continue
            newer = newer or ((number, memory) if current is memory else None)
        if vetoed or newer is None:
            against = vetoed or f"order ({decided_by} {targets[0][0]})"
            return self._added(weighed, Reason.DISTINCT, against)
        number, memory = newer
        return self._ignore(Reason.NOT_NEWER, weighed, memory.id, f"order ({decided_by} {number})")

    def _superseded(self, weighed: AcceptedCandidate, memory: Memory) -> tuple[Veto | None, Reason]:
        """Return what speaks against a candidate taking a memory's place, and the reason for which it takes it otherwise."""
        candidate = weighed.candidate
        left_out, reason = self._left_out(weighed, memory), _REASONS[candidate.relation]
        if left_out is not None and memory.kind is Kind.TODO and candidate.kind is not Kind.TODO:
            ahead = candidate.event_at is not None and candidate.event_at > wall(self.origin.turn(weighed).at)
            if not ahead:  # the to-do is done, and kept as past
                left_out, reason = None, Reason.CONTRADICTS
        if reason is Reason.CONTRADICTS and weighed.turn in self.origin.corrects:
            reason = Reason.CORRECTED
        return left_out, reason

    def _left_out(self, weighed: AcceptedCandidate, memory: Memory) -> Veto | None:
        """Return what of a memory its refinement leaves out; None if it says all, or changes a word or figure for another."""
        candidate = weighed.candidate
        if candidate.relation is not Relation.REFINES:
            return None
        said, known = of_candidate(candidate, self.origin.turn(weighed).at), of_memory(memory)
        is_shortened = says_all_of(known, said)
        if not is_shortened and (same_letters(said.content, known.content) or disagreement(said, known)):
            return None
        left_out = veto(known, said)
        if left_out not in {None, Veto.WORD}:
            return left_out
        # A few words that are merely gone are no loss; where most are, the model wrote only its addition.
        return Veto.WORD if says_little_of(said, known) else None

    def _is_of_the_past(self, weighed: AcceptedCandidate, memory: Memory) -> bool:
        """Return whether a candidate held only before the memory was observed: then both are true."""
        until = weighed.candidate.holds_until
        return until is not None and until <= wall(memory.observed_at, self.origin.turn(weighed).at.tzinfo)

    def _comes_at(self, weighed: AcceptedCandidate) -> datetime | None:
        """Return when a different candidate begins to hold, if that is after its telling; else None."""
        candidate = weighed.candidate
        since = candidate.holds_from
        is_another = candidate.relation is Relation.CONTRADICTS or not candidate.about
        return (
            since if is_another and since is not None and since > wall(self.origin.turn(weighed).at) else None
        )

    def _stays_until_then(self, weighed: AcceptedCandidate, memory: Memory) -> bool:
        """Return whether a memory is a state that holds until the candidate begins to hold; plans and future events are none."""
        now = self.origin.turn(weighed).at
        begins = memory.holds_from or memory.event_at or wall(memory.observed_at, now.tzinfo)
        is_state = memory.kind is not Kind.TODO and begins <= wall(now)
        return is_state and self._comes_at(weighed) is not None

    def _replaced(self, weighed: AcceptedCandidate, old: Memory, reason: Reason, decided_by: str) -> Replace:
        memory = self.origin.memory(weighed)
        self.successors[old.id] = self.added[memory.id] = memory
        return Replace(old.id, memory, reason, decided_by, past=self._past(weighed, old, reason, memory))

    def _past(self, weighed: AcceptedCandidate, old: Memory, reason: Reason, heir: Memory) -> Past | None:
        turn = self.origin.turn(weighed)
        return past_of(old, reason, weighed.candidate, turn.at, heir.id)

    def _ignore(
        self, reason: Reason, weighed: AcceptedCandidate, target: UUID | None, decided_by: str
    ) -> Ignore:
        """Ignore the candidate but note its message, which is forgotten together with the target."""
        return Ignore(reason, weighed.candidate, target, self.origin.messages(weighed), decided_by)

    def _added(self, weighed: AcceptedCandidate, reason: Reason, decided_by: str) -> Add:
        turn = weighed.turn
        if reason is Reason.NEW and turn in self.origin.asked:
            reason = Reason.ASKED
        elif reason is Reason.NEW and turn in self.origin.corrects:
            reason = Reason.CORRECTED
        memory = self.origin.memory(weighed)
        self.added[memory.id] = memory
        return Add(memory, reason, decided_by)
