"""Runs a loaded graph. Never: builds or loads one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

_LONG = 128
"""Pieces from which a text's run gives back what it took. Its arena would keep 70 MB after a few long texts; for short ones, as
questions are, it keeps little, and giving back would take them time."""

_GIVING_BACK = ort.RunOptions()
_GIVING_BACK.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")


def vectors_of(session: ort.InferenceSession, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Return what a graph makes of texts, (texts, hidden size) float32.

    Args:
        session: The graph.
        inputs: Its inputs by name, ``attention_mask`` among them.

    Raises:
        Exception: onnxruntime's own, which share no other base.
    """
    options = _GIVING_BACK if inputs["attention_mask"].size > _LONG else None
    vectors: NDArray[np.float32]
    (vectors,) = session.run(["vectors"], dict(inputs), options)
    return vectors
