"""Whom the SDK's application speaks for: someone with a memory, and then nobody we know."""

from collections.abc import AsyncIterator

import pytest
from openai import AsyncOpenAI
from tests.recollect_proxy.openai_sdk.application import TEA, sdk
from tests.running_proxy import RunningProxy, User
from tests.scripted_upstream import ScriptedUpstream


async def told(proxy: RunningProxy, user: User, upstream: ScriptedUpstream) -> User:
    """Let the user tell us their favourite tea, and wait until it is a memory."""
    await proxy.say(user, TEA)
    await proxy.memories(user)
    upstream.forget()
    return user


@pytest.fixture
async def someone(proxy: RunningProxy, user: User, upstream: ScriptedUpstream) -> User:
    """Someone who told us their favourite tea."""
    return await told(proxy, user, upstream)


@pytest.fixture(params=["with memory", "without"])
async def known(
    request: pytest.FixtureRequest, proxy: RunningProxy, user: User, upstream: ScriptedUpstream
) -> User | None:
    """Someone who told us their favourite tea, and then nobody we know."""
    return await told(proxy, user, upstream) if request.param == "with memory" else None


@pytest.fixture
async def client(proxy: RunningProxy, known: User | None) -> AsyncIterator[AsyncOpenAI]:
    """The SDK of an application that speaks for them."""
    async with sdk(proxy, known) as client:
        yield client
