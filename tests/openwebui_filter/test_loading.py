"""The filter's text, taken up as Open WebUI takes it up."""

import inspect
import logging
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import (
    CONTENT,
    EVENTS,
    MEMORIES,
    OFF,
    UNDO,
    Chat,
    frontmatter,
    load,
    replace_imports,
)
from tests.servers.served_process import environment

from recollect.settings import EngineSettings, is_setting

_OURS = {"recollect", "recollect_openwebui"}
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

# What 0.12.4 hands to the hooks (`utils/middleware.py`).
OFFERED = {
    "__user__",
    "__metadata__",
    "__model__",
    "__request__",
    "__id__",
    "__event_emitter__",
    "__event_call__",
}


README = (Path(__file__).parents[2] / "openwebui_filter" / "README.md").read_text("utf-8")
METADATA = {"title", "author", "version", "license", "description", "required_open_webui_version"}
INSTALLS = {"filter": CONTENT}
BESIDE = {"off": OFF, "undo": UNDO, "memories": MEMORIES, "events": EVENTS}
"""Those that work where nothing is installed: with the proxy, or with no engine at all."""


@pytest.mark.parametrize("content", [*INSTALLS.values(), *BESIDE.values()], ids=[*INSTALLS, *BESIDE])
def test_open_webui_finds_the_metadata_and_nothing_else_there(content: str) -> None:
    found = frontmatter(content)

    assert found.keys() == METADATA
    assert found["version"] == PROJECT["version"]
    assert found["license"] == PROJECT["license"]
    assert found["required_open_webui_version"] == frontmatter(CONTENT)["required_open_webui_version"]


@pytest.mark.parametrize("content", [*INSTALLS.values(), *BESIDE.values()], ids=[*INSTALLS, *BESIDE])
def test_nothing_is_installed_by_a_name_that_is_not_ours_on_a_public_index(content: str) -> None:
    assert "requirements" not in frontmatter(content)


def test_who_lets_open_webui_install_it_is_told_this_very_version() -> None:
    name, version = PROJECT["name"], PROJECT["version"]
    lines = re.findall(rf"`({name}\b[^`]*(?:==|\.whl)[^`]*)`", README)

    assert len(lines) == 2
    assert all(
        line.startswith((f"{name}=={version}", f"{name} @ file:///path/recollect_memory-{version}-"))
        for line in lines
    )


@pytest.mark.parametrize("content", [*INSTALLS.values(), *BESIDE.values()], ids=[*INSTALLS, *BESIDE])
def test_open_webui_rewrites_nothing_in_it(content: str) -> None:
    assert replace_imports(content) == content


@pytest.mark.parametrize(
    ("content", "kind"),
    [(CONTENT, "Filter"), (OFF, "Filter"), (UNDO, "Action"), (MEMORIES, "Action"), (EVENTS, "Event")],
)
async def test_loading_it_imports_nothing_of_recollect(
    content: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("recollect", "recollect_openwebui"):
        monkeypatch.setitem(sys.modules, module, None)  # any import of it fails

    assert type(load(content)).__name__ == kind


def test_a_persons_switches_are_on_by_default_but_for_folders() -> None:
    assert load().UserValves().model_dump() == {
        "recall": True,
        "remember": True,
        "folders": False,
        "show_status": True,
        "hide_known": True,
    }


@pytest.mark.parametrize("hook", ["request", "outlet"])
def test_a_hook_is_async_and_asks_only_for_what_it_can_go_without(hook: str) -> None:
    called = getattr(load(), hook)
    body, *others = inspect.signature(called).parameters.values()

    assert inspect.iscoroutinefunction(called)
    assert body.name == "body"
    assert {parameter.name for parameter in others} <= OFFERED
    assert all(parameter.default is None for parameter in others)


def test_nothing_stands_on_the_filter_but_its_valves() -> None:
    assert vars(load()).keys() == {"valves"}


def test_valves_are_settings_of_the_engine() -> None:
    settings = {name for name, field in EngineSettings.model_fields.items() if is_setting(field)}

    assert load().Valves.model_fields.keys() - {"priority"} <= settings


def test_valves_accept_and_refuse_what_the_engine_does() -> None:
    valves = load().Valves
    given = {"recall_deadline_ms": "500", "recall_gate": None, "memory_tokens": 200}

    assert valves(**given).recall_deadline_ms == 500
    for wrong in ({"recall_deadline_ms": 0}, {"recall_gate": 2}, {"memory_tokens": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            valves(**wrong)
        with pytest.raises(ValueError, match=next(iter(wrong))):
            EngineSettings(**wrong)  # type: ignore[arg-type]  # of different kinds


def test_secrets_are_typed_as_into_a_password_field() -> None:
    properties = load().Valves.model_json_schema()["properties"]
    hidden = {name for name, shown in properties.items() if shown.get("input") == {"type": "password"}}

    assert hidden == {"database_url", "embedder_api_key", "extraction_api_key"}


@pytest.mark.parametrize("folder", ["data", "data/../data"])
def test_the_embedded_database_lies_where_open_webui_keeps_its_data(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / folder))

    assert load().valves.data_dir == str(tmp_path / "data" / "recollect")


def test_without_such_a_folder_it_lies_where_the_engine_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "missing"))

    assert load().valves.data_dir == ""


def test_the_package_loads_no_model_and_no_database_before_an_engine_is_asked_for() -> None:
    code = "import sys, recollect_openwebui; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment()
    )

    heavy = {"asyncpg", "pgqueuer", "onnxruntime", "mistralai", "httpx", "litestar"}
    assert heavy & set(done.stdout.split()) == set()


@pytest.mark.parametrize("missing", ["recollect_openwebui", "asyncpg"])
async def test_a_missing_package_is_told_once_and_chats_go_on(
    missing: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    chat = Chat(load(), "alice")
    for module in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)

    with caplog.at_level(logging.INFO):
        assert await chat.says("I live in Lisbon.") == ""
        assert await chat.says("And I work in Porto.") == ""

    [line] = [record.getMessage() for record in caplog.records if "ecollect" in record.name]
    assert line == f"Recollect: no chat has memory, module {missing} is missing: see the README."


@pytest.mark.parametrize(
    ("valve", "value"),
    [("recall_deadline_ms", -1), ("memory_tokens", "many"), ("database_url", ["hunter2"])],
)
async def test_a_valve_that_makes_no_sense_is_named_without_its_value_and_chats_go_on(
    valve: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    loaded = load()
    loaded.valves = loaded.Valves.model_construct(**{**loaded.Valves().model_dump(), valve: value})

    with caplog.at_level(logging.INFO):
        assert await Chat(loaded, "alice").says("I live in Lisbon.") == ""

    lines = {record.getMessage() for record in caplog.records if "ecollect" in record.name}
    assert lines == {f"Recollect: a valve makes no sense, no chat has memory: {valve}"}
