"""The loads: one at a time in pairs, streams, a closed loop, a burst.

Each returns raw samples; `rounds.py` makes figures of them.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bench.speed.client import Connection, connect, connect_many
from bench.speed.prompts import Requests

_NANOSECONDS = 1_000_000_000
_DRAIN_SECONDS = 10.0
_STREAM_DRAIN_SECONDS = 3.0
_LONGEST_LOOP = 8 * _NANOSECONDS
_TIMES_EACH = 4

_Read = TypeVar("_Read")


@dataclass
class Paired:
    """Milliseconds to the first byte of a request to a system, beyond those of a direct one just before or after."""

    added: list[float] = field(default_factory=list)
    with_memories: int = 0


async def in_pairs(
    target: Requests, direct: Requests, *, pairs: int, warm_up: int, seconds: float = 60
) -> Paired:
    """Send one request at a time, to the system and directly by turns, which of them first alternates.

    That many pairs, or fewer where ``seconds`` have passed.
    """
    seen = Paired()
    own, base = await connect(target.port), await connect(direct.port)
    end = time.monotonic() + seconds
    for number in range(-warm_up, pairs):
        if number > 0 and time.monotonic() > end:
            break
        ways = [(own, target), (base, direct)]
        for connection, to in ways if number % 2 else reversed(ways):
            await connection.ask(next(to))
        if number >= 0:
            seen.added.append(own.first_byte_ms - base.first_byte_ms)
            seen.with_memories += own.memories
    own.drop()
    base.drop()
    return seen


@dataclass
class Streamed(Generic[_Read]):
    """The samples of concurrent streams.

    Attributes:
        delays: Milliseconds from an event's stamp to its arrival, of those within the window.
        before, after: Readings at the window's ends.
        complete: How many streams came to their end with all their events.
        with_memories: How many had memories in their prompt.
    """

    delays: list[float]
    before: _Read
    after: _Read
    complete: int
    with_memories: int


async def streams(
    target: Requests,
    *,
    count: int,
    tokens: int,
    stagger: float,
    window: float,
    reading: Callable[[], _Read],
) -> Streamed[_Read]:
    """Hold streams side by side whose starts are spread over ``stagger`` seconds; watch a ``window``."""
    heard: list[int] = []
    connections = await connect_many(target.port, count, heard)
    requests = [next(target) for _ in connections]
    ended = 0
    all_ended = asyncio.Event()

    def note(_connection: Connection) -> None:
        nonlocal ended
        ended += 1
        if ended == count:
            all_ended.set()

    began = time.monotonic()
    for number, (connection, request) in enumerate(zip(connections, requests, strict=True)):
        await asyncio.sleep(max(0.0, began + number * stagger / count - time.monotonic()))
        connection.send(request, note)
    await asyncio.sleep(max(0.0, began + stagger + 0.2 - time.monotonic()))
    before = reading()
    first = len(heard)
    await asyncio.sleep(window)
    after = reading()
    delays = [delay / 1e6 for delay in heard[first:]]
    with suppress(TimeoutError):  # `complete` tells
        await asyncio.wait_for(all_ended.wait(), _STREAM_DRAIN_SECONDS)
    complete = sum(each.complete and each.events == tokens for each in connections)
    memories = sum(each.memories for each in connections)
    for connection in connections:
        connection.drop()
    return Streamed(delays, before, after, complete, memories)


@dataclass
class Answered:
    """How many requests were answered in how many seconds, how long each took (ms), and how many failed."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    failed: int = 0
    with_memories: int = 0

    def note(self, connection: Connection, since: int) -> None:
        """Count an answer that ended."""
        if connection.failure:
            self.failed += 1
            return
        self.latencies.append((connection.ended_at - since) / 1e6)
        self.with_memories += connection.memories


async def closed_loop(target: Requests, *, connections: int, seconds: float) -> Answered:
    """Ask on so many connections, on each again as soon as it is answered: the system's ceiling.

    For ``seconds``, or longer until each connection was answered a few times on average: of a slow
    system a short time would count the few that happened to end in it. Requests under way at the end
    are waited for, and the time until the last of them counts.
    """
    seen = Answered()
    opened = await connect_many(target.port, connections)
    began = last = time.monotonic_ns()
    end, latest = began + int(seconds * _NANOSECONDS), began + _LONGEST_LOOP
    running = connections
    over = asyncio.Event()

    def again(connection: Connection) -> None:
        nonlocal running, last
        last = time.monotonic_ns()
        seen.note(connection, connection.sent_at)
        enough = last > end and len(seen.latencies) >= connections * _TIMES_EACH
        if not (enough or last > latest or connection.failure):
            connection.send(next(target), again)
            return
        running -= 1
        if running == 0:
            over.set()

    for connection in opened:
        connection.send(next(target), again)
    with suppress(TimeoutError):
        await asyncio.wait_for(over.wait(), _LONGEST_LOOP / _NANOSECONDS + seconds + _DRAIN_SECONDS)
    seen.failed += running
    seen.seconds = (last - began) / _NANOSECONDS
    for connection in opened:
        connection.drop()
    return seen


async def burst(target: Requests, *, count: int) -> Answered:
    """Send so many requests in the same moment; a latency is the time to the first byte."""
    connections = await connect_many(target.port, count)
    requests = [next(target) for _ in connections]
    await asyncio.sleep(0.05)
    asked = [
        asyncio.create_task(each.ask(request)) for each, request in zip(connections, requests, strict=True)
    ]
    failures = await asyncio.gather(*asked, return_exceptions=True)
    answered = [each for each, failure in zip(connections, failures, strict=True) if failure is None]
    seen = Answered(
        latencies=[each.first_byte_ms for each in answered],
        failed=count - len(answered),
        with_memories=sum(each.memories for each in connections),
    )
    for connection in connections:
        connection.drop()
    return seen
