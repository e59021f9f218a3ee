"""Three proxies and two workers over one Postgres, killed and started again under load. Never: a fault of anything else."""

import asyncio
import json
import random
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tests.servers.running_proxy import User
from tests.support.raw_client import fetch

from bench.chaos.counting import Outcome, struck
from bench.chaos.load import Load
from bench.chaos.system import Plan, Process, Proxy, System
from bench.chaos.world import World
from bench.servers import TOKEN

TITLE = "3 proxies and 2 workers, one of them killed and restarted again and again"

_PROXIES, _WORKERS = 3, 2
_KILLS = 10
_CHANGES = 5
_MEMORY_SECONDS = 60.0
_HEED_SECONDS = 5.0


@dataclass
class Spread:
    """The delay until a change through one replica holds at the others.

    Attributes:
        erasures: Seconds, of a user who was erased.
        unheeded: Chats that began after the change was answered, and did not heed it.
    """

    settings: list[float] = field(default_factory=list)
    erasures: list[float] = field(default_factory=list)
    unheeded: int = 0


async def replicas(folder: Path, *, seed: int, logs: Path | None = None) -> Outcome:
    """Kill under load, then change settings and erase people through one replica and look at the others."""
    chance, system = random.Random(seed), System(folder, World(random.Random(seed)))
    async with AsyncExitStack() as closing:
        await system.start(Plan(proxies=_PROXIES, workers=_WORKERS), closing)
        load = Load(system.world, system.ports, random.Random(seed), tries=2)
        killing = partial(_kill, system, chance)
        found = await struck(TITLE, system, load, killing, seed=seed, patience=_MEMORY_SECONDS, logs=logs)
        spread = await _spread(system, load)
    settings, erasures = tuple(spread.settings), tuple(spread.erasures)
    return replace(found, settings=settings, erasures=erasures, unheeded=spread.unheeded)


async def _kill(system: System, chance: random.Random) -> None:
    """Kill one after the other, and start it again while the others serve."""
    everybody: list[Process] = [*system.proxies, *system.workers]
    for _ in range(_KILLS):
        await asyncio.sleep(chance.uniform(0.3, 2))
        victim = chance.choice(everybody)
        await victim.kill()
        await asyncio.sleep(chance.uniform(0, 1))
        await victim.start()


async def _spread(system: System, load: Load) -> Spread:
    """Change and erase through one replica, and ask the others at once."""
    spread = Spread()
    for change in range(_CHANGES):
        user = User(f"changed-{change}")
        await load.until_remembered(user)
        through, others = system.proxies[0], system.proxies[1:]
        path = f"/memory/users/{user.id}/settings"
        await _call(through, "PATCH", path, {"recall": False})
        spread.settings += await _heeded(load, user, others, spread)
        await _call(through, "PATCH", path, {"recall": None})
        await _call(through, "DELETE", f"/memory/users/{user.id}", None)
        spread.erasures += await _heeded(load, user, others, spread)
    return spread


async def _call(proxy: Proxy, method: str, path: str, body: dict[str, object] | None) -> None:
    headers = [(b"Authorization", b"Bearer " + TOKEN.encode()), (b"Content-Type", b"application/json")]
    data = None if body is None else json.dumps(body).encode()
    answer = await fetch(proxy.port, method.encode(), path.encode(), headers, data)
    if answer.status >= 400:
        raise RuntimeError(f"{method} {path} answers {answer.status}")


async def _heeded(load: Load, user: User, others: list[Proxy], spread: Spread) -> list[float]:
    """Return after how many seconds each of the others no longer gives a chat the memory."""
    began = time.monotonic()
    seconds = []
    for proxy in others:
        while time.monotonic() - began < _HEED_SECONDS:
            with suppress(OSError, EOFError, ValueError):
                probe = await load.probe(user, proxy.port)
                if probe.answered and not probe.remembered:
                    seconds.append(time.monotonic() - began)
                    break
                spread.unheeded += probe.remembered
    return seconds
