"""The proxy that the clients speak through, and who they speak for."""

import pytest
from tests.e2e.clients.comparing import TEA, Comparison
from tests.recollect_proxy.conftest import (  # fixtures
    extraction,
    fresh_settings,
    other_user,
    proxy,
    session_proxy,
    session_settings,
    session_upstream,
    upstream,
    user,
)
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

__all__ = [
    "extraction",
    "fresh_settings",
    "other_user",
    "proxy",
    "session_proxy",
    "session_settings",
    "session_upstream",
    "upstream",
    "user",
]


@pytest.fixture
def comparison(proxy: RunningProxy, upstream: ScriptedUpstream) -> Comparison:
    """The proxy before the upstream."""
    return Comparison(proxy, upstream)


@pytest.fixture
async def someone(proxy: RunningProxy, user: User) -> User:
    """Someone who told us their favourite tea."""
    await proxy.say(user, TEA)
    await proxy.memories(user)
    return user
