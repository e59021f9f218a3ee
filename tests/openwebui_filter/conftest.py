"""A filter on a real engine: the real store, the real embedder, nothing that extracts."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import load
from tests.openwebui_filter.telling import DOG, OSLO, ROME
from tests.scripted_extraction import Lesson, Pupil
from tests.scripted_upstream import ScriptedUpstream

from recollect.assembly import sharing
from recollect.engine import Engine

SECONDS_TO_OPEN = 60


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the embedder keeps what it makes once."""
    return tmp_path_factory.mktemp("recollect")


@pytest.fixture
async def new_filter(
    store_dsn: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[..., Any]]:
    """Load a filter as Open WebUI does, with these valves beside those of the store."""
    for stage in ("EMBEDDING", "LEXICAL"):  # the machine may be busy with other tests
        monkeypatch.setenv(f"RECOLLECT_RECALL_{stage}_MS", "10000")

    def loaded(**valves: Any) -> Any:
        made = load()
        made.valves = made.Valves(**{"database_url": store_dsn, "data_dir": str(data_dir), **valves})
        return made

    yield loaded
    while sharing._shared:
        await sharing._shared.pop().engine.aclose()


@pytest.fixture
async def memory(new_filter: Callable[..., Any]) -> Any:
    """A filter whose engine is open."""
    made = new_filter(recall_deadline_ms=10_000)
    assert await (await made._engine()).ready(SECONDS_TO_OPEN)
    return made


@pytest.fixture
async def engine(memory: Any) -> Engine:
    """The engine behind ``memory``."""
    opened: Engine | None = (await memory._engine()).engine
    assert opened is not None
    return opened


@pytest.fixture
def pupil() -> Pupil:
    """The model that extracts for ``taught``: it understands what its lessons say."""
    return Pupil(lessons=[Lesson(DOG), Lesson(ROME), Lesson(OSLO, relation="contradicts", about="Rome")])


@pytest.fixture
async def taught(
    new_filter: Callable[..., Any], pupil: Pupil, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Any]:
    """A filter whose engine is open, and has a model extract at once."""
    monkeypatch.setenv("RECOLLECT_FORMATION_QUIET_SECONDS", "0")
    async with ScriptedUpstream(pupil) as model:
        made = new_filter(
            recall_deadline_ms=10_000, extraction_base_url=model.base_url, extraction_model="extractor"
        )
        assert await (await made._engine()).ready(SECONDS_TO_OPEN)
        yield made
        while sharing._shared:
            await sharing._shared.pop().engine.aclose()
