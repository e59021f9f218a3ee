"""The pages on a real socket, over a real Postgres."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.recollect_proxy.memory_api.serving import engine_over
from tests.recollect_proxy.pages.served_pages import Pages, Visitor, serve_pages
from tests.support.stores import Store

from recollect.store import Postgres
from recollect_proxy.access.failed_attempts import FailedAttempts


@pytest.fixture(scope="session")
async def session_pages(postgres: Postgres) -> AsyncIterator[Pages]:
    async with serve_pages(engine_over(postgres)) as served:
        yield served


@pytest.fixture
def pages(session_pages: Pages, store: Store) -> Pages:
    """The pages over the database that tests share, and the two people of ``store``."""
    session_pages.authentication.failed = FailedAttempts()
    return replace(session_pages, anna=store.anna, ben=store.ben)


@pytest.fixture
async def visitor(pages: Pages) -> Visitor:
    """Anna, who has entered by her link."""
    return await pages.person()
