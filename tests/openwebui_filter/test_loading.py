"""The functions' texts, taken up as Open WebUI takes them up; whatever goes wrong, the chat goes on, and no words are logged."""

import inspect
import logging
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
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
from tests.openwebui_filter.telling import LISBON, WHERE
from tests.servers.served_process import environment
from tests.support.people import Person
from tests.support.tables import table
from tests.support.waiting import until

from recollect.settings.engine_settings import EngineSettings
from recollect.settings.variables_and_file import is_setting
from recollect_openwebui import recall_and_remember

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
KINDS = {CONTENT: "Filter", OFF: "Filter", UNDO: "Action", MEMORIES: "Action", EVENTS: "Event"}


@table("content", KINDS)
def test_open_webui_finds_the_metadata_and_nothing_else_there_and_rewrites_nothing(content: str) -> None:
    found = frontmatter(content)

    assert found.keys() == METADATA, "and no requirements: no name on a public index is installed"
    assert (found["version"], found["license"]) == (PROJECT["version"], PROJECT["license"])
    assert found["required_open_webui_version"] == frontmatter(CONTENT)["required_open_webui_version"]
    assert replace_imports(content) == content


def test_who_lets_open_webui_install_it_is_told_this_very_version() -> None:
    name, version = PROJECT["name"], PROJECT["version"]
    lines = re.findall(rf"`({name}\b[^`]*(?:==|\.whl)[^`]*)`", README)

    assert len(lines) == 2
    assert all(
        line.startswith((f"{name}=={version}", f"{name} @ file:///path/recollect_memory-{version}-"))
        for line in lines
    )


async def test_loading_it_imports_nothing_of_recollect(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("recollect", "recollect_openwebui"):
        monkeypatch.setitem(sys.modules, module, None)  # any import of it fails

    assert [type(load(content)).__name__ for content in KINDS] == [*KINDS.values()]


def test_a_persons_switches_are_on_by_default_but_for_folders() -> None:
    assert load().UserValves().model_dump() == {
        "recall": True,
        "remember": True,
        "folders": False,
        "show_status": True,
        "hide_known": True,
    }


def test_a_hook_is_async_and_asks_only_for_what_it_can_go_without() -> None:
    loaded = load()
    for called in (loaded.request, loaded.outlet):
        body, *others = inspect.signature(called).parameters.values()
        assert (inspect.iscoroutinefunction(called), body.name) == (True, "body")
        assert {parameter.name for parameter in others} <= OFFERED
        assert all(parameter.default is None for parameter in others)
    assert vars(loaded).keys() == {"valves"}, "nothing else stands on the filter"


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


@pytest.mark.parametrize("folder", ["data", "data/../data", "missing"])
def test_the_embedded_database_lies_where_open_webui_keeps_its_data_if_it_keeps_any(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / folder))

    kept = str(tmp_path / "data" / "recollect")
    assert load().valves.data_dir == ("" if folder == "missing" else kept)


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


@table(
    ("valve", "value"), [("recall_deadline_ms", -1), ("memory_tokens", "many"), ("database_url", ["hunter2"])]
)
async def test_a_valve_that_makes_no_sense_is_named_without_its_value_and_chats_go_on(
    valve: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    loaded = load()
    loaded.valves = loaded.Valves.model_construct(**{**loaded.Valves().model_dump(), valve: value})

    with caplog.at_level(logging.INFO):
        assert await Chat(loaded, "alice").says("I live in Lisbon.") == ""

    lines = {record.getMessage() for record in caplog.records if "ecollect" in record.name}
    assert lines == {f"Recollect: a valve makes no sense, no chat has memory: {valve}"}


async def test_a_hook_that_is_handed_nothing_but_the_body_hands_it_back(memory: Any) -> None:
    bodies: list[dict[str, Any]] = [{}, {"messages": None}, {"messages": [{}]}, {"messages": ["text"]}]
    for body in bodies:
        assert [await hook(body=body) is body for hook in (memory.request, memory.outlet)] == [True, True]


async def test_what_can_not_be_encoded_goes_on_as_it_is_and_none_of_it_is_logged(
    memory: Any, caplog: pytest.LogCaptureFixture, alice: Person
) -> None:
    words = f"{LISBON} \ud800"
    chat = Chat(memory, alice)

    with caplog.at_level(logging.INFO):
        assert await chat.says(words) == ""

    assert chat.history[0]["content"] == words
    assert [record.getMessage() for record in caplog.records if "ecollect" in record.name] == [
        "Recollect: a chat had no memory: UnicodeEncodeError in detect_turn"
    ] * 2


async def test_while_the_database_is_away_chats_go_on_and_nothing_is_said_of_its_password(
    new_filter: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    alice: Person,
) -> None:
    monkeypatch.setattr(recall_and_remember, "_OPENING_SECONDS", 0.05)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens: nobody answers there
        dsn = f"postgresql://recollect:hunter2@127.0.0.1:{taken.getsockname()[1]}/recollect"
        away = new_filter(database_url=dsn)
        chat = Chat(away, alice)
        with caplog.at_level(logging.INFO):
            assert await chat.says(LISBON) == ""
            live = await away._engine()
            await until(lambda: live.failure is not None)
            assert await chat.says(WHERE) == ""

    written = "".join(capsys.readouterr()) + caplog.text
    assert "store_open_failed" in written
    assert "hunter2" not in written
    assert "Lisbon" not in written


async def test_an_embedder_that_does_not_exist_costs_no_chat(
    new_filter: Callable[..., Any], alice: Person
) -> None:
    assert await Chat(new_filter(embedder="local:no-such-model"), alice).says(LISBON) == ""
