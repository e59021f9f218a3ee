"""Open WebUI installs the filter's package itself, by its `requirements` line, and none of its own pins moves."""

import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.openwebui import server
from tests.e2e.openwebui.environments import OURS, Environment, layered_environment
from tests.e2e.openwebui.hosts import FILTER, FILTER_NAME, Database, Host
from tests.e2e.openwebui.language_model import REPLY, LanguageModel, prompt
from tests.e2e.openwebui.people import Conversation, signed_in
from tests.e2e.openwebui.plain import filter_host, learning_from, plain_openwebui
from tests.servers.folders import database_folder

LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"
LINE = "required_open_webui_version: 0.12.4\n"
"""Behind which who lets OpenWebUI install the package writes where that is."""
MISSING = "Recollect: no chat has memory, module recollect_openwebui is missing: see the README."


@dataclass(frozen=True)
class Offer:
    """Where pip finds our package.

    Attributes:
        requirement: What the filter asks for.
        environ: What Open WebUI is told, so that pip gets by with what is on this machine.
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
    if OURS in environment.versions():
        environment.pip("uninstall", "--yes", OURS)
    monkeypatch.setattr(server, "ENVIRONMENT", environment.folder)
    return environment


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our package as a file."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *build, str(server.REPOSITORY)], check=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
async def database() -> AsyncIterator[Database]:
    with database_folder() as folder:
        running = Database(folder)
        await running.start()
        yield running
        await running.stop()


@pytest.fixture
async def model() -> AsyncIterator[LanguageModel]:
    model = LanguageModel()
    async with model.upstream:
        yield model


def in_an_index(wheel: Path, _folder: Path) -> Offer:
    found = {"PIP_PACKAGE_INDEX_OPTIONS": f"--no-index --find-links {wheel.parent}"}
    return Offer("recollect-memory[openwebui]==0.1.0", found)


def as_a_wheel(wheel: Path, _folder: Path) -> Offer:
    return Offer(f"recollect-memory[openwebui] @ {wheel.as_uri()}", {"PIP_OPTIONS": "--no-index"})


def in_a_repository(_wheel: Path, folder: Path) -> Offer:
    """Offer this tree as a repository of its own, which needs what builds it: that is there already."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    repository = folder / "repository"
    repository.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(server.REPOSITORY / name, repository)
    for name in ("src", "proxy", "openwebui_filter"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(server.REPOSITORY / name, repository / name, ignore=ignored)
    settings = ("user.name=Somebody", "user.email=somebody@example.com", "commit.gpgsign=no")
    somebody = [part for each in settings for part in ("-c", each)]
    for command in (("init", "--quiet"), ("add", "."), (*somebody, "commit", "--quiet", "-m", "All")):
        subprocess.run(["git", *command], cwd=repository, check=True)
    address = repository.as_uri().replace("file:///", "git+file://localhost/")
    return Offer(
        f"recollect-memory[openwebui] @ {address}", {"PIP_OPTIONS": "--no-index --no-build-isolation"}
    )


@pytest.mark.parametrize("offered", [in_an_index, as_a_wheel, in_a_repository])
async def test_the_requirements_line_installs_it_and_moves_nothing(
    offered: Callable[[Path, Path], Offer],
    bare: Environment,
    wheel: Path,
    database: Database,
    model: LanguageModel,
    tmp_path: Path,
) -> None:
    offer = offered(wheel, tmp_path)
    before = bare.versions()
    assert before["open-webui"] == "0.12.4"
    assert OURS not in before

    async with plain_openwebui(tmp_path, model, OFFLINE_MODE="false", **offer.environ) as served:
        host = filter_host(served, await signed_in(served), model, database)
        await add_filter(host, asking_for(offer.requirement))
        await remembers_and_recalls(host)

    assert bare.has("recollect")
    assert bare.versions() == before | {OURS: "0.1.0"}


async def test_offline_a_missing_package_is_one_line_in_the_log_until_it_is_installed(
    bare: Environment, wheel: Path, database: Database, model: LanguageModel, tmp_path: Path
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

    bare.pip("install", "--no-index", f"recollect-memory[openwebui] @ {wheel.as_uri()}")
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
