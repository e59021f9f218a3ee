"""Proxies with settings of their own, for tests that the session's proxy is no use to."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.databases import SpareDatabases
from tests.servers.running_proxy import RunningProxy, running_proxy

from recollect_proxy.settings.proxy_settings import ProxySettings


@dataclass(frozen=True)
class OwnProxies:
    """Serves proxies, each over a database that no other has: else one takes another's jobs.

    A start costs as much as a dozen chats: tests with the same settings share a proxy.
    """

    settings: ProxySettings
    databases: SpareDatabases

    @asynccontextmanager
    async def serve(self, **own: Any) -> AsyncIterator[RunningProxy]:
        """Serve one with these settings until left."""
        async with (
            self.databases.one() as dsn,
            running_proxy(changed(self.settings, database_url=dsn, **own)) as proxy,
        ):
            yield proxy


@dataclass(frozen=True)
class ListeningProxies:
    """Serves proxies that form nothing of what they hear, all over one database: who looks at a chat alone needs no more.

    What comes of a chat in the background takes four times as long as the chat.
    """

    settings: ProxySettings

    def serve(self, **own: Any) -> AbstractAsyncContextManager[RunningProxy]:
        """Serve one with these settings until left."""
        return running_proxy(changed(self.settings, **own), forms=False)


def serves(**own: Any) -> Any:
    """Return a fixture: a proxy with these settings, which a module's tests share."""

    @pytest.fixture(scope="module")
    async def served(own_proxies: OwnProxies) -> AsyncIterator[RunningProxy]:
        async with own_proxies.serve(**own) as proxy:
            yield proxy

    return served


def listens(**own: Any) -> Any:
    """Return a fixture: a proxy with these settings that forms nothing, which all tests share."""

    @pytest.fixture(scope="session")
    async def served(listening_proxies: ListeningProxies) -> AsyncIterator[RunningProxy]:
        async with listening_proxies.serve(**own) as proxy:
            yield proxy

    return served


def named(server: str) -> Any:
    """Return a fixture: the proxy of another fixture, before an ``upstream`` that forgot the test before."""

    @pytest.fixture
    def proxy(request: pytest.FixtureRequest, upstream: ScriptedUpstream) -> RunningProxy:
        served: RunningProxy = request.getfixturevalue(server)
        assert upstream.base_url == served.settings.upstream
        return served

    return proxy
