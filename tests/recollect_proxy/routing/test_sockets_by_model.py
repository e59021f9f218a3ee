"""A WebSocket goes to one of several LLM servers by the model that its query names, and no client's key with it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream, talking, talking_upstream
from websockets.exceptions import InvalidStatus

KEYS = [("Authorization", "Bearer sk-client"), ("Cookie", "a=1")]


@dataclass(frozen=True)
class Servers:
    """Two servers that speak WebSockets, and the port of a proxy before them."""

    default: TalkingUpstream
    realtime: TalkingUpstream
    port: int


@pytest.fixture(scope="module")
async def servers(listening_proxies: ListeningProxies) -> AsyncIterator[Servers]:
    async with talking_upstream() as default, talking_upstream() as realtime:
        entries = [
            {"name": "realtime", "url": realtime.base_url, "models": ["gpt-*"], "api_key": "own"},
            {"name": "keyless", "url": realtime.base_url, "models": ["free-*"]},
        ]
        async with listening_proxies.serve(upstream=default.base_url, upstreams=entries) as proxy:
            yield Servers(default, realtime, proxy.port)


async def test_it_goes_where_its_model_is_with_that_servers_own_key(servers: Servers) -> None:
    async with talking(servers.port, "/v1/realtime?model=GPT-rt&x=1", headers=KEYS):
        request = servers.realtime.socket.request

    assert request is not None
    assert request.path == "/v1/realtime?model=GPT-rt&x=1"
    assert request.headers["Authorization"] == "Bearer own"
    assert "Cookie" not in request.headers


async def test_a_server_without_a_key_gets_no_clients_key_by_the_subprotocol_either(servers: Servers) -> None:
    servers.realtime.subprotocol = "realtime"
    offered = ["realtime", "openai-insecure-api-key.sk-client"]
    async with talking(servers.port, "/v1/realtime?model=free-1", headers=KEYS, subprotocols=offered):
        request = servers.realtime.socket.request
    servers.realtime.forget()

    assert request is not None
    assert request.headers["Sec-WebSocket-Protocol"] == "realtime"
    assert "sk-client" not in str(request.headers)


@pytest.mark.parametrize("query", ["", "?model=llama", "?model=llama&model=llama"])
async def test_any_other_goes_to_the_default_with_the_clients_key(servers: Servers, query: str) -> None:
    async with talking(servers.port, f"/v1/realtime{query}", headers=KEYS):
        request = servers.default.socket.request

    assert request is not None
    assert request.headers["Authorization"] == "Bearer sk-client"


async def test_one_that_names_two_models_is_refused(servers: Servers) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with talking(servers.port, "/v1/realtime?model=llama&model=gpt-rt", headers=KEYS):
            pass

    assert refused.value.response.status_code == 403
