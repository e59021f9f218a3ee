"""The proxy that the clients speak through, and who they speak for."""

import pytest
from tests.e2e.clients.comparing import Comparison
from tests.recollect_proxy.conftest import *  # noqa: F403 -- its fixtures
from tests.recollect_proxy.given import TEA
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User


@pytest.fixture
def comparison(proxy: RunningProxy, upstream: ScriptedUpstream) -> Comparison:
    return Comparison(proxy, upstream)


@pytest.fixture
async def someone(proxy: RunningProxy, user: User) -> User:
    """Someone who told us their favourite tea."""
    await proxy.say(user, TEA)
    await proxy.memories(user)
    return user
