"""A model of the package recollect_weights: finds its files, runs its ONNX graph, reads its word embeddings, tokenizes texts.

A text becomes the most likely sequence of word pieces under a unigram language model: Kudo, "Subword Regularization" (arXiv
1804.10959), section 3.2, by the Viterbi algorithm. Spaces are treated as in SentencePiece (Kudo and Richardson, arXiv 1808.06226).
The file of word embeddings is mapped into memory, so that processes share it and only the rows of words in use are loaded.
"""

import hashlib
import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, Self

import marisa_trie
import msgspec
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.text.patterns import linear

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
    """Return the SHA-256 of the graph in a model's folder, which holds everything that training changes. It takes 30 ms.

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

    ``pieces`` are the embeddings of its word pieces, (1, pieces, hidden size).

    Raises:
        Exception: onnxruntime's own, which share no other base.
    """
    options = _GIVING_BACK if pieces.shape[1] > _LONG else None
    (vectors,) = session.run(["vectors"], {"pieces": pieces}, options)
    vector: NDArray[np.float32] = vectors[0]
    return vector


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


_SPACE = "\u2581"
_SPACES = linear(" {2,}")
_UNKNOWN_BELOW = 10.0
"""The log likelihood of an unknown character is so much below that of the least likely piece."""


@dataclass(frozen=True, slots=True)
class PieceTable:
    """The word pieces of a vocabulary in a trie, which finds all pieces at a place of a text. 250,000 pieces take two megabytes.

    Attributes:
        trie: The pieces, as a ``marisa_trie.Trie``.
        numbers: The id of each piece, by its key in the trie.
        longest: The length of the longest piece, in characters.
    """

    trie: Any
    numbers: "array[int]"
    longest: int

    def beginning(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """Yield the end and the id of each piece that ``text`` holds at ``start``."""
        for piece, key in self.trie.iter_prefixes_with_ids(text[start : start + self.longest]):
            yield start + len(piece), self.numbers[key]


class _Spelling(msgspec.Struct):
    """``spelling.json``, with the names of ``UnigramTokenizer``."""

    longest: int
    marks: tuple[int, int]
    unknown: int
    normalization: dict[str, str]


class UnigramTokenizer:
    """Tokenizes texts for one model.

    Args:
        scores: Their log likelihoods, by id.
        normalization: The normalized form of a character, by its code point; other characters stay as they are.
        marks: The ids of the special pieces before and after every text.
        unknown: The id of the piece for unknown characters.
    """

    def __init__(
        self,
        pieces: PieceTable,
        scores: Sequence[float],
        *,
        normalization: Mapping[int, str],
        marks: tuple[int, int],
        unknown: int,
    ) -> None:
        self._pieces = pieces
        self._scores = array("f", scores)
        self._normalization = normalization
        self._marks = marks
        self._unknown = unknown
        self._unknown_score = min(scores) - _UNKNOWN_BELOW

    @classmethod
    def from_folder(cls, folder: Path) -> Self:
        """Read the tokenizer in a model's folder.

        Raises:
            EmbedderError: One of its files can't be read.
        """
        try:
            spelling = msgspec.json.decode((folder / "spelling.json").read_bytes(), type=_Spelling)
            # A list of a quarter of a million numbers would take ten megabytes for a moment.
            numbers = array("i", np.load(folder / "numbers.npy", allow_pickle=False).tobytes())
            scores = array("f", np.load(folder / "scores.npy", allow_pickle=False).tobytes())
            trie = marisa_trie.Trie().load(str(folder / "pieces.marisa"))
        except (OSError, ValueError, RuntimeError, EOFError, msgspec.DecodeError) as error:
            raise EmbedderError(f"The tokenizer in {folder} can't be read: {error}") from error
        return cls(
            PieceTable(trie, numbers, spelling.longest),
            scores,
            normalization={ord(character): form for character, form in spelling.normalization.items()},
            marks=spelling.marks,
            unknown=spelling.unknown,
        )

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text's pieces between the two marks, at most ``limit`` with them; the rest is cut off.

        Takes linear time and holds the GIL throughout: callers must bound the text.
        """
        read = _SPACES.sub(" ", text.translate(self._normalization))
        spaced = (read if read.startswith(" ") else f" {read}").replace(" ", _SPACE)
        first, last = self._marks
        return [first, *self._likeliest(spaced)[: limit - 2], last]

    def _likeliest(self, text: str) -> list[int]:
        """Return the ids of the most likely sequence of pieces.

        Viterbi: for each position, the best score up to it, and the piece that leads there with the piece's start.
        """
        scores, beginning = self._scores, self._pieces.beginning
        reached = [0.0, *[-math.inf] * len(text)]
        by = [self._unknown] * (len(text) + 1)
        since = [0] * (len(text) + 1)
        for start in range(len(text)):
            so_far = reached[start]
            for end, piece in beginning(text, start):
                if so_far + scores[piece] > reached[end]:
                    reached[end], by[end], since[end] = so_far + scores[piece], piece, start
            if so_far + self._unknown_score > reached[start + 1]:
                reached[start + 1] = so_far + self._unknown_score
                by[start + 1], since[start + 1] = self._unknown, start
        found, end = [], len(text)
        while end > 0:
            found.append(by[end])
            end = since[end]
        return found[::-1]
