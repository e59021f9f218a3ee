"""Remembers the vectors of texts asked for lately, before any embedder. Never: the texts themselves."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import TypeAlias

from cachetools import TTLCache

from recollect.errors import EmbedderError
from recollect.model import Vector
from recollect.ports import Embedder

_QUESTION = b"?"
"""Before the key of what is embedded as a question."""

_Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[list[Vector]]]


class CachedEmbedder:
    """Asks ``inner`` once for a text, also when several ask for it at the same time.

    Its vectors are shared, and therefore read-only. A computation goes on when the one who asked
    gave up (a recall past its deadline), so that the next to ask finds it done. All within one event loop.

    Args:
        inner: Who really embeds; closed together with this one.
        size: How many vectors are kept; the least recently used go first. With 0 none is kept.
        ttl: How long a vector is kept.
        timer: Tells seconds, monotonically.
    """

    def __init__(
        self, inner: Embedder, *, size: int, ttl: timedelta, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._inner = inner
        self._size = size
        self._ttl = ttl
        self._timer = timer
        self._tasks: set[asyncio.Task[dict[bytes, Vector]]] = set()
        self.clear()

    @property
    def name(self) -> str:
        """Names the vector space: that of the inner embedder."""
        return self._inner.name

    def reads(self, text: str) -> bool:
        """Whether the other embedder was made for texts in that script."""
        return self._inner.reads(text)

    @property
    def gate(self) -> float:
        """The cosine below which a query's best match means nothing, as the inner embedder says."""
        return self._inner.gate

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, in order, each computed only when it is not known.

        Raises:
            EmbedderError: The inner embedder failed (which is not remembered), or this one was closed.
        """
        return await self._vectors_of(texts, self._inner.embed)

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of what is asked, computed only when it is not known.

        Raises:
            EmbedderError: As ``embed``.
        """

        async def asked(texts: Sequence[str]) -> list[Vector]:
            return [await self._inner.embed_question(text) for text in texts]

        [vector] = await self._vectors_of([text], asked, _QUESTION)
        return vector

    async def _vectors_of(self, texts: Sequence[str], embed: _Embed, side: bytes = b"") -> list[Vector]:
        keyed = {_key(text, side): text for text in texts}
        found = {key: vector for key in keyed if (vector := self._vectors.get(key)) is not None}
        missing = {key: text for key, text in keyed.items() if key not in found and key not in self._pending}
        if missing:
            self._start(missing, embed)
        for task in {self._pending[key] for key in keyed if key not in found}:
            found |= await _result(task)
        return [found[_key(text, side)] for text in texts]

    @property
    def entries(self) -> int:
        """How many vectors are known, or being computed."""
        return len(self._vectors) + len(self._pending)

    def clear(self) -> None:
        """Forget every vector, also those that are being computed."""
        self._vectors: TTLCache[bytes, Vector] = TTLCache(self._size, self._ttl.total_seconds(), self._timer)
        self._pending: dict[bytes, asyncio.Task[dict[bytes, Vector]]] = {}

    async def aclose(self) -> None:
        """Give up what is being computed, and close the inner embedder."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.clear()
        await self._inner.aclose()

    def _start(self, missing: Mapping[bytes, str], embed: _Embed) -> None:
        """Have ``embed`` compute ``missing`` in a task that no one waiting can cancel."""
        # What is asked for now is kept in the present cache, and pending in the present table:
        # `clear` puts others in their place, which an old computation never touches.
        vectors, pending = self._vectors, self._pending

        async def compute() -> dict[bytes, Vector]:
            try:
                answer = await embed(list(missing.values()))
            finally:
                for key in missing:
                    del pending[key]
            for vector in answer:
                vector.setflags(write=False)
            computed = dict(zip(missing, answer, strict=True))
            if self._size > 0:
                vectors.update(computed)
            return computed

        task = asyncio.create_task(compute())
        self._tasks.add(task)
        task.add_done_callback(self._settle)
        pending.update(dict.fromkeys(missing, task))

    def _settle(self, task: asyncio.Task[dict[bytes, Vector]]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, so that a failure nobody waits for any more is not reported as lost


async def _result(task: asyncio.Task[dict[bytes, Vector]]) -> dict[bytes, Vector]:
    """Wait for a shared task without cancelling it when the one who waits is cancelled."""
    await asyncio.wait([task])
    if task.cancelled():
        raise EmbedderError("The embedder was closed.")
    return task.result()


def _key(text: str, side: bytes) -> bytes:
    return side + hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
