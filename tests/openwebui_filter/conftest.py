"""Filters on real engines: a real store, the real embedder, and a model that extracts where a test asks for one.

An engine takes its time to open, so two of them serve all tests, each of which has people of its own. A test of how
engines open, change and close has its own.
"""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.openwebui_filter.processes import Process, process_of_all_tests
from tests.openwebui_filter.telling import DOG, OSLO, ROME, process_ends
from tests.recollect_proxy.memory_api.serving import Api, engine_over, serve
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.support.people import Person, person

from recollect.assembly import host_engine
from recollect.engine import Engine
from recollect.engine.background import inbox_drain, model_waits
from recollect.model import Strategy
from recollect.settings.engine_settings import EngineSettings
from recollect.store import Postgres
from recollect_openwebui import engines, recall_and_remember

SECONDS_TO_OPEN = 60


class AtOnce(EngineSettings):
    """Settings by which memories are formed as soon as something was said."""

    formation_quiet_seconds: float | None = 0


class AsSaid(EngineSettings):
    """Settings by which exchanges are kept as they were said, without a model."""

    formation: Strategy = Strategy.QA_TURN


@pytest.fixture(scope="session")
async def process(database_server: str, template_database: str, data_dir: Path) -> AsyncIterator[Process]:
    """A process whose engine has no model that extracts, and keeps exchanges as they were said."""
    async with process_of_all_tests(database_server, template_database, data_dir=str(data_dir)) as made:
        yield made


@pytest.fixture(scope="session")
async def model() -> AsyncIterator[ScriptedUpstream]:
    """The server of the model that extracts."""
    async with ScriptedUpstream() as served:
        yield served


@pytest.fixture(scope="session")
async def taught_process(
    database_server: str, template_database: str, data_dir: Path, model: ScriptedUpstream
) -> AsyncIterator[Process]:
    """A process whose engine has one."""
    extraction = {"extraction_base_url": model.base_url, "extraction_model": "extractor"}
    async with process_of_all_tests(
        database_server, template_database, data_dir=str(data_dir), **extraction
    ) as made:
        yield made


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be late, however busy the machine is with other tests, and let nobody look seldom."""
    monkeypatch.setattr(model_waits, "_FIRST_SECONDS", 0.01)
    monkeypatch.setattr(model_waits, "_LONGEST_SECONDS", 0.05)
    monkeypatch.setattr(recall_and_remember, "_IMPORT_SECONDS", 30.0)
    # A job that begins while the person's last one comes to its end finds their lease taken.
    monkeypatch.setattr(inbox_drain, "TAKEN_DELAY", timedelta(milliseconds=50))
    monkeypatch.setattr(engines, "EngineSettings", AsSaid)


@pytest.fixture(autouse=True)
async def _alone() -> AsyncIterator[None]:
    """Leave the next test nothing in the background: it may wait for all that runs there."""
    yield
    await process_ends()


@pytest.fixture(scope="session")
async def api(postgres: Postgres) -> AsyncIterator[Api]:
    """The memory API of a proxy."""
    async with serve(engine_over(postgres)) as served:
        yield served


@pytest.fixture
def alice() -> Person:
    """Somebody new."""
    return person("alice")


@pytest.fixture
def bob() -> Person:
    """Somebody else."""
    return person("bob")


@pytest.fixture
async def memory(process: Process, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A filter whose engine is open."""
    monkeypatch.setattr(host_engine, "_shared", process.engines)
    made = process.load_filter()
    assert await (await made._engine()).ready(SECONDS_TO_OPEN)
    return made


@pytest.fixture
async def engine(memory: Any) -> Engine:
    opened: Engine | None = (await memory._engine()).engine
    assert opened is not None
    return opened


@pytest.fixture
async def learning(taught: Any) -> Engine:
    """The engine behind ``taught``."""
    opened: Engine | None = (await taught._engine()).engine
    assert opened is not None
    return opened


@pytest.fixture
def pupil(model: ScriptedUpstream) -> Pupil:
    """The model that extracts for ``taught``: it understands what its lessons say."""
    lessons = [Lesson(DOG), Lesson(ROME), Lesson(OSLO, relation="contradicts", about="Rome")]
    model.otherwise = learner = Pupil(lessons=lessons)
    return learner


@pytest.fixture
async def taught(taught_process: Process, pupil: Pupil, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ARG001 -- it answers
    """A filter whose engine is open, and has a model extract at once."""
    monkeypatch.setattr(engines, "EngineSettings", AtOnce)
    monkeypatch.setattr(host_engine, "_shared", taught_process.engines)
    made = taught_process.load_filter()
    assert await (await made._engine()).ready(SECONDS_TO_OPEN)
    return made


@pytest.fixture
async def new_filter(
    own_dsn: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[..., Any]]:
    """Load a filter in a process of this test's own, which has no engine before the filter asks for one."""
    process = Process({"database_url": own_dsn, "data_dir": str(data_dir)})
    monkeypatch.setattr(host_engine, "_shared", process.engines)
    yield process.load_filter
    await process.end()
