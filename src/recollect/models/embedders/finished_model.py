"""Finds a model's finished files, loads its ONNX graph and runs it. Never: texts, tokenizers; how a graph is made.

The package recollect_weights has it.
"""

import hashlib
from functools import cache
from importlib.resources import files as resources
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from recollect.errors import EmbedderError

GRAPH = "graph.onnx"
_FATAL = 4

_LONG = 128
"""Pieces from which a text's run gives its memory back. Its arena would keep 70 MB after a few long texts; for short ones, as
questions are, it keeps little, and giving back would take them time."""

_GIVING_BACK = ort.RunOptions()
_GIVING_BACK.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")


def installed_model(name: str) -> Path:
    """Return the folder of a model in the installed package of weights.

    Raises:
        EmbedderError: The package is not installed, or lacks the model.
    """
    try:
        folder = Path(str(resources("recollect_weights"))) / "models" / name
    except ModuleNotFoundError:
        raise EmbedderError(
            "The package recollect-memory-weights is not installed: install its wheel, which comes with Recollect's."
        ) from None
    if not (folder / GRAPH).is_file():
        raise EmbedderError(f"The package recollect-memory-weights has no {name}; install it again.")
    return folder


@cache
def checksum(folder: Path) -> bytes:
    """Return the SHA-256 of the graph in a model's folder, which holds all that its training changes; it takes 30 ms.

    Raises:
        EmbedderError: It can't be read.
    """
    try:
        with (folder / GRAPH).open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise EmbedderError(f"The graph {folder / GRAPH} can't be read: {error.strerror}.") from error


def open_session(folder: Path) -> ort.InferenceSession:
    """Load the graph in a model's folder and run it once, which fails if the graph is damaged.

    Raises:
        EmbedderError: It can't be loaded, or returns no finite vector of its size.
    """
    options = ort.SessionOptions()
    # One thread: a question was no faster with two, and the other core is left to the chat.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = _FATAL  # errors are raised; onnxruntime need not print them as well
    graph = folder / GRAPH
    try:
        session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        size = session.get_inputs()[0].shape[-1]
        vector = vector_of(session, np.ones((1, 1, size), dtype=np.float32))
    except Exception as error:  # onnxruntime's errors share no other base
        raise EmbedderError(f"The graph {graph} can't be loaded: {error}") from error
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise EmbedderError(f"The graph {graph} returns no valid vectors.")
    return session


def vector_of(session: ort.InferenceSession, pieces: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a graph's vector of a text, (hidden size,) float32.

    Args:
        session: The graph.
        pieces: The embeddings of the text's word pieces, (1, pieces, hidden size).

    Raises:
        Exception: onnxruntime's own, which share no other base.
    """
    options = _GIVING_BACK if pieces.shape[1] > _LONG else None
    (vectors,) = session.run(["vectors"], {"pieces": pieces}, options)
    vector: NDArray[np.float32] = vectors[0]
    return vector
