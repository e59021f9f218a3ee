"""What is said and asked in these tests, and waiting until it is remembered."""

import asyncio
from collections import Counter
from typing import Any

import asyncpg
from tests.servers.databases import administrator, sql_rows
from tests.support.waiting import until

from recollect.engine import Engine
from recollect_openwebui import hook_call

LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"

DOG = "I have a dog called Pipa."
ROME, OSLO = "I live in Rome.", "I live in Oslo now."

_STATES = "SELECT state FROM recollect.exchanges WHERE user_id = $1"

_ANSWERS = "SELECT content FROM recollect.messages WHERE user_id = $1 AND role = 'assistant' ORDER BY id"


async def contents(engine: Engine, user_id: str) -> list[str]:
    """Return the contents of a person's memories, newest first."""
    return [memory.content for memory in (await engine.page(user_id, limit=100)).memories]


async def progress(memory: Any, user_id: str) -> Counter[str]:
    """Count what became of what a person said."""
    async with administrator(memory.valves.database_url) as connection:
        return await _progress(connection, user_id)


async def formed(memory: Any, user_id: str, count: int) -> None:
    """Wait until so many exchanges of a person are formed and none of theirs waits."""
    known = await _at_rest(memory, user_id, formed=count)
    assert (known["formed"], known["failed"]) == (count, 0)


async def answers(memory: Any, user_id: str) -> list[str]:
    """Return what a person was answered, as it is logged."""
    await settled(memory)
    found = await sql_rows(memory.valves.database_url, _ANSWERS, user_id)
    return [row["content"] for row in found]


async def nothing_waits(memory: Any, user_id: str) -> None:
    """Wait until nothing that a person said is still to be formed."""
    await settled(memory)
    await _at_rest(memory, user_id)


async def settled(memory: Any) -> None:
    """Wait until everything that was to be remembered is logged."""
    async with asyncio.timeout(30):
        await (await memory._engine()).settle(60)


async def told() -> None:
    """Wait until everything that was to be shown beside a chat is shown."""
    await until(lambda: not hook_call._running)


async def process_ends() -> None:
    """Cancel the background tasks of a process, as its end does."""
    left = tuple(hook_call._running)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


async def _at_rest(memory: Any, user_id: str, *, formed: int = 0) -> Counter[str]:
    known: Counter[str] = Counter()

    async with administrator(memory.valves.database_url) as connection:

        async def is_at_rest() -> bool:
            nonlocal known
            known = await _progress(connection, user_id)
            return known["formed"] >= formed and not known["pending"]

        await until(is_at_rest)
    return known


async def _progress(connection: "asyncpg.Connection[asyncpg.Record]", user_id: str) -> Counter[str]:
    return Counter(row["state"] for row in await connection.fetch(_STATES, user_id))
