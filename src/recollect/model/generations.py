"""Generations of embeddings: what an embedder made that another one has replaced, or is about to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class EmbedderPlace(StrEnum):
    """Which of the two embeddings of a statement an embedder makes."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class EmbedderInUse:
    """An embedder that is used by a process, or of which there are embeddings in the store.

    Attributes:
        model: Names the vector space.
        made_by: The settings by which it is made again, without a key.
        chosen_at: Since when it is used.
        seen_at: When a process was last seen that uses it.
        completed_at: When all was found to be embedded by it; None: not yet.
    """

    place: EmbedderPlace
    model: str
    made_by: Mapping[str, str]
    chosen_at: datetime
    seen_at: datetime
    completed_at: datetime | None
    is_used: bool


@dataclass(frozen=True, slots=True)
class EmbeddingCounts:
    """How far embedding has come, over all users.

    Attributes:
        users: The number of users with embeddings.
        users_done: The number of users whose texts are all embedded by the current embedders.
        texts: How many texts these users have: memories and parts of messages.
        texts_done: How many of them belong to users who are done.
    """

    users: int
    users_done: int
    texts: int
    texts_done: int


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """The embedders, and how far texts of earlier ones have been embedded by the current ones.

    Attributes:
        embedders: The embedders that the store knows, the last one chosen first.
        today: The names of this process's embedders.
        waits: Whether it waits for processes that use another embedder to end.
    """

    embedders: tuple[EmbedderInUse, ...]
    today: Mapping[EmbedderPlace, str]
    is_complete: bool
    waits: bool
    counts: EmbeddingCounts
