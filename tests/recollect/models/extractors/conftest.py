import ssl
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.recollect.models.extractors.completions_server import Server, completions_server

from recollect.models.extractors import OpenAICompatibleModel


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with completions_server() as scripted:
        yield scripted


@pytest.fixture(scope="session")
def no_certificates() -> ssl.SSLContext:
    """What is asked here is asked without TLS; httpx would read all certificates for each client."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.fixture
async def client(no_certificates: ssl.SSLContext) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(verify=no_certificates) as opened:
        yield opened


@pytest.fixture
def model(server: Server, client: httpx.AsyncClient) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(client, base_url=server.base_url)
