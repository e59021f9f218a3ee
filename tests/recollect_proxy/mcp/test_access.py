"""Access to the memory for agents, over real HTTP."""

import json
import logging
from typing import Any

import httpx2
from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.requests import Request
from tests.recollect_proxy.mcp.conftest import (
    USER_HEADER,
    Agents,
    bearer,
    called,
    handshake,
    refused_by,
    structured,
)
from tests.support.tables import table

from recollect.model import TeamRole, project_scope
from recollect_proxy.access.failed_attempts import FailedAttempts
from recollect_proxy.mcp.streamable_http import KnownHosts, McpApplication

INITIALIZE = handshake("curl")
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


def call(tool: str, **given: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": given}}


def assert_refused(response: httpx2.Response, status: int, code: str) -> None:
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert response.headers["cache-control"] == "no-store"


@table(
    ("token", "named", "status", "code"),
    [
        *((each, {}, 401, "unauthorized") for each in ("expired", "unknown", "page")),
        (None, {"X-Recollect-User": "ANNA", USER_HEADER: "ANNA"}, 401, "unauthorized"),
        ("anna", {"X-Recollect-User": "BEN"}, 403, "forbidden"),
        ("others", {"X-Recollect-User": "ANNA"}, 403, "forbidden"),
        *((each, {}, 400, "user_not_named") for each in ("admin", "acting", "reader")),
        ("admin", {USER_HEADER: "ANNA"}, 400, "user_not_named"),
        *(
            ("acting", {"X-Recollect-User": each}, 400, "user_named_twice")
            for each in ("*", "%00", "x" * 257)
        ),
        ("acting", {"X-Recollect-User": "ANNA", USER_HEADER: "BEN"}, 400, "user_named_twice"),
        *(("anna", {"X-Recollect-Project": each}, 400, "bad_project") for each in ("%0A", "x" * 65)),
        ("coder", {"X-Recollect-User": "ANNA", "X-Recollect-Project": "boat"}, 403, "forbidden"),
    ],
)
async def test_who_may_not_is_refused_whatever_they_ask(
    agents: Agents, token: str | None, named: dict[str, str], status: int, code: str
) -> None:
    people = {"ANNA": agents.anna, "BEN": agents.ben}
    headers = {name: people.get(value, value) for name, value in named.items()}
    agents.authentication.failed = FailedAttempts()
    for body in (INITIALIZE, LIST, call("list_recent")):
        sent = headers if token is None else headers | bearer(agents.tokens[token])
        response = await agents.post(body, sent)
        assert_refused(response, status, code)
        assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)


class TestWithoutAToken:
    async def test_who_guesses_waits_and_a_valid_token_does_not(self, agents: Agents) -> None:
        for number in range(10):
            assert_refused(await agents.post(LIST, bearer(f"guess {number}")), 401, "unauthorized")

        refused = await agents.post(LIST, bearer("guess"))

        assert_refused(refused, 429, "too_many_attempts")
        assert refused.headers["retry-after"] == "60"
        assert (await agents.post(INITIALIZE, bearer(agents.tokens["anna"]))).status_code == 200


class TestAProject:
    async def test_it_is_chosen_by_a_header(self, agents: Agents) -> None:
        await agents.engine.add(agents.anna, "Likes tea")
        async with agents.client("anna", X_Recollect_Project="boat") as client:
            kept = await called(client, "remember", content="The boat is called Petrel")
            found = await called(client, "search_memories", query="tea and the boat")
            recent = await called(client, "list_recent")
        async with agents.client("anna") as client:
            own = await called(client, "list_recent")

        assert kept["memory"]["project"] == "boat"
        assert {each["project"] for each in found["memories"]} == {"", "boat"}
        assert [each["content"] for each in recent["memories"]] == ["The boat is called Petrel"]
        assert [each["content"] for each in own["memories"]] == ["Likes tea"]

    async def test_in_a_team_each_memory_says_who_stated_it(self, agents: Agents) -> None:
        team = await agents.engine.keep_team(f"crew {agents.anna}")
        for who, role, name in ((agents.anna, TeamRole.READER, "Anna"), (agents.ben, TeamRole.OWNER, "Ben")):
            await agents.engine.set_member(team.id, who, role, name)
        stated = project_scope(agents.ben, f"team:{team.id}")
        await agents.engine.add(stated, "I am allergic to nuts")

        async with agents.client("anna", x_recollect_project=f"team:{team.id}") as client:
            found = await called(client, "search_memories", query="allergic to nuts")
            refused = await client.call_tool("remember", {"content": "Likes tea"})
        async with agents.client("anna", x_recollect_project="team:elsewhere") as client:
            outside = await client.call_tool("search_memories", {"query": "allergic to nuts"})

        [one] = found["memories"]
        assert (one["content"], one["said_by"]) == ("I am allergic to nuts", "Ben")
        for result, said in ((refused, "role in the team"), (outside, "no such team")):
            assert (result.is_error, said in str(result.content)) == (True, True)


class TestAnAgentsOwnMemory:
    async def test_it_is_told_what_to_keep_there_and_of_whom_elsewhere(self, agents: Agents) -> None:
        told_of: dict[str, tuple[str, str]] = {}
        for project in ("agent:coder", "boat"):
            async with agents.client("anna", x_recollect_project=project) as client:
                tools = {each.name: each for each in (await client.list_tools()).tools}
                content = tools["remember"].input_schema["properties"]["content"]["description"]
                told_of[project] = (client.instructions or "", content)
                kept = await client.call_tool("remember", {"content": "The tests run with `make test`"})
                assert structured(kept)["memory"]["project"] == project

        assert "your work" in told_of["agent:coder"][0]
        assert "about your work" in told_of["agent:coder"][1]
        assert "first person" in told_of["boat"][1]

    async def test_a_key_for_it_reaches_nothing_else(self, agents: Agents) -> None:
        await agents.engine.add(agents.anna, "Likes tea")
        async with agents.client("coder", x_recollect_user=agents.anna) as client:
            await client.call_tool("remember", {"content": "The tests run with `make test`"})
            listed = await called(client, "list_recent")

        assert [each["project"] for each in listed["memories"]] == ["agent:coder"]


class TestAPersonsToken:
    async def test_it_acts_for_that_person_whatever_the_frontends_header_says(self, agents: Agents) -> None:
        await agents.engine.add(agents.ben, "Likes coffee")
        await agents.engine.add(agents.anna, "Likes tea")
        for headers in ({}, {"x_openwebui_user_id": agents.ben}):
            async with agents.client("anna", **headers) as client:
                found = await called(client, "list_recent")
            assert [each["content"] for each in found["memories"]] == ["Likes tea"]


class TestKeysThatAreNobodysOwn:
    async def test_an_integration_acts_for_whom_the_frontend_names(self, agents: Agents) -> None:
        async with agents.client("acting", x_openwebui_user_id=agents.anna) as client:
            kept = await called(client, "remember", content="I live in Lisbon")

        assert kept["status"] == "kept"
        assert len((await agents.engine.page(agents.anna, limit=9)).memories) == 1
        assert (await agents.engine.page(agents.ben, limit=9)).memories == ()

    async def test_a_reader_only_reads_and_is_seen(self, agents: Agents) -> None:
        tea = await agents.engine.add(agents.anna, "Likes tea")
        async with agents.client("reader", x_recollect_user=agents.anna) as client:
            tools = {each.name for each in (await client.list_tools()).tools}
            found = await called(client, "list_recent")
            refused = [
                await refused_by(client, "remember", content="I live in Lisbon"),
                await refused_by(client, "forget", memory_id=str(tea.id)),
            ]
            await client.read_resource("memory://profile")
            await client.read_resource(f"memory://memories/{tea.id}")

        assert tools == {"search_memories", "search_chats", "list_recent", "what_changed"}
        assert len(found["memories"]) == 1
        assert refused == ["This token only reads: it changes no memory."] * 2
        assert len((await agents.engine.page(agents.anna, limit=9)).memories) == 1
        seen = await agents.engine.admin_reads(agents.anna, limit=9)
        assert [each.operation for each in seen] == ["mcp_read_memory", "mcp_read_profile", "mcp_list_recent"]
        assert {each.reader for each in seen} == {"support"}


class TestPagesOfOtherSites:
    async def test_they_are_refused_in_both_protocols(self, agents: Agents) -> None:
        evil, newer = (
            {"Host": "evil.example", "Origin": "http://evil.example"},
            {"MCP-Protocol-Version": "2026-07-28"},
        )
        for body, headers, status in (
            (INITIALIZE, {"Origin": "null"}, 403),
            (INITIALIZE, evil, 421),
            (INITIALIZE, {"Origin": "http://localhost:5173"}, 200),
            (LIST, newer | {"Origin": "https://evil.example"}, 403),
        ):
            response = await agents.post(body, bearer(agents.tokens["anna"]) | headers)
            assert response.status_code == status, headers


class TestRequests:
    async def test_a_session_is_known_to_any_replica(self, agents: Agents) -> None:
        token = bearer(agents.tokens["anna"])
        session = (await agents.post(INITIALIZE, token)).headers["mcp-session-id"]
        asked = call("remember", content="I live in Lisbon")
        kept = await agents.post(asked, token | {"Mcp-Session-Id": session})

        assert session.isascii()
        assert json.loads(kept.json()["result"]["content"][0]["text"])["status"] == "kept"
        [added] = await agents.engine.history(agents.anna)
        assert added.decided_by == "mcp: curl"

    async def test_a_session_that_is_none_of_ours_names_nobody(self, agents: Agents) -> None:
        for number, session in enumerate(("nonsense", "r1.a.%%%", "r1.a.gICA", "r1." + "x" * 600)):
            named = bearer(agents.tokens["anna"]) | {"Mcp-Session-Id": session}
            await agents.post(call("remember", content=f"I have {number} cats"), named)

            [added, *_] = await agents.engine.history(agents.anna)
            assert (added.after, added.decided_by) == (f"I have {number} cats", "mcp: unnamed")

    async def test_there_are_no_streams_and_no_sessions_to_end(self, agents: Agents) -> None:
        async with httpx2.AsyncClient() as client:
            for method in ("GET", "DELETE", "PUT"):
                response = await client.request(method, agents.url, headers=bearer(agents.tokens["anna"]))

                assert_refused(response, 405, "method_not_allowed")
                assert response.headers["allow"] == "POST"

    async def test_what_is_too_long_is_refused(self, agents: Agents) -> None:
        body = call("remember", content="x" * 300_000)

        assert_refused(await agents.post(body, bearer(agents.tokens["anna"])), 413, "body_too_large")

    async def test_what_is_no_message_is_refused(self, agents: Agents) -> None:
        for body in ([], {}, "x", {"jsonrpc": "2.0", "id": 1, "method": 5}, [INITIALIZE]):
            response = await agents.post(body, bearer(agents.tokens["anna"]))

            assert 400 <= response.status_code < 500
            assert "Traceback" not in response.text


def test_the_sdk_logs_nothing_as_it_may_quote_requests(agents: Agents) -> None:
    logging.getLogger("mcp").setLevel(logging.NOTSET)
    known: Any = {"authentication": agents.authentication, "hosts": KnownHosts(is_local=True)}

    McpApplication(agents.live, user_header=USER_HEADER, **known)

    assert not logging.getLogger("mcp.server").isEnabledFor(logging.ERROR)


NETWORK = KnownHosts(is_local=False, names=("memory.lan",), public_url="https://memory.example.org")
LOCAL = KnownHosts(is_local=True)


@table(
    ("known", "host", "origin", "expected"),
    [
        *((NETWORK, each, None, 200) for each in ("host.docker.internal:8787", "recollect")),
        (NETWORK, "memory.lan:8787", "http://memory.lan:8787", 200),
        *(
            (NETWORK, each, "https://memory.example.org", 200)
            for each in ("memory.example.org", "memory.lan:8787")
        ),
        (NETWORK, "evil.example", "http://evil.example", 403),
        (NETWORK, "127.0.0.1:8787", "https://memory.example.org.evil.example", 403),
        *((LOCAL, each, None, 200) for each in ("127.0.0.1:8787", "localhost", "[::1]:8787")),
        *((LOCAL, each, None, 421) for each in ("evil.example", "memory.lan")),
    ],
)
async def test_hosts_and_origins_of_others_are_refused(
    known: KnownHosts, host: str, origin: str | None, expected: int
) -> None:
    headers = [(b"host", host.encode()), (b"content-type", b"application/json")]
    headers += [(b"origin", origin.encode())] if origin else []
    request = Request({"type": "http", "headers": headers})
    refused = await TransportSecurityMiddleware(known.settings(host)).validate_request(request, is_post=True)
    assert (200 if refused is None else refused.status_code) == expected
