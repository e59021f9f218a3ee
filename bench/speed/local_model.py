"""Measures what formation costs a chat with a local LLM that has one slot: `python -m bench local-model --server URL`.

A real llama.cpp server answers the chat and extracts; a real `recollect serve` stands before it, with formation on and off by
turns, each time with a new database. Told are the seconds to each turn's first token, and how many tokens of its prompt the
server had to evaluate again. Never: a test; another address than the loopback; a process that it leaves behind.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from tests.served_process import environment, served_process
from tests.waiting import until

from bench.speed.systems import free_port

TURNS = (
    "Hi! I am Hanna, I live in Leipzig and work as a paediatric nurse on night shifts.",
    "My sister Clara plays the viola in an orchestra, and I bring her soup when she rehearses late.",
    "I am allergic to walnuts, so no nuts please. What soup keeps warm for a few hours?",
    "We moved to a flat on the third floor in May, and the kitchen is tiny. Which pot would do?",
    "Every Friday I cycle to work. Is it sensible to carry soup on a bicycle?",
    "I want to learn the cello next year. What should I look for in a first instrument?",
)
_ON, _OFF = "extract", "off"
_CALL_SECONDS = 300.0
_START_SECONDS = 120.0


@dataclass(frozen=True)
class Turn:
    """What one turn took.

    Attributes:
        first: Seconds to its first token.
        waited: What of that the server did not work on its prompt, by its own count.
        evaluated: Tokens of its prompt that the server evaluated; the others it had at hand.
    """

    first: float
    waited: float
    evaluated: float


async def _say(
    port: int, messages: Sequence[dict[str, str]], chat: str, answer_tokens: int
) -> tuple[Turn, str]:
    body = {
        "model": "local",
        "messages": list(messages),
        "stream": True,
        "max_tokens": answer_tokens,
        "temperature": 0,
        "timings_per_token": True,
    }
    headers = {"X-OpenWebUI-User-Id": "hanna", "X-OpenWebUI-Chat-Id": chat}
    said, first, timings = "", None, {"prompt_n": 0, "prompt_ms": 0.0}
    async with httpx.AsyncClient(timeout=_CALL_SECONDS, trust_env=False) as client:
        began = time.monotonic()
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        async with client.stream("POST", url, json=body, headers=headers) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                if not line.startswith("data: {"):
                    continue
                event = json.loads(line.removeprefix("data: "))
                words = "".join(choice["delta"].get("content") or "" for choice in event.get("choices", ()))
                if words and first is None:
                    first = time.monotonic() - began
                said += words
                timings = event.get("timings") or timings
    first = time.monotonic() - began if first is None else first
    return Turn(first, first - timings["prompt_ms"] / 1000, timings["prompt_n"]), said


async def _chat(port: int, options: argparse.Namespace) -> list[Turn]:
    messages: list[dict[str, str]] = []
    turns = []
    for number, words in enumerate(TURNS):
        if number:
            await asyncio.sleep(options.pause)
        messages.append({"role": "user", "content": words})
        turn, said = await _say(port, messages, "soup", options.answer_tokens)
        messages.append({"role": "assistant", "content": said})
        turns.append(turn)
    return turns


async def _formed(port: int, seconds: float) -> str:
    """Wait for what was said to be formed, so long at most; return how that stands."""
    told = ""

    async def nothing_waits() -> bool:
        nonlocal told
        async with httpx.AsyncClient(trust_env=False) as client:
            formation = (await client.get(f"http://127.0.0.1:{port}/memory/health")).json()["formation"]
        told = ", ".join(f"{name} {value}" for name, value in formation.items() if isinstance(value, int))
        return not formation["pending"]

    began = time.monotonic()
    try:
        await until(nothing_waits, seconds=seconds)
    except TimeoutError:
        return f"not all formed {seconds:.0f} s after the chat ({told})"
    return f"all formed {time.monotonic() - began:.0f} s after the chat ({told})"


async def _round(server: str, formation: str, options: argparse.Namespace) -> list[Turn]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o711)  # noqa: PTH101 -- as root the database runs as another account, which has to get in
        environ = environment(
            upstream=f"{server}/v1", data_dir=Path(folder) / "data", formation=formation, summary_turns=0
        )
        async with served_process("--log-level", "warning", environ=environ) as served:
            turns = await _chat(served.port, options)
            if formation == _ON and options.settle:
                print(f"  {await _formed(served.port, options.settle)}", flush=True)
    return turns


@asynccontextmanager
async def _server(options: argparse.Namespace) -> AsyncIterator[str]:
    """Yield where the LLM is; one that was started here is ended."""
    if options.server:
        if urlsplit(options.server).hostname not in {"127.0.0.1", "localhost", "::1"}:
            sys.exit("Only a server on the loopback is measured.")
        yield options.server.rstrip("/").removesuffix("/v1")
        return
    port = free_port()
    command = [options.binary, "-m", options.model, "--host", "127.0.0.1", "--port", str(port)]
    command += ["-np", "1", "-c", "8192", "-t", str(options.threads), *options.server_option]
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)
    try:
        server = f"http://127.0.0.1:{port}"
        await until(lambda: _is_ready(server), seconds=_START_SECONDS)
        yield server
    finally:
        process.terminate()
        await process.wait()


async def _is_ready(server: str) -> bool:
    async with httpx.AsyncClient(trust_env=False) as client:
        try:
            return (await client.get(f"{server}/health")).status_code == HTTPStatus.OK
        except httpx.HTTPError:
            return False


def _row(name: str, turns: Sequence[Turn]) -> str:
    figures = ((turn.first, turn.waited, turn.evaluated) for turn in turns)
    told = (f"{statistics.median(each):10.2f}{max(each):9.2f}" for each in zip(*figures, strict=True))
    return f"{name:12}" + "".join(told)


async def _measure(options: argparse.Namespace) -> None:
    measured: dict[str, list[list[Turn]]] = {_ON: [], _OFF: []}
    async with asyncio.timeout(options.at_most), _server(options) as server:
        for number in range(options.rounds):
            for formation in (_ON, _OFF) if number % 2 else (_OFF, _ON):
                turns = await _round(server, formation, options)
                measured[formation].append(turns)
                shown = "  ".join(
                    f"{turn.first:.2f} ({turn.waited:.2f})/{turn.evaluated:.0f}" for turn in turns
                )
                print(f"formation {formation:8}{shown}", flush=True)
    print(
        "\nSeconds to the first token; those of them not spent on the prompt; tokens of the prompt evaluated"
    )
    print(f"{'formation':12}" + 3 * f"{'median':>10}{'most':>9}")
    for formation, rounds in measured.items():
        print(_row(formation, [turn for turns in rounds for turn in turns]))
    print("\nBehind the first turn, by turn: median seconds with formation, without")
    for number in range(1, len(TURNS)):
        on, off = (statistics.median(turns[number].first for turns in measured[mode]) for mode in (_ON, _OFF))
        print(f"  turn {number + 1}: {on:.2f}  {off:.2f}")


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--server", help="a running llama.cpp server, as http://127.0.0.1:8080")
    where.add_argument("--binary", help="path of a llama-server, which is started with --model and ended")
    parser.add_argument("--model", help="path of its weights (GGUF)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--server-option", action="append", default=[], help="one more word for its command line"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pause", type=float, default=4, help="seconds that the person reads and writes")
    parser.add_argument("--answer-tokens", type=int, default=40)
    parser.add_argument(
        "--settle", type=float, default=0, help="seconds to wait for what is formed afterwards"
    )
    parser.add_argument("--at-most", type=float, default=1800, help="seconds that all of it may take")
    options = parser.parse_args()
    if options.binary and not options.model:
        parser.error("--binary needs --model")
    asyncio.run(_measure(options))
