"""Fills a store with as many statements and messages as wanted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import numpy as np
from uuid_utils.compat import uuid7

from bench.engines import Bench
from recollect.engine import Engine
from recollect.index_run import Indexer
from recollect.model import EmbeddingScope, Exchange, Kind, Memory, Scope, Source, Turn, Vector
from recollect.ports import Embedder

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
_AT_ONCE = 500
_EMBEDDED = 500
_NEAR = 0.5
"""The length of the vector that is added to a unit vector."""
_SEED = 2026


class Sampled:
    """Implements ``Embedder``: embeds its first texts, and gives others vectors near one of theirs, which costs nothing."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: list[Vector] = []
        self._drawn = np.random.default_rng(_SEED)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return the texts' unit vectors."""
        lacking = texts[: max(0, _EMBEDDED - len(self._known))]
        self._known += await self._embedder.embed(lacking) if lacking else []
        near = [self._near() for _ in texts[len(lacking) :]]
        return [*self._known[len(self._known) - len(lacking) :], *near]

    def _near(self) -> Vector:
        base = np.asarray(self._known[self._drawn.integers(len(self._known))])
        moved = base + self._drawn.normal(scale=_NEAR / np.sqrt(len(base)), size=len(base))
        return (moved / np.linalg.norm(moved)).astype(base.dtype)


class Filler:
    """Fills the store of a bench, by made-up vectors but for its first texts."""

    def __init__(self, bench: Bench) -> None:
        backends = replace(bench.backends, embedder=_sampled(bench.backends.embedder))
        engine = Engine(backends, bench.engine.policy, clock=bench.clock)
        self._bench = replace(bench, backends=backends, engine=engine)
        self._of_messages = _sampled(bench.backends.log_embedder)
        bench.clock.move_to(NOW)

    async def keep(self, person: str, texts: Sequence[str]) -> None:
        """Keep statements of a person."""
        for start in range(0, len(texts), _AT_ONCE):
            batch = texts[start : start + _AT_ONCE]
            made = [
                Memory(uuid7(), person, Kind.FACT, Source.EXTRACTED, each, 0.5, NOW, NOW) for each in batch
            ]
            await self._bench.keep(person, made, NOW)
        await self._bench.backends.store.index.enqueue(person)
        await self._bench.form(person)

    async def log(self, person: str, exchanges: Iterable[tuple[str, str, str]]) -> None:
        """Log exchanges (the chat, the message, the reply) of a person whose statements are kept, and form nothing of them."""
        backends = self._bench.backends
        for chat, text, reply in exchanges:
            turn = Turn(Scope(person, chat), text, str(uuid7()), NOW, "m")
            await backends.store.log.append(Exchange(uuid7(), turn, reply, uuid7(), uuid7()))
        indexer = Indexer(backends.store.index, backends.embedder, self._of_messages, EmbeddingScope.ALL)
        while await indexer.index_user(person):
            pass


def _sampled(embedder: Embedder) -> Embedder:
    return cast("Embedder", Sampled(embedder))
