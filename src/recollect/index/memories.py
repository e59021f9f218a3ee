"""Holds a person's memories in this process for recall: statements, summaries and verbatim exchanges, by columns. Pure."""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recollect.index.inverted_indexes import Document, LetterRuns, Words
from recollect.index.passages import Names, utc
from recollect.index.vectors import Embedded, Vectors
from recollect.model import STATEMENTS, Kind, Lifetimes, Memory, Provenance, Source, Use

Floats = NDArray[np.float64]

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
"""The number of each kind in ``StatementColumns.kind``."""

USE_CODES = {use: code for code, use in enumerate(Use)}
"""The number of each use in ``StatementColumns.use``; -1: the statement has no hints."""


@dataclass(frozen=True, slots=True, eq=False)
class StatementColumns:
    """Columns of n statements, each of shape (n,). Times are seconds since 1970 in UTC; NaN if unknown.

    Attributes:
        importance: From 0 to 1.
        kind: The code of the kind, by ``KIND_CODES``.
        use: The code of the use, by ``USE_CODES``; -1 without hints.
    """

    importance: Floats
    kind: NDArray[np.int8]
    event: Floats
    holds_from: Floats
    holds_until: Floats
    use: NDArray[np.int8]

    @classmethod
    def from_statements(cls, statements: Sequence[Memory]) -> Self:
        """Return the columns of statements."""
        return cls(
            np.array([each.importance for each in statements], np.float64),
            np.array([KIND_CODES[each.kind] for each in statements], np.int8),
            _seconds([each.event_at for each in statements]),
            _seconds([each.holds_from for each in statements]),
            _seconds([each.holds_until for each in statements]),
            np.array(
                [-1 if each.hints is None else USE_CODES[each.hints.use] for each in statements], np.int8
            ),
        )

    def joined(self, others: Self) -> Self:
        """Return these columns with those of others below them."""
        pairs = zip(self._columns, others._columns, strict=True)
        return type(self)(*(np.concatenate(pair) for pair in pairs))

    def taken(self, order: NDArray[np.intp]) -> Self:
        """Return the columns of the statements in some rows, in their order."""
        return type(self)(*(each[order] for each in self._columns))

    @property
    def nbytes(self) -> int:
        """The bytes of the columns."""
        return sum(each.nbytes for each in self._columns)

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.importance, self.kind, self.event, self.holds_from, self.holds_until, self.use


def _seconds(moments: Sequence[datetime | None]) -> Floats:
    return np.array([np.nan if each is None else utc(each).timestamp() for each in moments], np.float64)


Numbers = NDArray[np.int32]
Mask = NDArray[np.bool_]

IMPORTANT = 60
"""The number of statements from which recall chooses those for every chat."""

FEW = 5
"""A person with at least this many memories of their own gets none of those for everybody."""

_LINE, _LINES = 400, 500
"""The longest line whose number of tokens is kept, in characters, and the most such lines."""

_OBJECT_BYTES = 1_000
"""About how many bytes a memory takes, without its text and its columns."""

_NOT_OF_PROJECTS = frozenset({Source.QA_TURN, Source.GLOBAL})
"""A project's chats get no exchange of another scope; the memories for everybody are in the project's own snapshot already."""


class StoredMemory(NamedTuple):
    """A memory as the store has it.

    Attributes:
        memory: The memory, without its embeddings.
        words: The terms by which it is found.
        vectors: Its embeddings; None if it has none. A statement with hints has one of its content and topics, and one of each
            question; any other memory has one of its content.
        not_helpful: The embeddings of the questions for which its person called it not helpful.
    """

    memory: Memory
    words: Document
    vectors: Embedded | None
    not_helpful: Embedded | None = None


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories that a person sees, the newest id last.

    Attributes:
        is_seen: Whether the person sees each, (rows,).
        is_verbatim: Whether each is an exchange kept verbatim, (rows,).
        session: The number of each one's chat; -1 without one, (rows,).
        not_helpful: The embeddings of the questions for which each was not helpful.
        judged: The rows of the n statements that the person sees: recall judges whether a turn needs them, (n,).
        judged_items: These statements.
        table: The columns of these statements.
        letters: The letters of these statements, with their hints.
        is_understood: Whether a model extracted any of these statements.
        important: The most important of these statements: those for every chat, then by importance, then the newest.
        can_expire: Whether any memory has a day on which it is forgotten.
        ends: When the first memory is forgotten, in seconds since 1970, by the rules of lifetimes; filled on demand.
        left: The memories that remained at a time, by the rules of lifetimes; filled on demand.
        tokens: The number of tokens of lines written of these memories, by the counting function; filled on demand.
    """

    items: tuple[Memory, ...] = ()
    is_seen: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    is_verbatim: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    session: Numbers = field(default_factory=lambda: np.empty(0, np.int32))
    words: Words = field(default_factory=Words)
    vectors: Vectors = field(default_factory=Vectors)
    not_helpful: Vectors = field(default_factory=Vectors)
    judged: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    judged_items: tuple[Memory, ...] = ()
    table: StatementColumns = field(default_factory=lambda: StatementColumns.from_statements(()))
    letters: LetterRuns = field(default_factory=lambda: LetterRuns.from_texts(()))
    is_understood: bool = False
    important: tuple[Memory, ...] = ()
    can_expire: bool = False
    ends: dict[Lifetimes, float] = field(default_factory=dict, repr=False, compare=False)
    left: dict[Lifetimes, tuple[datetime, Self]] = field(default_factory=dict, repr=False, compare=False)
    tokens: dict[tuple[Callable[[str], int], str], int] = field(
        default_factory=dict, repr=False, compare=False
    )

    def with_changed(self, changed: Sequence[StoredMemory], names: Names) -> Self:
        """Return these memories with new and changed ones."""
        if not changed:
            return self
        replaced = {each.memory.id for each in changed}
        every = (*self.items, *(each.memory for each in changed))
        is_kept = np.ones(len(every), np.bool_)
        is_kept[: len(self.items)] = [each.id not in replaced for each in self.items]
        return self._with_rows(
            every,
            is_kept,
            np.append(
                self.session, np.array([names.session(each.memory.session_id) for each in changed], np.int32)
            ),
            self.words.with_documents([each.words for each in changed]),
            self.vectors.with_documents([each.vectors for each in changed]),
            self.not_helpful.with_documents([each.not_helpful for each in changed]),
        )

    def with_others(self, others: Sequence[Self]) -> Self:
        """Return the memories of a project with the statements of the scopes around it, without those scopes' summaries."""
        there = {each.id for each in self.items}
        every, is_kept = list(self.items), [True] * len(self.items)
        words, vectors, not_helpful = self.words, self.vectors, self.not_helpful
        for other in others:
            for each in other.items:
                is_statement = each.kind in STATEMENTS and each.source not in _NOT_OF_PROJECTS
                is_kept.append(is_statement and each.id not in there)
                there.add(each.id)
            every += other.items
            words, vectors = words.joined(other.words), vectors.joined(other.vectors)
            not_helpful = not_helpful.joined(other.not_helpful)
        session = np.append(self.session, np.full(len(every) - len(self.items), -1, np.int32))
        kept = np.array(is_kept, np.bool_)
        return self._with_rows(tuple(every), kept, session, words, vectors, not_helpful)

    def said_by(self, name: str, *, hides_origin: bool) -> Self:
        """Return these memories with the name of the team's member who said them; ``hides_origin`` removes the chats they come from."""
        items = tuple(
            replace(each, label=name, provenance=Provenance() if hides_origin else each.provenance)
            for each in self.items
        )
        judged = tuple(items[row] for row in self.judged.tolist())
        important = tuple(heapq.nsmallest(IMPORTANT, judged, key=_by_importance))
        return replace(self, items=items, judged_items=judged, important=important, tokens={})

    def _with_rows(
        self,
        every: tuple[Memory, ...],
        is_kept: Mask,
        session: Numbers,
        words: Words,
        vectors: Vectors,
        not_helpful: Vectors,
    ) -> Self:
        """Return the kept rows of ``every``, ordered by id; the first rows of ``every`` are those of these memories."""
        if not every:
            return self
        by_id = _by_id(every)
        order = by_id[is_kept[by_id]]
        items = tuple(every[row] for row in order.tolist())
        is_served = sum(each.source is not Source.GLOBAL for each in items) < FEW  # by those for everybody
        is_seen = np.array([is_served or each.source is not Source.GLOBAL for each in items], np.bool_)
        judged = np.flatnonzero(is_seen & np.array([each.kind in STATEMENTS for each in items], np.bool_))
        statements = tuple(items[row] for row in judged.tolist())
        table, letters = self._judged_again(order[judged], statements)
        return type(self)(
            items,
            is_seen,
            np.array([each.source is Source.QA_TURN for each in items], np.bool_),
            session[order],
            words.taken(order),
            vectors.taken(order),
            not_helpful.taken(order),
            judged,
            statements,
            table,
            letters,
            any(each.provenance.extractor is not None for each in statements),
            tuple(heapq.nsmallest(IMPORTANT, statements, key=_by_importance)),
            any(each.expires_at is not None for each in items),
        )

    def living(self, lifetimes: Lifetimes, now: datetime) -> Self:
        """Return these memories without those whose lifetime is over."""
        if not lifetimes.days and not self.can_expire:
            return self
        if lifetimes not in self.ends:
            ends = filter(None, map(lifetimes.end_of, self.items))
            self.ends[lifetimes] = min((each.timestamp() for each in ends), default=math.inf)
        if now.timestamp() < self.ends[lifetimes]:
            return self
        since, left = self.left.get(lifetimes, (now, self))
        # Most turns reuse what was left earlier: to read all memories again for each turn would cost too much.
        if left is not self and since <= now:
            return left.living(lifetimes, now)
        ends_at = map(lifetimes.end_of, self.items)
        lives = np.array([each is None or now < each for each in ends_at], np.bool_)
        columns = (self.session, self.words, self.vectors, self.not_helpful)
        left = self._with_rows(self.items, lives, *columns)
        self.left[lifetimes] = now, left
        return left

    def _judged_again(
        self, rows: NDArray[np.intp], statements: Sequence[Memory]
    ) -> tuple[StatementColumns, LetterRuns]:
        """Return the columns and letters of statements; those of statements that are judged already are copied, not computed again."""
        # Rows after those of these items belong to added memories, which have no columns yet.
        place = np.full(max(len(self.items), int(rows.max(initial=-1)) + 1), -1, np.intp)
        place[self.judged] = np.arange(len(self.judged))
        order = place[rows]
        new = np.flatnonzero(order < 0)
        order[new] = len(self.judged) + np.arange(len(new))
        added = [statements[each] for each in new.tolist()]
        letters = LetterRuns.from_texts([with_hints(each) for each in added])
        return self.table.joined(StatementColumns.from_statements(added)).taken(order), self.letters.joined(
            letters
        ).taken(order)

    def counting(self, count: Callable[[str], int]) -> Callable[[str], int]:
        """Return a function that counts like ``count``, and remembers the result: the same lines come again in other turns."""
        known = self.tokens

        def counted(text: str) -> int:
            found = known.get((count, text))
            if found is None:
                found = count(text)
                if len(text) <= _LINE and len(known) < _LINES:
                    known[count, text] = found
            return found

        return counted

    @property
    def nbytes(self) -> int:
        """About how many bytes these memories take."""
        characters = sum(len(with_hints(each)) + len(each.provenance.evidence or "") for each in self.items)
        objects = 2 * characters + _OBJECT_BYTES * len(self.items)
        parts = (self.words, self.vectors, self.not_helpful, self.letters, self.table)
        return objects + sum(each.nbytes for each in parts)


def with_hints(memory: Memory) -> str:
    """Return a statement's content with the words of its hints: both count where letters are compared."""
    hints = memory.hints
    return memory.content if hints is None else " ".join((memory.content, *hints.topics, *hints.questions))


def _by_id(memories: Sequence[Memory]) -> NDArray[np.intp]:
    """Return the rows that sort memories by id, (n,)."""
    halves = np.frombuffer(b"".join([each.id.bytes for each in memories]), ">u8").reshape(-1, 2)
    return np.lexsort((halves[:, 1], halves[:, 0]))  # sorted() would hold the interpreter's lock throughout


def _by_importance(memory: Memory) -> tuple[bool, float, float, int]:
    return not memory.is_for_every_chat, -memory.importance, -memory.observed_at.timestamp(), -memory.id.int
