"""Writes the files of a finished model: its graph, its tokenizer, and what else an embedder loads."""

import hashlib
import json
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

import marisa_trie
import numpy as np
import onnx

from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.onnx_graph import build_graph
from recollect_weights.building.packed_file import PackedModel


def finish_packed(model: PackedModel, into: Path) -> None:
    """Finish the model of a packed file: ``graph.onnx``, ``words.npy`` and the files of the tokenizer.

    Raises:
        UnsupportedModelError: The model can't be a graph.
        OSError: A file can't be written.
    """
    into.mkdir(parents=True, exist_ok=True)
    onnx.save_model(build_graph(model), into / "graph.onnx")
    np.save(into / "words.npy", model.word_blocks())
    first, last, _, unknown = model.tokenizer.ids
    write_tokenizer(
        into,
        model.tokenizer.pieces(),
        model.tokenizer.scores().tolist(),
        normalization=model.tokenizer.normalization(),
        marks=(first, last),
        unknown=unknown,
    )


def write_tokenizer(
    into: Path,
    pieces: Mapping[str, int],
    scores: Sequence[float],
    *,
    normalization: Mapping[str, str],
    marks: tuple[int, int],
    unknown: int,
) -> None:
    """Write a unigram tokenizer: ``pieces.marisa``, ``numbers.npy``, ``scores.npy`` and ``spelling.json``.

    Args:
        into: The folder.
        pieces: The id of each word piece.
        scores: Their log likelihoods, by id.
        normalization: The normalized form of a character; other characters stay as they are.
        marks: The ids of the special pieces before and after every text.
        unknown: The id of the piece for unknown characters.
    """
    trie = marisa_trie.Trie(pieces)
    numbers = array("i", bytes(4 * len(pieces)))
    for piece, number in pieces.items():
        numbers[trie[piece]] = number
    trie.save(str(into / "pieces.marisa"))
    np.save(into / "numbers.npy", np.array(numbers, dtype="<i4"))
    np.save(into / "scores.npy", np.array(scores, dtype="<f4"))
    spelling = {
        "longest": max(map(len, pieces)),
        "marks": marks,
        "unknown": unknown,
        "normalization": dict(normalization),
    }
    (into / "spelling.json").write_text(json.dumps(spelling), encoding="utf-8")


def require_checksum(file: Path, expected: str) -> None:
    """Check a file's SHA-256.

    Raises:
        UnsupportedModelError: It is another.
        OSError: The file can't be read.
    """
    if (found := _checksum(file)) != expected:
        raise UnsupportedModelError(f"The weights {file} have the SHA-256 {found}, not {expected}.")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
