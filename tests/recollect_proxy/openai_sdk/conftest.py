"""Whom the SDK's application speaks for: someone with a memory, and then nobody we know."""

from collections.abc import AsyncIterator

import pytest
from openai import AsyncOpenAI
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.openai_sdk.application import sdk
from tests.recollect_proxy.own_proxies import named
from tests.servers.running_proxy import RunningProxy, User

proxy = named("session_listening")


@pytest.fixture
async def someone(proxy: RunningProxy, user: User) -> User:
    """Someone whose favourite tea we know."""
    return await given_memory(proxy, user)


@pytest.fixture(params=["with memory", "without"])
async def known(request: pytest.FixtureRequest, proxy: RunningProxy, user: User) -> User | None:
    """Someone whose favourite tea we know, and then nobody we know."""
    return await given_memory(proxy, user) if request.param == "with memory" else None


@pytest.fixture
async def client(proxy: RunningProxy, known: User | None) -> AsyncIterator[AsyncOpenAI]:
    """The SDK of an application that speaks for them."""
    async with sdk(proxy, known) as client:
        yield client
