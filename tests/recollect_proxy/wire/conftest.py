"""Proxies whose wire is looked at: what comes of what was said is asked elsewhere. And one before an upstream that talks."""

import socket
from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.own_proxies import ListeningProxies, listens, named
from tests.recollect_proxy.wire.routes import OPERATORS_KEY
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream, talking_upstream
from tests.servers.running_proxy import RunningProxy

proxy = named("session_listening")


session_impatient, impatient = listens(read_timeout_seconds=0.2), named("session_impatient")
"""A proxy that gives its upstream up after a moment's silence."""

session_hasty, hasty = listens(connect_timeout_seconds=0.3), named("session_hasty")
"""One that gives it up where it is not connected in a moment."""

session_keyed, keyed = listens(upstream_api_key=OPERATORS_KEY), named("session_keyed")
"""One with the operator's key."""


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
    assert talker.base_url == session_relay.settings.upstream
    return session_relay
