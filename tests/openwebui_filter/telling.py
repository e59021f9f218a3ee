"""What is said and asked in these tests, and waiting until it is remembered. Never: a test."""

import asyncio
from typing import Any

from recollect.engine import Engine
from recollect.openwebui import background

LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"

DOG = "I have a dog called Pipa."
ROME, OSLO = "I live in Rome.", "I live in Oslo now."


async def formed(engine: Engine, count: int) -> None:
    """Wait until so many exchanges are formed and none waits."""
    async with asyncio.timeout(60):
        while (backlog := await engine.backlog()).formed < count or backlog.pending:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.05)
    assert (backlog.formed, backlog.failed) == (count, 0)


async def settled(memory: Any) -> None:
    """Wait until everything that was to be remembered is logged."""
    await (await memory._engine()).settle(30)


async def told() -> None:
    """Wait until everything that was to be shown beside a chat is shown."""
    async with asyncio.timeout(60):
        while background._running:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.02)
