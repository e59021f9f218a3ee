"""The record of one request for metrics and explanation: ids and numbers.

A record holds no user's words; only the message log has the question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from recollect.model.scopes import Scope
from recollect.model.words import SearchPath, Skip, Stage

ItemPart: TypeAlias = tuple[UUID, int | None]
"""A memory's id and None; or a message's, and which part of it."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """The record of one request.

    Attributes:
        id: The request's id, UUID version 7.
        path: The API of the request, and the placement.
        degraded: The stages that the recall did without.
        candidates: How many memories and passages were found.
        dense_hits: How many of them are near by meaning.
        lexical_hits: How many of them hold the words.
        log_hits: How many of them are passages of the message log.
        tokens: The tokens of all memories in the prompt.
        history_tokens: The tokens of the added history.
        truncated: How many did not fit into the budget.
        top_scores: The best five scores.
        gate_score: The gate's probability.
        milliseconds: The duration of the recall.
        flags: Marks such as "user-wide" or "reattached".
        explanation: The candidates with partial scores and the reason for each decision, as JSON.
        found_by: The way the search went. This and the next five are None in records that lack them.
        budget: Tokens that the turn's memories might take.
        block_tokens: Tokens that they took.
        given_by: How many went into the prompt, by type: "statements", "log", "summaries", "profile".
        marked: Whether the user marked the message as valuable.
        complains: Whether the message complains that something was forgotten.
        key: The key of its turn in the message log; None in records that lack it.
        question: The first 2,000 characters of the question, read from the message log with the record and never
            stored with it; None if the log lacks it or the reader may not see it.
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
        """The items in the prompt, among the best fifty and the standing part, which the record keeps."""
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
        question: The first 2,000 characters of the question; None if the log lacks it.
    """

    request_id: UUID
    memory_id: UUID
    at: datetime
    question: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RecallPage:
    """One page of a user's request records, newest first.

    Attributes:
        contents: The current texts of the items given; items that are gone are left out.
        not_helpful: The requests and memories among them that the person called not helpful.
        next: The id of the last request on this page, to ask for the next one; None on the last page.
    """

    requests: tuple[RequestRecord, ...]
    contents: Mapping[ItemPart, str]
    next: UUID | None
    not_helpful: frozenset[tuple[UUID, UUID]] = frozenset()
