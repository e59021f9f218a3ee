"""Runs a loaded graph. Never: builds or loads one."""

from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

_LONG = 128
"""Pieces from which a text's run gives back what it took. Its arena would keep 70 MB after a few long texts; for short ones, as
questions are, it keeps little, and giving back would take them time."""

_GIVING_BACK = ort.RunOptions()
_GIVING_BACK.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")


def vector_of(session: ort.InferenceSession, pieces: NDArray[Any]) -> NDArray[np.float32]:
    """Return a graph's vector of a text, (hidden size,) float32.

    Args:
        session: The graph.
        pieces: The ids of the text's word pieces, (1, pieces) int64, or their embeddings, (1, pieces, hidden size) float32.

    Raises:
        Exception: onnxruntime's own, which share no other base.
    """
    options = _GIVING_BACK if pieces.shape[1] > _LONG else None
    vectors: NDArray[np.float32]
    (vectors,) = session.run(["vectors"], {"pieces": pieces}, options)
    vector: NDArray[np.float32] = vectors[0]
    return vector
