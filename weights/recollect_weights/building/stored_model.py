"""Says what a graph is made of: the sizes of a BERT encoder, and its tensors by name."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Architecture:
    """The sizes of a BERT encoder.

    Attributes:
        vocabulary: The number of word pieces.
        positions: The most word pieces of a text.
        types: The number of segment types.
        hidden: The size of a vector.
        intermediate: The size of the feed-forward layers.
        epsilon: The constant that layer normalisation adds to the variance.
    """

    vocabulary: int
    positions: int
    types: int
    hidden: int
    intermediate: int
    layers: int
    heads: int
    epsilon: float


class StoredModel(Protocol):
    """A BERT encoder, however its weights are stored."""

    @property
    def architecture(self) -> Architecture:
        """The sizes of the encoder."""

    def tensor(self, name: str) -> NDArray[np.generic]:
        """Return a tensor by its name in transformers' BertModel; raise ``KeyError`` or ``TypeError`` if it can't be read."""
