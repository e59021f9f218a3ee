"""The engine is imported off Open WebUI's loop, and opens when the filter is loaded; until then chats go on, and say so."""

import asyncio
import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import Chat, load
from tests.openwebui_filter.telling import LISBON, WHERE, formed
from tests.support.people import Person
from tests.support.waiting import until

from recollect.assembly.host_engine import running_engine
from recollect.engine import Engine
from recollect_openwebui import engines, recall_and_remember

_PROGRAM = """
import asyncio, json, sys, threading
from tests.openwebui_filter.openwebui import load

class Watching:
    on_the_loop, beside_it = set(), set()

    def find_spec(self, name, path=None, target=None):
        is_main = threading.current_thread() is threading.main_thread()
        (self.on_the_loop if is_main else self.beside_it).add(name)

async def first_chat():
    sys.meta_path.insert(0, Watching())
    loaded = load()
    loaded.request.__globals__["_IMPORT_SECONDS"] = 100
    await loaded.request(body={"messages": [{"role": "user", "content": "Good morning!"}]})

asyncio.run(first_chat())
print(json.dumps([sorted(Watching.on_the_loop), sorted(Watching.beside_it)]))
"""
_HEAVY = {"recollect.engine", "recollect.formation", "recollect.store", "onnxruntime"}


class Functions:
    """What Open WebUI keeps of its functions: one, with its valves."""

    def __init__(self, valves: dict[str, Any] | None, *, is_active: bool = True) -> None:
        self.kept = {"recollect": SimpleNamespace(is_active=is_active)}
        self.valves = valves
        self.asked: list[str] = []

    async def get_function_by_id(self, name: str) -> Any:
        self.asked.append(name)
        return self.kept.get(name)

    async def get_function_valves_by_id(self, name: str) -> dict[str, Any] | None:
        return self.valves if name in self.kept else None


def keep(functions: Functions, monkeypatch: pytest.MonkeyPatch) -> Functions:
    """Let the process be one of Open WebUI that keeps these functions."""
    host: Any = ModuleType("open_webui.models.functions")
    host.Functions = functions
    monkeypatch.setitem(sys.modules, host.__name__, host)
    return functions


async def opened(loaded: Any) -> None:
    """Wait until what was begun when the filter was loaded is done."""
    await asyncio.gather(*loaded.request.__globals__["_opening"])


async def test_it_opens_with_the_administrators_valves_as_soon_as_it_is_loaded(
    new_filter: Callable[..., Any],
    own_dsn: str,
    data_dir: Path,
    alice: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    valves = {"database_url": own_dsn, "data_dir": str(data_dir)}
    keep(Functions(valves), monkeypatch)

    loaded = new_filter()
    assert running_engine() is None
    await opened(loaded)

    live = running_engine()
    assert live is not None
    assert await live.ready(60)
    assert await loaded._engine() is live, "the first chat finds it"
    chat = Chat(loaded, alice)
    await chat.says(LISBON)
    assert "Memory is starting" not in chat.statuses


async def test_a_function_that_is_switched_off_or_only_tried_opens_nothing(
    new_filter: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert new_filter is not None
    functions = keep(Functions({}, is_active=False), monkeypatch)

    for name in ("recollect", "another"):
        await opened(load(function_id=name))

    assert functions.asked == ["recollect", "another"]
    assert running_engine() is None


async def test_valves_that_make_no_sense_are_told_and_the_filter_is_loaded_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keep(Functions({"recall_deadline_ms": -1}), monkeypatch)

    loaded = load()
    await opened(loaded)

    assert [each.getMessage() for each in caplog.records if "ecollect" in each.name] == [
        "Recollect: a valve makes no sense, no chat has memory: recall_deadline_ms"
    ]


async def test_a_first_chat_goes_on_without_a_package_on_its_way_says_so_and_is_remembered_once_it_is_there(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    known, installed = memory.request.__globals__, threading.Event()

    def import_module(name: str) -> ModuleType:
        assert installed.wait(60)
        return importlib.import_module(name)

    known["import_module"], known["_IMPORT_SECONDS"] = import_module, 0.05
    known["_importing"].clear()  # as where nobody has chatted yet
    chat, quiet = Chat(memory, alice), Chat(memory, alice, valves={"show_status": False})

    saying = [asyncio.create_task(each.says(WHERE)) for each in (chat, quiet)]
    await until(lambda: bool(chat.sent) and bool(quiet.sent))
    installed.set()

    assert await asyncio.gather(*saying) == ["", ""], "nothing could be recalled"
    await formed(memory, alice, 2)
    assert "Memory is starting" in chat.statuses
    assert quiet.shown == []


async def test_a_chat_that_meets_the_engines_libraries_on_their_way_says_so_and_is_remembered(
    memory: Any, engine: Engine, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported, import_backends = threading.Event(), engines._import_backends

    def slowly() -> None:
        assert imported.wait(60)
        import_backends()

    monkeypatch.setattr(engines, "_import_backends", slowly)
    monkeypatch.setattr(engines, "_is_imported", [])
    monkeypatch.setattr(recall_and_remember, "_IMPORT_SECONDS", 0.05)
    chat = Chat(memory, alice)
    saying = asyncio.create_task(chat.says("I live in Lisbon."))
    await until(lambda: "Memory is starting" in chat.statuses)
    imported.set()
    await saying

    async def is_logged() -> bool:
        return len(await engine.sessions(alice)) == 1

    await until(is_logged)


async def test_an_import_that_failed_is_tried_again_once_whoever_waited_for_it() -> None:
    known = load().request.__globals__
    installed, asked = threading.Event(), []

    def import_module(name: str) -> str:
        asked.append(name)
        if len(asked) == 1:
            raise ImportError(name=name)
        assert installed.wait(60)
        return "the package"

    known["import_module"] = import_module

    async def twice() -> Any:
        with pytest.raises(ImportError):
            await known["_package"]()
        return await known["_package"]()  # begins before the others hear of the failure

    chats = [asyncio.create_task(twice()) for _ in range(3)]
    await until(lambda: len(asked) > 1)
    chats.append(asyncio.create_task(known["_package"]()))
    assert await known["_package"](0.01) is None
    installed.set()

    assert await asyncio.gather(*chats) == ["the package"] * 4
    assert asked == ["recollect_openwebui"] * 2


@pytest.mark.process
def test_a_first_chat_imports_nothing_heavy_on_the_loop() -> None:
    printed = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, check=True).stdout
    on_the_loop, beside_it = json.loads(printed)

    assert set(beside_it) >= _HEAVY
    assert "mistralai.client" not in beside_it, "what nobody asked for is imported, too"
    assert not _HEAVY & set(on_the_loop)
