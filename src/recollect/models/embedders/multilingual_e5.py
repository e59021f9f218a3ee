"""Embeds texts with multilingual-e5-small on the local CPU, by onnxruntime, without network.

The model (Wang et al., "Multilingual E5 Text Embeddings", arXiv 2402.05672) supports about a hundred languages; the package of
weights adapts it to people's statements and questions. It has different prefixes for questions and texts. Its vectors form a narrow
cone: any two have a cosine of 0.75 to 0.9. So the mean vector of questions or of texts is subtracted (Mu and Viswanath,
"All-but-the-Top", arXiv 1702.01417).
"""

import asyncio
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from functools import partial
from heapq import heappop, heappush
from importlib.resources import files as resources
from itertools import count
from typing import NamedTuple, TypeVar, TypeVarTuple

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.models.embedders.onnx_model import (
    UnigramTokenizer,
    WordRows,
    checksum,
    installed_model,
    open_session,
    vector_of,
)

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_STEP = 200
"""Characters of a question that a model reads in about ten milliseconds."""

_NICENESS = 10


class Lane:
    """A single worker thread with a queue. A job that is cancelled before its turn is never run.

    Small jobs come first: a person's short question does not wait for other people's long ones.

    Args:
        is_nice: Whether everything else that has work to do on this machine comes first.
    """

    def __init__(self, name: str, *, is_nice: bool = False) -> None:
        self._thread = ThreadPoolExecutor(
            1, thread_name_prefix=name, initializer=_be_nice if is_nice else None
        )
        self._closed = False
        self._is_busy = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def submit(
        self,
        work: Callable[[*_Arguments], _Result],
        *arguments: *_Arguments,
        size: int = 0,
        patience: float | None = None,
    ) -> _Result:
        """Run ``work(*arguments)`` in the thread, and return its result.

        Args:
            work: The job.
            arguments: Its arguments.
            size: Jobs of a smaller size come first; of equal ones the first that came.
            patience: The most seconds that the job may wait in the queue. One that waited longer fails without being run,
                since its caller has given up. None: no limit.

        Raises:
            EmbedderError: The lane was closed, or the job waited for too long. ``work`` may raise anything.
        """
        if self._closed:
            raise EmbedderError("The local embedder was closed.")
        asked = time.monotonic()
        await self._turn(size)
        if patience is not None and time.monotonic() - asked > patience:
            self._pass_on()
            raise EmbedderError("The local embedder is overloaded: the text waited too long in its queue.")
        ended: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._thread.submit(self._run, partial(work, *arguments), ended)
        return await ended

    def _run(self, work: Callable[[], _Result], ended: asyncio.Future[_Result]) -> None:
        """Run a job, and wake the loop once for its result and the next job. Runs in the thread."""
        try:
            settle = partial(ended.set_result, work())
        except Exception as error:  # noqa: BLE001 -- it is the caller's
            settle = partial(ended.set_exception, error)
        loop = ended.get_loop()
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._end, ended, settle)

    def _end(self, ended: asyncio.Future[_Result], settle: Callable[[], None]) -> None:
        # A job that has begun keeps the turn until it ends, whether or not its caller still waits.
        self._pass_on()
        if not ended.done():
            settle()

    async def _turn(self, size: int) -> None:
        """Wait for the job's turn, and take it."""
        if not self._is_busy:
            self._is_busy = True
            return
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (size, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()  # it was given the turn in the same moment
            raise

    def _pass_on(self) -> None:
        """Give the turn to the smallest job that still waits."""
        while self._waiting:
            *_, turn = heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._is_busy = False

    async def aclose(self) -> None:
        """Refuse further jobs, finish those in the queue, and end the thread."""
        self._closed = True
        await self._turn(sys.maxsize)  # behind every job in the queue
        try:
            await asyncio.to_thread(self._thread.shutdown)
        finally:
            self._pass_on()


def _be_nice() -> None:
    """Lower the priority of this thread, where the system knows a thread's."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)


MODEL = "multilingual-e5-small"
_MEANS = "multilingual_e5_small_means.npy"

_TEXT_BYTES = 2_000
"""The most bytes of a text, in UTF-8: about 500 word pieces in any script, nearly the model's limit."""

_QUESTION_BYTES = 400
"""The most bytes of a question: about 100 word pieces. Each takes time, and a chat waits for the question."""

_PIECES = 512
"""The most word pieces of a text, with the two special ones at its ends."""

_PATIENCE = 0.5
"""The most seconds that a question waits in the queue. No recall waits as long."""


class Side(IntEnum):
    """Whether a text is embedded as a question or as a text to be found; the value is the row of its mean vector."""

    QUESTION = 0
    TEXT = 1


_PREFIXES = {Side.QUESTION: "query: ", Side.TEXT: "passage: "}
"""The prefixes that the model was trained with."""


class _Engine(NamedTuple):
    """A loaded model."""

    tokenizer: UnigramTokenizer
    words: WordRows
    session: ort.InferenceSession


class MultilingualE5Embedder:
    """Embeds texts one by one in threads next to the event loop: short questions, long ones and texts have one each.

    Args:
        means: The mean vectors of questions and of texts, (2, 384) float32; None: the committed ones. Zeros: no centring.

    Attributes:
        name: The name of the vector space, with a checksum of the model and the means. Other weights make another space.
        gate: The cosine of centred vectors below which a query's best match means nothing.

    Raises:
        EmbedderError: The package of weights is not installed.
    """

    def __init__(self, *, means: NDArray[np.float32] | None = None) -> None:
        self._folder = installed_model(MODEL)
        self._means = committed_means() if means is None else means
        made_by = checksum(self._folder) + self._means.tobytes()
        self.name = f"local:{MODEL}@{hashlib.sha256(made_by).hexdigest()[:8]}"
        self.gate = 0.3
        self._engine: _Engine | None = None
        self._loading = threading.Lock()
        self._short_questions = Lane("embed-short")
        self._long_questions = Lane("embed-long", is_nice=True)
        self._texts = Lane("embed-text", is_nice=True)

    async def load(self) -> None:
        """Load the model before the first text.

        Raises:
            EmbedderError: A file of it can't be read.
        """
        await self._texts.submit(self._loaded)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, (384,) float32, in order. At most 2,000 bytes of a text count.

        Raises:
            EmbedderError: The model can't be loaded or run, or was closed.
        """
        return [await self._texts.submit(self._vector, text, Side.TEXT) for text in texts]

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question, (384,) float32, for comparison with vectors of texts. At most 400 bytes count.

        Raises:
            EmbedderError: As ``embed``; or the question waited for more than half a second in the queue.
        """
        size = len(text) // _STEP  # so that those of about one length keep their order; 0 is short
        lane = self._long_questions if size else self._short_questions
        return await lane.submit(self._vector, text, Side.QUESTION, size=size, patience=_PATIENCE)

    async def aclose(self) -> None:
        """Finish the texts in the queues, then end the threads and free the model."""
        lanes = (self._short_questions, self._long_questions, self._texts)
        await asyncio.gather(*(each.aclose() for each in lanes))
        self._engine = None

    def _loaded(self) -> _Engine:
        """Return the model; the first lane to call this loads it. Runs in a lane's thread."""
        with self._loading:
            if self._engine is None:
                session = open_session(self._folder)
                tokenizer = UnigramTokenizer.from_folder(self._folder)
                self._engine = _Engine(tokenizer, WordRows.from_folder(self._folder), session)
            return self._engine

    def _vector(self, text: str, side: Side) -> Vector:
        """Embed one text. Runs in a lane's thread."""
        engine = self._loaded()
        prepared = prefixed(text, side)
        try:
            pieces = engine.tokenizer.encode(prepared, _PIECES)
            plain = vector_of(engine.session, engine.words.of(pieces)[None])
        except Exception as error:  # noqa: BLE001 - whatever a foreign engine raises; it may quote the text
            raise EmbedderError(f"The local embedder failed: {type(error).__name__}.") from None
        centred = plain - self._means[side]
        length = np.linalg.norm(centred)
        if not np.isfinite(length) or length == 0:
            raise EmbedderError("The local embedder returned a vector that can't be normalized.")
        vector: Vector = (centred / length).astype(np.float32)
        return vector


def prefixed(text: str, side: Side) -> str:
    """Return a text as the tokenizer gets it: bounded, behind its side's prefix."""
    return f"{_PREFIXES[side]}{bounded_to(text, _QUESTION_BYTES if side is Side.QUESTION else _TEXT_BYTES)}"


def bounded_to(text: str, size: int) -> str:
    """Return a text cut to about ``size`` bytes of UTF-8: a third from its beginning, the rest from its end."""
    encoded = text.strip().encode("utf-8", "replace")  # JSON can carry lone surrogates, UTF-8 can't
    if len(encoded) <= size:
        return encoded.decode("utf-8")
    beginning, end = encoded[: size // 3], encoded[-(size - size // 3) :]
    return f"{beginning.decode('utf-8', 'ignore')}\n{end.decode('utf-8', 'ignore')}"


def committed_means() -> NDArray[np.float32]:
    """Return the mean vectors of questions and of texts, (2, 384)."""
    with (resources(__package__) / _MEANS).open("rb") as file:
        means: NDArray[np.float32] = np.load(file, allow_pickle=False)
    return means
