"""Holds a person's message log in this process, by columns: one row for each indexed part of a message. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recollect.index.inverted_indexes import Document, Words
from recollect.index.vectors import Embedded, Vectors
from recollect.model import Passage, Role
from recollect.text.cues import SUBSTANCE, count_words

Column = NDArray[Any]
Numbers = NDArray[np.int32]
Mask = NDArray[np.bool_]

_OBJECT_BYTES = 900
"""About how many bytes a passage takes, without its text and its columns."""


class StoredPassage(NamedTuple):
    """A passage as the store has it.

    Attributes:
        document: Its number; a later state of the passage has the same.
        embedded: Its embeddings; None without any.
    """

    document: int
    passage: Passage
    words: Document
    embedded: Embedded | None


@dataclass(frozen=True, slots=True)
class Names:
    """Numbers for the messages, chats and speakers of one person, which grow as columns are made of them."""

    messages: dict[object, int] = field(default_factory=dict)
    sessions: dict[str, int] = field(default_factory=dict)
    speakers: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "Names":
        """Return a copy, for a later state to extend."""
        return Names(dict(self.messages), dict(self.sessions), dict(self.speakers))

    def session(self, name: str | None) -> int:
        """Return the number of a chat; -1 for None."""
        return -1 if name is None else self.sessions.setdefault(name, len(self.sessions))

    def speaker(self, name: str | None) -> int:
        """Return the number of a speaker; -1 for None."""
        return -1 if name is None else self.speakers.setdefault(name, len(self.speakers))


class PassageColumns(NamedTuple):
    """Columns of passages, each of shape (rows,).

    Attributes:
        document: The number of the passage's document.
        message: The number of its message.
        part: Its place among the message's parts.
        session: The number of its chat.
        speaker: The number of its speaker; -1 without a name.
        said_at: When it was said, seconds since 1970.
        by_user: Whether the person said it.
        is_pasted: Whether others wrote it.
        is_outdated: Whether a statement that was learned from it no longer holds.
        is_remark: Whether it is a short reply of the assistant, without code, list or named speaker.
        self_share: The share of first-person words; 0 if unknown, and for pasted text.
    """

    document: Column
    message: Column
    part: Column
    session: Column
    speaker: Column
    said_at: Column
    by_user: Column
    is_pasted: Column
    is_outdated: Column
    is_remark: Column
    self_share: Column


_NO_COLUMNS = PassageColumns(
    np.empty(0, np.int64),
    *(np.empty(0, kind) for kind in (*(np.int32,) * 4, np.float64, *(np.bool_,) * 4, np.float32)),
)


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of a person. A row that was replaced by a later state stays, but is no longer found.

    Attributes:
        is_current: Whether each row is the last state of its passage, (rows,).
        first_row: The row of the first part of each one's message; -1 if there is none, (rows,).
        characters: The length of all texts.
    """

    items: tuple[Passage, ...] = ()
    columns: PassageColumns = _NO_COLUMNS
    is_current: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    first_row: Numbers = field(default_factory=lambda: np.empty(0, np.int32))
    words: Words = field(default_factory=Words)
    vectors: Vectors = field(default_factory=Vectors)
    characters: int = 0

    def with_changed(self, changed: Sequence[StoredPassage], names: Names) -> Self:
        """Return these passages with new and changed ones, in the next rows."""
        if not changed:
            return self
        new = _columns(changed, names)
        replaced = np.isin(self.columns.document, new.document)
        columns = PassageColumns(*map(np.concatenate, zip(self.columns, new, strict=True)))
        is_current = np.concatenate([self.is_current & ~replaced, np.ones(len(changed), np.bool_)])
        return type(self)(
            (*self.items, *(each.passage for each in changed)),
            columns,
            is_current,
            _first_rows(columns, is_current),
            self.words.with_documents([each.words for each in changed]),
            self.vectors.with_documents([each.embedded for each in changed]),
            self.characters + sum(len(each.passage.content) for each in changed),
        )

    @property
    def waste(self) -> float:
        """The share of rows that a later state replaced."""
        return 1.0 - float(self.is_current.mean()) if len(self.is_current) else 0.0

    @property
    def nbytes(self) -> int:
        """About how many bytes these passages take."""
        columns = sum(column.nbytes for column in self.columns)
        texts = 2 * self.characters + _OBJECT_BYTES * len(self.items)
        return columns + texts + self.words.nbytes + self.vectors.nbytes


def _columns(stored: Sequence[StoredPassage], names: Names) -> PassageColumns:
    passages, messages = [each.passage for each in stored], names.messages
    # A single pass over tuples makes all columns: 20 times as fast as one column after another.
    by_field: Any = Passage._make(zip(*passages, strict=True))
    return PassageColumns(
        np.array([each.document for each in stored], np.int64),
        np.array([messages.setdefault(each, len(messages)) for each in by_field.message_id], np.int32),
        np.array(by_field.part, np.int32),
        np.array([*map(names.session, by_field.session_id)], np.int32),
        np.array([*map(names.speaker, by_field.speaker)], np.int32),
        np.array([utc(each).timestamp() for each in by_field.said_at], np.float64),
        np.array([each is Role.USER for each in by_field.role], np.bool_),
        np.array(by_field.pasted, np.bool_),
        np.array([each is not None for each in by_field.changed_at], np.bool_),
        np.array([*map(_is_remark, passages)], np.bool_),
        np.array([*map(_self_share, passages)], np.float32),
    )


def _first_rows(columns: PassageColumns, is_current: Mask) -> Numbers:
    """Return the row of the first part of each row's message; -1 if there is none."""
    first = np.full(int(columns.message.max(initial=-1)) + 1, -1, np.int32)
    rows = np.flatnonzero(is_current & (columns.part == 0))
    first[columns.message[rows]] = rows
    return first[columns.message]


def _self_share(passage: Passage) -> float:
    # Pasted text says nothing about the person.
    return 0.0 if passage.statement is None or passage.pasted else passage.statement.self_share


def _is_remark(passage: Passage) -> bool:
    if passage.role is not Role.ASSISTANT or passage.code or passage.speaker:
        return False
    shown = passage.statement
    if shown is not None and (shown.lists or shown.words >= SUBSTANCE):
        return False
    return count_words(passage.content) < SUBSTANCE


def utc(moment: datetime) -> datetime:
    """Return a moment with a time zone; a naive one is in UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
