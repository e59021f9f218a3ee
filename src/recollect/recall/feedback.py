"""Finds the statements that their person called not helpful for questions like this one. Pure.

A statement is left out if the embeddings of both questions have a cosine of ``NEAR`` or more.
"""

from uuid import UUID

import numpy as np

from recollect.index import USE_CODES, Memories, Snapshot, StatementColumns
from recollect.model import VITAL, Kind, Memory, Use, Vector

# Chosen on six people of the lives data set with their questions in view, and read off half of them it would have lost the other
# half 4 of 614 needed statements (0.49) or 0 of 558 (0.53). At 0.55, before the embedder was adapted, all 608 noise lines were
# called not helpful: noise fell from 75 to 34 %, and 129 of 131 questions kept all they needed (before: 130). Of 25 questions in
# other words 16 are near enough. Since the adaptation 0.60 is reached by as small a share of pairs of questions (0.03 %).
NEAR = 0.6
"""The least cosine of two questions that are alike."""


def may_be_unhelpful(memory: Memory) -> bool:
    """Return whether a person may call a memory not helpful: it neither shapes every answer nor concerns health."""
    return not memory.is_for_every_chat and memory.kind is not Kind.PROFILE


def not_helpful(snapshot: Snapshot, question: Vector | None, model: str) -> frozenset[UUID]:
    """Return the ids of the statements, past ones too, that were not helpful for questions like ``question``, embedded by ``model``."""
    return _among(snapshot.memories, question, model) | _among(snapshot.past, question, model)


def _among(memories: Memories, question: Vector | None, model: str) -> frozenset[UUID]:
    if question is None or model not in memories.not_helpful.models:
        return frozenset()
    near = memories.not_helpful.near(model, question).best[memories.judged]
    table: StatementColumns = memories.table
    may_be = (table.importance < VITAL) & (table.use != USE_CODES[Use.ALWAYS])
    rows = np.flatnonzero(may_be & (np.nan_to_num(near, nan=-1.0) >= NEAR))
    return frozenset(memories.judged_items[row].id for row in rows.tolist())
