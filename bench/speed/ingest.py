"""What an import of many messages takes, and what chats wait meanwhile.

    python -m bench ingest [--messages 100000]

`recollect import jsonl` writes made-up chats of some people into the store that a served Recollect uses, whose worker then indexes
them; no memories are formed (`RECOLLECT_FORMATION=off`). Meanwhile one person asks something new twice a second. The figures are
messages a second for logging and for indexing, the memory of the processes, and the time of the chats.
"""

import asyncio
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvloop
from tests.raw_client import fetch
from tests.running_proxy import CHAT, User, chat_body
from tests.waiting import until

from bench.chaos.database import dsn_in, rows
from bench.figures import number, percentiles
from bench.memory_sampling import Memory, keep_sampling, memory_table
from bench.report import options_of, publish, table
from bench.servers import RECOLLECT, Server, environment, memory_api, mock_llm, recollect, work_folder
from bench.speed.made_up import questions, statements
from bench.watching import family, shared_once

_PEOPLE, _OF_A_CHAT = 20, 20
_SEED = 29
_KNOWN, _QUESTIONS = 50, 100_000
_ASK_SECONDS, _LOOK_SECONDS = 0.5, 0.5
_ALONE_SECONDS, _PATIENCE_SECONDS = 60.0, 4 * 3600.0
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_UNINDEXED = "SELECT count(*) AS n FROM recollect.messages WHERE NOT indexed AND NOT alternate AND user_id LIKE 'person-%'"


def chats(messages: int, *, seed: int = _SEED) -> Iterator[dict[str, object]]:
    """Yield chats of so many messages in all, of several people, as the lines that are imported."""
    drawn = random.Random(seed)
    said = statements(messages)
    for place, begin in enumerate(range(0, messages, _OF_A_CHAT)):
        told = said[begin : begin + _OF_A_CHAT]
        yield {
            "user": f"person-{place % _PEOPLE}",
            "chat_id": f"chat-{place}",
            "created_at": (_BEGAN + timedelta(minutes=place)).isoformat(),
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


async def measure(
    server: Server, file: Path, environ: Mapping[str, str], data: Path
) -> tuple[list[Seen], float]:
    """Ask alone, import a file, and wait until all is indexed.

    Returns:
        The phases, and the MiB that the importing process took at most.

    Raises:
        RuntimeError: The import failed.
        TimeoutError: It is never indexed.
    """
    phases = [Seen("alone"), Seen("while they are logged"), Seen("while they are indexed")]
    importer = asyncio.ensure_future(asyncio.sleep(_ALONE_SECONDS, 0.0))
    for seen in phases:
        if seen is phases[1]:
            importer = asyncio.create_task(_import(file, environ))
        work = asyncio.create_task(_indexed(data)) if seen is phases[2] else importer
        beside = [
            asyncio.create_task(_ask(server.port, seen)),
            asyncio.create_task(keep_sampling(server.process.pid, seen.memory)),
        ]
        began = time.monotonic()
        await work
        seen.seconds = time.monotonic() - began
        for each in beside:
            each.cancel()
        await asyncio.wait(beside)
    return phases, importer.result()


async def _ask(port: int, seen: Seen) -> None:
    """Ask something new in a new chat again and again, until cancelled."""
    user = User("asker")
    for asked, text in enumerate(questions(len(seen.name), _QUESTIONS)):
        began = time.monotonic()
        answer = await fetch(
            port,
            b"POST",
            CHAT,
            user.headers(chat=f"{seen.name}-{asked}"),
            chat_body(text, model="bench-whole"),
        )
        seen.waits.append((time.monotonic() - began) * 1000)
        seen.recalled += answer.header(b"x-recollect-memories") not in {None, b"0"}
        await asyncio.sleep(_ASK_SECONDS)


async def _import(file: Path, environ: Mapping[str, str]) -> float:
    """Import a file, and return the MiB that the process took at most."""
    process = await asyncio.create_subprocess_exec(
        RECOLLECT, "import", "jsonl", file, "--json", env=dict(environ), stdout=asyncio.subprocess.DEVNULL
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
    dsn = dsn_in(data / "postgres" / "data")

    async def is_indexed() -> bool:
        await asyncio.sleep(_LOOK_SECONDS)
        return not (await rows(dsn, _UNINDEXED))[0]["n"]

    await until(is_indexed, seconds=_PATIENCE_SECONDS)


def told(messages: int, phases: Sequence[Seen], importer: float) -> str:
    """Return the figures as Markdown."""
    logging, indexing = phases[1:]
    both = logging.seconds + indexing.seconds
    about = (
        f"{messages:,} messages: logged in {logging.seconds:.0f} s, {messages / logging.seconds:.0f} a second, by a process of "
        f"{importer:.0f} MiB at most; indexed {indexing.seconds:.0f} s after that, {messages / both:.0f} a second from the beginning on."
    )
    rows = [
        (
            seen.name,
            len(seen.waits),
            seen.recalled,
            *(number(each, 0) for each in percentiles(seen.waits, 50, 95, 100).values()),
        )
        for seen in phases
        if seen.waits
    ]
    waits = table(("a chat with a recall", "chats", "given a memory", "p50 ms", "p95 ms", "max ms"), rows)
    return "\n\n".join([about, waits, memory_table([(seen.name, seen.memory) for seen in phases])])


def main() -> None:
    """Measure, and print the tables."""
    parser = options_of(__doc__)
    parser.add_argument("--messages", type=int, default=10_000, help="how many (default: %(default)s)")
    options = parser.parse_args()
    with mock_llm() as upstream, work_folder() as folder:
        file, data = folder / "chats.jsonl", folder / "data"
        file.write_text("".join(json.dumps(each) + "\n" for each in chats(options.messages)), "utf-8")
        data.mkdir(mode=0o711)
        environ = environment(upstream=upstream.url, data_dir=data, formation="off", recall_deadline_ms=300)
        with recollect(data, environ) as server:
            api = memory_api(server)
            for text in statements(_KNOWN):
                api.call("POST", "/memory/users/asker/memories", {"content": text})
            phases, importer = uvloop.run(measure(server, file, environ, data))
    publish(options, "What an import of many messages takes", told(options.messages, phases, importer))
