"""Requests of frontends that no test runs, recorded once from their own clients: who speaks, in which chat, and which are tasks."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.servers.running_proxy import CHAT, RunningProxy, User

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "recorded" / "librechat.json").read_text())[
    "requests"
]
_USER = "x-openwebui-user-id"


@pytest.mark.parametrize("name", RECORDED)
async def test_librechat_names_its_person_and_chat_and_its_own_requests_are_tasks(
    listening_proxy: RunningProxy, user: User, name: str
) -> None:
    request = RECORDED[name]
    headers = [
        (field.encode(), (user.id if field == _USER else value).encode())
        for field, value in request["headers"]
    ]

    answer = await listening_proxy.fetch(b"POST", CHAT, headers, json.dumps(request["body"]).encode())

    skipped = b"nothing-relevant" if name == "chat" else b"task"
    assert answer.values(b"x-recollect-skipped") == [skipped]
    await listening_proxy.settle()
    rows = await listening_proxy.rows(
        "SELECT session_id, content FROM recollect.messages WHERE user_id = $1 AND role = 'user'", user.id
    )
    assert [tuple(row) for row in rows] == ([("conv-1", "I live in Lisbon.")] if name == "chat" else [])
