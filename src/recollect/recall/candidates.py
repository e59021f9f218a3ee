"""Compares a question with all of a person's memory, and picks the rows that may serve it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.ma  # else numpy does in the middle of the first chat, for a union
from numpy.typing import NDArray

from recollect.index import (
    COVERED,
    USE_CODES,
    Memories,
    Nearness,
    Passages,
    Snapshot,
    StoredPassage,
    TermScores,
    Vectors,
    WordMatch,
    match_words,
)
from recollect.model import Use, Vector
from recollect.recall.question import Named, RecallQuery, StatementVectors

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

_BM25_OF_COSINE = 10.0
"""The BM25 that equals a cosine of 1 in the choice of a message's best part."""


def nearness(vectors: Vectors, question: Sequence[Named], gate: float) -> Nearness:
    """Return the cosines of all rows to a question, by each row's embedder, on the scale of one with this gate: today's."""
    best, first = np.full(vectors.size, np.nan), np.full(vectors.size, np.nan)
    for each in question:
        near = on_scale(vectors.near(each.model, each.vector), each.gate, gate)
        best = np.where(np.isnan(best), near.best, best)
        first = np.where(np.isnan(first), near.first, first)
    return Nearness(best, first)


def on_scale(near: Nearness, gate: float, wanted: float) -> Nearness:
    """Return cosines by an embedder with one gate on the scale of an embedder with another."""
    # 1 stays 1, and one embedder's gate becomes the other's. The least divisor is for a gate of 1.
    scale = (1.0 - wanted) / max(1.0 - gate, 1e-6)
    return Nearness(1.0 - (1.0 - near.best) * scale, 1.0 - (1.0 - near.first) * scale)


def near_statements(memories: Memories, question: Named | None) -> Nearness:
    """Return the cosines of all memories to a question; of a statement with hints, the first piece is it with its topics."""
    return nearness(memories.vectors, (question,) if question else (), question.gate if question else 0.0)


def near_question(memories: Memories, vectors: StatementVectors) -> Nearness:
    """Return the cosines of all memories to a question, or to the pasted text that it is about, if that is nearer.

    Only the question's own words open the memory. The text raises no statement that is needed only if it is asked for: so a mail
    that asks for a number does not get it.
    """
    near = near_statements(memories, vectors.near)
    if vectors.near is None or vectors.pasted is None:
        return near
    to_pasted = near_statements(memories, vectors.near._replace(vector=vectors.pasted))
    rows = memories.judged[memories.table.use == USE_CODES[Use.TOPIC]]
    for own, other in zip(near, to_pasted, strict=True):
        own[rows] = np.fmax(own[rows], other[rows])
    return near


class WordScores(NamedTuple):
    """The match of a question's terms.

    Attributes:
        memories: The scores of the memories, (memories,) each.
        passages: The scores of the passages, (passages,) each.
        match: The match as a whole.
    """

    memories: TermScores
    passages: TermScores
    match: WordMatch


def match_of(snapshot: Snapshot, terms: Sequence[str], serving: Mask) -> WordScores:
    """Return the match of a question's terms with a person's memories and ``serving`` passages, (passages,); () does not search words."""
    memories, passages = snapshot.memories, snapshot.passages or Passages()
    match = match_words([(memories.words, memories.is_seen), (passages.words, serving)], terms)
    return WordScores(match.scores[0], match.scores[1], match)


def serving_passages(passages: Passages, query: RecallQuery) -> Mask:
    """Return which passages may be ranked for a question, (passages,): the current ones that still hold, without remarks."""
    columns = passages.columns
    # "Noted!" is near to many questions, and answers none.
    serving: Mask = passages.is_current & ~columns.is_outdated & ~columns.is_remark
    # Others' words say nothing about the person, but hold the code that is asked about.
    return serving & ~columns.is_pasted if query.is_about_oneself and not query.identifiers else serving


class NearestPassages(Protocol):
    """Finds a person's passages in the store that are nearest to a vector."""

    async def __call__(self, user_id: str, vector: Vector, model: str, *, limit: int) -> list[StoredPassage]:
        """Return them, nearest first."""
        ...


@dataclass(frozen=True, slots=True)
class Candidates:
    """The memories and messages that may serve a question: n rows, the memories first.

    Attributes:
        memories: The rows of the memories.
        passages: The rows of the best part of each message.
        cosine: The cosine of the nearest part, (n,); NaN if unknown.
        first_cosine: The cosine of the message's first part, (n,); NaN if unknown.
        bm25, matched, own_matched: The term scores of the best of the parts, (n,) each.
    """

    memories: Rows
    passages: Rows
    cosine: Floats
    first_cosine: Floats
    bm25: Floats
    matched: Floats
    own_matched: Floats

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self.memories) + len(self.passages)

    def coverage(self, idf_total: float) -> Floats:
        """Return BM25 as a share of the score that covers the question, 0 to 1, (n,)."""
        return _share(self.bm25, COVERED * idf_total)

    def own_share(self, idf_total: float) -> Floats:
        """Return the idf share of the question's terms that each one itself holds, 0 to 1, (n,)."""
        return _share(self.own_matched, idf_total)


def find_candidates(
    snapshot: Snapshot,
    words: WordScores,
    serving: Mask,
    of_memories: Nearness,
    of_passages: Nearness,
    *,
    limit: int,
    verbatim: bool,
) -> Candidates:
    """Return the memories and messages that are nearest to a question, or hold most of its terms.

    Args:
        snapshot: The person's memory.
        words: The match of its terms.
        serving: Whether each passage may be ranked, (passages,).
        of_memories: The cosines of the memories to the question, on the scale of the log's embedder.
        of_passages: The cosines of the passages, on the same scale.
        limit: The most of each kind that each channel yields.
        verbatim: Whether exchanges that were kept verbatim are found, too.
    """
    memories, passages = snapshot.memories, snapshot.passages or Passages()
    seen = memories.is_seen if verbatim else memories.is_seen & ~memories.is_verbatim
    by_words = _best_of_both(words, seen, serving, limit)
    # Of parts twice as many are taken, as several may be of one message.
    rows = np.union1d(_nearest(of_memories.best, seen, limit), by_words[0])
    parts = np.union1d(_nearest(of_passages.best, serving, 2 * limit), by_words[1])
    first_row = passages.first_row[parts]
    first = np.where(first_row >= 0, of_passages.first[first_row], np.nan)
    best, columns = _messages(passages, parts, of_passages.best[parts], first, words.passages)
    cosine = np.concatenate([of_memories.first[rows], columns[0]])
    first_cosine = np.concatenate([np.full(len(rows), np.nan), columns[1]])
    scores = [
        np.concatenate([own[rows], of_log]) for own, of_log in zip(words.memories, columns[2:], strict=True)
    ]
    return Candidates(rows, best, cosine, first_cosine, *scores)


def _share(scores: Floats, whole: float) -> Floats:
    return np.clip(scores / whole, 0.0, 1.0) if whole > 0 else np.zeros(len(scores))


def _nearest(cosines: Floats, found: Mask, limit: int) -> Rows:
    """Return the rows with the largest cosines, at most ``limit``, in ascending order."""
    rows = np.flatnonzero(found & ~np.isnan(cosines))
    if len(rows) > limit:
        rows = rows[np.argpartition(-cosines[rows], limit - 1)[:limit]]
    return np.sort(rows)


def _best_of_both(words: WordScores, seen: Mask, serving: Mask, limit: int) -> tuple[Rows, Rows]:
    """Return the memories and the passages with the best BM25, at most ``limit`` together."""
    scores = np.concatenate(
        [np.where(seen, words.memories.bm25, 0.0), np.where(serving, words.passages.bm25, 0.0)]
    )
    rows = np.flatnonzero(scores > 0)
    if len(rows) > limit:
        rows = rows[np.argsort(-scores[rows], kind="stable")[:limit]]
    return rows[rows < len(seen)], rows[rows >= len(seen)] - len(seen)


def _messages(
    passages: Passages, parts: Rows, cosine: Floats, first: Floats, scores: TermScores
) -> tuple[Rows, list[Floats]]:
    """Return the best part of each message, and the best cosine, first cosine and term scores of its parts."""
    if not len(parts):
        return parts, [np.empty(0) for _ in range(5)]
    columns = [cosine, first, *(each[parts] for each in scores)]
    message = passages.columns.message[parts]
    quality = np.nan_to_num(cosine) + columns[2] / _BM25_OF_COSINE
    # The last key sorts first: by message, the best part at its end.
    order = np.lexsort((parts, quality, message))
    # No message has the number -1, so the first one begins, too.
    begins = np.flatnonzero(np.diff(message[order], prepend=-1))
    ends = np.append(begins[1:], len(order)) - 1
    # Unlike `maximum`, `fmax` passes over the NaN of a part that has no embedding yet.
    return parts[order[ends]], [np.fmax.reduceat(each[order], begins) for each in columns]
