"""A client for models on servers."""

from collections.abc import AsyncIterator

import httpx
import pytest


@pytest.fixture(scope="session")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Opened once: each reads all certificates."""
    async with httpx.AsyncClient() as opened:
        yield opened
