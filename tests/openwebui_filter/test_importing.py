"""The engine is imported beside Open WebUI's loop, which serves everybody."""

import json
import subprocess
import sys

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
    await load().request(body={"messages": [{"role": "user", "content": "Good morning!"}]})

asyncio.run(first_chat())
print(json.dumps([sorted(Watching.on_the_loop), sorted(Watching.beside_it)]))
"""
_HEAVY = {"recollect.engine", "recollect.formation", "onnxruntime", "mistralai.client"}


def test_a_first_chat_imports_nothing_heavy_on_the_loop() -> None:
    printed = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, check=True).stdout
    on_the_loop, beside_it = json.loads(printed)

    assert set(beside_it) >= _HEAVY
    assert not _HEAVY & set(on_the_loop)
