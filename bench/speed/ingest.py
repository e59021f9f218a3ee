"""What bringing many messages takes, and what chats beside it wait: python -m bench ingest --messages 100000.

`recollect import jsonl` writes made-up chats of some people into the store that a served Recollect uses, whose worker then indexes
them; memories are formed of none (`RECOLLECT_FORMATION=off`). Meanwhile one person asks something new again and again. Told are
messages a second for logging and for indexing, the memory of the processes, and how long recalls took.
Never: a test, what is recalled.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import uvloop
from tests.raw_client import fetch
from tests.running_proxy import CHAT, User, chat_body
from tests.served_process import RECOLLECT, environment, served_process
from tests.waiting import until

from bench.chaos.database import rows
from bench.speed.arithmetic import percentile
from bench.speed.memory_sampling import Memory, keep_sampling, table
from bench.speed.recall_latency import questions, statements
from bench.speed.systems import mock_upstream
from bench.speed.watching import family, shared_once

_PEOPLE, _OF_A_CHAT = 20, 20
_SEED = 29
_TOKEN = "a long token of the administrator"
_KNOWN, _QUESTIONS = 50, 100_000
_ASK_SECONDS, _LOOK_SECONDS = 0.5, 0.5
_ALONE_SECONDS, _PATIENCE_SECONDS = 60.0, 4 * 3600.0
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_UNINDEXED = "SELECT count(*) AS n FROM recollect.messages WHERE NOT indexed AND NOT alternate AND user_id LIKE 'person-%'"


def chats(messages: int, *, seed: int = _SEED) -> Iterator[dict[str, object]]:
    """Yield chats of so many messages in all, of several people, as the lines that are imported."""
    drawn = random.Random(seed)
    said = statements(messages)
    for number, begin in enumerate(range(0, messages, _OF_A_CHAT)):
        told = said[begin : begin + _OF_A_CHAT]
        yield {
            "user": f"person-{number % _PEOPLE}",
            "chat_id": f"chat-{number}",
            "created_at": (_BEGAN + timedelta(minutes=number)).isoformat(),
            "messages": [
                {
                    "role": "assistant" if each % 2 else "user",
                    "content": " ".join([text, *drawn.sample(said, k=drawn.choice((0, 2, 8)))]),
                }
                for each, text in enumerate(told)
            ],
        }


@dataclass
class Seen:
    """What was seen in a phase.

    Attributes:
        name: Of the phase.
        seconds: How long it took.
        waits: Milliseconds that each chat with a recall took.
        recalled: How many of them were given a memory.
        memory: Of the served processes.
    """

    name: str
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    recalled: int = 0
    memory: list[Memory] = field(default_factory=list)


@dataclass(frozen=True)
class Figures:
    """What it came to.

    Attributes:
        messages: How many were brought.
        phases: Alone, while they are logged, while they are indexed.
        importer: MiB that the importing process took at most.
    """

    messages: int
    phases: Sequence[Seen]
    importer: float


async def measure(folder: Path, messages: int, upstream: int, *, alone: float = _ALONE_SECONDS) -> Figures:
    """Serve, import, and wait until all is indexed.

    Raises:
        RuntimeError: The import failed.
        TimeoutError: It is never indexed.
    """
    file = folder / "chats.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in chats(messages)), "utf-8")
    data = folder / "data"
    data.mkdir(mode=0o711)
    environ = environment(
        upstream=f"http://127.0.0.1:{upstream}/v1",
        data_dir=data,
        formation="off",
        admin_token=_TOKEN,
        recall_deadline_ms=300,
    )
    phases = [Seen("alone"), Seen("while they are logged"), Seen("while they are indexed")]
    async with served_process("--log-level", "warning", environ=environ) as served:
        await _tell(served.port)

        async def importing() -> None:
            importer.append(await _import(file, environ))

        importer: list[float] = []
        for seen, work in zip(phases, (asyncio.sleep(alone), importing(), _indexed(data)), strict=True):
            beside = [
                asyncio.create_task(_ask(served.port, seen)),
                asyncio.create_task(keep_sampling(served.process.pid, seen.memory)),
            ]
            began = time.monotonic()
            await work
            seen.seconds = time.monotonic() - began
            for each in beside:
                each.cancel()
            await asyncio.wait(beside)
    return Figures(messages, phases, importer[0])


async def _tell(port: int) -> None:
    """Have the one who asks know something."""
    headers = [(b"authorization", f"Bearer {_TOKEN}".encode()), (b"content-type", b"application/json")]
    for text in statements(_KNOWN):
        answer = await fetch(
            port, b"POST", b"/memory/users/asker/memories", headers, json.dumps({"content": text}).encode()
        )
        if answer.status not in {200, 201}:
            raise RuntimeError(f"a memory was answered with {answer.status}")


async def _ask(port: int, seen: Seen) -> None:
    """Ask something new in a new chat again and again, until cancelled."""
    user = User("asker")
    for number, text in enumerate(questions(len(seen.name), _QUESTIONS)):
        began = time.monotonic()
        answer = await fetch(
            port,
            b"POST",
            CHAT,
            user.headers(chat=f"{seen.name}-{number}"),
            chat_body(text, model="bench-whole"),
        )
        seen.waits.append((time.monotonic() - began) * 1000)
        seen.recalled += answer.header(b"x-recollect-memories") not in {None, b"0"}
        await asyncio.sleep(_ASK_SECONDS)


async def _import(file: Path, environ: dict[str, str]) -> float:
    """Import a file, and return the MiB that the process took at most."""
    process = await asyncio.create_subprocess_exec(
        RECOLLECT, "import", "jsonl", file, "--json", env=environ, stdout=asyncio.subprocess.DEVNULL
    )
    most = 0.0
    while process.returncode is None:
        most = max(most, await asyncio.to_thread(shared_once, family(process.pid)))
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(process.wait()), _LOOK_SECONDS)
    if process.returncode != 0:
        raise RuntimeError(f"the import ended with {process.returncode}")
    return most


async def _indexed(data: Path) -> None:
    """Wait until every message is indexed."""
    dsn = f"postgresql://postgres@/postgres?host={quote(str(data / 'postgres' / 'data'))}"

    async def is_indexed() -> bool:
        await asyncio.sleep(_LOOK_SECONDS)
        return not (await rows(dsn, _UNINDEXED))[0]["n"]

    await until(is_indexed, seconds=_PATIENCE_SECONDS)


def told(found: Figures) -> Iterator[str]:
    """Yield the lines that tell what it came to."""
    logging, indexing = found.phases[1:]
    both = logging.seconds + indexing.seconds
    yield (
        f"{found.messages:,} messages: logged in {logging.seconds:.0f} s, {found.messages / logging.seconds:.0f} a second, by a process of "
        f"{found.importer:.0f} MiB at most; indexed {indexing.seconds:.0f} s after that, {found.messages / both:.0f} a second from the beginning on."
    )
    yield ""
    yield "| a chat with a recall | chats | given a memory | p50 ms | p95 ms | max ms |"
    yield "|---|---|---|---|---|---|"
    for seen in found.phases:
        if not seen.waits:
            continue
        middle, late = percentile(seen.waits, 0.5), percentile(seen.waits, 0.95)
        yield f"| {seen.name} | {len(seen.waits)} | {seen.recalled} | {middle:.0f} | {late:.0f} | {max(seen.waits):.0f} |"
    yield ""
    yield from table([(seen.name, seen.memory) for seen in found.phases])


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=10_000, help="how many (default: %(default)s)")
    parser.add_argument("--output", type=Path, help="a file that takes the tables, too")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with mock_upstream() as upstream, tempfile.TemporaryDirectory(dir="/var/tmp", prefix="ingest-") as folder:
        Path(folder).chmod(0o711)
        found = uvloop.run(measure(Path(folder), options.messages, upstream.port))
    text = "\n".join(told(found))
    text += f"\n\n{os.cpu_count()} cores, load {load:.1f} before and {os.getloadavg()[0]:.1f} after."
    if options.output is not None:
        options.output.write_text(
            f"# What bringing many messages takes\n\n`python -m bench ingest --messages {options.messages}`, {datetime.now(UTC):%Y-%m-%d}.\n\n{text}\n",
            "utf-8",
        )
    sys.stdout.write(text + "\n")
