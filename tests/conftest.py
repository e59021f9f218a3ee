"""A real Postgres for each worker, and on it databases: one that all share, and some for a test of its own.

The server is the embedded one in memory. RECOLLECT_TEST_POSTGRES names another: 16 or 18, an external one of that version
over TCP; or the dsn of one of your own, as a superuser. Fixtures import what they need themselves: a test of a pure function begins at once.
"""

import gc
import os
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import hypothesis
import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the served process has it

if TYPE_CHECKING:
    from tests.servers.databases import SpareDatabases
    from tests.support.stores import Store

    from recollect.store import Postgres


_DATABASES = {"database_server", "empty_folder", "folder", "start"}
"""The fixtures that start a Postgres, or the watcher of a folder for one."""


def pytest_configure(config: pytest.Config) -> None:  # noqa: ARG001
    for profile, examples in (("few", 20), ("many", 500), ("fuzz", 2000)):
        hypothesis.settings.register_profile(
            profile,
            max_examples=examples,
            deadline=None,  # the machine may be busy
            suppress_health_check=[hypothesis.HealthCheck.too_slow],
        )
    hypothesis.settings.load_profile("few")
    # A run that is ended (as by `timeout`) stops its database first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored where a shell runs it in the background


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without Python's garbage collector, which costs as much: all that is imported stays, and is never looked through."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _DATABASES & set(getattr(item, "fixturenames", ())):
            item.add_marker("database")


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """The dsn of a server on which databases can be created."""
    from tests.servers.databases import running_server  # noqa: PLC0415 -- see above

    with running_server(os.environ.get("RECOLLECT_TEST_POSTGRES", "")) as dsn:
        yield dsn


# -- the database that tests share ---------------------------------------------------------------------


@pytest.fixture(scope="session")
async def shared_dsn(database_server: str, template_database: str) -> AsyncIterator[str]:
    """The dsn of the database that tests share: it keeps the rows of all tests, each under users of its own."""
    from tests.servers.databases import new_database, strangers  # noqa: PLC0415 -- see above

    async with new_database(database_server, template_database) as dsn:
        yield dsn
        assert await strangers(dsn) == [], (
            "tests that share a database take their users from tests.support.people"
        )


@pytest.fixture(scope="session")
async def postgres(shared_dsn: str) -> "AsyncIterator[Postgres]":
    """The store in the database that tests share."""
    from recollect.store import open_postgres  # noqa: PLC0415 -- see above

    opened = await open_postgres(shared_dsn)
    yield opened
    await opened.aclose()


@pytest.fixture
def store(postgres: "Postgres") -> "Store":
    """The same as an open store, with two people of this test's own."""
    from tests.support.stores import store_over  # noqa: PLC0415 -- see above

    return store_over(postgres)


# -- databases of a test's own ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
async def template_database(database_server: str) -> AsyncIterator[str]:
    """The name of a migrated database that others are copied from."""
    from tests.servers.databases import migrated_database  # noqa: PLC0415 -- see above

    async with migrated_database(database_server) as dsn:
        yield urlsplit(dsn).path.removeprefix("/")


@pytest.fixture(scope="session")
async def spare_databases(database_server: str, template_database: str) -> "AsyncIterator[SpareDatabases]":
    from tests.servers.databases import SpareDatabases  # noqa: PLC0415 -- see above

    async with AsyncExitStack() as closing:
        yield SpareDatabases(database_server, template_database, closing)


@pytest.fixture
async def own_dsn(spare_databases: "SpareDatabases") -> AsyncIterator[str]:
    """The dsn of a database with the current schema and no row, this test's alone. Its schema must stay as it is."""
    async with spare_databases.one() as dsn:
        yield dsn


@pytest.fixture
async def own_postgres(own_dsn: str) -> "AsyncIterator[Postgres]":
    """The store in a database of this test's own."""
    from recollect.store import open_postgres  # noqa: PLC0415 -- see above

    opened = await open_postgres(own_dsn, lease=2, heartbeat=2)
    yield opened
    await opened.aclose()


@pytest.fixture
def own_store(own_postgres: "Postgres") -> "Store":
    """The same as an open store."""
    from tests.support.stores import store_over  # noqa: PLC0415 -- see above

    return store_over(own_postgres)


@pytest.fixture
async def new_dsn(database_server: str, template_database: str) -> AsyncIterator[str]:
    """The dsn of a new database with the current schema, for a test that changes more than rows."""
    from tests.servers.databases import new_database  # noqa: PLC0415 -- see above

    async with new_database(database_server, template_database) as dsn:
        yield dsn


@pytest.fixture
async def empty_dsn(database_server: str) -> AsyncIterator[str]:
    from tests.servers.databases import new_database  # noqa: PLC0415 -- see above

    async with new_database(database_server) as dsn:
        yield dsn


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")
