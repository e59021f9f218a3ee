"""Finds the item of an answer that each change comes from. Pure.

Formation returns one main change for each statement: first the accepted ones in their order, then the quarantined, then the
refused ones. A refusal carries its statement; the others are known by their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from rapidfuzz import fuzz

from bench.formation.cases import Decision, Item
from bench.scripted import NumberedCandidate
from recollect.model import (
    Add,
    Change,
    Erase,
    Hide,
    Ignore,
    Limit,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
)

DUPLICATES = frozenset({Reason.EQUAL_CONTENT, Reason.REPEATS})
"""Why something is ignored that is there already."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision about a statement.

    Attributes:
        target: Which stored memory it was about, if any, by its number.
        memory: The new memory, if any.
    """

    decision: Decision
    reason: str
    target: int | None = None
    memory: Memory | None = None

    @property
    def merged(self) -> bool:
        """Whether it was taken for something that is there already."""
        return self.decision is Decision.REINFORCE or self.reason in DUPLICATES


UNASKED = Decided(Decision.IGNORE, "not_asked")
"""The decision about an item that no model was asked for."""


def decided_items(
    items: Sequence[Item], done: Sequence[tuple[Change, Change]], numbers: Mapping[UUID, int]
) -> tuple[list[Decided], list[Decided]]:
    """Return the decision about each item, and those without an item."""
    found: dict[int, Decided] = {}
    held: list[tuple[Memory, Decided]] = []
    rest: list[Decided] = []
    alone: list[Decided] = []
    for wanted, really in done:
        decided = _decided(wanted, really, numbers)
        match wanted:
            case Mark() | Limit() | Hide() | Erase():
                continue
            case Ignore(candidate=NumberedCandidate(number=number)):
                found[number] = decided
            case Quarantine(memory):
                held.append((memory, decided))
            case Retire() | Ignore(candidate=None):
                alone.append(decided)
            case _:
                rest.append(decided)
    if not (found or held or rest):
        return [UNASKED] * len(items), alone
    for memory, decided in held:
        evidence = memory.provenance.evidence or ""
        likeness = {
            number: fuzz.ratio(memory.content, item["content"]) + fuzz.ratio(evidence, item["evidence"])
            for number, item in enumerate(items)
            if number not in found
        }
        if likeness:
            found[max(likeness, key=likeness.__getitem__)] = decided
        else:
            alone.append(decided)
    left = [number for number in range(len(items)) if number not in found]
    found.update(zip(left, rest, strict=False))
    return [found.get(number, UNASKED) for number in range(len(items))], [*alone, *rest[len(left) :]]


def _decided(wanted: Change, really: Change, numbers: Mapping[UUID, int]) -> Decided:  # noqa: PLR0911 -- one for each
    match really:
        case Add(memory, reason):
            return Decided(Decision.ADD, reason, memory=memory)
        case Replace(old, memory, reason):
            return Decided(Decision.REPLACE, reason, numbers.get(old), memory)
        case Reinforce(target, reason):
            return Decided(Decision.REINFORCE, reason, numbers.get(target))
        case Quarantine(memory, reason):
            return Decided(Decision.QUARANTINE, reason, memory=memory)
        case Retire(target, reason):
            # The store had the new content already, so that only the old one had to go.
            decision = Decision.REPLACE if isinstance(wanted, Replace) else Decision.RETIRE
            return Decided(decision, reason, numbers.get(target))
        case Ignore(reason, _, target):
            return Decided(Decision.IGNORE, reason, None if target is None else numbers.get(target))
        case _:
            return Decided(Decision.IGNORE, really.reason)
