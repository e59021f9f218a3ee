"""The proxy as most tests want it: one for the whole session, before a scripted LLM, over a real Postgres."""

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.recollect_proxy.own_proxies import ListeningProxies, OwnProxies, listens, named
from tests.recollect_proxy.settings import changed, proxy_settings
from tests.scripted.extraction import Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.databases import SpareDatabases, new_database
from tests.servers.running_proxy import (
    RunningProxy,
    User,
    extract_statements,
    extracting_model,
    running_proxy,
    somebody,
)
from tests.support.logging_as_it_was import logging_as_it_was

from recollect_proxy.settings.proxy_settings import ProxySettings


class SignalNotHandledError(Exception):
    """A process would have ended here."""


@pytest.fixture(scope="session")
async def session_upstream() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as upstream:
        yield upstream


@pytest.fixture
def upstream(session_upstream: ScriptedUpstream) -> ScriptedUpstream:
    """The LLM, with nothing received yet; it says "All right." until told otherwise."""
    session_upstream.forget()
    return session_upstream


@pytest.fixture(scope="session")
async def extraction() -> AsyncIterator[ScriptedUpstream]:
    """The LLM that extracts: every statement is a fact."""
    async with extracting_model() as model:
        yield model


@pytest.fixture
def pupil(extraction: ScriptedUpstream) -> Iterator[Pupil]:
    """The LLM that extracts, as one that understands only what it is taught."""
    extraction.otherwise = taught = Pupil()
    yield taught
    extraction.otherwise = extract_statements


@pytest.fixture(scope="session")
async def session_settings(
    session_upstream: ScriptedUpstream,
    extraction: ScriptedUpstream,
    database_server: str,
    template_database: str,
    data_dir: Path,
) -> AsyncIterator[ProxySettings]:
    async with new_database(database_server, template_database) as dsn:
        yield proxy_settings(
            upstream=session_upstream.base_url,
            database_url=dsn,
            data_dir=data_dir,
            extraction_base_url=extraction.base_url,
            extraction_model="extractor",
            recall_deadline_ms=30_000,  # the machine may be busy with other tests
        )


@pytest.fixture
def fresh_settings(session_settings: ProxySettings, own_dsn: str) -> ProxySettings:
    """Settings of a proxy that no other shares its database with, nor its jobs."""
    return changed(session_settings, database_url=own_dsn)


@pytest.fixture(scope="session")
def own_proxies(session_settings: ProxySettings, spare_databases: SpareDatabases) -> OwnProxies:
    return OwnProxies(session_settings, spare_databases)


@pytest.fixture(scope="session")
async def session_proxy(session_settings: ProxySettings) -> AsyncIterator[RunningProxy]:
    async with running_proxy(session_settings) as proxy:
        yield proxy


@pytest.fixture(scope="session")
async def listening_proxies(
    session_settings: ProxySettings, spare_databases: SpareDatabases
) -> AsyncIterator[ListeningProxies]:
    async with spare_databases.one() as dsn:
        yield ListeningProxies(changed(session_settings, database_url=dsn))


@pytest.fixture(scope="session")
async def whole_server(
    listening_proxies: ListeningProxies, session_upstream: ScriptedUpstream
) -> AsyncIterator[RunningProxy]:
    """A proxy before a server's own address, of which the path of a request is a path."""
    async with listening_proxies.serve(upstream=f"http://127.0.0.1:{session_upstream.port}") as proxy:
        yield proxy


session_listening = listens()
listening_proxy, proxy = named("session_listening"), named("session_proxy")
"""Proxies before ``upstream``, of which the first forms nothing."""


@pytest.fixture
def sigterm_as_in_a_process() -> Iterator[None]:
    """SIGTERM is dealt with by what is tested or by nobody: that of the tests' own process is out of the way."""

    def nobody_deals_with_it(_number: int, _frame: object) -> None:
        raise SignalNotHandledError

    before = signal.signal(signal.SIGTERM, nobody_deals_with_it)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def process_logging() -> Iterator[None]:
    """The log of the process, which a test may configure."""
    with logging_as_it_was():
        yield


@pytest.fixture
def user() -> User:
    """Someone new."""
    return somebody()


@pytest.fixture
def other_user() -> User:
    """Someone else."""
    return somebody()
