"""The engine opens when Open WebUI loads the filter; until it is open a chat waits for a moment, and says so."""

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import Chat, load
from tests.openwebui_filter.telling import LISBON, WHERE, settled
from tests.support.people import Person
from tests.support.waiting import until

from recollect.assembly.process_engine import running_engine
from recollect.engine import Engine
from recollect_openwebui import conversation, engines


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


@pytest.mark.parametrize("name", ["recollect", "another"])
async def test_a_function_that_is_switched_off_or_only_tried_opens_nothing(
    name: str, new_filter: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert new_filter is not None
    functions = keep(Functions({}, is_active=False), monkeypatch)

    await opened(load(function_id=name))

    assert functions.asked == [name]
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


async def test_a_chat_that_meets_an_engine_on_its_way_says_that_memory_is_starting(
    memory: Any, engine: Engine, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine.add(alice, LISBON)
    live, chat = await memory._engine(), Chat(memory, alice)
    with monkeypatch.context() as opening:
        opening.setattr(live, "_engine", None)
        opening.setattr(live, "_opened", asyncio.Event())
        opening.setattr(conversation, "_OPENING_SECONDS", 0.0)
        assert await chat.says(WHERE) == ""
        await until(lambda: bool(chat.shown))

    assert chat.statuses == ["Memory is starting"]


async def test_a_chat_that_meets_a_package_on_its_way_says_so_and_who_wants_no_status_is_told_nothing(
    memory: Any, alice: Person
) -> None:
    known, installed = memory.request.__globals__, threading.Event()

    def import_module(name: str) -> ModuleType:
        assert installed.wait(60)
        return sys.modules[name]

    known["import_module"], known["_IMPORT_SECONDS"] = import_module, 0.05
    known["_importing"].clear()
    chat, quiet = Chat(memory, alice), Chat(memory, alice, valves={"show_status": False})

    saying = [asyncio.create_task(each.says(WHERE)) for each in (chat, quiet)]
    await until(lambda: bool(chat.sent) and bool(quiet.sent))
    installed.set()
    await asyncio.gather(*saying)

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
    monkeypatch.setattr(conversation, "_IMPORT_SECONDS", 0.05)
    chat = Chat(memory, alice)
    saying = asyncio.create_task(chat.says("I live in Lisbon."))
    await until(lambda: "Memory is starting" in chat.statuses)
    imported.set()
    await saying

    async def is_logged() -> bool:
        return len(await engine.sessions(alice)) == 1

    await until(is_logged)


async def test_a_question_asked_again_in_a_chat_says_that_its_notes_are_used(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    chat = Chat(memory, alice)

    first = await chat.says(WHERE)
    await until(lambda: chat.statuses == ["Recalled 1 memory"])
    await settled(memory)  # nobody asks again before it is noted what the chat was given
    again = await chat.says(WHERE)
    await until(lambda: len(chat.statuses) > 1)

    assert LISBON in first
    assert again == first, "it stands where it stood"
    assert chat.statuses == ["Recalled 1 memory", "Using 1 memory recalled earlier in this chat"]
