"""A dry run looks into the database that is there, and changes nothing in it, not even its tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import administrator

from recollect.store import TemporaryFolder, start_embedded
from recollect_proxy.importers.destination import OutdatedDatabaseError, open_destination

OBJECTS = "SELECT oid FROM pg_class UNION ALL SELECT oid FROM pg_namespace ORDER BY 1"


async def rows(dsn: str, query: str) -> list[asyncpg.Record]:
    async with administrator(dsn) as connection:
        return await connection.fetch(query)


@pytest.fixture
def empty_embedded() -> Iterator[tuple[Path, str]]:
    """A data folder whose database has nothing in it, and how to reach that."""
    folder = TemporaryFolder()
    try:
        server = start_embedded(folder.path, durable=False)
        yield folder.path, server.dsn
        server.stop()
    finally:
        folder.remove()


async def opened(*, writes: bool = False, **settings: Any) -> bool:
    """Return whether there was a store."""
    async with open_destination(proxy_settings(**settings), writes=writes) as backends:
        return backends is not None and await backends.memories.quarantined("anna") == []


async def test_an_empty_database_stays_empty(empty_dsn: str, data_dir: Path) -> None:
    before = await rows(empty_dsn, OBJECTS)

    assert not await opened(database_url=empty_dsn, data_dir=data_dir)

    assert await rows(empty_dsn, OBJECTS) == before


@pytest.mark.process
async def test_an_empty_embedded_database_stays_empty(empty_embedded: tuple[Path, str]) -> None:
    folder, dsn = empty_embedded
    before = await rows(dsn, OBJECTS)

    assert not await opened(data_dir=folder)

    assert await rows(dsn, OBJECTS) == before


async def test_where_no_database_is_none_is_made(tmp_path: Path) -> None:
    assert not await opened(data_dir=tmp_path / "data")
    assert not (tmp_path / "data").exists()


async def test_one_that_is_up_to_date_is_looked_into_and_stays_as_it_is(own_dsn: str, data_dir: Path) -> None:
    before = await rows(own_dsn, OBJECTS)

    assert await opened(database_url=own_dsn, data_dir=data_dir)

    assert await rows(own_dsn, OBJECTS) == before


async def test_one_of_an_older_version_is_left_alone_and_that_is_said(new_dsn: str, data_dir: Path) -> None:
    before = await rows(new_dsn, OBJECTS)

    for since in (1, 0):
        async with administrator(new_dsn) as connection:
            await connection.execute("DELETE FROM recollect.schema_migrations WHERE version > $1", since)

        with pytest.raises(OutdatedDatabaseError, match="recollect serve"):
            await opened(database_url=new_dsn, data_dir=data_dir)

        assert await rows(new_dsn, OBJECTS) == before
