"""A person's memories in memory, as columns: statements, summaries and exchanges kept verbatim. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.index.letters import LetterRuns
from recollect.index.passages import Names
from recollect.index.statement_columns import StatementColumns
from recollect.index.vectors import Embedded, Vectors
from recollect.index.words import Document, Words
from recollect.model import STATEMENTS, Memory, Source

Numbers = NDArray[np.int32]
Mask = NDArray[np.bool_]

IMPORTANT = 60
"""The statements from which the standing part of a chat is chosen."""

FEW = 5
"""With so many memories of their own people are no longer served by those for everybody."""

_OBJECT_BYTES = 1_800
"""What a memory takes besides its text and its columns, about."""


class StoredMemory(NamedTuple):
    """A memory as the store has it.

    Attributes:
        memory: The memory, without its embeddings.
        words: Its terms.
        first: Its embedding by the first embedder; None without one.
        second: Its embedding by the second embedder; None without one.
    """

    memory: Memory
    words: Document
    first: Embedded | None
    second: Embedded | None


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories that a person sees, the newest id last.

    Attributes:
        stored: The memories as the store has them.
        items: The memories.
        is_seen: Whether the person sees each, (rows,).
        is_verbatim: Whether each is an exchange kept verbatim, (rows,).
        session: The number of each one's chat; -1 without one, (rows,).
        words: Their terms.
        first: Their embeddings by the first embedder.
        second: Their embeddings by the second embedder.
        judged: The rows of the statements that the person sees, (n,).
        judged_items: The same statements.
        table: Their columns.
        letters: Their letters.
        is_understood: Whether a model extracted any of them.
        important: The most important of them, by importance, then the newest.
        costs: The tokens of lines of theirs, by the function that counts and the memory's id; filled as they are counted.
    """

    stored: tuple[StoredMemory, ...] = ()
    items: tuple[Memory, ...] = ()
    is_seen: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    is_verbatim: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    session: Numbers = field(default_factory=lambda: np.empty(0, np.int32))
    words: Words = field(default_factory=Words)
    first: Vectors = field(default_factory=Vectors)
    second: Vectors = field(default_factory=Vectors)
    judged: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    judged_items: tuple[Memory, ...] = ()
    table: StatementColumns = field(default_factory=lambda: StatementColumns.of(()))
    letters: LetterRuns = field(default_factory=lambda: LetterRuns.of(()))
    is_understood: bool = False
    important: tuple[Memory, ...] = ()
    costs: dict[tuple[Callable[[str], int], UUID], int] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def nbytes(self) -> int:
        """The bytes that they take, about."""
        texts = sum(2 * len(each.memory.content) + _OBJECT_BYTES for each in self.stored)
        # Each vector stands in its row and in the index.
        return texts + self.words.nbytes + 2 * (self.first.nbytes + self.second.nbytes)


def memories_of(stored: Sequence[StoredMemory], names: Names) -> Memories:
    """Return the columns of memories. Memories for everybody serve only people who have few of their own."""
    is_served = sum(each.memory.source is not Source.GLOBAL for each in stored) < FEW
    rows = tuple(sorted(stored, key=lambda each: each.memory.id))
    items = tuple(each.memory for each in rows)
    is_seen = np.array([is_served or each.source is not Source.GLOBAL for each in items], np.bool_)
    judged = np.flatnonzero(is_seen & np.array([each.kind in STATEMENTS for each in items], np.bool_))
    statements = tuple(items[row] for row in judged.tolist())
    return Memories(
        rows,
        items,
        is_seen,
        np.array([each.source is Source.QA_TURN for each in items], np.bool_),
        np.array([names.session(each.session_id) for each in items], np.int32),
        Words().with_documents([each.words for each in rows]),
        Vectors().with_documents([each.first for each in rows]),
        Vectors().with_documents([each.second for each in rows]),
        judged,
        statements,
        StatementColumns.of(statements),
        LetterRuns.of([each.content for each in statements]),
        any(each.provenance.extractor is not None for each in statements),
        tuple(sorted(statements, key=_by_importance)[:IMPORTANT]),
    )


def _by_importance(memory: Memory) -> tuple[float, float, int]:
    return -memory.importance, -memory.observed_at.timestamp(), -memory.id.int
