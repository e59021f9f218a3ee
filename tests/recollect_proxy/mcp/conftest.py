"""The memory for agents on a real socket, over a real Postgres, and the SDK's own client before it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, TextContent
from tests.recollect_proxy.memory_api.serving import TOKEN, GivenEngine, engine_over
from tests.support.stores import Store

from recollect.engine import Engine, system_clock
from recollect.store import Postgres
from recollect_proxy.access.access_keys import AccessKeys, KeyRole, add_access_key
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.failed_attempts import FailedAttempts
from recollect_proxy.access.person_tokens import Audience, PersonTokens
from recollect_proxy.mcp.streamable_http import KnownHosts, McpApplication
from recollect_proxy.serving.ephemeral_server import serve_upstream

USER_HEADER = "x-openwebui-user-id"


@dataclass(frozen=True)
class Agents:
    """The memory as agents reach it, two users, and the tokens by the kind of caller."""

    url: str
    live: GivenEngine
    authentication: Authentication
    anna: str
    ben: str
    tokens: dict[str, str]

    @property
    def engine(self) -> Engine:
        found = self.live.engine
        assert found is not None
        return found

    @asynccontextmanager
    async def client(
        self, token: str = "anna", *, name: str = "Claude Desktop", mode: str = "auto", **headers: str
    ) -> AsyncIterator[Client]:
        """Connect as the SDK's client does, with a token and further headers."""
        sent = {"Authorization": f"Bearer {self.tokens[token]}"}
        sent |= {key.replace("_", "-"): value for key, value in headers.items()}
        info = Implementation(name=name, version="1")
        async with httpx2.AsyncClient(headers=sent, timeout=30) as http_client:
            transport = streamable_http_client(self.url, http_client=http_client)
            async with Client(transport, client_info=info, mode=mode) as client:
                yield client

    async def post(self, body: object, headers: dict[str, str] | None = None) -> httpx2.Response:
        both = {"Accept": "application/json, text/event-stream", **(headers or {})}
        async with httpx2.AsyncClient(timeout=30) as http_client:
            return await http_client.post(self.url, json=body, headers=both)


def handshake(name: str) -> dict[str, Any]:
    """Return the message by which a client makes itself known."""
    info = {"name": name, "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def structured(result: CallToolResult) -> dict[str, Any]:
    """Return the result of a tool; fail if it is an error."""
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def told(result: CallToolResult) -> str:
    assert result.is_error
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def called(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    """Call a tool, and return its result; fail if it is an error."""
    return structured(await client.call_tool(tool, given))


async def refused_by(client: Client, tool: str, **given: Any) -> str:
    """Call a tool, and return its error."""
    return told(await client.call_tool(tool, given))


def tokens_for(authentication: Authentication, anna: str, ben: str) -> dict[str, str]:
    """Return tokens of two people, one for pages and one that ended among them."""
    past = PersonTokens(TOKEN, lambda: system_clock() - timedelta(hours=2))
    return {
        "anna": authentication.person_tokens.make(anna, Audience.API)[0],
        "ben": authentication.person_tokens.make(ben, Audience.API)[0],
        "page": authentication.person_tokens.make(anna, Audience.PAGE_LINK)[0],
        "expired": past.make(anna, Audience.API)[0],
    }


@asynccontextmanager
async def served_agents(engine: Engine, anna: str, ben: str, folder: Path) -> AsyncIterator[Agents]:
    keys = folder / "access-keys"
    made = {
        "admin": TOKEN,
        "acting": add_access_key(keys, KeyRole.ACTING, "openwebui"),
        "others": add_access_key(keys, KeyRole.ACTING, "others", users="nobody-begins-so"),
        "coder": add_access_key(keys, KeyRole.ACTING, "coder", project="agent:coder"),
        "reader": add_access_key(keys, KeyRole.READER, "support"),
        "unknown": "rk-nobody-knows-this",
    }
    live, authentication = GivenEngine(engine), Authentication(TOKEN, system_clock, keys=AccessKeys(keys))
    known: Any = {"authentication": authentication, "hosts": KnownHosts(is_local=True)}
    async with serve_upstream(McpApplication(live, user_header=USER_HEADER, **known)) as origin:
        tokens = made | tokens_for(authentication, anna, ben)
        yield Agents(f"{origin}/memory/mcp", live, authentication, anna, ben, tokens)


@pytest.fixture(scope="session")
async def session_agents(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Agents]:
    engine = engine_over(postgres)
    async with served_agents(engine, "anna", "ben", tmp_path_factory.mktemp("agents")) as served:
        yield served


@pytest.fixture
def agents(session_agents: Agents, store: Store) -> Agents:
    """The memory for agents over the database that tests share, and the two people of ``store``."""
    session_agents.authentication.failed = FailedAttempts()
    own = tokens_for(session_agents.authentication, store.anna, store.ben)
    return replace(session_agents, anna=store.anna, ben=store.ben, tokens=session_agents.tokens | own)
