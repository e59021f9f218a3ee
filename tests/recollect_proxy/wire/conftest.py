"""Proxies whose wire is looked at: what comes of what was said is asked elsewhere. And one before an upstream that talks."""

import socket
from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.routes import OPERATORS_KEY
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream, talking_upstream
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy


@pytest.fixture
def proxy(listening_proxy: RunningProxy) -> RunningProxy:
    """A proxy before ``upstream``."""
    return listening_proxy


@pytest.fixture(scope="session")
async def session_impatient(listening_proxies: ListeningProxies) -> AsyncIterator[RunningProxy]:
    async with listening_proxies.serve(read_timeout_seconds=0.2) as proxy:
        yield proxy


@pytest.fixture
def impatient(session_impatient: RunningProxy, upstream: ScriptedUpstream) -> RunningProxy:
    """A proxy before ``upstream`` that gives it up after a moment's silence."""
    assert upstream.base_url == session_impatient.settings.upstream
    return session_impatient


@pytest.fixture(scope="session")
async def session_hasty(listening_proxies: ListeningProxies) -> AsyncIterator[RunningProxy]:
    async with listening_proxies.serve(connect_timeout_seconds=0.3) as proxy:
        yield proxy


@pytest.fixture
def hasty(session_hasty: RunningProxy, upstream: ScriptedUpstream) -> RunningProxy:
    """A proxy before ``upstream`` that gives it up where it is not connected in a moment."""
    assert upstream.base_url == session_hasty.settings.upstream
    return session_hasty


@pytest.fixture(scope="session")
async def session_keyed(listening_proxies: ListeningProxies) -> AsyncIterator[RunningProxy]:
    async with listening_proxies.serve(upstream_api_key=OPERATORS_KEY) as proxy:
        yield proxy


@pytest.fixture
def keyed(session_keyed: RunningProxy, upstream: ScriptedUpstream) -> RunningProxy:
    """A proxy before ``upstream`` with the operator's key."""
    assert upstream.base_url == session_keyed.settings.upstream
    return session_keyed


@pytest.fixture(scope="session")
async def lonely(listening_proxies: ListeningProxies) -> AsyncIterator[RunningProxy]:
    """A proxy whose upstream nobody serves."""
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        upstream = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with listening_proxies.serve(upstream=upstream) as proxy:
            yield proxy


@pytest.fixture(scope="session")
async def session_talker() -> AsyncIterator[TalkingUpstream]:
    async with talking_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="session")
async def session_relay(
    session_talker: TalkingUpstream, listening_proxies: ListeningProxies
) -> AsyncIterator[RunningProxy]:
    async with listening_proxies.serve(upstream=session_talker.base_url) as proxy:
        yield proxy


@pytest.fixture
def talker(session_talker: TalkingUpstream) -> TalkingUpstream:
    """The upstream, that echoes until told otherwise."""
    session_talker.forget()
    return session_talker


@pytest.fixture
def relay(session_relay: RunningProxy, talker: TalkingUpstream) -> RunningProxy:
    """A proxy before ``talker``."""
    assert talker.base_url == session_relay.settings.upstream
    return session_relay
