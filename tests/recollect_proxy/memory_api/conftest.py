"""The Memory API on a real socket, over a real Postgres."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import Api, engine_over, serve
from tests.support.stores import Store

from recollect.store import Postgres


@pytest.fixture(scope="session")
async def session_api(postgres: Postgres) -> AsyncIterator[Api]:
    async with serve(engine_over(postgres)) as served:
        yield served


@pytest.fixture
def api(session_api: Api, store: Store) -> Api:
    """The Memory API over the database that tests share, and the two people of ``store``."""
    session_api.forget_failures()
    return replace(session_api, anna=store.anna, ben=store.ben)


@pytest.fixture
def own_api(session_api: Api, own_store: Store) -> Iterator[Api]:
    """In place of ``api``: over a database of this test's own, and the two people of ``own_store``."""
    session_api.forget_failures()
    with session_api.over(engine_over(own_store)):
        yield replace(session_api, anna=own_store.anna, ben=own_store.ben)


@pytest.fixture(scope="session")
async def documentation(session_api: Api) -> Any:
    """The OpenAPI document, as it is read while the database is away."""
    with session_api.over(None):
        response = await session_api.call("GET", "/memory/docs/openapi.json", headers=[])
    assert response.status == 200
    assert response.header(b"content-type") == b"application/json"
    return response.json
