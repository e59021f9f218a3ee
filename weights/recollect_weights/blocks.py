"""Reads numbers in blocks of 32: a step size in half precision, then 32 4-bit integers (GGML's Q4_0)."""

import numpy as np
from numpy.typing import NDArray

NUMBERS = 32
BYTES = 18
_STEP_BYTES = 2
_MIDDLE = 8
"""The 4-bit integer that represents 0."""


def dequantized(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return rows of blocks, (rows, blocks, 18) bytes, as (rows, 32 * blocks) float32."""
    steps = blocks[..., :_STEP_BYTES].copy().view("<f2").astype(np.float32)
    pairs = blocks[..., _STEP_BYTES:]
    numbers = np.concatenate([pairs & 0x0F, pairs >> 4], axis=-1).astype(np.float32) - _MIDDLE
    unpacked: NDArray[np.float32] = (numbers * steps).reshape(len(blocks), -1)
    return unpacked
