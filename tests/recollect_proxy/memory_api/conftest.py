"""The Memory API on a real socket, over a real Postgres or over a store in memory that can fail."""

from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.memory_api.serving import Api, engine_over, serve

from recollect.postgres import Postgres
from recollect.testing import InMemoryStore


@pytest.fixture
async def api(postgres: Postgres) -> AsyncIterator[Api]:
    async with serve(engine_over(postgres)) as served:
        yield served


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
async def api_in_memory(store: InMemoryStore) -> AsyncIterator[Api]:
    async with serve(engine_over(store)) as served:
        yield served
