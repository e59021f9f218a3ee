"""The real model, and a client for models on servers."""

from collections.abc import AsyncIterator

import httpx
import pytest

from recollect.models.embedders.local import LocalEmbedder


@pytest.fixture(scope="session")
async def minilm() -> AsyncIterator[LocalEmbedder]:
    """The default embedder, loaded."""
    embedder = LocalEmbedder("all-MiniLM-L6-v2")
    await embedder.load()
    yield embedder
    await embedder.aclose()


@pytest.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Opened once: each reads all certificates."""
    async with httpx.AsyncClient() as opened:
        yield opened
