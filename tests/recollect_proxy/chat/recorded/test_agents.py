"""Requests of coding agents and of LibreChat, recorded once from themselves: too large to be installed for a test.

Each recording says how it was made. Whose words are remembered in which chat, which prompts a server finds in its cache, and
what passes as it is.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.recollect_proxy.given import given_memory
from tests.scripted.dialects import message_events, response_events
from tests.scripted.upstream import ScriptedUpstream, events, streamed
from tests.servers.running_proxy import CHAT, RunningProxy, User
from tests.support.raw_client import Response

_FOLDER = Path(__file__).parent
_SPEAKING = {"/v1/chat/completions": events, "/v1/responses": response_events}
_LIST = "list the files here in my project folder, please"
_INDENT = "Which indentation do I prefer in files?"
_WALLS = "Please name one colour for my kitchen walls"
_FACTS = ("Painted the kitchen walls green", "Keeps the project files in a folder named birch")


class Agent(NamedTuple):
    """What is expected of a recording."""

    requests: tuple[str, ...]
    said: tuple[str, ...]
    chat: str = ""


_THREE = ("first", "results", "second")
CODEX = "01a228ca-6e35-7d82-8fbb-63e5286e06d3"
CHATS = {
    "claude_code": Agent(
        ("first", "second"), (_WALLS, "And one for my bathroom?"), "4c8ac580-6306-4881-9ad3-34b0809917be"
    ),
    "claude_code, tools": Agent(("asked", "results"), (_LIST,), "fa457abd-b8eb-42c0-8798-62ee30ce1a4f"),
    "codex": Agent(_THREE, (_LIST, _INDENT), CODEX),
    "opencode": Agent(_THREE, (f'"{_LIST}"', f'"{_INDENT}"'), "[secret"),
    "continue": Agent(_THREE, (_LIST, _INDENT)),
    "cline": Agent(("first", "results"), (_LIST,)),
    "aider": Agent(("first",), (f"{_INDENT}\n\nAnswer with whole files, each behind its name.",)),
}
ASIDE = (("claude_code", "title"), ("claude_code", "sub_agent"), ("codex", "summary"), ("opencode", "title"))


def recorded(agent: str, name: str) -> dict[str, Any]:
    file = _FOLDER / f"{agent.partition(',')[0]}.json"
    request: dict[str, Any] = json.loads(file.read_text("utf-8"))["requests"][name]
    return request


async def send(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, agent: str, name: str
) -> tuple[Response, Any, bytes]:
    """Send a recorded request for a user; return the answer, what the upstream got, and the stream it answered with."""
    request = recorded(agent, name)
    target = request["target"].encode()
    stream = b"".join(_SPEAKING.get(request["target"], message_events)("All ", "right."))
    upstream.answers.append(streamed(*(stream[at : at + 11] for at in range(0, len(stream), 11))))
    headers = [(field.encode(), value.encode()) for field, value in request["headers"]]
    body = json.dumps(request["body"], separators=(",", ":"), ensure_ascii=False).encode()
    answer = await proxy.fetch(b"POST", target, [*headers, (b"x-openwebui-user-id", user.id.encode())], body)
    assert upstream.last.target == target
    kept = [(field.lower(), value) for field, value in upstream.last.headers]
    assert [each for each in headers if each not in kept] == []
    assert answer.body == stream
    return answer, upstream.last.json, body


def cached(body: Any) -> list[Any]:
    """Return a prompt as a server's cache knows it: tools, instructions and messages, without the marks of where it ends."""

    def plain(part: Any) -> Any:
        if isinstance(part, list):
            return [plain(each) for each in part]
        if not isinstance(part, dict):
            return part
        rest = {name: plain(value) for name, value in part.items() if name != "cache_control"}
        if "metadata" in body and isinstance(rest.get("content"), str) and "role" in rest:
            rest["content"] = [{"type": "text", "text": rest["content"]}]
        return rest

    said: list[Any] = plain(body.get("messages") or body["input"])
    system = [part for part in plain(body.get("system", [])) if "billing" not in part["text"]]
    return [plain(body.get("tools", [])), system, *said]


@pytest.mark.parametrize("agent", CHATS)
async def test_only_words_of_the_person_are_remembered_in_the_agents_own_chat(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, agent: str
) -> None:
    expected = CHATS[agent]

    for name in expected.requests:
        answer, _, _ = await send(listening_proxy, upstream, user, agent, name)
        assert answer.values(b"x-recollect-skipped") == [b"nothing-relevant"]

    await listening_proxy.settle()
    rows = await listening_proxy.rows(
        "SELECT session_id, content FROM recollect.messages WHERE user_id = $1 AND role = 'user' ORDER BY id",
        user.id,
    )
    assert tuple(row["content"].strip() for row in rows) == expected.said
    assert all(row["session_id"].startswith(expected.chat or "fp:") for row in rows)
    assert len({row["session_id"] for row in rows}) == 1


@pytest.mark.parametrize("agent", [name for name, chat in CHATS.items() if len(chat.requests) > 1])
async def test_a_prompt_begins_like_the_one_before_it_with_its_memories(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, agent: str
) -> None:
    for fact in _FACTS:
        await given_memory(listening_proxy, user, fact)

    prompts = []
    for name in CHATS[agent].requests:
        _, body, _ = await send(listening_proxy, upstream, user, agent, name)
        prompts.append(body)

    assert any(fact in json.dumps(prompts[0]) for fact in _FACTS)
    for before, after in pairwise(prompts):
        assert cached(after)[: len(cached(before))] == cached(before)


async def test_a_summary_of_claude_code_finds_the_chat_in_the_cache_and_is_not_remembered(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    chat = CHATS["claude_code"]
    for name, fact in zip(chat.requests, (_FACTS[0], "Painted the bathroom blue"), strict=True):
        await given_memory(listening_proxy, user, fact)
        _, before, _ = await send(listening_proxy, upstream, user, "claude_code", name)
        assert fact in json.dumps(before)

    answer, summary, _ = await send(listening_proxy, upstream, user, "claude_code", "summary")

    assert answer.values(b"x-recollect-skipped") == [b"empty"]
    assert cached(summary)[: len(cached(before))] == cached(before)
    said = [content for role, content in await listening_proxy.logged(user) if role == "user"]
    assert tuple(said) == chat.said


@pytest.mark.parametrize(("agent", "name"), ASIDE)
async def test_what_an_agent_asks_for_itself_passes_as_it_is_and_is_not_remembered(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, agent: str, name: str
) -> None:
    for fact in (*_FACTS, "Always counts files in pairs"):
        await given_memory(listening_proxy, user, fact)

    answer, _, body = await send(listening_proxy, upstream, user, agent, name)

    assert answer.values(b"x-recollect-skipped") == [b"task"]
    assert upstream.last.body == body
    assert await listening_proxy.logged(user) == []


RECORDED: dict[str, Any] = json.loads((_FOLDER / "librechat.json").read_text("utf-8"))["requests"]
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
