"""The engine is imported beside Open WebUI's loop, which serves everybody."""

import asyncio
import importlib
import json
import subprocess
import sys
import threading
from types import ModuleType
from typing import Any

import pytest
from tests.openwebui_filter.openwebui import Chat, load
from tests.openwebui_filter.telling import LISBON, WHERE, formed
from tests.support.people import Person
from tests.support.waiting import until

from recollect.engine import Engine

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


async def test_a_first_chat_goes_on_without_a_package_that_takes_long_and_is_remembered_once_it_is_there(
    memory: Any, engine: Engine, alice: Person
) -> None:
    await engine.add(alice, LISBON)
    known, installed = memory.request.__globals__, threading.Event()

    def import_module(name: str) -> ModuleType:
        assert installed.wait(60)
        return importlib.import_module(name)

    known["import_module"], known["_IMPORT_SECONDS"] = import_module, 0.05
    known["_importing"].clear()  # as where nobody has chatted yet
    chat = Chat(memory, alice)

    saying = asyncio.create_task(chat.says(WHERE))
    await until(lambda: bool(chat.sent))
    installed.set()

    assert await saying == "", "nothing could be recalled"
    await formed(memory, alice, 1)


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
