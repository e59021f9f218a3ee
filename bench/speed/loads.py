"""The loads: one at a time in pairs, streams, a closed and an open loop, a burst. Never: which system, a figure.

Each returns raw samples; `rounds.py` makes figures of them.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from bench.speed.client import Connection, Events, Target
from bench.speed.schedule import Schedule
from bench.speed.ticking import ticking

_NANOSECONDS = 1_000_000_000
_DRAIN_SECONDS = 10.0
_STREAM_DRAIN_SECONDS = 3.0
_LONGEST_LOOP = 8 * _NANOSECONDS
_TIMES_EACH = 4
_FEWEST = 20  # requests of an open loop
_OPEN_CONNECTIONS = 128
_LEAD = 5_000_000  # nanoseconds before the first request of an open loop


@dataclass
class Paired:
    """Milliseconds to the first byte of each pair of requests: to a system, and directly."""

    own: list[float] = field(default_factory=list)
    base: list[float] = field(default_factory=list)
    with_memories: int = 0


async def in_pairs(
    target: Target, direct: Target, *, pairs: int, warm_up: int, seconds: float = 60
) -> Paired:
    """Send one request at a time, to the system and directly by turns, which of them first alternates.

    That many pairs, or fewer where ``seconds`` have passed.
    """
    seen = Paired()
    own, base = await target.connect(), await direct.connect()
    end = time.monotonic() + seconds
    for number in range(-warm_up, pairs):
        if number > 0 and time.monotonic() > end:
            break
        ways = [(own, target, seen.own), (base, direct, seen.base)]
        for connection, to, taken in ways if number % 2 else reversed(ways):
            await connection.ask(next(to.requests))
            if number >= 0:
                taken.append((connection.first_at - connection.sent_at) / 1e6)
        seen.with_memories += number >= 0 and own.memories
    own.drop()
    base.drop()
    return seen


@dataclass
class Streamed:
    """The samples of concurrent streams.

    Attributes:
        delays: Milliseconds from an event's stamp to its arrival, of those within the window.
        before, after: Readings at the window's ends.
        complete: How many streams came to their end with all their events.
        with_memories: How many had memories in their prompt.
    """

    delays: list[float]
    before: dict[str, float]
    after: dict[str, float]
    complete: int
    with_memories: int


async def streams(
    target: Target,
    *,
    count: int,
    tokens: int,
    stagger: float,
    window: float,
    reading: Callable[[], dict[str, float]],
) -> Streamed:
    """Hold streams side by side whose starts are spread over ``stagger`` seconds; watch a ``window``."""
    heard = Events()
    connections = await target.connect_many(count, heard)
    requests = [next(target.requests) for _ in connections]
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
    first = len(heard.delays)
    await asyncio.sleep(window)
    after = reading()
    delays = [delay / 1e6 for delay in heard.delays[first:]]
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
    late: list[float] = field(default_factory=list)

    def note(self, connection: Connection, since: int) -> None:
        """Count an answer that ended."""
        if connection.failure:
            self.failed += 1
            return
        self.latencies.append((connection.ended_at - since) / 1e6)
        self.with_memories += connection.memories


async def closed_loop(target: Target, *, connections: int, seconds: float) -> Answered:
    """Ask on so many connections, on each again as soon as it is answered: the system's ceiling.

    For ``seconds``, or longer until each connection was answered a few times on average: of a slow
    system a short time would count the few that happened to end in it. Requests under way at the end
    are waited for, and the time until the last of them counts.
    """
    seen = Answered()
    opened = await target.connect_many(connections)
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
            connection.send(next(target.requests), again)
            return
        running -= 1
        if running == 0:
            over.set()

    for connection in opened:
        connection.send(next(target.requests), again)
    with suppress(TimeoutError):
        await asyncio.wait_for(over.wait(), _LONGEST_LOOP / _NANOSECONDS + seconds + _DRAIN_SECONDS)
    seen.failed += running
    seen.seconds = (last - began) / _NANOSECONDS
    for connection in opened:
        connection.drop()
    return seen


class _OpenLoop:
    """Sends due requests on free connections; without one they wait, and are late."""

    def __init__(self, target: Target, schedule: Schedule, connections: list[Connection]) -> None:
        self._requests = target.requests
        self._schedule = schedule
        self._free = deque(connections)
        self._waiting: deque[int] = deque()
        self.seen = Answered()
        self.left = schedule.count
        self.over = asyncio.Event()

    def tick(self) -> None:
        """Send the due requests."""
        for due in self._schedule.take_due(time.monotonic_ns()):
            if self._free:
                self._send(self._free.pop(), due)
            else:
                self._waiting.append(due)

    def _send(self, connection: Connection, due: int) -> None:
        connection.send(next(self._requests), partial(self._ended, due))
        self.seen.late.append((connection.sent_at - due) / 1e6)

    def _ended(self, due: int, connection: Connection) -> None:
        self.left -= 1
        self.seen.note(connection, due)
        if self.left == 0:
            self.over.set()
        if connection.failure:
            return
        if self._waiting:
            self._send(connection, self._waiting.popleft())
        else:
            self._free.append(connection)


async def open_loop(target: Target, *, rate: float, seconds: float) -> Answered:
    """Send at a constant rate whatever becomes of it; a latency counts from when the request was due.

    For ``seconds``, or longer for enough requests.
    """
    seconds = max(seconds, _FEWEST / rate)
    connections = await target.connect_many(_OPEN_CONNECTIONS)
    began = time.monotonic_ns() + _LEAD
    schedule = Schedule(began=began, rate=rate, seconds=seconds)
    loop = _OpenLoop(target, schedule, connections)
    with ticking(began, 1 / rate, loop.tick), suppress(TimeoutError):
        await asyncio.wait_for(loop.over.wait(), seconds + _DRAIN_SECONDS)
    seen = loop.seen
    seen.failed += loop.left
    seen.seconds = seconds
    for connection in connections:
        connection.drop()
    return seen


async def burst(target: Target, *, count: int) -> Answered:
    """Send so many requests in the same moment; a latency is the time to the first byte."""
    connections = await target.connect_many(count)
    requests = [next(target.requests) for _ in connections]
    await asyncio.sleep(0.05)
    asked = [asyncio.create_task(_first_byte(*each)) for each in zip(connections, requests, strict=True)]
    found = await asyncio.gather(*asked)
    seen = Answered(
        latencies=[each for each in found if each is not None],
        failed=found.count(None),
        with_memories=sum(each.memories for each in connections),
    )
    for connection in connections:
        connection.drop()
    return seen


async def _first_byte(connection: Connection, request: bytes) -> float | None:
    ended = asyncio.get_running_loop().create_future()
    connection.send(request, ended.set_result)
    try:
        await asyncio.wait_for(ended, 30)
    except TimeoutError:
        return None
    return None if connection.failure else (connection.first_at - connection.sent_at) / 1e6
