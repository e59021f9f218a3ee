"""The real model, and a client for models on servers."""

from collections.abc import AsyncIterator

import httpx
import pytest

from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder


@pytest.fixture(scope="session")
async def e5() -> AsyncIterator[MultilingualE5Embedder]:
    """The default embedder, loaded."""
    embedder = MultilingualE5Embedder()
    await embedder.load()
    yield embedder
    await embedder.aclose()


@pytest.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Opened once: each reads all certificates."""
    async with httpx.AsyncClient() as opened:
        yield opened
