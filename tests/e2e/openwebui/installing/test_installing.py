"""Open WebUI installs the filter's package itself, by its `requirements` line, and none of its own pins moves."""

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.openwebui import server
from tests.e2e.openwebui.hosts import FILTER, FILTER_NAME, Host, filter_host, learning_from, plain_openwebui
from tests.e2e.openwebui.installing.environments import OURS, Environment, layered_environment
from tests.e2e.openwebui.language_model import REPLY, LanguageModel, prompt
from tests.e2e.openwebui.people import LISBON, WHERE, Conversation, signed_in
from tests.servers.databases import Database, running_database

LINE = "required_open_webui_version: 0.12.4\n"
"""Behind which who lets OpenWebUI install the package writes where that is."""
MISSING = "Recollect: no chat has memory, module recollect_openwebui is missing: see the README."


@dataclass(frozen=True)
class Offer:
    """Where pip finds our package.

    Attributes:
        requirement: What the filter asks for.
        environ: The variables for Open WebUI with which pip needs no network.
    """

    requirement: str
    environ: Mapping[str, str]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    if not (server.ENVIRONMENT / "bin" / "python").exists():
        pytest.skip("Open WebUI is not installed: `make e2e-openwebui` does it")
    return layered_environment(tmp_path_factory.mktemp("layered"))


@pytest.fixture
def bare(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """Open WebUI's environment without our package."""
    if set(OURS) & set(environment.versions()):
        environment.pip("uninstall", "--yes", *OURS)
    monkeypatch.setattr(server, "ENVIRONMENT", environment.folder)
    return environment


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Our packages as files."""
    folder = tmp_path_factory.mktemp("wheels")
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    ours = [str(server.REPOSITORY), str(server.REPOSITORY / "weights")]
    subprocess.run([sys.executable, "-m", "pip", *build, *ours], check=True)
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="module")
async def database() -> AsyncIterator[Database]:
    async with running_database() as running:
        yield running


@pytest.fixture
async def model() -> AsyncIterator[LanguageModel]:
    model = LanguageModel()
    async with model.upstream:
        yield model


def in_an_index(wheels: list[Path]) -> Offer:
    found = {"PIP_PACKAGE_INDEX_OPTIONS": f"--no-index --find-links {wheels[0].parent}"}
    return Offer("recollect-memory==0.1.0", found)


def as_wheels(wheels: list[Path]) -> Offer:
    return Offer(", ".join(requirements(wheels)), {"PIP_OPTIONS": "--no-index"})


def requirements(wheels: list[Path]) -> list[str]:
    """Return what names both files."""
    return [f"{wheel.name.split('-')[0]} @ {wheel.as_uri()}" for wheel in wheels]


@pytest.mark.parametrize("offered", [in_an_index, as_wheels])
async def test_the_requirements_line_installs_it_and_moves_nothing(
    offered: Callable[[list[Path]], Offer],
    bare: Environment,
    wheels: list[Path],
    database: Database,
    model: LanguageModel,
    tmp_path: Path,
) -> None:
    offer = offered(wheels)
    before = bare.versions()
    assert before["open-webui"] == "0.12.4"
    assert not set(OURS) & set(before)

    async with plain_openwebui(tmp_path, model, OFFLINE_MODE="false", **offer.environ) as served:
        host = filter_host(served, await signed_in(served), model, database)
        await add_filter(host, asking_for(offer.requirement))
        await remembers_and_recalls(host)

    assert bare.has("recollect")
    assert bare.versions() == before | dict(zip(OURS, ("0.1.0", "1.0"), strict=True))


async def test_offline_a_missing_package_is_one_line_in_the_log_until_it_is_installed(
    bare: Environment, wheels: list[Path], database: Database, model: LanguageModel, tmp_path: Path
) -> None:
    async with plain_openwebui(tmp_path, model, OFFLINE_MODE="true") as served:
        host = filter_host(served, await signed_in(served), model, database)
        await add_filter(host, FILTER.read_text())
        alice = await host.administrator.add("Alice")
        for _ in range(2):
            assert await Conversation(alice).says(WHERE) == REPLY
        assert served.log.count(MISSING) == 1
        kept = await host.administrator.call("GET", f"/api/v1/functions/id/{FILTER_NAME}")
        assert kept["is_active"]

    bare.pip("install", "--no-index", *requirements(wheels))
    async with plain_openwebui(tmp_path, model, OFFLINE_MODE="true") as served:
        host = filter_host(served, await signed_in(served), model, database)
        await remembers_and_recalls(host)
        assert MISSING not in served.log


def asking_for(requirement: str) -> str:
    """Return the filter with another line of what it requires."""
    content = FILTER.read_text()
    assert LINE in content
    return content.replace(LINE, f"{LINE}requirements: {requirement}\n")


async def add_filter(host: Host, content: str) -> None:
    await host.administrator.add_filter(
        FILTER_NAME, content, database_url=host.database.dsn, **learning_from(host.model)
    )


async def remembers_and_recalls(host: Host) -> None:
    """Somebody's fact of one chat is told to the model in their next."""
    alice = await host.administrator.add("Alice")
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)

    await Conversation(alice).says(WHERE)
    assert LISBON in prompt(host.model.chats(WHERE)[-1])
