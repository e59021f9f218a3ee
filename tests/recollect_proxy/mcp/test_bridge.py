"""The bridge to a running server, within this process, and the file by which Claude Code reaches one."""

import json
import re
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.recollect_proxy.mcp.conftest import Agents, called
from tests.support.tables import table

from recollect_proxy.mcp.stdio import bridge


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
