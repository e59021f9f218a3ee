"""A real Postgres for the whole session, and a fresh database, already migrated, for each test.

The server is the embedded one in a temporary folder, or the one RECOLLECT_TEST_DATABASE_URL names,
whose user may create databases.
"""

import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import hypothesis
import pytest
from tests.databases import administrator, new_database

from recollect.postgres import Postgres, open_postgres, start_embedded


def pytest_configure() -> None:
    hypothesis.settings.register_profile("untimed", deadline=None)  # the machine may be busy with other tests
    hypothesis.settings.load_profile("untimed")
    # A run that is told to end (as by `timeout`) stops its database first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored where a shell runs it in the background


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """The dsn of a server on which databases can be created."""
    given = os.environ.get("RECOLLECT_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="recollect-tests-") as folder:
        Path(folder).chmod(0o711)  # as root the server runs as another account, which has to get in
        server = start_embedded(Path(folder))
        yield server.dsn
        server.stop()


@pytest.fixture(scope="session")
async def template_database(database_server: str) -> AsyncIterator[str]:
    """The name of a migrated database that others are copied from."""
    if "RECOLLECT_TEST_DATABASE_URL" not in os.environ:
        async with administrator(database_server) as connection:
            await connection.execute("ALTER SYSTEM SET fsync = off")  # thrown away afterwards
            await connection.execute("SELECT pg_reload_conf()")
    async with new_database(database_server) as dsn:
        store = await open_postgres(dsn)
        await store.aclose()
        yield urlsplit(dsn).path.removeprefix("/")


@pytest.fixture
async def empty_dsn(database_server: str) -> AsyncIterator[str]:
    """The dsn of a database that has nothing in it."""
    async with new_database(database_server) as dsn:
        yield dsn


@pytest.fixture
async def store_dsn(database_server: str, template_database: str) -> AsyncIterator[str]:
    """The dsn of a fresh database with the current schema."""
    async with new_database(database_server, template_database) as dsn:
        yield dsn


@pytest.fixture
async def postgres(store_dsn: str) -> AsyncIterator[Postgres]:
    """The store on a fresh database."""
    store = await open_postgres(store_dsn)
    yield store
    await store.aclose()
