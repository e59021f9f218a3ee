"""The `.mcp.json` of the documentation, read as Claude Code reads it, leads to the memory."""

import json
import re
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.recollect_proxy.mcp.conftest import Agents, structured

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
    told = expanded(
        block,
        {
            "RECOLLECT_URL": agents.url.removesuffix("/memory/mcp"),
            "RECOLLECT_TOKEN": agents.tokens["acting"],
        },
    )
    server = json.loads(told)["mcpServers"]["memory"]
    assert server["type"] == "http"
    server["headers"]["X-Recollect-User"] = agents.anna

    async with (
        httpx2.AsyncClient(headers=server["headers"], timeout=30) as http_client,
        Client(streamable_http_client(server["url"], http_client=http_client)) as client,
    ):
        structured(await client.call_tool("remember", {"content": "I live in Lisbon"}))
    assert [each.content for each in (await agents.engine.page(agents.anna, limit=9)).memories] == [
        "I live in Lisbon"
    ]
