"""What a recall takes, of one commit beside another's: as a ratio, for a machine that other work runs on.

    git worktree add /tmp/before COMMIT
    python -m bench recall-latency --before /tmp/before [--sizes 10,1000,10000] [--rounds 7] [--asks 30]

For each size two processes have a store each with as many statements of one user, made up; 500 are embedded for real, the others
have vectors near one of theirs. One process runs the code of the checkout named, one this checkout's. They are asked by turns, each time something else, in a new chat, and
tell how long ``Engine.prepare`` took. Each round gives a ratio of medians; the median of these is told.
Never: HTTP, what is recalled.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import IO, Any, Self, cast

import msgspec
import numpy as np
from uuid_utils.compat import uuid7

from bench.recall.clock import ReplayClock
from bench.recall.opening import unhurried
from bench.speed.arithmetic import percentile
from recollect.assembly import make_policy, open_backends
from recollect.backends import Backends
from recollect.engine import Engine, Policy
from recollect.indexing import EmbeddingScope, index_user
from recollect.logs import configure_logging
from recollect.model import Actor, Add, Exchange, Kind, Memory, Scope, Source, Turn, Vector
from recollect.ports import Embedder
from recollect.wire.turn_detection import detect_turn
from recollect_proxy.serving.ephemeral_server import temporary
from recollect_proxy.settings.proxy_settings import ProxySettings

_HERE = Path(__file__).resolve().parents[2]
_NOBODY = "http://127.0.0.1:9/v1"
PERSON = "anna"
NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
_AT_ONCE = 500
_EMBEDDED = 500
_NEAR = 0.5
"""How long what is added to a unit vector is."""
_TURNS = 25
"""The exchanges of a chat."""
_WARM = 10
_SEED = 2026
_WHO = (
    "Anna",
    "her sister Ida",
    "her son Max",
    "the neighbour",
    "her boss",
    "uncle Tom",
    "the choir",
    "Dr. Roth",
)
_DOES = (
    "prefers",
    "bought",
    "repairs",
    "is allergic to",
    "dreams of",
    "wrote about",
    "sells",
    "avoids",
    "collects",
)
_WHAT = (
    "tea",
    "bicycles",
    "peanuts",
    "the blue house",
    "old maps",
    "violin lessons",
    "a rowing boat",
    "jazz",
    "bees",
)
_WHERE = (
    "in Lisbon",
    "at work",
    "on Sundays",
    "since March",
    "near the lake",
    "at school",
    "in winter",
    "at home",
)


def statements(count: int) -> list[str]:
    """Return made-up statements, no two alike."""
    drawn = random.Random(_SEED)
    parts = (_WHO, _DOES, _WHAT, _WHERE)
    return [f"{' '.join(drawn.choice(part) for part in parts)}, number {each}" for each in range(count)]


def questions(round_number: int, count: int) -> list[str]:
    """Return what is asked in a round: never the same again."""
    drawn = random.Random(_SEED + 1 + round_number)
    return [
        f"What {drawn.choice(_WHO)} {drawn.choice(_DOES)} {drawn.choice(_WHERE)}, case {round_number}-{each}?"
        for each in range(count)
    ]


# -- a process that is asked ---------------------------------------------------------------------------


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


@asynccontextmanager
async def _open_store(size: int) -> AsyncIterator[tuple[Engine, ReplayClock]]:
    given = ProxySettings(upstream=_NOBODY)
    own = temporary(given, user_cap=0, session_cap=0, embedder_cache_size=1, **unhurried(given))
    clock = ReplayClock()
    clock.move_to(NOW)
    async with open_backends(own) as backends:
        await fill(backends, make_policy(own), clock, size)
        yield Engine(backends, make_policy(own), clock=clock), clock


async def fill(
    backends: Backends, policy: Policy, clock: ReplayClock, size: int, *, messages: int = 0
) -> None:
    """Write statements and messages of ``PERSON``, and embed and index them."""
    embedder = Sampled(backends.embedder)
    texts = statements(size)
    for start in range(0, size, _AT_ONCE):
        batch = texts[start : start + _AT_ONCE]
        vectors = await embedder.embed(batch)
        made = [Memory(uuid7(), PERSON, Kind.FACT, Source.EXTRACTED, each, 0.5, NOW, NOW) for each in batch]
        changes = [
            Add(replace(each, embedding=vector, embedding_model=backends.embedder.name))
            for each, vector in zip(made, vectors, strict=True)
        ]
        await backends.memories.apply(Scope(PERSON, "before"), changes, actor=Actor.IMPORT, at=NOW)
    await backends.index.enqueue(PERSON)
    second = getattr(backends, "second_embedder", None)  # which earlier commits do not have
    changed: dict[str, Any] = {} if second is None else {"second_embedder": Sampled(second)}
    filling = Engine(replace(backends, **changed), policy, clock=clock)
    while (again := await filling.drain(PERSON)) is not None:
        clock.move_to(clock() + again + timedelta(milliseconds=1))
    # After the drain, which would form memories of them.
    for number, text in enumerate(statements(messages // 2)):
        turn = Turn(Scope(PERSON, f"before {number // _TURNS}"), f"My plan: {text}", str(uuid7()), NOW, "m")
        await backends.log.append(Exchange(uuid7(), turn, f"Noted: {text}", uuid7(), uuid7()))
    while messages and await index_user(
        PERSON, index=backends.index, embedder=cast("Embedder", embedder), embedded=EmbeddingScope.ALL
    ):
        pass


async def _answer(size: int) -> None:
    """Have a store, and for each line of questions print how many milliseconds each took."""
    async with _open_store(size) as (engine, clock):
        print("ready", flush=True)
        number = 0
        while line := await asyncio.to_thread(sys.stdin.readline):
            took = []
            for text in json.loads(line):
                number += 1
                body = {"model": "m", "messages": [{"role": "user", "content": text}]}
                chat = f"chat {number}"
                heard = detect_turn(
                    msgspec.json.encode(body), user_id=PERSON, session_id=chat, message_id=None, at=clock()
                )
                if heard.turn is None:
                    raise RuntimeError(text)
                began = time.perf_counter()
                await engine.prepare(heard.turn)
                took.append((time.perf_counter() - began) * 1000)
            print(json.dumps(took), flush=True)


# -- who asks --------------------------------------------------------------------------------------


@dataclass
class Version:
    """A process with the code of a checkout.

    Attributes:
        took: What each question took in each round, in milliseconds.
    """

    checkout: Path
    size: int

    def __enter__(self) -> Self:
        path = os.pathsep.join(str(self.checkout / part) for part in ("src", "proxy"))
        command = [sys.executable, "-m", "bench", "recall-latency", "--answer", str(self.size)]
        self._process = subprocess.Popen(
            command,
            cwd=_HERE,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.took: list[list[float]] = []
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe(self._process.stdin).close()
        self._process.wait()

    def ready(self) -> None:
        """Wait until its store is filled.

        Raises:
            RuntimeError: It ended.
        """
        if self._line() != "ready":
            raise RuntimeError(f"the code of {self.checkout} can't be asked")

    def ask(self, texts: Sequence[str]) -> list[float]:
        """Ask, and return what each took in milliseconds."""
        stdin = self._pipe(self._process.stdin)
        stdin.write(json.dumps(texts) + "\n")
        stdin.flush()
        return list(json.loads(self._line()))

    def _line(self) -> str:
        return self._pipe(self._process.stdout).readline().strip()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


def measure(before: Path, size: int, *, rounds: int, asks: int) -> Iterator[str]:
    """Yield the cells of a size: p50 and p95 of both, and the ratio of p50 with its range over the rounds."""
    with Version(before, size) as old, Version(_HERE, size) as new:
        old.ready()
        new.ready()
        for number in range(rounds + 1):
            texts = questions(number, asks if number else _WARM)
            order = (old, new) if number % 2 else (new, old)
            took = [(each, each.ask(texts)) for each in order]
            if number:  # the first one warms
                for each, milliseconds in took:
                    each.took.append(milliseconds)
    yield f"{size:,}"
    for each in (old, new):
        every = [one for one_round in each.took for one in one_round]
        yield f"{median(every):.1f} / {percentile(every, 0.95):.1f}"
    for share in (0.5, 0.95):
        ratios = [
            percentile(after, share) / percentile(first, share)
            for first, after in zip(old.took, new.took, strict=True)
        ]
        yield f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    """Run the bench, or answer it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--before", type=Path, help="a checkout of the other commit")
    parser.add_argument("--sizes", default="10,1000,10000", help="statements of the user")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--asks", type=int, default=30, help="questions a round")
    parser.add_argument("--answer", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    configure_logging("error")
    if options.answer is not None:
        asyncio.run(_answer(options.answer))
        return
    if options.before is None or not (options.before / "src" / "recollect").is_dir():
        parser.error("--before names no checkout")
    print(
        "| statements | before: p50 / p95 ms | now: p50 / p95 ms | p50, now to before | p95, now to before |"
    )
    print("|---|---|---|---|---|", flush=True)
    for size in map(int, options.sizes.split(",")):
        cells = measure(options.before.resolve(), size, rounds=options.rounds, asks=options.asks)
        print(f"| {' | '.join(cells)} |", flush=True)
