"""Each contract is tested over the store in Postgres and the one in memory."""

from collections.abc import AsyncIterator

import pytest
from tests.contracts.stores import Store
from tests.databases import new_database

from recollect.postgres import open_postgres
from recollect.testing import InMemoryStore


@pytest.fixture(params=["postgres", "memory"])
async def store(
    request: pytest.FixtureRequest, database_server: str, template_database: str
) -> AsyncIterator[Store]:
    if request.param == "memory":
        memory = InMemoryStore()
        kept = memory.settings
        yield Store(memory, memory, memory, memory, memory, memory, memory, kept, kept)
        return
    async with new_database(database_server, template_database) as dsn:
        postgres = await open_postgres(dsn, lease=2, heartbeat=2)
        yield Store(
            postgres.memories,
            postgres.log,
            postgres.inbox,
            postgres.jobs,
            postgres.index,
            postgres.chats,
            postgres.requests,
            postgres.flags,
            postgres.usage,
        )
        await postgres.aclose()
