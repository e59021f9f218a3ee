"""A proxy before an upstream that talks over WebSockets."""

from collections.abc import AsyncIterator

import pytest
from tests.databases import new_database
from tests.recollect_proxy.settings import changed
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream, talking_upstream
from tests.running_proxy import RunningProxy, running_proxy

from recollect_proxy.settings import ProxySettings


@pytest.fixture(scope="session")
async def session_talker() -> AsyncIterator[TalkingUpstream]:
    async with talking_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="session")
async def session_relay(
    session_talker: TalkingUpstream,
    session_settings: ProxySettings,
    database_server: str,
    template_database: str,
) -> AsyncIterator[RunningProxy]:
    async with new_database(database_server, template_database) as dsn:  # else it takes others' jobs
        settings = changed(session_settings, upstream=session_talker.base_url, database_url=dsn)
        async with running_proxy(settings) as proxy:
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
