"""The OpenAI Node SDK's WebSockets through the proxy: from a server, and from a browser."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.e2e.clients.programs import KEY, node_client
from tests.recollect_proxy.settings import changed
from tests.scripted.realtime import RealtimeUpstream, realtime_upstream
from tests.servers.running_proxy import RunningProxy, running_proxy

from recollect_proxy.settings.proxy_settings import ProxySettings

IDENTITY = {"X-OpenWebUI-User-Id": "someone", "X-OpenWebUI-Chat-Id": "clients"}


@pytest.fixture
async def realtime() -> AsyncIterator[RealtimeUpstream]:
    async with realtime_upstream() as upstream:
        yield upstream


@pytest.fixture
async def before(realtime: RealtimeUpstream, session_settings: ProxySettings) -> AsyncIterator[RunningProxy]:
    async with running_proxy(changed(session_settings, upstream=realtime.base_url)) as proxy:
        yield proxy


@pytest.mark.parametrize("way", ["realtime", "browser-realtime"])
async def test_a_realtime_conversation_from_node(
    before: RunningProxy, realtime: RealtimeUpstream, way: str
) -> None:
    got = [
        await node_client(way)(f"http://127.0.0.1:{port}", IDENTITY) for port in (realtime.port, before.port)
    ]

    assert got[0] == got[1] == {"said": ["Lapsang", " Souchong."], "code": 1000}
    async with asyncio.timeout(20):
        assert [await realtime.closed.get() for _ in got] == [(1000, "OK"), (1000, "OK")]
    past, through = realtime.handshakes
    assert through.path == past.path == "/v1/realtime?model=scripted"
    assert [event["type"] for event in realtime.events] == ["response.create"] * 2
    assert not [name for name in through.headers if "openwebui" in name or "recollect" in name]
    for name in ("Authorization", "User-Agent", "Sec-WebSocket-Protocol", "OpenAI-Beta"):
        offered = [value.replace(", ", ",") for value in through.headers.get_all(name)]
        assert offered == [value.replace(", ", ",") for value in past.headers.get_all(name)]
    assert KEY in str(through.headers)
