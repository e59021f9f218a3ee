"""Adds a trained adapter to a model's dense layers: low-rank matrices (Hu et al., "LoRA", arXiv 2106.09685).

`bench/training/adapter.py` in Recollect's repository trains it.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect_weights.building.packed_file import PackedModel

DOWN, UP = ".down", ".up"
"""The ends of the names of an adapter's two matrices, after the name of their layer."""


class AdaptedModel(PackedModel):
    """A packed model whose matrices are adapted: ``up @ down`` is added to each that the adapter has.

    Args:
        file: The path of the model's file.
        adapter: The path of the adapter's: for each layer ``NAME.down``, (rank, inputs), and ``NAME.up``, (outputs, rank), float16.

    Raises:
        UnsupportedModelError: The model's file can't be read or has another format.
        OSError: The adapter's file can't be read.
    """

    def __init__(self, file: Path, adapter: Path) -> None:
        super().__init__(file)
        with np.load(adapter, allow_pickle=False) as stored:
            self._adapter = {name: stored[name].astype(np.float64) for name in stored.files}

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return a tensor by its name in BERT, as float32."""
        plain = super().tensor(name)
        layer = name.removesuffix(".weight")
        if f"{layer}{DOWN}" not in self._adapter:
            return plain
        # In 64 bits, so that the sum is the same on every machine once it is rounded.
        added = self._adapter[f"{layer}{UP}"] @ self._adapter[f"{layer}{DOWN}"]
        adapted: NDArray[np.float32] = (plain + added).astype(np.float32)
        return adapted
