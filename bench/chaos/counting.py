"""Compares the messages of a run with the store, once everything has settled. Never: a fault."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import asyncpg
from tests.servers.running_proxy import User

from bench.chaos.database import rows
from bench.chaos.load import TALKERS, Load
from bench.chaos.system import System
from bench.chaos.world import MARK

_CALM_SECONDS, _AFTER_SECONDS, _MEMORY_SECONDS = 3.0, 2.0, 90.0
_PATIENCE_SECONDS = 150.0
_LOOK_SECONDS = 0.25
_STILL = 3
"""Looks in a row that find nothing that waits."""

_WAITING = """
    SELECT count(*) AS waits FROM recollect.exchanges WHERE state = 'pending'
"""
_STATES = "SELECT state, count(*) AS n FROM recollect.exchanges GROUP BY state"
_LOGGED = """
    SELECT content FROM recollect.messages WHERE role = 'user' AND NOT alternate
"""
_FORMED = """
    SELECT v.content, v.kind::text AS kind FROM recollect.vectors AS v
    JOIN recollect.users_vectors AS u ON u.vector_id = v.id
    WHERE v.kind::text <> 'summary'
"""


@dataclass(frozen=True)
class Kept:
    """The messages and memories of a store.

    Attributes:
        logged: How often the log has each mark.
        formed: How many memories have each mark.
        whole: Marks that are kept as a whole exchange, as extraction failed.
        states: How many exchanges are in each state.
    """

    logged: Counter[str]
    formed: Counter[str]
    whole: int
    states: dict[str, int]


async def settled(system: System) -> bool:
    """Wait until spools and inbox are empty; return False if they stand still."""
    least, since, still = None, time.monotonic(), 0
    while time.monotonic() - since < _PATIENCE_SECONDS:
        spooled = [await proxy.waiting() for proxy in system.proxies]
        [row] = await rows(system.dsn, _WAITING)
        is_still = not any(spooled) and None not in spooled and not row["waits"]
        still = still + 1 if is_still else 0
        if still > _STILL:  # an answer's end may be on its way from the spool
            return True
        waits = row["waits"] + sum(each or 0 for each in spooled)
        if least is None or waits < least:
            least, since = waits, time.monotonic()
        await asyncio.sleep(_LOOK_SECONDS)
    return False


async def kept(system: System) -> Kept:
    """Read the store."""
    logged = await rows(system.dsn, _LOGGED)
    formed = await rows(system.dsn, _FORMED)
    states = await rows(system.dsn, _STATES)
    return Kept(
        Counter(mark for row in logged for mark in _marks(row)),
        Counter(mark for row in formed for mark in _marks(row)),
        sum(bool(_marks(row)) for row in formed if row["kind"] == "qa_turn"),
        {row["state"]: row["n"] for row in states},
    )


def _marks(row: asyncpg.Record) -> set[str]:
    return set(MARK.findall(row["content"]))


@dataclass(frozen=True)
class Outcome:
    """A row of the table.

    Attributes:
        title: The title of the fault.
        answered: How many of them came byte for byte as the LLM sent them.
        broken: How many the LLM broke off, and came as far as it had sent them.
        again: How many were asked more than once, as the connection failed.
        slowest: Seconds of the slowest chat during the fault.
        remembered: The share of probes during the fault whose prompt had its memory.
        lost: Marks of answered chats that the log lacks.
        unformed: Marks of answered chats that no memory has.
        doubled: Marks that the log or the memories have twice.
        whole: Exchanges that were kept as they are, as extraction failed.
        memory_seconds: From the end of the fault to the first chat with memory; None: never.
        backlog_seconds: From the end of the fault until nothing waited; None: never.
        leaks: Log lines with words of people.
        states: Of exchanges, but those that are formed.
        load: The load of the machine at the end, over the last minute.
    """

    title: str
    chats: int
    answered: int
    broken: int
    again: int
    slowest: float
    remembered: float | None
    lost: tuple[str, ...]
    unformed: tuple[str, ...]
    doubled: tuple[str, ...]
    whole: int
    memory_seconds: float | None
    backlog_seconds: float | None
    leaks: tuple[str, ...]
    states: dict[str, int]
    load: float


async def struck(title: str, system: System, load: Load, strike: Callable[[], Awaitable[None]]) -> Outcome:
    """Strike a system while people chat, let it recover, and count."""
    prober = User("prober")
    await load.until_remembered(prober)
    chatting = [asyncio.create_task(load.talk(number)) for number in range(TALKERS)]
    chatting.append(asyncio.create_task(load.keep_probing(prober)))
    await asyncio.sleep(_CALM_SECONDS)
    began = time.monotonic()
    await strike()
    ended = time.monotonic()
    await load.memory_is_back(ended, _MEMORY_SECONDS)
    await asyncio.sleep(_AFTER_SECONDS)
    load.is_over = True
    await asyncio.gather(*chatting)
    await load.close_chats()
    backlog = time.monotonic() - ended if await settled(system) else None
    there = await kept(system)
    answered = {each.mark for each in load.asked if each.is_whole}
    during = [each for each in load.probes if began <= each.began < ended]
    after = [each.began - ended for each in load.probes if each.began >= ended and each.remembered]
    doubled = {mark for counts in (there.logged, there.formed) for mark, count in counts.items() if count > 1}
    return Outcome(
        title,
        chats=len(load.asked),
        answered=len(answered),
        broken=sum(each.is_cut_alike for each in load.asked),
        again=sum(each.tries > 1 for each in load.asked),
        slowest=max((each.seconds for each in load.asked if began <= each.began <= ended), default=0.0),
        remembered=sum(each.remembered for each in during) / len(during) if during else None,
        lost=tuple(sorted(answered - there.logged.keys())),
        unformed=tuple(sorted(answered - there.formed.keys())),
        doubled=tuple(sorted(doubled)),
        whole=there.whole,
        memory_seconds=min(after, default=None),
        backlog_seconds=backlog,
        leaks=tuple(line.strip() for line in system.logs if MARK.search(line)),
        states={state: count for state, count in there.states.items() if state != "formed"},
        load=os.getloadavg()[0],
    )
