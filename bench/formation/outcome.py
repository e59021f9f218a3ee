"""Reads the store after a case, and compares it with the right decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from bench.engines import Bench
from bench.formation.cases import Case, Decision, Truth
from bench.formation.decisions import UNASKED, Decided, decided_items
from bench.formation.staging import Staged, hear_message
from recollect.audit_rows import replay
from recollect.model import Doubt, Memory, Turn, Update

_ALL = 10_000
_ELSEWHERE = "another chat"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The right decision about a statement, and the one that was made.

    Attributes:
        truth: The right decision; to ignore, if it has no label.
        decided: The decision that was made.
    """

    truth: Truth
    decided: Decided

    @property
    def right(self) -> bool:
        """Whether the decision is right."""
        truth, decided = self.truth, self.decided
        if decided.decision in truth.also:
            return True
        if truth.decision is Decision.REINFORCE:
            return decided.merged and decided.target == truth.target
        return decided.decision is truth.decision and truth.target in {None, decided.target}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a case.

    Attributes:
        kept: How many memories it left that were not there before.
        gone: Numbers of stored memories that are gone.
        doubt: Of stored memories, by number, what speaks against them.
        leaks: How many of the texts that must be nowhere were found.
        re_extracted: How many memories the engine counts that rest on injected words alone.
        consistent: Whether the audit, replayed, gives the user's memories.
        unheard: Why the message was not heard, if it was not.
        held: How many statements are held back.
    """

    case: Case
    judgements: tuple[Judgement, ...]
    kept: int
    gone: frozenset[int]
    doubt: Mapping[int, Doubt]
    leaks: int
    re_extracted: int
    consistent: bool
    unheard: str | None = None
    held: int = 0

    @property
    def stands(self) -> bool:
        """Whether all of it is right: each statement, each memory that stays, each mark."""
        case = self.case
        marks = dict.fromkeys(case.suspect, Doubt.SUSPECT)
        marks |= dict.fromkeys(case.disputed, Doubt.DISPUTED)
        right = all(each.right for each in self.judgements)
        return right and not self.wrongly_gone and self.doubt == marks and not self.leaks

    @property
    def leaving(self) -> frozenset[int]:
        """Numbers of stored memories that are right to go."""
        going = (truth for truth in self.case.truth if truth.decision in {Decision.REPLACE, Decision.RETIRE})
        return frozenset(truth.target for truth in going if truth.target is not None)

    @property
    def wrongly_gone(self) -> frozenset[int]:
        """Numbers of stored memories that are gone, and should not be."""
        may_go = any(Decision.REPLACE in truth.also for truth in self.case.truth)
        return frozenset() if may_go else self.gone - self.leaving


async def read_outcome(bench: Bench, staged: Staged) -> Outcome:
    """Read the outcome of a case."""
    case, memories = staged.case, bench.backends.store.memories
    page = await memories.page(case.id, limit=_ALL)
    linked = {memory.id: memory for memory in page.memories}
    held = await memories.quarantined(case.id)
    updates = await memories.history(case.id, limit=_ALL)
    numbers = {memory.id: number for number, memory in enumerate(staged.stored)}
    done = [] if staged.completed is None else staged.completed.done
    items, alone = decided_items(case.extracted, done, numbers)
    texts = [*_texts(linked.values()), *_texts(each.memory for each in held), *_audited(updates)]
    if case.redacted:
        texts += await _found_again(bench, case)
    return Outcome(
        case=case,
        judgements=judged(case.truth, items, alone),
        kept=len(linked.keys() - numbers.keys()),
        gone=frozenset(number for known, number in numbers.items() if known not in linked),
        doubt={
            numbers[known]: memory.doubt
            for known, memory in linked.items()
            if memory.doubt is not None and known in numbers
        },
        leaks=sum(holds(texts, secret) for secret in case.redacted),
        re_extracted=staged.re_extracted,
        consistent=replay(reversed(updates)) == set(linked),
        unheard=staged.unheard,
        held=len(held),
    )


def judged(
    truths: Sequence[Truth], items: Sequence[Decided], alone: Sequence[Decided]
) -> tuple[Judgement, ...]:
    """Pair each right decision with the one that was made, first of items, then without one."""
    left = list(alone)
    found = [Judgement(truth, items[truth.item]) for truth in truths if truth.item is not None]
    for truth in truths:
        if truth.item is not None:
            continue
        fitting = [each for each in left if Judgement(truth, each).right]
        others = [each for each in left if each.decision is Decision.IGNORE]
        decided = (*fitting, *others, UNASKED)[0]
        if decided in left:
            left.remove(decided)
        found.append(Judgement(truth, decided))
    nothing = Truth(None, Decision.IGNORE)
    unlabelled = (each for each in left if each.decision is not Decision.IGNORE)
    return (*found, *(Judgement(nothing, each) for each in unlabelled))


def holds(texts: Iterable[str], secret: str) -> bool:
    """Return whether any text holds the secret, with any spaces and punctuation."""
    bare = _bare(secret)
    return any(bare in _bare(text) for text in texts)


def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _texts(memories: Iterable[Memory]) -> list[str]:
    return [text for memory in memories for text in (memory.content, memory.provenance.evidence or "")]


def _audited(updates: Iterable[Update]) -> list[str]:
    return [
        text
        for each in updates
        for text in (each.before or "", each.after or "", msgspec.json.encode(dict(each.details)).decode())
    ]


async def _found_again(bench: Bench, case: Case) -> list[str]:
    """Return everything that another chat finds by the message, and by the secrets themselves."""
    found: list[str] = []
    for words in (case.said, *case.redacted):
        asking = msgspec.structs.replace(case, said=words, history=())
        turn: Turn | None = hear_message(asking, 0, session=_ELSEWHERE).turn
        if turn is not None:
            ranking = await bench.engine.rank(turn)
            found += (each.item.content for each in ranking.ranked)
    return found
