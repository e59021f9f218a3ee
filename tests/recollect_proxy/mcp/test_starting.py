"""The memory for agents costs a start nothing, and the whole proxy serves it."""

import os
import subprocess
import sys

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.recollect_proxy.mcp.conftest import called
from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, somebody

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
