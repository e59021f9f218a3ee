"""What everybody's chat feels while one person sends the worst of it: `python -m bench hostile`. Never: a test.

A real `recollect serve` with its worker, between fifty people who listen to a stream, one who asks something short again
and again, and one who sends texts that once held everybody up. The upstream writes the time into each event; a client
subtracts. First some seconds without that person, then with.
"""

import argparse
import asyncio
import itertools
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvloop
from tests.raw_client import fetch
from tests.running_proxy import CHAT, User, chat_body
from tests.served_process import environment, served_process

_EVENTS_A_SECOND = 10
_STREAMS = 50
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"


def _words(count: int) -> str:
    drawn = random.Random(7)
    return " ".join("".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(count))


WORST: dict[str, Callable[[], Any]] = {
    "recuerda que, 45 times": lambda: "recuerda que " * 45 + "hola",
    "lembre-se de que, 300 times": lambda: "lembre-se de que " * 300,
    "when asked, 4,000 characters": lambda: ("when asked " * 400)[:4000],
    "请, 4,000 times": lambda: "请" * 4000,
    "1.1 MB of distinct words": lambda: _words(140_000),
    "10 MB of a b": lambda: "a b " * 2_500_000,
    "30 MB of one letter": lambda: "a" * 30_000_000,
    "10 MB of key=": lambda: "key=" * 2_500_000,
    "1 MB of brackets": lambda: "[({<" * 250_000,
    "1 MB of quotation marks": lambda: "\"'`“" * 200_000,
    "1 MB of fences": lambda: "```\n" * 250_000,
    "200,000 messages": lambda: [
        {"role": "user" if number % 2 == 0 else "assistant", "content": f"word {number}"}
        for number in range(199_999)
    ],
}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Answer as an LLM does: a stream that tells the time, or a short whole answer."""
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            lengths = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length")]
            length = lengths[0] if lengths else 0  # a GET, as a start's look at the upstream, has none
            streams = b'"stream":true' in (await reader.readexactly(length))[:200_000].replace(b" ", b"")
            writer.write(_HEAD % (b"text/event-stream" if streams else b"application/json"))
            if not streams:
                _write(writer, b'{"choices":[{"index":0,"message":{"role":"assistant","content":"{}"}}]}')
            else:
                for _ in range(round(seconds * _EVENTS_A_SECOND)):
                    await asyncio.sleep(1 / _EVENTS_A_SECOND)
                    said = {"choices": [{"index": 0, "delta": {"content": str(time.monotonic())}}]}
                    _write(writer, b"data: " + json.dumps(said).encode() + b"\n\n")
                _write(writer, b"data: [DONE]\n\n")
            writer.write(b"0\r\n\r\n")
            await writer.drain()
    writer.close()


def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


@dataclass
class _Felt:
    """What was measured.

    Attributes:
        delays: Milliseconds by which events came late.
        waits: Milliseconds a short chat of somebody else took.
    """

    delays: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def row(self, name: str) -> str:
        told = [
            f"{statistics.median(each):.1f} | {_late(each):.1f} | {max(each):.1f}"
            for each in (self.delays, self.waits)
        ]
        return f"| {name} | {' | '.join(told)} | {len(self.delays)} |"


def _late(values: list[float]) -> float:
    return sorted(values)[max(0, int(len(values) * 0.99) - 1)]


async def _listen(port: int, user: User, felt: _Felt) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = chat_body("Tell me a long story.", stream=True)
    head = [b"POST " + CHAT + b" HTTP/1.1", b"Host: localhost", b"Content-Length: %d" % len(body)]
    head += [name + b": " + value for name, value in user.headers()]
    writer.write(b"\r\n".join(head) + b"\r\n\r\n" + body)
    while line := await reader.readline():
        if line.startswith(b'data: {"choices"'):
            sent = float(json.loads(line[6:])["choices"][0]["delta"]["content"])
            felt.delays.append((time.monotonic() - sent) * 1000)
        if b"[DONE]" in line:
            break
    writer.close()


async def _probe(port: int, felt: _Felt) -> None:
    for number in itertools.count():
        began = time.monotonic()
        headers = User("probe").headers(chat=f"probe-{number}")
        answer = await fetch(port, b"POST", CHAT, headers, chat_body("Where do I live?"))
        assert answer.status == 200, answer
        felt.waits.append((time.monotonic() - began) * 1000)
        await asyncio.sleep(0.1)


def _body_of(make: Callable[[], Any]) -> bytes:
    return chat_body(make())


async def _attack(port: int, told: list[str]) -> None:
    names: Iterator[tuple[str, Callable[[], Any]]] = itertools.cycle(WORST.items())
    for number, (name, make) in enumerate(names):
        body = await asyncio.to_thread(_body_of, make)
        headers = User("mallory").headers(chat=f"hostile-{number}")
        began = time.monotonic()
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            answer = await fetch(port, b"POST", CHAT, headers, body)
            told.append(f"{name}: {answer.status} in {time.monotonic() - began:.2f} s")
        await asyncio.sleep(0.2)


async def _measure(seconds: float, folder: Path) -> None:
    upstream = await asyncio.start_server(
        lambda reader, writer: answer(reader, writer, seconds), "127.0.0.1", 0, limit=2**27
    )
    port = upstream.sockets[0].getsockname()[1]
    environ = environment(
        upstream=f"http://127.0.0.1:{port}/v1", data_dir=folder, extraction_timeout_seconds=10
    )
    async with served_process("--log-level", "warning", environ=environ) as served:
        await asyncio.sleep(5)  # until its worker is at work
        print(
            "| 50 streams, and a short chat | events late p50 ms | p99 | max | chat p50 ms | p99 | max | events |"
        )
        print("|---|---|---|---|---|---|---|---|")
        told: list[str] = []
        for name, attacks in (("alone", False), ("beside the worst of it", True), ("alone again", False)):
            felt = _Felt()
            others = [asyncio.create_task(_probe(served.port, felt))]
            if attacks:
                others.append(asyncio.create_task(_attack(served.port, told)))
            await asyncio.gather(
                *(_listen(served.port, User(f"listener-{n}"), felt) for n in range(_STREAMS))
            )
            for each in others:
                each.cancel()
            done = await asyncio.gather(*others, return_exceptions=True)
            for error in done:
                if isinstance(error, Exception):
                    raise error
            print(felt.row(name), flush=True)
        print("\n" + "\n".join(told))
        print("\n" + "".join(line for line in served.logged if "worker" in line)[:4000])
    upstream.close()


def main() -> None:
    """Print the figures as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0, help="of each of the three parts")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        uvloop.run(_measure(parser.parse_args().seconds, Path(folder)))
