"""An operator with a data folder, and a server that is there already."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recollect_proxy.conftest import sigterm_as_in_a_process
from tests.recollect_proxy.settings import proxy_settings
from tests.servers.databases import SpareDatabases
from tests.servers.ready_servers import ready_servers

from recollect_proxy.settings.proxy_settings import ProxySettings

__all__ = ["sigterm_as_in_a_process"]


@pytest.fixture(scope="session")
def operator_settings(data_dir: Path) -> ProxySettings:
    return proxy_settings(data_dir=data_dir, recall_deadline_ms=30_000)  # the machine may be busy


@pytest.fixture
async def ready_server(spare_databases: SpareDatabases) -> AsyncIterator[None]:
    """The server in memory that a test starts is there already."""
    async with ready_servers(spare_databases):
        yield
