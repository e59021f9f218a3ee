"""What one request was like, as it is kept for metrics and explanation: ids and numbers, no word of anybody."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.model.chat import Scope
from recollect.model.words import Skip, Stage


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What one request was like.

    Attributes:
        id: The request's id, UUID version 7.
        at: When it came.
        scope: Whose it was, and of which chat.
        path: Which way it went: the API it was spoken in, and the placement.
        model: The model it named.
        skipped: Why it had no memories, or None.
        degraded: The stages that the recall did without.
        error_stage: The stage that ended the recall, or None.
        candidates: How many memories and passages were found.
        dense_hits: How many of them are near by meaning.
        lexical_hits: How many of them hold the words.
        log_hits: How many of them are passages of the message log.
        items: How many went into the prompt.
        tokens: What all memories in the prompt take.
        history_tokens: What the conversation's history in it takes.
        truncated: How many found no place in the budget.
        top_scores: The best five scores.
        gate_score: How sure the gate was.
        milliseconds: What recalling took.
        stages: What each stage took, in milliseconds.
        flags: What was special, as "user-wide" or "reattached".
        story: What was found, with partial scores, and why it was taken or left, as JSON.
    """

    id: UUID
    at: datetime
    scope: Scope
    path: str
    model: str
    skipped: Skip | None = None
    degraded: tuple[Stage, ...] = ()
    error_stage: Stage | None = None
    candidates: int = 0
    dense_hits: int = 0
    lexical_hits: int = 0
    log_hits: int = 0
    items: int = 0
    tokens: int = 0
    history_tokens: int = 0
    truncated: int = 0
    top_scores: tuple[float, ...] = ()
    gate_score: float | None = None
    milliseconds: float = 0.0
    stages: Mapping[Stage, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    story: Mapping[str, Any] = field(default_factory=dict)
