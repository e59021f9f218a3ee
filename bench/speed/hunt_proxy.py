"""What somebody's short chat waits while somebody else sends the texts of a hunt to a running proxy. Never: a test."""

import asyncio
import itertools
import multiprocessing
import os
import statistics
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import uvloop
from tests.raw_client import fetch
from tests.running_proxy import CHAT, User, chat_body
from tests.served_process import environment, served_process

from bench.speed.hostile import answer
from bench.speed.hunt_texts import Stream
from bench.speed.memory_sampling import Memory, keep_sampling, table

MOST_WAIT = 250.0
"""Milliseconds that nobody should wait for another's text."""
_CONNECTIONS = 4
_PAUSE_SECONDS = 0.05
_EVERY_SECONDS = 0.1


def felt_beside(stream: Stream, seconds: float, begin: int = 0) -> None:
    """Print what a probe waits: alone for a sixth of the time, beside the hunt for two thirds, alone again.

    Args:
        stream: The texts. They are sent by a process of its own, so that it holds no clock of the probe's.
        seconds: How long, by the clock.
        begin: The first text.
    """
    forked = multiprocessing.get_context("fork")
    ours, theirs = forked.Pipe()
    child = forked.Process(target=_send_all, args=(stream, begin, theirs), daemon=True)
    child.start()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        uvloop.run(_measure(seconds, Path(folder), ours))
    child.kill()
    child.join()


def _send_all(stream: Stream, begin: int, pipe: Connection) -> None:
    """Wait for a port and for how long, send, and tell what was answered and what was slow."""
    port, seconds = pipe.recv()
    pipe.send(uvloop.run(_attack(stream, begin, port, seconds)))


async def _attack(stream: Stream, begin: int, port: int, seconds: float) -> tuple[Counter[str], list[str]]:
    numbers = itertools.count(begin)
    answered: Counter[str] = Counter()
    slow: list[tuple[float, str]] = []
    until = time.monotonic() + seconds

    async def send() -> None:
        while time.monotonic() < until:
            text = await asyncio.to_thread(stream.text, next(numbers))
            body = await asyncio.to_thread(chat_body, text.text)
            began = time.monotonic()
            try:
                headers = User("mallory").headers(chat=f"hunt-{text.number % 50}")
                answered[str((await fetch(port, b"POST", CHAT, headers, body)).status)] += 1
            except (ConnectionError, asyncio.IncompleteReadError, OSError) as error:
                answered[type(error).__name__] += 1
            slow.append((time.monotonic() - began, text.recipe))
            await asyncio.sleep(_PAUSE_SECONDS)

    await asyncio.gather(*(send() for _ in range(_CONNECTIONS)))
    return answered, [f"{took:.2f} s for {recipe}" for took, recipe in sorted(slow, reverse=True)[:10]]


async def _probe(port: int, key: str, waits: list[tuple[float, float]]) -> None:
    """Ask something short again and again; keep when, and milliseconds until the whole answer."""
    for number in itertools.count():
        began = time.monotonic()
        headers = User(key).headers(chat=f"{key}-{number}")
        answered = await fetch(port, b"POST", CHAT, headers, chat_body("Where do I live?"))
        assert answered.status == 200, answered
        waits.append((began, (time.monotonic() - began) * 1000))
        await asyncio.sleep(_EVERY_SECONDS)


async def _measure(seconds: float, folder: Path, attacker: Connection) -> None:
    upstream = await asyncio.start_server(
        lambda reader, writer: answer(reader, writer, 1), "127.0.0.1", 0, limit=2**27
    )
    port = upstream.sockets[0].getsockname()[1]
    environ = environment(
        upstream=f"http://127.0.0.1:{port}/v1", data_dir=folder, extraction_timeout_seconds=10
    )
    async with served_process("--log-level", "warning", environ=environ) as served:
        await asyncio.sleep(5)  # until its worker is at work
        phases: list[tuple[str, list[Memory]]] = []
        print(
            "| a short chat of somebody else | chats | p50 ms | p99 | max | above 250 | upstream alone p99 | max | load |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
        for name, share in (("alone", 1 / 6), ("beside the hunt", 2 / 3), ("alone again", 1 / 6)):
            waits: list[tuple[float, float]] = []
            direct: list[tuple[float, float]] = []
            phases.append((name, []))
            probes = [
                asyncio.create_task(keep_sampling(served.process.pid, phases[-1][1])),
                asyncio.create_task(_probe(served.port, "probe", waits)),
                asyncio.create_task(_probe(port, "direct", direct)),
            ]
            if name == "beside the hunt":
                attacker.send((served.port, seconds * share))
            await asyncio.sleep(seconds * share)
            for each in probes:
                each.cancel()
            await asyncio.wait(probes)
            print(_row(name, [wait for _, wait in waits], [wait for _, wait in direct]), flush=True)
        print("", *table(phases), sep="\n")
        answered, slow = await asyncio.to_thread(attacker.recv)
        print(f"\nAnswers to the hunt: {dict(answered)}. The slowest of them:\n" + "\n".join(slow))
        print("\n" + "".join(line for line in served.logged)[:4000])
    upstream.close()


def _row(name: str, waits: list[float], direct: list[float]) -> str:
    over = sum(wait > MOST_WAIT for wait in waits)
    load = os.getloadavg()[0]
    return (
        f"| {name} | {len(waits)} | {statistics.median(waits):.1f} | {_late(waits):.1f} | {max(waits):.1f} | {over} "
        f"| {_late(direct):.1f} | {max(direct):.1f} | {load:.1f} |"
    )


def _late(values: list[float]) -> float:
    return sorted(values)[max(0, int(len(values) * 0.99) - 1)]
