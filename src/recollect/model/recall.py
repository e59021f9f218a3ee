"""The results of a search, the recall for a turn, and its record, which holds ids and numbers, no user's words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from recollect.model.enumerations import Drop, Role, SearchPath, Skip, Stage
from recollect.model.memory import Memory
from recollect.model.scopes import Scope


class Statement(NamedTuple):
    """Features of a message's words.

    Attributes:
        self_share: First-person words as a share of its first 400 words, 0 to 1.
        states_taste: Whether its first 80 words speak of liking, avoiding, always or never.
    """

    self_share: float
    states_taste: bool
    lists: bool
    words: int


class Passage(NamedTuple):
    """A part of a message in the log.

    Attributes:
        exchange_id: The exchange, which a turn and its reply share.
        turn_index: The message's place in the chat, from 0.
        part: Its place among the message's parts, from 0.
        changed_at: When a statement learned from it stopped being true, if one did.
        statement: The features of the whole message; None if they were not read.
    """

    message_id: UUID
    exchange_id: UUID
    session_id: str
    turn_index: int
    part: int
    role: Role
    content: str
    said_at: datetime
    speaker: str | None = None
    code: bool = False
    changed_at: datetime | None = None
    statement: Statement | None = None
    pasted: bool = False

    @property
    def id(self) -> UUID:
        """The message's id."""
        return self.message_id

    @property
    def dated(self) -> datetime:
        """When it was said."""
        return self.said_at


Item: TypeAlias = Memory | Passage
"""An item that can be recalled."""


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """The chat that heads a recollection in the block, for a question about earlier chats: its place there, from 0, and the most tokens that the line quotes."""

    number: int
    ended_at: datetime
    is_last: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class Recollection:
    """Something remembered, as it came back for a turn.

    Attributes:
        score: The score that ranked it, a sum of parts; about 1 for a good match, 0 if it was not ranked.
        parts: The parts of the score, by name: the summands of a passage's, the strongest reasons for and against a
            statement.
        standing: Whether every chat gets it, whatever the question. This turn may have found it, too.
        chat: The chat that heads it, if the turn asks for earlier chats.
    """

    item: Item
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    dropped: Drop | None = None
    standing: bool = False
    chat: ChatPlace | None = None

    @property
    def is_found(self) -> bool:
        """Whether this turn found it; only then does it count as used."""
        return not self.standing or self.score > 0


@dataclass(frozen=True, slots=True)
class Recall:
    """The outcome of recalling for a turn.

    Attributes:
        recollections: The recollections for the prompt, best first; empty if the recall was skipped.
        ranked: Everything retrieval ranked, best first, before gate, cliff and budget.
        gate_score: The probability that the turn asks for anything remembered, 0 to 1; None if nothing was ranked.
        stages: The duration of each stage, in milliseconds.
    """

    recollections: tuple[Recollection, ...] = ()
    ranked: tuple[Recollection, ...] = ()
    skipped: Skip | None = None
    degraded: tuple[Stage, ...] = ()
    error_stage: Stage | None = None
    gate_score: float | None = None
    milliseconds: float = 0.0
    stages: Mapping[Stage, float] = field(default_factory=dict)


ItemPart: TypeAlias = tuple[UUID, int | None]
"""A memory's id and None; or a message's, and which part of it."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """The record of one request.

    Attributes:
        degraded: The stages that the recall did without.
        dense_hits: How many of them are near by meaning.
        lexical_hits: How many of them hold the words.
        log_hits: How many of them are passages of the message log.
        truncated: How many did not fit into the budget.
        flags: Marks such as "history" or "reattached".
        explanation: The candidates with partial scores and the reason for each decision, as JSON.
        found_by: The way the search went. This and the next five are None in records that lack them.
        budget: Tokens that the turn's memories might take.
        block_tokens: Tokens that they took.
        given_by: How many went into the prompt, by type: "statements", "log", "summaries", "profile".
        complains: Whether the message complains that something was forgotten.
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
    """A recalled memory that its person called not helpful, with the first 2,000 characters of the question; None if the log lacks it."""

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
