"""What one request was like, as it is kept for metrics and explanation: ids and numbers.

No word of anybody is written: what was asked stands in the message log alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from recollect.model.chat import Scope
from recollect.model.words import SearchPath, Skip, Stage

ItemPart: TypeAlias = tuple[UUID, int | None]
"""A memory's id and None; or a message's, and which part of it."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What one request was like.

    Attributes:
        id: The request's id, UUID version 7.
        path: Which way it went: the API it was spoken in, and the placement.
        degraded: The stages that the recall did without.
        candidates: How many memories and passages were found.
        dense_hits: How many of them are near by meaning.
        lexical_hits: How many of them hold the words.
        log_hits: How many of them are passages of the message log.
        tokens: What all memories in the prompt take.
        history_tokens: What the conversation's history in it takes.
        truncated: How many found no place in the budget.
        top_scores: The best five scores.
        gate_score: How sure the gate was.
        milliseconds: What recalling took.
        flags: What was special, as "user-wide" or "reattached".
        explanation: What was found, with partial scores, and why it was taken or left, as JSON.
        found_by: Which way the search went. This and the following five: None of a request from before they were kept.
        budget: Tokens that the turn's memories might take.
        block_tokens: Tokens that they took.
        given_by: How many went into the prompt, by what they are: "statements", "log", "summaries", "profile".
        marked: Whether somebody called the message valuable by hand.
        complains: Whether the message says that something told was forgotten.
        key: The key of its turn, by which the message log knows what was asked; None: from before that was kept.
        question: What was asked, 2,000 characters at most, as the message log has it when the record is read. None: it is
            not there, or not to be told. It is never written.
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
    explanation: Mapping[str, Any] = field(default_factory=dict)
    found_by: SearchPath | None = None
    budget: int | None = None
    block_tokens: int | None = None
    given_by: Mapping[str, int] | None = None
    marked: bool | None = None
    complains: bool | None = None
    key: str | None = None
    question: str | None = field(default=None, compare=False, repr=False)

    @property
    def given(self) -> tuple[ItemPart, ...]:
        """What went into the prompt of what was found, as far as it is kept: of the best fifty, and of the standing part."""
        return tuple(
            (UUID(each["id"]), each["part"])
            for each in self.explanation.get("candidates", ())
            if each["dropped"] is None
        )


@dataclass(frozen=True, slots=True)
class NotHelpful:
    """A recalled memory that its person called not helpful.

    Attributes:
        request_id: The request that was given it.
        question: What was asked, 2,000 characters at most; None if the log does not tell it.
    """

    request_id: UUID
    memory_id: UUID
    at: datetime
    question: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RecallPage:
    """One page of what a user's requests were like, newest first.

    Attributes:
        contents: What was given, as it reads now; what is gone is left out.
        not_helpful: The requests and memories among them that the person called not helpful.
        next: Behind which request the following page begins; None on the last.
    """

    requests: tuple[RequestRecord, ...]
    contents: Mapping[ItemPart, str]
    next: UUID | None
    not_helpful: frozenset[tuple[UUID, UUID]] = frozenset()
