"""An operator whose data folder has the embedder's graph in it, as after a first start; and a proxy to replay through."""

from collections.abc import AsyncIterator, Iterator
from copy import copy
from pathlib import Path

import pytest
from rich.progress import Progress
from tests.bench.conversations import unseen
from tests.databases import SpareDatabases
from tests.ready_servers import ready_servers
from tests.recollect_proxy.settings import proxy_settings

from bench.recall.opening import open_replay, unhurried
from bench.recall.replay import Replay, Tally
from recollect.models.embedders.local import LocalEmbedder
from recollect_proxy.settings.proxy_settings import ProxySettings


@pytest.fixture(scope="session")
async def operator_settings(data_dir: Path) -> ProxySettings:
    embedder = LocalEmbedder("all-MiniLM-L6-v2", cache_dir=data_dir / "models")
    await embedder.load()
    await embedder.aclose()
    given = proxy_settings(data_dir=data_dir)
    return given.model_copy(update=unhurried(given))  # the machine may be busy


@pytest.fixture
async def ready_server(spare_databases: SpareDatabases) -> AsyncIterator[None]:
    """The server in memory that a test starts is there already."""
    async with ready_servers(spare_databases):
        yield


@pytest.fixture(scope="session")
async def session_replay(
    operator_settings: ProxySettings, spare_databases: SpareDatabases
) -> AsyncIterator[Replay]:
    async with (
        spare_databases.one() as dsn,
        open_replay(operator_settings, database_url=dsn) as replay,
    ):
        yield replay


@pytest.fixture
def replay(session_replay: Replay) -> Replay:
    """A replay that has counted nothing yet. Its proxy is others' too: each conversation has a name of its own."""
    own = copy(session_replay)
    own.tally = Tally()
    own._unindexed = set()
    return own


@pytest.fixture
def progress() -> Iterator[Progress]:
    with unseen() as progress:
        yield progress
