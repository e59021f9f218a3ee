"""The real Open WebUI, whose model asks the memory for agents as one of its tool servers."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.openwebui.language_model import LanguageModel
from tests.e2e.openwebui.people import Conversation, signed_in
from tests.e2e.openwebui.server import served_openwebui
from tests.recollect_proxy.mcp.conftest import served_agents
from tests.recollect_proxy.memory_api.serving import engine_over
from tests.scripted.answers import DONE, Answer, event, streamed
from tests.support.received import Received
from tests.support.stores import Store

from recollect.api.mcp_tool_arguments import NOTICE

pytestmark = pytest.mark.process

REMEMBER = "Please keep that I live in Lisbon."
CALL = {
    "index": 0,
    "id": "call-1",
    "type": "function",
    "function": {"name": "memory_remember", "arguments": json.dumps({"content": "I live in Lisbon"})},
}


class Calling(LanguageModel):
    """A model that has kept what it is asked to keep."""

    def _answer(self, request: Received) -> Answer:
        if request.target.endswith(b"/chat/completions"):
            last = request.json["messages"][-1]
            if last["role"] == "user" and REMEMBER in str(last["content"]) and request.json.get("tools"):
                return streamed(
                    event({"role": "assistant", "tool_calls": [CALL]}), event({}, finish="tool_calls"), DONE
                )
        return super()._answer(request)


class WithTools(Conversation):
    """A chat in which the person switched the tool server on."""

    def _request(self, models: Any) -> dict[str, Any]:
        return super()._request(models) | {"tool_ids": ["server:mcp:memory"]}


async def test_its_model_keeps_something_for_the_person_who_chats(own_store: Store, tmp_path: Path) -> None:
    model = Calling()
    async with (
        model.upstream,
        served_agents(engine_over(own_store), own_store.anna, own_store.ben, tmp_path) as agents,
    ):
        connection = {
            "type": "mcp",
            "url": agents.url,
            "path": "",
            "auth_type": "bearer",
            "key": agents.tokens["acting"],
            "headers": {"X-Recollect-User": "{{USER_ID}}"},
            "config": {"enable": True, "access_grants": []},
            "info": {"id": "memory", "name": "Memory", "description": ""},
        }
        async with served_openwebui(
            tmp_path,
            connection=model.upstream.base_url,
            connection_headers={"X-Test-Task": "{{TASK}}"},
            model=model.upstream.base_url,
            TOOL_SERVER_CONNECTIONS=json.dumps([connection]),
        ) as server:
            administrator = await signed_in(server)
            verified = await administrator.call(
                "POST", "/api/v1/configs/tool_servers/verify", json=connection
            )
            await WithTools(administrator).says(REMEMBER)

        assert {each["name"] for each in verified["specs"]} >= {"search_memories", "remember", "forget"}
        [memory] = (await agents.engine.page(administrator.id, limit=9)).memories
        assert memory.content == "I live in Lisbon"
        [added] = await agents.engine.history(administrator.id)
        assert (added.decided_by or "").startswith("mcp: ")
        [asked, *_] = [each for each in model.chats("") if each.json["messages"][-1]["role"] == "tool"]
        assert NOTICE in asked.json["messages"][-1]["content"]
        assert (await agents.engine.page(own_store.anna, limit=9)).memories == ()
