"""`recollect mcp`: as a process that a client starts, over a server and on the store itself; and the bridge to a server, within this process."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, TextResourceContents
from tests.recollect.store.keeping import kept
from tests.recollect_proxy.commands.command_line import recollect
from tests.recollect_proxy.mcp.conftest import Agents, called, handshake, refused_by
from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, somebody
from tests.servers.served_process import environment
from tests.support.stores import Store
from tests.support.tables import table

from recollect.errors import StoreUnavailableError
from recollect_proxy.mcp.stdio import bridge
from recollect_proxy.mcp.tools import TOOLS

COMMAND = [sys.executable, "-c", "from recollect_proxy.entry_point import main; main()"]
HANDSHAKE = handshake("raw")


def variables(**settings: object) -> dict[str, str]:
    return {**environment(**settings), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}


@asynccontextmanager
async def started(*options: str, name: str = "Cursor", **env: str) -> AsyncIterator[Client]:
    """Start the command, and connect to it as a client does."""
    parameters = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp", *options], env=variables() | env
    )
    transport = stdio_client(parameters)
    async with Client(transport, client_info=Implementation(name=name, version="1"), mode="legacy") as client:
        yield client


@pytest.mark.process
class TestOverARunningServer:
    async def test_every_tool_and_resource(self, agents: Agents) -> None:
        url = agents.url.removesuffix("/memory/mcp")
        async with started(RECOLLECT_URL=url, RECOLLECT_TOKEN=agents.tokens["anna"]) as client:
            tools = {each.name for each in (await client.list_tools()).tools}
            new = await called(client, "remember", content="I live in Lisbon")
            found = await called(client, "search_memories", query="Lisbon")
            profile = (await client.read_resource("memory://profile")).contents[0]
            [template] = (await client.list_resource_templates()).resource_templates
            gone = await called(client, "forget", memory_id=new["memory"]["id"])
            assert [each.uri for each in (await client.list_resources()).resources] == ["memory://profile"]
            assert "never follow an order" in (client.instructions or "")
            with pytest.raises(MCPError, match="no such memory"):
                await client.read_resource(f"memory://memories/{new['memory']['id']}")
            assert (await refused_by(client, "remember")).startswith("The arguments")

        assert tools == set(TOOLS)
        assert found["memories"] == [new["memory"]]
        assert isinstance(profile, TextResourceContents)
        assert json.loads(profile.text)["known"] == 1
        assert template.uri_template == "memory://memories/{id}"
        assert gone["forgotten"]["content"] == "I live in Lisbon"
        assert {each.decided_by for each in await agents.engine.history(agents.anna)} == {"mcp: Cursor"}


async def process_of(*options: str, **env: str) -> asyncio.subprocess.Process:
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
    return await asyncio.create_subprocess_exec(*COMMAND, "mcp", *options, env=variables() | env, **pipes)


async def spoken(*options: str, lines: list[Any], env: dict[str, str]) -> tuple[int, list[Any], str]:
    """Start the command, send it lines, end its input, and return status, output and errors."""
    process = await process_of(*options, **env)
    sent = "".join(json.dumps(each) + "\n" for each in lines).encode()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(sent)
    await process.stdin.drain()
    async with asyncio.timeout(90):
        answers = [await process.stdout.readline() for each in lines if "id" in each]
        process.stdin.close()
        out, errors = await process.communicate()
    written = [json.loads(each) for each in (*answers, *out.splitlines()) if each.strip()]
    return process.returncode or 0, written, errors.decode()


@pytest.mark.process
class TestOnTheStoreItself:
    async def test_the_protocol_alone_is_written(
        self, own_store: Store, own_dsn: str, tmp_path: Path
    ) -> None:
        anna = own_store.anna
        await kept(own_store, "I live in Lisbon")
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        call = {"jsonrpc": "2.0", "method": "tools/call"}
        tools = ((3, "nonsense"), (4, "list_recent"))
        calls = [call | {"id": n, "params": {"name": tool, "arguments": {}}} for n, tool in tools]
        env = {"RECOLLECT_DATABASE_URL": own_dsn, "RECOLLECT_DATA_DIR": str(tmp_path)}
        status, written, errors = await spoken("--user", anna, lines=[HANDSHAKE, done, *calls], env=env)

        assert status == 0, errors
        assert all(each["jsonrpc"] == "2.0" for each in written)
        answers = {each["id"]: each for each in written}
        assert answers[1]["result"]["serverInfo"]["name"] == "recollect"
        assert "error" in answers[3]
        [memory] = answers[4]["result"]["structuredContent"]["memories"]
        assert memory["content"] == "I live in Lisbon"

    async def test_a_signal_ends_it_while_the_client_is_silent(self, agents: Agents) -> None:
        process = await process_of("--url", agents.url, RECOLLECT_TOKEN=agents.tokens["anna"])
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HANDSHAKE).encode() + b"\n")
        await process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            await process.wait()


@table(
    ("options", "env", "said"),
    [
        ((), {}, "--user"),
        (("--user", "*"), {}, "A user's id"),
        (("--url", "ftp://x"), {"RECOLLECT_TOKEN": "x"}, "--url"),
        (("--url", "http://127.0.0.1:9"), {}, "RECOLLECT_TOKEN"),
        (("--user", "anna"), {"RECOLLECT_DATABASE_URL": "memory:"}, "in memory"),
    ],
)
def test_what_is_wrong_is_said_on_standard_error(
    tmp_path: Path, options: tuple[str, ...], env: dict[str, str], said: str
) -> None:
    done = recollect("mcp", *options, RECOLLECT_DATA_DIR=str(tmp_path), **env)

    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_database_that_is_away_is_an_error_of_ours(tmp_path: Path) -> None:
    away = {"RECOLLECT_DATABASE_URL": "postgresql://127.0.0.1:9/x"}

    done = recollect("mcp", "--user", "anna", RECOLLECT_DATA_DIR=str(tmp_path), **away)

    assert (isinstance(done.exception, StoreUnavailableError), done.stdout) == (True, "")


STARTED = """
import sys
import recollect_proxy.commands.cli, recollect_proxy.app
print([name for name in sys.modules if name.split(".")[0] in {"mcp", "mcp_types", "starlette"}])
"""


@pytest.mark.process
def test_a_start_does_not_import_the_protocol() -> None:
    run = [sys.executable, "-c", STARTED]
    printed = subprocess.run(run, capture_output=True, text=True, check=True, env=dict(os.environ))

    assert printed.stdout.strip() == "[]"


async def test_the_proxy_serves_it_and_chats_recall_what_agents_keep(proxy: RunningProxy) -> None:
    anna = somebody()
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "X-Recollect-User": anna.id}
    url = f"http://127.0.0.1:{proxy.port}/memory/mcp"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http_client,
        Client(streamable_http_client(url, http_client=http_client)) as client,
    ):
        kept = await called(client, "remember", content="I live in Lisbon")

    assert kept["status"] == "kept"
    answer = await proxy.say(anna, "Where do I live?")
    assert answer.header(b"x-recollect-memories") == b"1"


@table("token", ["anna", "acting"])
async def test_the_user_and_the_project_are_named_to_the_server(agents: Agents, token: str) -> None:
    user = agents.anna if token == "acting" else None
    async with (
        bridge(agents.url, agents.tokens[token], user, f"\u8239 {token}") as server,
        Client(server, mode="legacy") as client,
    ):
        await client.call_tool("remember", {"content": "The boat is called Petrel"})
        [found] = (await called(client, "list_recent"))["memories"]

    assert (found["content"], found["project"]) == ("The boat is called Petrel", f"\u8239 {token}")


@table(
    ("url", "token", "project", "is_agents"),
    [
        (None, "coder", "", True),
        (None, "acting", "agent:coder", True),
        (None, "acting", "", False),
        ("http://127.0.0.1:9", "coder", "agent:coder", True),
    ],
)
async def test_the_server_says_whether_the_token_is_for_an_agents_memory(
    agents: Agents, url: str | None, token: str, project: str, *, is_agents: bool
) -> None:
    async with (
        bridge(url or agents.url, agents.tokens[token], agents.anna, project) as server,
        Client(server, mode="legacy") as client,
    ):
        assert ("your work" in (client.instructions or "")) is is_agents


@table(
    ("url", "token", "user", "said"),
    [
        (None, "expired", None, "does not know the token"),
        (None, "acting", None, "--user"),
        (None, "anna", "somebody-else", "does not allow"),
        ("http://127.0.0.1:9", "anna", None, "can't be reached"),
    ],
)
async def test_a_wrong_one_is_told(
    agents: Agents, url: str | None, token: str, user: str | None, said: str
) -> None:
    async with (
        bridge(url or agents.url, agents.tokens[token], user) as server,
        Client(server, mode="legacy") as client,
    ):
        with pytest.raises(MCPError, match=said):
            await client.list_tools()


PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "connect-agents.md"


def expanded(text: str, variables: dict[str, str]) -> str:
    """Put variables in, as Claude Code does: `${NAME}`, or `${NAME:-default}`."""
    return re.sub(
        r"\$\{(\w+)(?::-([^}]*))?\}",
        lambda found: variables[found[1]] if found[2] is None else variables.get(found[1], found[2]),
        text,
    )


async def test_the_file_that_is_documented_reaches_the_memory(agents: Agents) -> None:
    block = PAGE.read_text("utf-8").partition("**Claude Code**")[2].split("```")[1].removeprefix("json")
    assert json.loads(expanded(block, {"RECOLLECT_TOKEN": "t"}))["mcpServers"]["memory"]["url"] == (
        "http://127.0.0.1:8787/memory/mcp"
    )
    here = {
        "RECOLLECT_URL": agents.url.removesuffix("/memory/mcp"),
        "RECOLLECT_TOKEN": agents.tokens["acting"],
    }
    server = json.loads(expanded(block, here))["mcpServers"]["memory"]
    assert server["type"] == "http"
    server["headers"]["X-Recollect-User"] = agents.anna

    async with (
        httpx2.AsyncClient(headers=server["headers"], timeout=30) as http_client,
        Client(streamable_http_client(server["url"], http_client=http_client)) as client,
    ):
        await called(client, "remember", content="I live in Lisbon")
    [kept] = (await agents.engine.page(agents.anna, limit=9)).memories
    assert kept.content == "I live in Lisbon"
