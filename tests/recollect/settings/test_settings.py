import os
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError
from tests.support.tables import table

from recollect.model import Strategy
from recollect.settings import NOWHERE, EngineSettings, default_data_dir, is_setting
from recollect.settings.internals import EngineInternals
from recollect_proxy.settings.internals import ProxyInternals
from recollect_proxy.settings.proxy_settings import ProxySettings


def test_root_keeps_its_data_where_another_account_can_get_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    assert default_data_dir() == Path("/var/lib/recollect")


def test_anybody_else_keeps_it_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))

    folder = default_data_dir()

    assert folder.is_relative_to(tmp_path)
    assert folder.name == "recollect"


def test_a_setting_comes_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_FORMATION", "qa_turn")
    monkeypatch.setenv("RECOLLECT_RECALL_GATE", "0.5")

    settings = EngineSettings()

    assert settings.formation is Strategy.QA_TURN
    assert settings.recall_gate == 0.5


def test_an_empty_text_of_the_file_sets_nothing_nor_does_what_the_code_decides(tmp_path: Path) -> None:
    (tmp_path / "recollect.toml").write_text(
        'embedder_base_url = ""\nmemory_tokens = 700\nrecall_limit = 3\n'
    )

    settings = EngineSettings(data_dir=tmp_path)

    assert (settings.embedder_base_url, settings.memory_tokens, settings.recall_limit) == (None, 700, 12)


@table(
    ("name", "value"),
    [
        *(("recall_deadline_ms", 0), ("recall_gate", 1.5), ("memory_tokens", 10)),
        *(("minimum_importance", -0.1), ("formation_attempts", 0), ("formation", "sometimes")),
        ("extraction_sdk", "some"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError, match=name):
        EngineSettings(**{name: value})  # type: ignore[arg-type]  # that is the mistake


def test_a_home_in_the_data_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert EngineSettings(data_dir=Path("~/own")).data_dir == tmp_path / "own"
    assert EngineSettings(data_dir=Path("own")).data_dir == Path.cwd() / "own"


def test_a_variable_of_what_the_code_decides_sets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EngineInternals.model_fields:
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", "neither a number nor a path?")

    assert EngineSettings() == EngineSettings.model_construct(**EngineSettings().model_dump())
    assert EngineSettings().recall_limit == EngineInternals().recall_limit
    assert EngineSettings(recall_limit=3).recall_limit == 3


def test_there_are_few_settings_and_each_says_what_it_is_for() -> None:
    named = {name for name, field in ProxySettings.model_fields.items() if is_setting(field)}

    assert len(named) <= 62
    assert not named & (EngineInternals.model_fields.keys() | ProxyInternals.model_fields.keys())
    assert (
        ProxySettings.model_fields.keys() - named
        == EngineInternals.model_fields.keys() | ProxyInternals.model_fields.keys()
    )


@table("word", ["memory:", ":memory:"])
def test_in_memory_is_said_in_either_way_of_either_setting(word: str) -> None:
    assert EngineSettings(data_dir=Path(word)).data_dir == NOWHERE
    assert EngineSettings(data_dir=Path(word)).in_memory
    assert EngineSettings(database_url=SecretStr(word)).in_memory
    assert EngineSettings(database_url=SecretStr(word), data_dir=Path(word)).in_memory


def test_who_keeps_nothing_names_no_database_that_would() -> None:
    with pytest.raises(ValidationError, match="database_url") as refused:
        EngineSettings(data_dir=Path(":memory:"), database_url=SecretStr("postgresql://u:word@h/d"))

    assert "word" not in str(refused.value)
