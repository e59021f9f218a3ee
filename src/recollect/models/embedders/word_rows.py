"""Reads rows of a model's word embeddings from their file. Never: ONNX, texts.

The file is mapped into memory, so that processes share it and only the rows of words in use are loaded.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbedderError


class WordRows:
    """The word embeddings of a vocabulary.

    Args:
        blocks: The rows, in blocks: (words, blocks, 18) bytes.
    """

    def __init__(self, blocks: NDArray[np.uint8]) -> None:
        self._blocks = blocks

    @classmethod
    def from_folder(cls, folder: Path) -> Self:
        """Map the file in a model's folder.

        Raises:
            EmbedderError: It can't be read.
        """
        file = folder / "words.npy"
        try:
            blocks: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise EmbedderError(f"The word embeddings {file} can't be read: {error}") from error
        return cls(blocks)

    def of(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        """Return the embeddings of word pieces by their ids, (pieces, hidden) float32."""
        # Not above: where the package is missing, ``installed_model`` says so.
        from recollect_weights.blocks import dequantized  # noqa: PLC0415

        return dequantized(self._blocks[np.asarray(pieces)])
