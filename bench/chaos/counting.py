"""Compares the messages of a run with the store, once everything has settled."""

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
from bench.figures import percent

_CALM_SECONDS, _AFTER_SECONDS, _MEMORY_SECONDS = 3.0, 2.0, 90.0
_PATIENCE_SECONDS = 150.0
_LOOK_SECONDS = 0.25
_STILL = 3
"""Looks in a row that find nothing that waits."""

_WAITING = """
    SELECT count(*) AS waits FROM recollect.exchanges WHERE state = 'pending'
"""
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
        whole: How many are kept as a whole exchange, as extraction failed.
    """

    logged: Counter[str]
    formed: Counter[str]
    whole: int


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
    return Kept(
        Counter(mark for row in logged for mark in _marks(row)),
        Counter(mark for row in formed for mark in _marks(row)),
        sum(bool(_marks(row)) for row in formed if row["kind"] == "qa_turn"),
    )


def _marks(row: asyncpg.Record) -> set[str]:
    return set(MARK.findall(row["content"]))


async def struck(
    title: str, system: System, load: Load, strike: Callable[[], Awaitable[None]]
) -> dict[str, str]:
    """Strike a system while people chat, let it recover, and count; return a row by the heads of its table."""
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
    return _row(title, load, await kept(system), (began, ended), backlog) | {
        "log lines with words of people": str(sum(bool(MARK.search(line)) for line in system.logs))
    }


def _row(
    title: str, load: Load, there: Kept, fault: tuple[float, float], backlog: float | None
) -> dict[str, str]:
    began, ended = fault
    answered = {each.mark for each in load.asked if each.is_whole}
    broken = sum(each.is_cut_alike for each in load.asked)
    during = [each for each in load.probes if began <= each.began < ended]
    after = [each.began - ended for each in load.probes if each.began >= ended and each.remembered]
    doubled = {mark for counts in (there.logged, there.formed) for mark, count in counts.items() if count > 1}
    slowest = max((each.seconds for each in load.asked if began <= each.began <= ended), default=0.0)
    return {
        "fault": title,
        "chats: answered byte for byte / asked": f"{len(answered)} / {len(load.asked)}"
        + (f" ({broken} as far as the LLM came)" if broken else ""),
        "asked again": str(sum(each.tries > 1 for each in load.asked)),
        "slowest chat in the fault": _seconds(slowest),
        "chats with memory in the fault": percent(sum(each.remembered for each in during), len(during)),
        "lost": str(len(answered - there.logged.keys())),
        "not formed": str(len(answered - there.formed.keys())),
        "twice": str(len(doubled)),
        "kept whole": str(there.whole),
        "first memory after": _seconds(min(after, default=None)),
        "nothing waits after": _seconds(backlog),
        "load": f"{os.getloadavg()[0]:.0f}",
    }


def _seconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"
