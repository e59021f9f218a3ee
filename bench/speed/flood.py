"""Measures how others' chats fare while some people flood the proxy: `python -m bench flood`. Nothing is asserted.

Rounds go through each flood in turn, with quiet seconds between. Three people ask short questions by turns through the
proxy and of the upstream itself, so that each round has its own reference. In the end the server is killed during a flood
right after twelve people had their answers, started again, and the log is searched for their messages. The upstream, the
flood and the probes run in processes of their own.
"""

import argparse
import asyncio
import itertools
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import uvloop
from tests.raw_client import fetch
from tests.running_proxy import CHAT, User, chat_body
from tests.served_process import ServedProcess, environment, served_process
from tests.waiting import until

from bench.chaos.database import dsn_in, rows
from bench.speed.systems import mock_upstream

_MODEL = "bench-nothing"
_PROBES = 3
_KILLED = 12
_PAUSE = 0.1
_REST_SECONDS = 1.0
_LOGGED = "SELECT content FROM recollect.messages WHERE role = 'user' AND content LIKE 'my locker is %'"


@dataclass(frozen=True)
class Flood:
    """People who send without pause.

    Attributes:
        name: In the table.
        people: How many.
        connections: Of each.
        size: Bytes of a message.
    """

    name: str
    people: int
    connections: int
    size: int


FLOODS = (
    Flood("one person, 60 connections", 1, 60, 40),
    Flood("20 people, 1 MB each", 20, 1, 1_000_000),
    Flood("20 people, 3.3 MB each", 20, 1, 3_300_000),
)


@dataclass
class _Felt:
    """Milliseconds that chats took.

    Attributes:
        proxied: Through the proxy.
        direct: Of the upstream itself.
        recalled: How many of the proxied were given a memory.
    """

    proxied: list[float] = field(default_factory=list)
    direct: list[float] = field(default_factory=list)
    recalled: int = 0


def _text(drawn: random.Random, size: int) -> str:
    """Return lines of a log, as people paste them."""
    lines: list[str] = []
    while sum(map(len, lines)) < size:
        number = drawn.getrandbits(64)
        lines.append(
            f"12:{number % 60:02}:01,{number % 997} INFO [worker-{number % 9}] id={number:x} took {number % 9999} ms\n"
        )
        if len(lines) % 1000 == 0:
            lines = ["".join(lines)]
    return "".join(lines)[:size]


async def _send(port: int, flood: Flood) -> None:
    """Flood a port until terminated; print how many were answered."""
    answered, drawn = 0, random.Random(5)
    text = _text(drawn, flood.size)

    async def one(person: int, connection: int) -> None:
        nonlocal answered
        for number in itertools.count():
            body = chat_body(f"{drawn.getrandbits(40)} {text}\nwhat do you think?", model=_MODEL)
            headers = User(f"flood-{person}").headers(chat=f"{flood.size}-{connection}-{number}")
            with suppress(OSError, EOFError):
                answer = await fetch(port, b"POST", CHAT, headers, body)
                answered += answer.status == 200

    sending = [
        asyncio.create_task(one(person, connection))
        for person in range(flood.people)
        for connection in range(flood.connections)
    ]
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    await over.wait()
    for each in sending:
        each.cancel()
    print(answered, flush=True)


@contextmanager
def _running(port: int, flood: Flood | None) -> Iterator[list[int]]:
    """Run a flood during the body; the list has how many were answered afterwards."""
    answered: list[int] = []
    if flood is None:
        yield answered
        return
    command = [sys.executable, "-m", "bench", "flood", "--send", str(port), str(FLOODS.index(flood))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        yield answered
    finally:
        process.terminate()
        told, _ = process.communicate()
        answered.append(int(told or 0))


async def _ask(port: int, upstream: int, seconds: float, felt: _Felt) -> None:
    """Ask by turns through the proxy and of the upstream itself."""

    async def one(person: int) -> None:
        drawn, until_then = random.Random(), time.monotonic() + seconds
        while time.monotonic() < until_then:
            body = chat_body(f"Where do I live, and what about {drawn.getrandbits(30)}?", model=_MODEL)
            headers = User(f"probe-{person}").headers(chat=f"{drawn.getrandbits(60)}")
            for there, waits in ((port, felt.proxied), (upstream, felt.direct)):
                began = time.monotonic()
                asked = await fetch(there, b"POST", CHAT, headers, body)
                waits.append((time.monotonic() - began) * 1000)
                felt.recalled += asked.header(b"x-recollect-memories") not in {None, b"0"}
            await asyncio.sleep(_PAUSE)

    await asyncio.gather(*map(one, range(_PROBES)))


async def _measure(port: int, upstream: int, flood: Flood | None, seconds: float) -> tuple[_Felt, int]:
    felt = _Felt()
    with _running(port, flood) as answered:
        await asyncio.sleep(_REST_SECONDS)
        await _ask(port, upstream, seconds, felt)
    await asyncio.sleep(_REST_SECONDS)
    return felt, sum(answered)


def _high(values: list[float]) -> float:
    return sorted(values)[max(0, int(len(values) * 0.95) - 1)]


def _row(name: str, rounds: list[tuple[_Felt, int]]) -> str:
    """Return a line of the table: medians over the rounds."""
    told = [
        f"{statistics.median(map(statistics.median, each)):.0f} | {statistics.median(map(_high, each)):.0f}"
        for each in ([felt.proxied for felt, _ in rounds], [felt.direct for felt, _ in rounds])
    ]
    chats = sum(len(felt.proxied) for felt, _ in rounds)
    recalled, answered = sum(felt.recalled for felt, _ in rounds), sum(each for _, each in rounds)
    return f"| {name} | {' | '.join(told)} | {recalled} of {chats} | {answered} |"


async def _kill(served: ServedProcess, flood: Flood) -> list[str]:
    """Return what twelve people said whose answers came before the server was killed."""
    said = [f"my locker is {random.randrange(10**6)} of {number}" for number in range(_KILLED)]
    with _running(served.port, flood):
        await asyncio.sleep(_REST_SECONDS)
        asking = (
            fetch(served.port, b"POST", CHAT, User(f"other-{n}").headers(), chat_body(text, model=_MODEL))
            for n, text in enumerate(said)
        )
        await asyncio.gather(*asking)
        served.kill()
    return said


async def _run(seconds: float, rounds: int, kinds: list[int], folder: Path) -> None:
    with mock_upstream() as upstream:
        environ = environment(
            upstream=f"http://127.0.0.1:{upstream.port}/v1", data_dir=folder, recall_deadline_ms=300
        )
        floods = [FLOODS[each] for each in kinds]
        async with served_process("--log-level", "error", environ=environ) as served:
            await asyncio.sleep(5)  # until its worker is at work
            for person in range(_PROBES):
                told = chat_body("I live in Bergen.", model=_MODEL)
                await fetch(served.port, b"POST", CHAT, User(f"probe-{person}").headers(), told)
            seen: dict[Flood | None, list[tuple[_Felt, int]]] = {None: []} | {each: [] for each in floods}
            for _ in range(rounds):
                for flood, felt in seen.items():
                    felt.append(await _measure(served.port, upstream.port, flood, seconds))
            print("| flood | p50 ms | p95 | direct p50 | p95 | recalled | of the flood answered |")
            print("|---|---|---|---|---|---|---|")
            for flood, each in seen.items():
                print(_row("none" if flood is None else flood.name, each), flush=True)
            said = await _kill(served, floods[-1])
        async with served_process("--log-level", "error", environ=environ):
            dsn = dsn_in(folder / "postgres" / "data")

            async def has_all() -> bool:
                await asyncio.sleep(_REST_SECONDS)
                return {row["content"] for row in await rows(dsn, _LOGGED)} >= set(said)

            with suppress(TimeoutError):
                await until(has_all, seconds=30)
            kept = {row["content"] for row in await rows(dsn, _LOGGED)}
            print(f"\nkill -9 during {floods[-1].name}: {len(set(said) - kept)} of {_KILLED} lost")


def main() -> None:
    """Print the figures as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each flood in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--floods", type=int, nargs="+", default=[0, 1, 2], help="which, by their place")
    parser.add_argument("--send", type=int, nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.send:
        return uvloop.run(_send(asked.send[0], FLOODS[asked.send[1]]))
    with tempfile.TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        uvloop.run(_run(asked.seconds, asked.rounds, asked.floods, Path(folder)))
    return None
