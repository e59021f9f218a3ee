"""Keeps and runs a model's finished ONNX graph, and builds it if it is missing.

Once it is built, a start loads the graph file alone: neither the weights nor `onnx`. A graph that was built with the
installation is loaded from there; any other is kept in a cache folder.

Never: texts, tokenizers.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import structlog
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.models.embedders.model_folder import StoredModel

PREPARED = Path(sys.prefix) / "share" / "recollect" / "models"
"""The folder in which `recollect prepare` builds the graphs of an installation. Serving writes nothing there."""

# Increment it when `onnx_graph` changes, so that older graph files are not used.
_GRAPH_VERSION = 2
_FATAL = 4
_CHECKSUM_LENGTH = 64

_LONG = 128
"""Pieces from which a text's run gives its memory back. Its arena would keep 70 MB after a few long texts; for short ones, as
questions are, it keeps little, and giving back would take them time."""

_GIVING_BACK = ort.RunOptions()
_GIVING_BACK.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

_log = structlog.get_logger(__name__)


def weights_checksum(model: StoredModel, cache_dir: Path) -> str:
    """Return the SHA-256 of the model's weights in hexadecimal.

    The cache folder keeps the checksum as long as the file's path, size and modification time stay the same.

    Raises:
        EmbedderError: The weights can't be read, or the cache folder can't be written.
    """
    try:
        status = model.weights.stat()
        state = f"{model.weights.resolve()} {status.st_size} {status.st_mtime_ns}"
        note = cache_dir / f"weights-{_digest(state.encode())[:16]}.sha256"
        if note.is_file() and len(remembered := note.read_text(encoding="ascii")) == _CHECKSUM_LENGTH:
            return remembered
        checksum = _file_checksum(model.weights)
        write_whole(note, checksum.encode("ascii"))
    except OSError as error:
        raise EmbedderError(f"The model in {model.weights.parent} can't be prepared: {error}") from error
    return checksum


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically: into a temporary folder, then moved into place. Missing parent folders are created.

    Raises:
        OSError: It can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=path.parent) as building:
        unfinished = Path(building) / path.name
        with unfinished.open("wb") as written:
            written.write(data)
            written.flush()
            os.fsync(written.fileno())
        unfinished.replace(path)


def kept_files(name: str, cache_dir: Path) -> Iterator[Path]:
    """Yield the files of this name that were built before: in the cache folder, then with the installation.

    A file in the cache folder comes first: it was built because the installation's was missing or damaged.
    A folder that this process may not look into counts as empty: the installation may be another user's.
    """
    # Path.is_file raises if access is refused.
    return (path for folder in (cache_dir, PREPARED) if os.path.isfile(path := folder / name))  # noqa: PTH113


def open_session(model: StoredModel, *, checksum: str, cache_dir: Path) -> ort.InferenceSession:
    """Load the model's graph; build it into ``cache_dir`` first if it is missing or damaged, which a line of the log tells.

    Args:
        model: The model.
        checksum: The required SHA-256 of the weights; checked only if the graph is built.
        cache_dir: The folder of the graph files. Several processes may share it.

    Raises:
        EmbedderError: The weights have another checksum, or the graph can't be built or written.
    """
    sizes = _digest(repr(model.architecture).encode())
    name = f"bert-{checksum[:16]}-{sizes[:8]}-v{_GRAPH_VERSION}.onnx"
    damaged: dict[str, str] = {}
    for graph in kept_files(name, cache_dir):
        try:
            session = _session(graph, model)
        except Exception as error:  # noqa: BLE001 - onnxruntime's errors share no other base; whatever is wrong, a new graph mends it
            damaged[str(graph)] = type(error).__name__
            continue
        if damaged:  # that of the cache folder: the next start is not to meet it
            with suppress(OSError):
                (cache_dir / name).unlink()
            _log.warning("embedder_graph_damaged", files=damaged, done="removed; the installation's is used")
        return session
    graph = cache_dir / name
    try:
        if damaged:
            _log.warning("embedder_graph_damaged", files=damaged, done=f"built anew in {cache_dir}")
        else:
            _log.info("embedder_graph_build_started", file=graph.name)
        _build(model, checksum, graph)
        return _session(graph, model)
    except EmbedderError:
        raise
    except Exception as error:  # as above, and onnx raises its own; the caller is promised one error
        raise EmbedderError(
            f"The graph of the model in {model.weights.parent} can't be built: {error}"
        ) from error


def _session(graph: Path, model: StoredModel) -> ort.InferenceSession:
    """Load a graph and run it once, which fails if the graph is damaged.

    Raises:
        EmbedderError: It returns no finite vector of the model's size. onnxruntime raises its own errors, too.
    """
    options = ort.SessionOptions()
    # One thread: a question was no faster with two, and the other core is left to the chat.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = _FATAL  # errors are raised; onnxruntime need not print them as well
    session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    one = (
        np.ones((1, 1, model.architecture.hidden), np.float32) if model.words_given else np.ones((1, 1), int)
    )
    vector = vector_of(session, one)
    if vector.shape != (model.architecture.hidden,) or not np.isfinite(vector).all():
        raise EmbedderError(f"The graph {graph} returns no valid vectors.")
    return session


def _build(model: StoredModel, checksum: str, graph: Path) -> None:
    """Check the weights, build the graph and write it to its file."""
    found = _file_checksum(model.weights)
    if found != checksum:
        raise EmbedderError(
            f"The weights {model.weights} have the SHA-256 {found}, not {checksum}: install them again."
        )
    # Imported only here: the import takes longer than loading a finished graph.
    from recollect.models.embedders.onnx_graph import build_graph  # noqa: PLC0415

    write_whole(graph, build_graph(model).SerializeToString())


def _file_checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def vector_of(session: ort.InferenceSession, pieces: NDArray[Any]) -> NDArray[np.float32]:
    """Return a graph's vector of a text, (hidden size,) float32.

    Args:
        session: The graph.
        pieces: The ids of the text's word pieces, (1, pieces) int64, or their embeddings, (1, pieces, hidden size) float32.

    Raises:
        Exception: onnxruntime's own, which share no other base.
    """
    options = _GIVING_BACK if pieces.shape[1] > _LONG else None
    (vectors,) = session.run(["vectors"], {"pieces": pieces}, options)
    vector: NDArray[np.float32] = vectors[0]
    return vector
