"""A trial recall for a question, with reasons: nothing is written, and no memory counts as used. Pure."""

from dataclasses import dataclass
from typing import Any

from recollect.engine.turns.explain import explained
from recollect.engine.turns.prepared import Prepared
from recollect.model import Flags, Recollection, Stage


@dataclass(frozen=True, slots=True)
class InspectedCandidate:
    """Something that was found for a question.

    Attributes:
        content: Its text.
        told: Its entry in an explanation: id, kind, source, part, score, parts, dropped, standing.
    """

    content: str
    told: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inspection:
    """A trial recall for a question.

    Attributes:
        candidates: The standing part, then everything found, best first.
        injected: The block that the prompt would be given; "" for none.
        prepared: The additions to the prompt.
        milliseconds: The duration, in total and by part.
        flags: The user's settings that differ from the deployment's.
    """

    candidates: tuple[InspectedCandidate, ...]
    injected: str
    prepared: Prepared
    milliseconds: dict[str, float]
    flags: Flags


def inspection(prepared: Prepared, flags: Flags) -> Inspection:
    """Return what ``prepared`` says would be recalled."""
    block, stages = prepared.placed.block, prepared.recall.stages
    took = {
        "total": prepared.recall.milliseconds,
        "dense": stages.get(Stage.EMBEDDING, 0.0),
        "search": stages.get(Stage.SEARCH, 0.0),
    }
    return Inspection(
        tuple(InspectedCandidate(_content(each), told) for each, told in explained(prepared)),
        block.text if block else "",
        prepared,
        {name: round(milliseconds, 2) for name, milliseconds in took.items()},
        flags,
    )


def _content(each: Recollection) -> str:
    content: str = each.item.content
    return content
