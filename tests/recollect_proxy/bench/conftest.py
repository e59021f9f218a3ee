"""An operator whose data folder has the embedder's graph in it, as after a first start."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.recollect_proxy.settings import proxy_settings

from recollect.embedders.local import LocalEmbedder
from recollect_proxy.bench.opening import unhurried
from recollect_proxy.settings import ProxySettings


@pytest.fixture(scope="session")
async def operator_settings(data_dir: Path) -> ProxySettings:
    embedder = LocalEmbedder("all-MiniLM-L6-v2", cache_dir=data_dir / "models")
    await embedder.load()
    await embedder.aclose()
    given = proxy_settings(data_dir=data_dir)
    return given.model_copy(update=unhurried(given))  # the machine may be busy


@pytest.fixture
def progress() -> Iterator[Progress]:
    with Progress(console=Console(file=io.StringIO())) as shown:
        yield shown
