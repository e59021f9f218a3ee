import os
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError
from tests.tables import table

from recollect.model import Strategy
from recollect.settings import NOWHERE, EngineSettings, default_data_dir


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in EngineSettings.model_fields.values())


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


@table(
    ("name", "value"),
    [
        ("pool_size", 1),
        ("recall_deadline_ms", 0),
        ("recall_gate", 1.5),
        ("memory_tokens", 10),
        ("minimum_importance", -0.1),
        ("formation_tries", 0),
        ("formation", "sometimes"),
        ("embedder_precision", "int4"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError, match=name):
        EngineSettings(**{name: value})  # type: ignore[arg-type]  # that is the mistake


def test_a_home_in_the_data_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert EngineSettings(data_dir=Path("~/own")).data_dir == tmp_path / "own"
    assert EngineSettings(data_dir=Path("own")).data_dir == Path.cwd() / "own"


def test_weights_are_named_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL_WEIGHTS", " dense=0.6, lexical=.25,")

    assert EngineSettings().recall_weights == {"dense": 0.6, "lexical": 0.25}
    assert EngineSettings(**EngineSettings().model_dump()).recall_weights["lexical"] == 0.25


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("dense", "must be NAME=NUMBER"),
        ("dense=much", "must be NAME=NUMBER"),
        ("=0.5", "must be NAME=NUMBER"),
        ("dense=0.6,dense=0.7", "names a weight twice"),
        ("dense=-1", "greater than or equal to 0"),
        ("dense=nan", "nan"),
        ("dense=inf", "finite number"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(
    monkeypatch: pytest.MonkeyPatch, given: str, complaint: str
) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL_WEIGHTS", given)

    with pytest.raises(ValidationError, match=complaint):
        EngineSettings()


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
