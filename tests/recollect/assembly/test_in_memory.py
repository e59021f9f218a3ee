"""An engine whose database is in memory: it works as any other, and nothing of it outlives it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.scripted.models import WordEmbedder
from tests.servers.folders import quick_folder
from tests.servers.served_process import environment
from tests.support.recollections import turn
from tests.support.waiting import until

from recollect.assembly.lifecycle import open_engine
from recollect.engine import Engine
from recollect.errors import ConfigurationError
from recollect.model import Scope
from recollect.settings.engine_settings import EngineSettings

pytestmark = pytest.mark.process

GREEN, BLACK = "I drink green tea.", "I drink black tea."


@pytest.fixture(autouse=True)
def _no_settings_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where temporary folders are made."""
    tmp_path_factory.getbasetemp()  # else pytest makes its own there, where this file runs first
    folder = quick_folder()
    (folder.path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder.path / "temporary"))
    yield folder.path / "temporary"
    folder.remove()


@pytest.fixture(autouse=True)
def _by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    async def load() -> WordEmbedder:
        return WordEmbedder()

    monkeypatch.setattr("recollect.assembly.lifecycle.load_embedder", load)


def in_memory(**given: Any) -> EngineSettings:
    patient = {f"recall_{limit}_ms": 10_000 for limit in ("deadline", "embedding", "lexical")}
    return EngineSettings(**{"formation": "qa_turn", "worker": "within"} | patient | given)


def inside(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def say(engine: Engine, text: str) -> None:
    """Say it, and wait until it is formed."""
    assert await engine.remember(turn(text), "Good.")

    async def all_formed() -> bool:
        return (await engine.backlog()).pending == 0

    await until(all_formed)


async def recalled(engine: Engine) -> str:
    """Return what comes back in another chat."""
    recall = await engine.recall(turn("Which tea do I drink?", scope=Scope("anna", "chat-2")))
    return "\n".join(each.item.content for each in recall.recollections)


async def test_with_a_data_folder_it_keeps_nothing_there(tmp_path: Path, temporary: Path) -> None:
    async with open_engine(in_memory(database_url="memory:", data_dir=tmp_path)) as engine:
        await say(engine, GREEN)
        assert GREEN in await recalled(engine)
        assert len(inside(temporary)) == 1

    assert inside(tmp_path) == inside(temporary) == []


async def test_without_a_data_folder_two_know_nothing_of_each_other_and_leave_nothing_behind(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a folder of that name would be made
    given = in_memory(data_dir=":memory:")

    async with open_engine(given) as engine, open_engine(given) as other:
        await say(engine, GREEN)
        await say(other, BLACK)
        of_one, of_the_other = await recalled(engine), await recalled(other)
        assert len(inside(temporary)) == 2

    assert GREEN in of_one
    assert BLACK not in of_one
    assert BLACK in of_the_other
    assert GREEN not in of_the_other
    assert inside(tmp_path) == inside(temporary) == []


async def test_no_room_for_temporary_folders_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))

    with pytest.raises(ConfigurationError, match="no temporary folder: No such file"):
        async with open_engine(in_memory(database_url="memory:", data_dir=tmp_path)):
            pass
