from collections.abc import AsyncIterator

import httpx
import pytest
from tests.recollect.extractors.completions_server import Server, completions_server

from recollect.extractors import OpenAICompatibleModel


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with completions_server() as scripted:
        yield scripted


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as opened:
        yield opened


@pytest.fixture
def model(server: Server, client: httpx.AsyncClient) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(client, base_url=server.base_url)
