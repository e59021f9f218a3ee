"""Caches the vectors of recently embedded texts, in front of any embedder. It keeps no texts."""

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

_KEPT = timedelta(minutes=15)
"""How long a vector is kept: a question that is asked again is asked within its chat. Kept for an hour, they grew for an hour."""

_QUESTION = b"?"
"""The prefix of a question's key: a question may have another vector than the same text."""

_Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[list[Vector]]]


EMBEDDINGS = 10_000
"""Embeddings kept in memory at most: some 15 MB at 384 dimensions."""


class CachedEmbedder:
    """Caches vectors, and embeds a text only once if several callers ask for it at the same time.

    Callers share the vectors, which are therefore read-only. A computation continues if its caller gives up (a recall past
    its deadline), so that the next caller finds the result. Use an instance within one event loop.

    Args:
        inner: The embedder that computes the vectors; ``aclose`` closes it, too.
        size: The most vectors to keep; the least recently used one is evicted first. 0 keeps none.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        size: int,
        ttl: timedelta = _KEPT,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.gate = inner.name, inner.gate
        self._inner = inner
        self._size = size
        self._ttl = ttl
        self._timer = timer
        self._tasks: set[asyncio.Task[dict[bytes, Vector]]] = set()
        self.clear()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order, from the cache where possible.

        Raises:
            EmbedderError: The inner embedder failed, which is not cached; or this one was closed.
        """
        return await self._vectors_of(texts, self._inner.embed)

    async def embed_question(self, text: str) -> Vector:
        """Return the unit vector of a question, from the cache if possible.

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
        """The number of vectors in the cache or being computed."""
        return len(self._vectors) + len(self._pending)

    def clear(self) -> None:
        """Remove all vectors; those being computed will not be cached."""
        self._vectors: TTLCache[bytes, Vector] = TTLCache(self._size, self._ttl.total_seconds(), self._timer)
        self._pending: dict[bytes, asyncio.Task[dict[bytes, Vector]]] = {}

    async def aclose(self) -> None:
        """Cancel all computations, and close the inner embedder."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.clear()
        await self._inner.aclose()

    def _start(self, missing: Mapping[bytes, str], embed: _Embed) -> None:
        """Compute ``missing`` in a task of its own, which its waiting callers cannot cancel."""
        # The task keeps references to the present cache and table. `clear` replaces both, so that a computation
        # from before it never fills the new ones.
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
            task.exception()  # retrieved, so that asyncio does not report a failure that no caller awaits any more


async def _result(task: asyncio.Task[dict[bytes, Vector]]) -> dict[bytes, Vector]:
    """Await a shared task; cancelling this wait does not cancel the task."""
    await asyncio.wait([task])
    if task.cancelled():
        raise EmbedderError("The embedder was closed.")
    return task.result()


def _key(text: str, side: bytes) -> bytes:
    return side + hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
