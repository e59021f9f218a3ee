"""A person's memories in memory, as columns of statements, summaries and exchanges kept verbatim. Pure."""

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
    """Parallel columns of n statements, (n,) each. Times are seconds since 1970 in UTC; NaN if unknown.

    Attributes:
        importance: Their importance, 0 to 1.
        kind: Their kinds, as ``KIND_CODES`` numbers them, int8.
        event: The times of their events.
        holds_from: Since when they hold.
        holds_until: Until when they hold.
        use: When they are needed, as ``USE_CODES`` numbers it, int8; -1 without hints.
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
        """The bytes that they take."""
        return sum(each.nbytes for each in self._columns)

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.importance, self.kind, self.event, self.holds_from, self.holds_until, self.use


def _seconds(moments: Sequence[datetime | None]) -> Floats:
    return np.array([np.nan if each is None else utc(each).timestamp() for each in moments], np.float64)


Numbers = NDArray[np.int32]
Mask = NDArray[np.bool_]

IMPORTANT = 60
"""The statements from which the standing part of a chat is chosen."""

FEW = 5
"""With so many memories of their own people are no longer served by those for everybody."""

_LINE, _LINES = 400, 500
"""The most characters of a line, and the most lines, of which the tokens are kept."""

_OBJECT_BYTES = 1_000
"""The bytes that a memory takes apart from its text and its columns, about."""

_NOT_OF_PROJECTS = frozenset({Source.QA_TURN, Source.GLOBAL})
"""The sources of memories that a project's chats don't get from outside of it: exchanges of chats, and its own memories."""


class StoredMemory(NamedTuple):
    """A memory as the store has it.

    Attributes:
        memory: The memory, without its embeddings.
        words: Its terms.
        vectors: Its embeddings: of a statement with hints, that of it with its topics and those of its questions; of another
            memory, its own alone. None without any.
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
        items: The memories.
        is_seen: Whether the person sees each, (rows,).
        is_verbatim: Whether each is an exchange kept verbatim, (rows,).
        session: The number of each one's chat; -1 without one, (rows,).
        words: Their terms.
        vectors: Their embeddings.
        not_helpful: The embeddings of the questions for which each was not helpful.
        judged: The rows of the statements that the person sees, (n,).
        judged_items: The same statements.
        table: Their columns.
        letters: The letters of their contents, with their hints.
        is_understood: Whether a model extracted any of them.
        important: The most important of them: those for every answer, then by importance, then the newest.
        can_expire: Whether any of them has a day on which it is forgotten.
        ends: When the first of them is forgotten, in seconds since 1970, by the operator's rules; filled as it is looked up.
        left: These without those whose day had come at a time, by the operator's rules; filled as they are asked for.
        tokens: The tokens of lines that were written of them, by the function that counts; filled as they are counted.
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
        """Return these with new and changed memories. Memories for everybody serve only people who have few of their own."""
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
        """Return the memories of a project with the statements of the scopes around it; not with their summaries."""
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
        """Return them with the name of the member of a team who said them; others learn nothing of the chats they come from."""
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
        """Return those of these and further memories that are kept, by their ids; the rows of these come first."""
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
        """Return these without those whose day has come; these themselves while none's has."""
        if not lifetimes.days and not self.can_expire:
            return self
        if lifetimes not in self.ends:
            ends = filter(None, map(lifetimes.end_of, self.items))
            self.ends[lifetimes] = min((each.timestamp() for each in ends), default=math.inf)
        if now.timestamp() < self.ends[lifetimes]:
            return self
        since, left = self.left.get(lifetimes, (now, self))
        # Past statements may stay for long, and not each turn should read them all.
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
        """Return the columns and letters of statements; those that were judged before, in lower rows, are not read again."""
        # Rows behind these items are those of further memories, judged for the first time.
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
        """Return a function that counts like ``count``, each line once: a person's lines come again in other turns."""
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
        """The bytes that they take, about."""
        characters = sum(len(with_hints(each)) + len(each.provenance.evidence or "") for each in self.items)
        objects = 2 * characters + _OBJECT_BYTES * len(self.items)
        parts = (self.words, self.vectors, self.not_helpful, self.letters, self.table)
        return objects + sum(each.nbytes for each in parts)


def with_hints(memory: Memory) -> str:
    """Return the words by whose letters a statement is found: its own, and those of its hints."""
    hints = memory.hints
    return memory.content if hints is None else " ".join((memory.content, *hints.topics, *hints.questions))


def _by_id(memories: Sequence[Memory]) -> NDArray[np.intp]:
    """Return the places of memories in the order of their ids, (n,)."""
    halves = np.frombuffer(b"".join([each.id.bytes for each in memories]), ">u8").reshape(-1, 2)
    return np.lexsort((halves[:, 1], halves[:, 0]))  # sorted() would hold the interpreter all the time


def _by_importance(memory: Memory) -> tuple[bool, float, float, int]:
    return not memory.is_for_every_chat, -memory.importance, -memory.observed_at.timestamp(), -memory.id.int
