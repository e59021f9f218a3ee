"""The SDK's WebSockets through the proxy: the Realtime API, and responses over a socket."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from openai import AsyncOpenAI
from tests.recollect_proxy.openai_sdk.application import KEY, sdk
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.realtime import RealtimeUpstream, realtime_upstream
from tests.servers.running_proxy import somebody


@pytest.fixture(scope="module")
async def realtime() -> AsyncIterator[RealtimeUpstream]:
    """A realtime model."""
    async with realtime_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
async def speaking(realtime: RealtimeUpstream, own_proxies: OwnProxies) -> AsyncIterator[AsyncOpenAI]:
    """The SDK, before a proxy before the realtime model."""
    async with own_proxies.serve(upstream=realtime.base_url) as proxy, sdk(proxy, somebody()) as client:
        yield client


@pytest.fixture(autouse=True)
def _fresh(realtime: RealtimeUpstream) -> None:
    realtime.handshakes.clear()
    realtime.events.clear()


def assert_handshake(realtime: RealtimeUpstream, path: str) -> None:
    """Assert that one socket was asked for, with the SDK's key and without our headers."""
    [handshake] = realtime.handshakes
    assert handshake.path == path
    assert handshake.headers["Authorization"] == f"Bearer {KEY}"
    assert not [name for name in handshake.headers if "openwebui" in name or "recollect" in name]


async def test_a_realtime_conversation(speaking: AsyncOpenAI, realtime: RealtimeUpstream) -> None:
    said = []

    async with speaking.realtime.connect(model="scripted") as connection:
        created = await connection.recv()
        await connection.response.create(response={"instructions": "Name a tea."})
        async for event in connection:
            if event.type == "response.output_text.delta":
                said.append(event.delta)
            if event.type == "response.done":
                break

    assert created.type == "session.created"
    assert said == ["Lapsang", " Souchong."]
    assert [event["response"] for event in realtime.events] == [{"instructions": "Name a tea."}]
    assert_handshake(realtime, "/v1/realtime?model=scripted")
    async with asyncio.timeout(20):
        assert await realtime.closed.get() == (1000, "")


async def test_responses_over_a_socket(speaking: AsyncOpenAI, realtime: RealtimeUpstream) -> None:
    said = ""

    async with speaking.responses.connect() as connection:
        await connection.response.create(model="scripted", input="Name a tea.")
        async for event in connection:
            if event.type == "response.completed":
                said = event.response.output_text
                break

    assert said == "Lapsang Souchong."
    assert realtime.events[0]["input"] == "Name a tea."
    assert_handshake(realtime, "/v1/responses")
    async with asyncio.timeout(20):
        await realtime.closed.get()
