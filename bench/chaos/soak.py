"""Measures a served Recollect over a long time.

    python -m bench soak [--minutes 60] [--rate 1]

The program exits with 1 if memory grows, the lag grows, or anything is lost.
"""

import asyncio
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median

import numpy as np
import uvloop
from tests.recollect.store.embedded.servers import postmaster
from tests.servers.running_proxy import User

from bench.chaos.counting import kept, settled
from bench.chaos.database import rows
from bench.chaos.load import Load
from bench.chaos.system import Plan, Process, System
from bench.chaos.world import SEED, World
from bench.figures import number, percentiles
from bench.report import options_of, publish, table
from bench.servers import work_folder
from bench.watching import family, shared_once

_SENTENCES = (
    *("My kayak is {mark}.", "Mein Fahrrad ist {mark}.", "Ma lanterne est {mark}."),
    *("Mi telescopio es {mark}.", "Meu violino \u00e9 {mark}."),
    "\u041c\u043e\u044f \u043b\u043e\u0434\u043a\u0430 \u2014 {mark}.",
    "\u6211\u7684\u81ea\u884c\u8f66\u662f {mark}\u3002",
    "\u0642\u0627\u0631\u0628\u064a \u0647\u0648 {mark}.",
)
_LONG_SHARE = 0.1
_AROUND = (
    "The weather was fair on the lake, and we talked about boats, sails and the harbour for an hour or two. ",
    "Am Nachmittag haben wir lange \u00fcber das Haus, den Garten und die Reise im n\u00e4chsten Sommer gesprochen. ",
    "Ensuite nous avons pr\u00e9par\u00e9 le repas, rang\u00e9 la cuisine et regard\u00e9 un vieux film jusque tard. ",
)
_LONGEST = 200
"""Sentences around the one of a long message: some 20,000 characters."""

_DELETED_SHARE, _OF_A_WRITER = 1 / 3, 12


def said(mark: str, chance: random.Random) -> tuple[str, bool]:
    """Return a message with a mark, and whether it is a long one, of which more than its mark may be made."""
    sentence = chance.choice(_SENTENCES).format(mark=mark)
    if chance.random() >= _LONG_SHARE:
        return sentence, False
    around = [chance.choice(_AROUND) for _ in range(chance.randrange(10, _LONGEST))]
    around.insert(chance.randrange(len(around)), f"{sentence} ")
    return "".join(around), True


@dataclass
class Writers:
    """People whose memories are written, corrected, taken away and erased by the memory API, one change after another.

    Attributes:
        proxy: Whose memory API it is.
        chance: Decides which memories are deleted.
        written: How many memories were written.
        erased: How many people were erased.
        wrong: The memories that were not as they had been left, in words.
    """

    proxy: Process
    chance: random.Random
    written: int = 0
    corrected: int = 0
    deleted: int = 0
    erased: int = 0
    wrong: list[str] = field(default_factory=list)

    async def keep_writing(self, pause: float) -> None:
        """Write, correct and take away one person's memories, look at them, erase the person, and begin with the next; until cancelled."""
        for writer in count(1):
            try:
                await self._live(f"writer-{writer}", pause)
            except RuntimeError as error:
                self.wrong.append(str(error))
                raise

    async def _live(self, user: str, pause: float) -> None:
        memories = f"/users/{user}/memories"
        left: dict[str, str] = {}
        for each in range(_OF_A_WRITER):
            made = await self.proxy.api(
                b"POST", memories, {"content": f"Keeps {each} hens behind the house."}
            )
            self.written += 1
            path = f"{memories}/{made['id']}"
            left[made["id"]] = f"Keeps {each} geese in the garden."
            await self.proxy.api(b"PATCH", path, {"content": left[made["id"]]})
            self.corrected += 1
            if self.chance.random() < _DELETED_SHARE:
                await self.proxy.api(b"DELETE", path)
                del left[made["id"]]
                self.deleted += 1
            await asyncio.sleep(pause)
        if await self._contents(memories) != left:
            self.wrong.append(f"{user} has other memories than were left")
        await self.proxy.api(b"DELETE", f"/users/{user}")
        self.erased += 1
        if await self._contents(memories):
            self.wrong.append(f"{user} was erased, and has memories")

    async def _contents(self, path: str) -> dict[str, str]:
        listed = await self.proxy.api(b"GET", f"{path}?limit=100")
        return {each["id"]: each["content"] for each in listed["memories"]}


WHO = ("proxy", "worker", "Postgres")
_WARM_SHARE = 1 / 3
"""Caches fill and connections are opened during this share of the time: only later growth counts."""

_PEOPLE, _TURNS_OF_A_CHAT = 40, 5
_SAMPLE_SECONDS = 5.0
_WRITER_PAUSE_SECONDS = 1.0
_MOST_GROWTH = {"proxy": 20.0, "worker": 20.0, "Postgres": 150.0}
"""MiB an hour that pass for flat. Postgres fills its buffers, 128 MiB, as it writes."""

_TELLING_MINUTES = 30.0
_STEADY_SECONDS = 2.0

_INTRO = (
    f"{_PEOPLE} people chat in eight languages, a tenth of it at length, half of it streamed; one asks each second for what they told; "
    "others' memories are written, corrected and erased by the memory API. Memory in MiB (PSS: what several processes share is divided "
    "among them; of the proxy and the worker without pages of files, which have a column of their own), the median of each tenth."
)
_WAITING = """
    SELECT count(*) AS waits, coalesce(extract(epoch FROM now() - min(said_at)), 0) AS oldest
    FROM recollect.exchanges WHERE state = 'pending'
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """The state at a time.

    Attributes:
        at: Seconds since the sampling began.
        memory: MiB of the proxy and the worker, without pages of files, and of Postgres; memory that processes share is divided
            among them (PSS).
        files: MiB of pages of files (programs, models) in the first two; Linux reclaims them.
        waits: How many exchanges wait to be formed.
        oldest: Seconds that the oldest of them has waited.
    """

    at: float
    memory: tuple[float, float, float]
    files: float
    waits: int
    oldest: float


@dataclass(frozen=True, slots=True)
class End:
    """The outcome of all messages.

    Attributes:
        answered: How many of them came byte for byte as the LLM sent them.
        unlogged: Answered ones that the log lacks.
        unformed: Answered short ones of which no memory was formed.
        settled_seconds: From the last chat until nothing waited; None: never.
        wrong: The failures of the memory API, in words.
    """

    chats: int
    answered: int
    unlogged: int
    unformed: int
    settled_seconds: float | None
    wrong: tuple[str, ...]


async def soak(folder: Path, *, minutes: float, rate: float) -> tuple[str, bool]:
    """Chat for some minutes; return the report as Markdown, and whether all was as it should be."""
    system = System(folder, World(random.Random(SEED)))
    async with AsyncExitStack() as closing:
        await system.start(Plan(), closing)
        load = Load(system.world, system.ports, random.Random(SEED))
        samples: list[Sample] = []
        prober = User("prober")
        await load.until_remembered(prober)
        began = time.monotonic()
        writers = Writers(system.proxies[0], random.Random(SEED))
        beside = [
            asyncio.create_task(_sample(system, samples, began)),
            asyncio.create_task(writers.keep_writing(_WRITER_PAUSE_SECONDS)),
        ]
        probing = asyncio.create_task(load.keep_probing(prober))
        long = await _chat(load, began + minutes * 60, rate)
        load.is_over = True
        await probing
        await _cancelled(beside)
        end = await _ended(system, load, writers, long, began + minutes * 60)
    judged = [*judgements(samples, end)]
    parts = [
        tenths(samples, load, began),
        told(end, writers, len(long)),
        "\n".join(line for line, _ in judged),
    ]
    return "\n\n".join(parts), all(is_right for _, is_right in judged)


async def _ended(system: System, load: Load, writers: Writers, long: set[str], over: float) -> End:
    """Wait until nothing waits, and count; the last chat was at ``over``."""
    is_settled, ended = await settled(system), time.monotonic()
    there = await kept(system)
    answered = {each.mark for each in load.asked if each.is_whole}
    return End(
        chats=len(load.asked),
        answered=len(answered),
        unlogged=len(answered - there.logged.keys()),
        unformed=len(answered - there.formed.keys() - long),
        settled_seconds=ended - over if is_settled else None,
        wrong=tuple(writers.wrong),
    )


async def _cancelled(tasks: Sequence["asyncio.Task[None]"]) -> None:
    for each in tasks:
        each.cancel()
    await asyncio.wait(tasks)


async def _chat(load: Load, until: float, rate: float) -> set[str]:
    """Have one person after the other say something, so many a second, however long answers take; return the marks of long messages."""
    saying: set[asyncio.Task[object]] = set()
    count, long = 0, set()
    while time.monotonic() < until:
        turn, person = divmod(count, _PEOPLE)
        name = f"talker-{person}-{person:04x}"
        chat = f"chat-{turn // _TURNS_OF_A_CHAT}-of-{name}"
        mark = f"number {turn} of {name}"
        words, is_long = said(mark, load.chance)
        if is_long:
            long.add(mark)
        task = asyncio.create_task(load.say(User(name), chat, mark, is_streamed=bool(turn % 2), words=words))
        saying.add(task)
        task.add_done_callback(saying.discard)
        count += 1
        await asyncio.sleep(load.chance.expovariate(rate))
    await asyncio.gather(*saying)
    return long


async def _sample(system: System, samples: list[Sample], began: float) -> None:
    while True:
        [row] = await rows(system.dsn, _WAITING)
        proxy, worker = system.proxies[0].pid, system.proxies[0].worker
        if proxy and worker:
            of_proxy, of_worker = shared_once([proxy], "Pss_File"), shared_once([worker], "Pss_File")
            memory = (
                shared_once([proxy]) - of_proxy,
                shared_once([worker]) - of_worker,
                shared_once(family(postmaster(system.database.folder))),
            )
            at, files = time.monotonic() - began, of_proxy + of_worker
            samples.append(Sample(at, memory, files, row["waits"], float(row["oldest"])))
        await asyncio.sleep(_SAMPLE_SECONDS)


def tenths(samples: Sequence[Sample], load: Load, began: float) -> str:
    """Return a table by tenths of the time, and what memory grew by behind the first third."""
    end = samples[-1].at
    found = []
    for tenth in range(10):
        first, last = end * tenth / 10, end * (tenth + 1) / 10
        part = [each for each in samples if first <= each.at <= last]
        took = [each.seconds * 1000 for each in load.asked if first <= each.began - began <= last]
        memory = [(*each.memory, each.files) for each in part] or [(math.nan,) * 4]
        found.append(
            (
                f"{first / 60:.1f} to {last / 60:.1f}",
                *(number(median(each)) for each in zip(*memory, strict=True)),
                max((each.waits for each in part), default=0),
                f"{max((each.oldest for each in part), default=0):.1f} s",
                f"{' / '.join(number(each, 0) for each in percentiles(took, 50, 95).values())} ms",
            )
        )
    grown = ", ".join(f"{name} {growing:+.1f}" for name, growing in _growths(samples))
    heads = (
        "minutes",
        *WHO,
        *("files of both", "exchanges that wait, most", "the oldest waits, most", "chats: p50 / p95"),
    )
    growing = f"Behind the first third memory grows by (line of least squares, MiB an hour): {grown}."
    return f"{table(heads, found)}\n\n{growing}"


def _growths(samples: Sequence[Sample]) -> Iterator[tuple[str, float]]:
    """Yield the growth of each process in MiB an hour: a line of least squares through all but the first third of the time."""
    late = [each for each in samples if each.at >= samples[-1].at * _WARM_SHARE]
    hours = [each.at / 3600 for each in late]
    for place, name in enumerate(WHO):
        yield name, float(np.polyfit(hours, [each.memory[place] for each in late], 1)[0])


def told(end: End, writers: Writers, long: int) -> str:
    """Return the fate of everything that was said and written."""
    return (
        f"{end.chats:,} chats, {long:,} of them of up to 20,000 characters; {end.answered:,} answered byte for byte; {end.unlogged} not in the log, "
        f"{end.unformed} short ones without a memory when nothing waited any more "
        f"({'which did not come' if end.settled_seconds is None else f'{end.settled_seconds:.0f} s after the last'}). By the memory API {writers.written:,} memories "
        f"were written, {writers.corrected:,} corrected, {writers.deleted:,} taken away, and {writers.erased:,} people erased."
    )


def judgements(samples: Sequence[Sample], end: End) -> Iterator[tuple[str, bool]]:
    """Yield a line for each promise, and whether it was kept; of memory only where the time was long enough to tell."""
    minutes = samples[-1].at / 60
    for name, growing in _growths(samples):
        most = _MOST_GROWTH[name]
        if minutes < _TELLING_MINUTES:
            yield f"- Memory of {name}: {minutes:.0f} minutes are too short to tell whether it is flat.", True
        else:
            yield _judged(
                f"Memory of {name} grows by {growing:+.1f} MiB an hour (at most {most:.0f})", growing <= most
            )
    third = samples[-1].at / 3
    middle, last = (
        median([each.oldest for each in samples if begin <= each.at <= begin + third] or [0.0])
        for begin in (third, 2 * third)
    )
    is_steady = last <= 1.5 * middle + _STEADY_SECONDS
    yield _judged(
        f"Lag: the oldest waits {middle:.1f} s in the second third, {last:.1f} s in the last (medians)",
        is_steady,
    )
    lost = end.chats - end.answered, end.unlogged, end.unformed
    yield _judged(
        "Nothing lost: {} chats not answered byte for byte, {} not logged, {} not formed".format(*lost),
        not any(lost) and end.settled_seconds is not None,
    )
    yield _judged("; ".join(end.wrong) or "Corrections and erasures are as they were left", not end.wrong)


def _judged(line: str, is_right: bool) -> tuple[str, bool]:  # noqa: FBT001 -- what is judged
    return f"- {line}: {'kept' if is_right else '**not kept**'}.", is_right


def main() -> None:
    """Run it, and print the report."""
    parser = options_of(__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=1.0, help="chats a second")
    given = parser.parse_args()
    with work_folder() as folder:
        found, is_right = uvloop.run(soak(folder, minutes=given.minutes, rate=given.rate))
    publish(given, "What a served Recollect takes over a long time", f"{_INTRO}\n\n{found}")
    sys.exit(0 if is_right else 1)
