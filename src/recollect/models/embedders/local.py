"""Embeds texts with a BERT model on the local CPU, by onnxruntime, without torch and without network.

Never: how a graph is made; HTTP.
"""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from recollect.errors import ConfigurationError, EmbedderError
from recollect.model import Vector
from recollect.models.embedders import prepare
from recollect.models.embedders.finished_model import installed_model, open_session, vector_of
from recollect.models.embedders.lane import LISTED, Lane, size_of

# No natural text averages more characters per word piece. Text beyond this many is cut off before tokenizing.
_CHARACTERS_PER_PIECE = 64

_PATIENCE = 0.5

_LOOKED_AT = 1_000
_LAST_LATIN = "\u024f"


BUNDLED = "all-MiniLM-L6-v2"
"""The model in the package of weights."""

_DESCRIPTION = "model.json"


class _Description(msgspec.Struct):
    """``model.json``: the most word pieces of a text, and the SHA-256 of the weights that the graph was made from."""

    pieces: int
    weights: str


class _Engine(NamedTuple):
    """A loaded model."""

    tokenizer: Tokenizer
    session: ort.InferenceSession


class LocalEmbedder:
    """Embeds texts one by one, in two threads next to the event loop.

    Short single texts, such as most questions, have a thread of their own: they wait neither behind a list nor behind a long
    text. Long single texts come before lists. Texts are not batched. A batch of eight is up to 1.7 times as fast for texts of one line, and no faster for long ones. But its
    activations are quantized together, so that a text's vector would depend on the other texts of the batch (cosine 0.99
    on average, 0.94 at worst). One by one, a text always gets the same vector, and memory use is bounded.

    Args:
        model: "all-MiniLM-L6-v2", or the path of a finished model's folder.
        gate: The cosine below which a query's best match means nothing. 0.30 was measured for all-MiniLM-L6-v2; for any
            other model it is a guess.

    Attributes:
        name: The name of the vector space.

    Raises:
        ConfigurationError: There is no such model.
        EmbedderError: The package of weights is not installed, or the folder holds no finished model.
    """

    def __init__(self, model: str, *, gate: float = 0.30) -> None:
        self._folder = find_folder(model)
        self._is_english = model == BUNDLED
        described = _read_description(self._folder)
        self._pieces = described.pieces
        name = BUNDLED if self._is_english else f"{self._folder.resolve().name}@{described.weights[:12]}"
        self.name = f"local:{name}"
        self.gate = gate
        self._engine: _Engine | None = None
        self._loading = threading.Lock()
        self._short_lane, self._long_lane = Lane("embed-short"), Lane("embed-long", is_nice=True)

    def reads(self, text: str) -> bool:
        """Whether the model supports the text's script.

        The bundled model supports Latin script: at least half of the letters must be Latin. For any other model
        this is unknown, and the result is True.
        """
        if not self._is_english:
            return True
        letters = [letter for letter in text[:_LOOKED_AT] if letter.isalpha()]
        return 2 * sum(letter <= _LAST_LATIN for letter in letters) >= len(letters)

    async def load(self) -> None:
        """Load the model before the first text.

        Raises:
            EmbedderError: It can't be loaded.
        """
        await self._long_lane.submit(self._loaded)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, (384,) float32 for the bundled model, in order.

        A text with more word pieces than the model reads is cut off.

        Raises:
            EmbedderError: The model can't be loaded or run, or was closed.
        """
        if len(texts) == 1:
            return [await self._single(texts[0])]
        # One job per text: a cancelled list stops, and concurrent lists take turns.
        return [await self._long_lane.submit(self._vector, text, size=LISTED) for text in texts]

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question; this model embeds it like any text.

        Raises:
            EmbedderError: As ``embed``; or a long question waited for more than half a second in the queue.
        """
        return await self._single(text, patience=_PATIENCE)

    async def _single(self, text: str, *, patience: float | None = None) -> Vector:
        if not (size := size_of(text)):
            return await self._short_lane.submit(self._vector, text)
        return await self._long_lane.submit(self._vector, text, size=size, patience=patience)

    async def aclose(self) -> None:
        """Finish the texts in the queues, then end the threads and free the model."""
        await asyncio.gather(self._short_lane.aclose(), self._long_lane.aclose())
        self._engine = None

    def _loaded(self) -> _Engine:
        """Return the model; the first lane to call this loads it. Runs in a lane's thread."""
        with self._loading:
            if self._engine is None:
                self._engine = _Engine(
                    _read_tokenizer(self._folder, self._pieces), open_session(self._folder)
                )
            return self._engine

    def _vector(self, text: str) -> Vector:
        """Embed one text. Runs in a lane's thread."""
        engine = self._loaded()
        readable = prepare(text, self._pieces * _CHARACTERS_PER_PIECE)
        try:
            # `encode_batch_fast` releases the GIL; `encode` does not.
            (encoding,) = engine.tokenizer.encode_batch_fast([readable])
            # Without special tokens an empty text has no ids at all.
            ids = np.array([encoding.ids or [0]], dtype=np.int64)
            vector: Vector = vector_of(engine.session, ids)
        except Exception as error:  # noqa: BLE001 - the two libraries' errors share no other base; they may quote the text
            raise EmbedderError(f"The local model failed: {type(error).__name__}.") from None
        if not np.isfinite(vector).all():
            raise EmbedderError("The local model returned a vector that is not finite.")
        return vector


def find_folder(model: str) -> Path:
    """Return the folder of a model.

    Raises:
        ConfigurationError: There is no such model.
        EmbedderError: The package of weights is not installed, or the folder holds no finished model.
    """
    if model == BUNDLED:
        return installed_model(model)
    path = Path(model).expanduser()
    if not path.is_dir():
        raise ConfigurationError(f"No local model {model!r}: it is neither {BUNDLED} nor an existing folder.")
    _read_description(path)
    return path


def _read_description(folder: Path) -> _Description:
    try:
        return msgspec.json.decode((folder / _DESCRIPTION).read_bytes(), type=_Description)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EmbedderError(
            f"The folder {folder} holds no finished model: {error}. "
            "`python -m recollect_weights` makes one of a sentence-transformers folder."
        ) from error


def _read_tokenizer(folder: Path, pieces: int) -> Tokenizer:
    file = folder / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_padding()
        tokenizer.enable_truncation(pieces)
    except Exception as error:  # tokenizers raises plain Exceptions
        raise EmbedderError(f"The tokenizer {file} can't be read: {error}") from error
    return tokenizer
