"""The forms that answers must have, as strict structured output wants them. Never: reads an answer."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from recollect.extractors.asking import Schema
from recollect.model import Kind, Relation


class _Form(BaseModel):
    # strict mode asks that no other field is allowed and, as there are no defaults, that each is there
    model_config = ConfigDict(extra="forbid")


class StatedMemory(_Form):
    """One statement."""

    evidence: str  # first: a model that has to quote before it claims, claims less
    content: str
    kind: Literal[Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO, Kind.ENTITY]
    importance: float
    confidence: float
    relation: Relation
    about: int | None
    event_date: str | None
    valid_from: str | None
    valid_to: str | None
    affects: list[int]


class StatedMemories(_Form):
    """What was found worth keeping."""

    memories: list[StatedMemory]


class ChosenNumbers(_Form):
    """The memories that are meant."""

    numbers: list[int]


class WrittenSummary(_Form):
    """A summary and its parts."""

    summary: str
    facts: list[str]
    preferences: list[str]
    decisions: list[str]
    todos: list[str]
    entities: list[str]


EXTRACTION = Schema(
    "memories",
    StatedMemories,
    '{"memories": [{"evidence": "...", "content": "...", "kind": "fact", "importance": 0.5, "confidence": 1.0, '
    '"relation": "new", "about": null, "event_date": null, "valid_from": null, "valid_to": null, "affects": []}]}',
)
"""Statements worth keeping."""

"""What each new statement is to a known one."""

CHOICE = Schema("choice", ChosenNumbers, '{"numbers": []}')
"""Which memories are meant."""

SUMMARY = Schema(
    "summary",
    WrittenSummary,
    '{"summary": "...", "facts": ["..."], "preferences": [], "decisions": [], "todos": [], "entities": []}',
)
"""What was said in a chat."""
