from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recollect.spool.spools import opened

from recollect.spool import Spool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "spool"


@pytest.fixture
async def spool(folder: Path) -> AsyncIterator[Spool]:
    spool = await opened(folder)
    yield spool
    await spool.close()
