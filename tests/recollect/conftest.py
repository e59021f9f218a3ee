"""The real embedding model, loaded once for all who ask for it."""

from collections.abc import AsyncIterator

import pytest

from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder


@pytest.fixture(scope="session")
async def e5() -> AsyncIterator[MultilingualE5Embedder]:
    """The default embedder, loaded."""
    embedder = MultilingualE5Embedder()
    await embedder.load()
    yield embedder
    await embedder.aclose()
