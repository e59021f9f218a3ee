"""Linear heads over a question's vector, which classify it in every language of the embedder. Pure."""

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.model import Vector
from recollect.text.word_tables import read_table

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearHeads:
    """Trained heads.

    Attributes:
        weights: Their weights, (heads, dimensions).
        bias: Their biases, (heads,).
    """

    weights: Floats
    bias: Floats

    def logits(self, question: Vector | None) -> Floats | None:
        """Return the logits of a question, (heads,); None without a vector of the heads' dimensions."""
        if question is None or len(question) != self.weights.shape[1]:
            return None
        logits: Floats = self.weights @ np.asarray(question, np.float64) + self.bias
        return logits


@cache
def shipped_heads(name: str) -> LinearHeads:
    """Return the heads in a file of ``trained``."""
    held = read_table("recollect.recall", f"trained/{name}")
    return LinearHeads(np.array(held["weights"], np.float64), np.array(held["bias"], np.float64))
