"""The protocol's inspector, by its command line, with `recollect mcp` behind it, and a served memory behind that.

The newest one that runs on Node 20 can send no header over HTTP, so that it reaches the server by the command alone.
"""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.recollect_proxy.mcp.conftest import Agents, agents, session_agents

__all__ = ["agents", "session_agents"]

INSPECTOR = Path(__file__).with_name("node") / "node_modules" / ".bin" / "mcp-inspector"

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not INSPECTOR.exists(), reason="the inspector is missing: `make test-mcp` installs it"
    ),
]


class Inspector:
    """The inspector before a command that serves a person's memories."""

    def __init__(self, folder: Path, served: Agents) -> None:
        self._command = folder / "recollect-mcp"
        self._command.write_text(
            "#!/bin/sh\n"
            f"export RECOLLECT_URL={served.url} RECOLLECT_TOKEN={served.tokens['anna']}\n"
            f"export PYTHONPATH={os.environ.get('PYTHONPATH', '')}\n"
            f"exec {sys.executable} -c 'from recollect_proxy.entry_point import main; main()' mcp\n"
        )
        self._command.chmod(0o700)

    async def ask(self, method: str, *arguments: str) -> Any:
        """Return what the inspector prints, which is what was answered."""
        process = await asyncio.create_subprocess_exec(
            *map(str, (INSPECTOR, "--cli", self._command, "--method", method, *arguments)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(120):
            out, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        return json.loads(out)

    async def call(self, tool: str, *pairs: str) -> Any:
        result = await self.ask("tools/call", "--tool-name", tool, *(f"--tool-arg={each}" for each in pairs))
        return result["structuredContent"]


async def test_it_lists_calls_and_reads(agents: Agents, tmp_path: Path) -> None:
    inspector = Inspector(tmp_path, agents)

    tools = (await inspector.ask("tools/list"))["tools"]
    kept = await inspector.call("remember", "content=I live in Lisbon", "importance=0.8")
    found = await inspector.call("search_memories", "query=Lisbon", "limit=3")
    profile = await inspector.ask("resources/read", "--uri", "memory://profile")
    gone = await inspector.call("forget", f"memory_id={kept['memory']['id']}")

    assert {each["name"] for each in tools} == {
        "search_memories",
        "remember",
        "forget",
        "list_recent",
        "search_chats",
        "what_changed",
    }
    assert all(each["outputSchema"] and each["annotations"] for each in tools)
    assert (kept["status"], kept["memory"]["importance"]) == ("kept", 0.8)
    assert [each["content"] for each in found["memories"]] == ["I live in Lisbon"]
    assert json.loads(profile["contents"][0]["text"])["known"] == 1
    assert gone["forgotten"]["id"] == kept["memory"]["id"]
    assert {each.decided_by for each in await agents.engine.history(agents.anna)} == {"mcp: inspector-cli"}
