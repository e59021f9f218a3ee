"""The embedded server begins to start before all else is imported, and is not left behind by an opening that fails."""

from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.servers.folders import database_folder
from tests.support.waiting import until

from recollect.assembly import host_engine, lifecycle
from recollect.assembly.host_engine import live_engine
from recollect.errors import ConfigurationError
from recollect.settings import NOWHERE, EngineSettings
from recollect.store.embedded import EmbeddedServer, start_embedded

pytestmark = pytest.mark.database


async def test_a_server_that_nobody_came_to_use_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[EmbeddedServer] = []

    def starting(folder: Path) -> EmbeddedServer:
        started.append(start_embedded(folder, durable=False))
        return started[0]

    def refuse(*_: object, **__: object) -> None:
        raise ConfigurationError("No such policy.")

    monkeypatch.setattr(host_engine, "start_embedded", starting)
    monkeypatch.setattr(lifecycle, "make_policy", refuse)
    with database_folder(created=True) as folder:
        live = live_engine(EngineSettings(data_dir=folder))
        with pytest.raises(ConfigurationError, match="No such policy"):
            await live.start()

        await until(lambda: bool(started) and not (folder / "postgres" / "data" / "postmaster.pid").exists())


async def test_a_database_elsewhere_starts_no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def starting(_: Path) -> EmbeddedServer:
        raise AssertionError

    monkeypatch.setattr(host_engine, "start_embedded", starting)
    settings = EngineSettings(data_dir=tmp_path, database_url=SecretStr("postgresql://127.0.0.1:9/none"))

    assert host_engine._starting(settings) is None
    assert host_engine._starting(EngineSettings(data_dir=NOWHERE)) is None
