"""Finds the statements that their person called not helpful for questions like this one. Pure.

A statement is left out if the embeddings of both questions have a cosine of ``NEAR`` or more. Measured with six people of the lives
data set, hints included: all 608 lines that were noise for a question were called not helpful for it, and all 155 questions were asked
again. Noise fell from 75 to 34 % of the recalled lines, and 129 of 131 questions had every statement they needed (before: 130). Of 25 English
questions asked again in other words, 16 are near enough. The bar was chosen by cosines, with these people's questions in view: one
read off half of the people would have lost 4 of 614 needed statements (0.49) and 0 of 558 (0.53) of the other half. All this was
measured with a bar of 0.55, before the embedder was adapted; 0.60 is reached by as small a share of pairs of questions since (0.03 %).
"""

from uuid import UUID

import numpy as np

from recollect.index import USE_CODES, Memories, StatementColumns
from recollect.model import VITAL, Kind, Memory, Use, Vector

NEAR = 0.6
"""The least cosine of two questions that are alike."""


def may_be_unhelpful(memory: Memory) -> bool:
    """Return whether a person may call a memory not helpful: it neither shapes every answer nor concerns health."""
    return not memory.is_for_every_chat and memory.kind is not Kind.PROFILE


def not_helpful(memories: Memories, question: Vector | None, model: str) -> frozenset[UUID]:
    """Return the ids of the statements that were not helpful for questions like ``question``, embedded by ``model``."""
    if question is None or model not in memories.not_helpful.models:
        return frozenset()
    near = memories.not_helpful.near(model, question).best[memories.judged]
    table: StatementColumns = memories.table
    may_be = (table.importance < VITAL) & (table.use != USE_CODES[Use.ALWAYS])
    rows = np.flatnonzero(may_be & (np.nan_to_num(near, nan=-1.0) >= NEAR))
    return frozenset(memories.judged_items[row].id for row in rows.tolist())
