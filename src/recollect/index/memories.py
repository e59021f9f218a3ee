"""A person's memories in memory, as columns of statements, summaries and exchanges kept verbatim. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recollect.index.inverted_indexes import Document, LetterRuns, Words
from recollect.index.items import Items
from recollect.index.passages import Names, seconds_of
from recollect.index.vectors import Embedded, Vectors
from recollect.model import STATEMENTS, VITAL, Kind, Lifetimes, Memory, Provenance, Source, Use

Column = NDArray[Any]

KIND_CODES: dict[str, int] = {kind: code for code, kind in enumerate(Kind)}
"""The number of each kind in ``StatementColumns.kind``."""

USE_CODES: dict[str, int] = {use: code for code, use in enumerate(Use)}
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

    importance: Column
    kind: Column
    event: Column
    holds_from: Column
    holds_until: Column
    use: Column

    @classmethod
    def from_statements(cls, statements: Sequence[Memory]) -> "StatementColumns":
        """Return the columns of statements."""
        return StatementColumns(*_values(lambda name: [*map(attrgetter(name), statements)]))

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
    def _columns(self) -> tuple[Column, ...]:
        return tuple(getattr(self, each.name) for each in fields(self))


def _values(column: Callable[[str], list[Any]]) -> tuple[Column, ...]:
    """Return the columns of statements, of a function that returns the values of a field."""
    return (
        np.array([*map(shortest, column("importance"))], np.float64),
        np.array([KIND_CODES[each] for each in column("kind")], np.int8),
        seconds_of(column("event_at")),
        seconds_of(column("holds_from")),
        seconds_of(column("holds_until")),
        np.array([-1 if each is None else USE_CODES[each] for each in column("use")], np.int8),
    )


Mask = NDArray[np.bool_]

IMPORTANT = 60
"""The statements from which the standing part of a chat is chosen."""

FEW = 5
"""With so many memories of their own people are no longer served by those for everybody."""

_LINE, _LINES = 400, 500
"""The most characters of a line, and the most lines, of which the tokens are kept."""

_OBJECT_BYTES = 1_000
"""The bytes that a memory takes apart from its text and its columns, about."""

_DIGITS = 6
"""The range of a four-byte float."""


class StoredMemories(NamedTuple):
    """Memories as the store has them, n of each.

    Attributes:
        rows: Their columns in the store, by name.
        items: The memories, without their embeddings.
        words: Their terms.
        vectors: Their embeddings: of a statement with hints, that of it with its topics and those of its questions; of another
            memory, its own alone. None without any.
        not_helpful: The embeddings of the questions for which their person called them not helpful.
    """

    rows: Sequence[Any] = ()
    items: Items[Memory] = Items([])
    words: Sequence[Document] = ()
    vectors: Sequence[Embedded | None] = ()
    not_helpful: Sequence[Embedded | None] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MemoryColumns(StatementColumns):
    """Parallel columns of memories, (rows,) each; those of statements mean nothing for others.

    Attributes:
        id: The halves of their ids, (rows, 2).
        session: The number of each one's chat; -1 without one.
        observed: When they were said, seconds since 1970.
        characters: The length of their texts.
        is_common: Whether each is for everybody.
        is_verbatim: Whether each is an exchange kept verbatim.
        is_statement: Whether each is a statement.
        is_understood: Whether a model extracted it.
        expires: Whether each has a day on which it is forgotten.
    """

    id: Column
    session: Column
    observed: Column
    characters: Column
    is_common: Mask
    is_verbatim: Mask
    is_statement: Mask
    is_understood: Mask
    expires: Mask

    @classmethod
    def from_rows(cls, rows: Sequence[Any], texts: Sequence[str], names: Names) -> Self:
        """Return the columns of memories with these texts."""

        def column(name: str) -> list[Any]:
            return [*map(itemgetter(name), rows)]

        sources = column("source")
        ids = np.frombuffer(b"".join([each.bytes for each in column("id")]), ">u8")
        return cls(
            *[
                *_values(column),
                ids.astype(np.uint64).reshape(-1, 2),
                np.array([*map(names.session, column("session_id"))], np.int32),
                seconds_of(column("observed_at")),
                np.array([*map(len, texts)], np.int32) + [len(each or "") for each in column("evidence")],
                np.array([each == Source.GLOBAL for each in sources], np.bool_),
                np.array([each == Source.QA_TURN for each in sources], np.bool_),
                np.array([each in STATEMENTS for each in column("kind")], np.bool_),
                np.array([each is not None for each in column("extractor")], np.bool_),
                np.array([each is not None for each in column("expires_at")], np.bool_),
            ]
        )

    @property
    def ids(self) -> list[tuple[int, ...]]:
        """The halves of each id, by which the same memory is found again."""
        return [*map(tuple, self.id.tolist())]

    def of_statements(self, rows: NDArray[np.intp]) -> StatementColumns:
        """Return the columns of the statements in some rows."""
        return StatementColumns(*(getattr(self, each.name)[rows] for each in fields(StatementColumns)))


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories that a person sees, the newest id last.

    Attributes:
        items: The memories.
        columns: Their columns.
        is_seen: Whether the person sees each, (rows,).
        words: Their terms.
        vectors: Their embeddings.
        not_helpful: The embeddings of the questions for which each was not helpful.
        judged: The rows of the statements that the person sees, (n,).
        judged_items: The same statements.
        table: Their columns.
        letters: The letters of their contents, with their hints.
        foremost: The rows of the most important of them: those for every answer, then by importance, then the newest.
        ends: When the first of them is forgotten, in seconds since 1970, by the operator's rules; filled as it is looked up.
        left: These without those whose day had come at a time, by the operator's rules; filled as they are asked for.
        tokens: The tokens of lines that were written of them, by the function that counts; filled as they are counted.
    """

    items: Items[Memory] = field(default_factory=lambda: Items([]))
    columns: MemoryColumns = field(default_factory=lambda: MemoryColumns.from_rows((), (), Names()))
    is_seen: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    words: Words = field(default_factory=Words)
    vectors: Vectors = field(default_factory=Vectors)
    not_helpful: Vectors = field(default_factory=Vectors)
    judged: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    judged_items: Items[Memory] = field(default_factory=lambda: Items([]))
    table: StatementColumns = field(default_factory=lambda: StatementColumns.from_statements(()))
    letters: LetterRuns = field(default_factory=lambda: LetterRuns.from_texts(()))
    foremost: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    ends: dict[Lifetimes, float] = field(default_factory=dict, repr=False, compare=False)
    left: dict[Lifetimes, tuple[datetime, Self]] = field(default_factory=dict, repr=False, compare=False)
    tokens: dict[tuple[Callable[[str], int], str], int] = field(
        default_factory=dict, repr=False, compare=False
    )

    def with_changed(self, changed: StoredMemories, names: Names) -> Self:
        """Return these with new and changed memories. Memories for everybody serve only people who have few of their own."""
        rows = changed.rows
        if not rows:
            return self
        texts = [_in_words(each["content"], each["topics"], each["questions"]) for each in rows]
        columns = MemoryColumns.from_rows(rows, texts, names)
        is_kept = np.ones(len(self.items) + len(rows), np.bool_)
        if len(self.items):
            replaced = set(columns.ids)
            is_kept[: len(self.items)] = [each not in replaced for each in self.columns.ids]
        return self._with_rows(
            self.items.joined(changed.items),
            is_kept,
            self.columns.joined(columns),
            self.words.with_documents(changed.words),
            self.vectors.with_documents(changed.vectors),
            self.not_helpful.with_documents(changed.not_helpful),
            texts,
        )

    def with_others(self, others: Sequence[Self]) -> Self:
        """Return the memories of a project with the statements of the scopes around it; not with their summaries."""
        there, is_kept = set(self.columns.ids), [True] * len(self.items)
        items, columns = self.items, self.columns
        words, vectors, not_helpful = self.words, self.vectors, self.not_helpful
        for other in others:
            theirs = other.columns
            is_taken = theirs.is_statement & ~theirs.is_verbatim & ~theirs.is_common
            for each, is_wanted in zip(theirs.ids, is_taken.tolist(), strict=True):
                is_kept.append(is_wanted and each not in there)
                there.add(each)
            elsewhere = replace(theirs, session=np.full_like(theirs.session, -1))
            items, columns = items.joined(other.items), columns.joined(elsewhere)
            words, vectors = words.joined(other.words), vectors.joined(other.vectors)
            not_helpful = not_helpful.joined(other.not_helpful)
        kept = np.array(is_kept, np.bool_)
        return self._with_rows(items, kept, columns, words, vectors, not_helpful)

    def said_by(self, name: str, *, hides_origin: bool) -> Self:
        """Return them with the name of the member of a team who said them; others learn nothing of the chats they come from."""
        items = Items(
            [
                replace(each, label=name, provenance=Provenance() if hides_origin else each.provenance)
                for each in self.items
            ]
        )
        return replace(self, items=items, judged_items=items.among(self.judged.tolist()), tokens={})

    def _with_rows(
        self,
        every: Items[Memory],
        is_kept: Mask,
        columns: MemoryColumns,
        words: Words,
        vectors: Vectors,
        not_helpful: Vectors,
        texts: Sequence[str] = (),
    ) -> Self:
        """Return those of these and further memories that are kept, by their ids; the rows of these come first.

        ``texts`` are the words of the last ones, by whose letters they are found; else they are read.
        """
        if not len(every):
            return self
        by_id = np.lexsort((columns.id[:, 1], columns.id[:, 0]))
        order = by_id[is_kept[by_id]]
        columns = columns.taken(order)
        is_served = np.count_nonzero(~columns.is_common) < FEW  # by those for everybody
        is_seen = ~columns.is_common | is_served
        judged = np.flatnonzero(is_seen & columns.is_statement)
        items, table = every.taken(order.tolist()), columns.of_statements(judged)
        is_for_every_chat = (table.importance >= VITAL) | (table.use == USE_CODES[Use.ALWAYS])
        ids = ~columns.id[judged]  # newer ones first
        first = np.lexsort(
            (ids[:, 1], ids[:, 0], -columns.observed[judged], -table.importance, ~is_for_every_chat)
        )
        given = len(every) - len(texts)

        def text_of(row: int) -> str:
            return with_hints(every[row]) if row < given else texts[row - given]

        return type(self)(
            items,
            columns,
            is_seen,
            words.taken(order),
            vectors.taken(order),
            not_helpful.taken(order),
            judged,
            items.among(judged.tolist()),
            table,
            self._letters_again(order[judged], text_of),
            judged[first[:IMPORTANT]],
        )

    @property
    def is_understood(self) -> bool:
        """Whether a model extracted any of the statements that the person sees."""
        return bool(self.columns.is_understood[self.judged].any())

    @property
    def important(self) -> tuple[Memory, ...]:
        """The most important of them: those for every answer, then by importance, then the newest."""
        return tuple(self.items[row] for row in self.foremost.tolist())

    def living(self, lifetimes: Lifetimes, now: datetime) -> Self:
        """Return these without those whose day has come; these themselves while none's has."""
        if not lifetimes.days and not self.columns.expires.any():
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
        rows = (self.columns, self.words, self.vectors, self.not_helpful)
        left = self._with_rows(self.items, lives, *rows)
        self.left[lifetimes] = now, left
        return left

    def _letters_again(self, rows: NDArray[np.intp], text_of: Callable[[int], str]) -> LetterRuns:
        """Return the letters of statements; those that were judged before, in lower rows, are not read again."""
        if not len(self.judged):
            return LetterRuns.from_texts([*map(text_of, rows.tolist())])
        # Rows behind these items are those of further memories, judged for the first time.
        place = np.full(max(len(self.items), int(rows.max(initial=-1)) + 1), -1, np.intp)
        place[self.judged] = np.arange(len(self.judged))
        order = place[rows]
        new = np.flatnonzero(order < 0)
        order[new] = len(self.judged) + np.arange(len(new))
        added = LetterRuns.from_texts([*map(text_of, rows[new].tolist())])
        return self.letters.joined(added).taken(order)

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
        objects = 2 * int(self.columns.characters.sum()) + _OBJECT_BYTES * len(self.items)
        parts = (self.columns, self.words, self.vectors, self.not_helpful, self.letters, self.table)
        return objects + sum(each.nbytes for each in parts)


def with_hints(memory: Memory) -> str:
    """Return the words by whose letters a statement is found: its own, and those of its hints."""
    return _in_words(memory.content, memory.topics, memory.questions)


def _in_words(content: str, topics: Sequence[str] | None, questions: Sequence[str] | None) -> str:
    return " ".join((content, *(topics or ()), *(questions or ()))) if topics or questions else content


@lru_cache(maxsize=1_000)
def shortest(number: float) -> float:
    """Return a four-byte float as it was given: 0.3 comes back as 0.3."""
    return float(f"{number:.{_DIGITS}g}")
