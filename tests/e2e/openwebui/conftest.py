"""Open WebUI with Recollect, both ways, one after the other; and two people who use it."""

from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any

import pytest
from tests.e2e.openwebui.hosts import Host, with_filter, with_proxy
from tests.e2e.openwebui.language_model import MODELS
from tests.e2e.openwebui.people import Person

_HOSTS = {"proxy": with_proxy, "filter": with_filter}


@pytest.fixture(scope="session", params=_HOSTS)
async def served_host(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Host]:
    async with _HOSTS[request.param](tmp_path_factory.mktemp(request.param)) as served:
        yield served


@pytest.fixture
def host(served_host: Host) -> Iterator[Host]:
    """Open WebUI before the proxy, or with the filter, of which no hook may fail in silence."""
    served_host.model.forget()
    before = len(served_host.server.log)
    yield served_host
    assert "a chat had no memory" not in served_host.server.log[before:]


@pytest.fixture
async def alice(host: Host) -> Person:
    """Somebody new."""
    return await host.administrator.add("Alice")


@pytest.fixture
async def bob(host: Host) -> Person:
    """Somebody else."""
    return await host.administrator.add("Bob")


@pytest.fixture
async def given_model(host: Host) -> AsyncIterator[None]:
    """Give everybody the model by name: without, Open WebUI lets only administrators press a button."""
    administrator = host.administrator
    everybody = {"principal_type": "user", "principal_id": "*", "permission": "read"}
    model = {"id": MODELS[0], "name": MODELS[0], "meta": {}, "params": {}, "access_grants": [everybody]}
    await administrator.call("POST", "/api/v1/models/create", json=model)
    await administrator.call("GET", "/api/models", params={"refresh": "true"})
    yield
    await administrator.call("POST", "/api/v1/models/model/delete", json={"id": MODELS[0]})
    await administrator.call("GET", "/api/models", params={"refresh": "true"})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last that Open WebUI logged beside a test that failed."""
    report = yield
    served: Any = getattr(item, "funcargs", {}).get("host")
    if report.failed and served is not None:
        report.sections.append(("Open WebUI's log", served.server.last_words))
    return report
