"""Finds the cosine of a question and the message or memory that is nearest to it. Pure."""

from dataclasses import dataclass

import numpy as np

from recollect.index import Passages, Snapshot
from recollect.model import Passage, Vector
from recollect.recall import Reach


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a user's memory.

    Attributes:
        user_id: The user.
        text: The question.
        of: The passage it was taken from, which must not answer it; None if it was taken from none.
    """

    user_id: str
    text: str
    of: Passage | None = None


def nearest_cosine(
    snapshot: Snapshot, question: Question, model: str, vector: Vector, reach: Reach
) -> float | None:
    """Return the largest cosine of a question; None if nothing has an embedding of its model.

    The exchange that the question was taken from does not count, nor do memories that were learned from it.

    Args:
        snapshot: The user's memory.
        question: The question.
        model: The name of the embedder.
        vector: The question's vector.
        reach: Whether the log and exchanges that were kept verbatim are searched.
    """
    memories, said = snapshot.memories, question.of
    passages = snapshot.passages if reach.log and snapshot.passages is not None else Passages()
    is_current, is_seen = passages.is_current, memories.is_seen
    if reach.log and not reach.verbatim:
        is_seen = is_seen & ~memories.is_verbatim
    if said is not None:
        is_current = is_current & np.array(
            [each.exchange_id != said.exchange_id for each in passages.items], np.bool_
        )
        is_seen = is_seen & np.array(
            [said.message_id not in each.provenance.message_ids for each in memories.items], np.bool_
        )
    cosines = np.concatenate(
        [
            memories.first.near(model, vector).best[is_seen],
            passages.vectors.near(model, vector).best[is_current],
        ]
    )
    known = cosines[~np.isnan(cosines)]
    return float(known.max()) if len(known) else None
