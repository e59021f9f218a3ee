"""What is formed in the background is formed by the LLM server it was said to, with that one's key, and as its policy lets it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion
from tests.servers.running_proxy import KEY, RunningProxy, User, chat_body, extract_statements, is_extraction
from tests.support.waiting import until

KNOWN = "I keep bees in the garden."


def _answer(request: Received) -> Answer:
    return extract_statements(request) if is_extraction(request) else completion("All right.")


def _wanted(request: Received) -> str:
    return str(request.json["response_format"]["json_schema"]["name"])


@dataclass(frozen=True)
class Servers:
    """Four LLM servers that extract what they are told, and a proxy before them that names none for that."""

    proxy: RunningProxy
    default: ScriptedUpstream
    cloud: ScriptedUpstream
    unlearned: ScriptedUpstream
    private: ScriptedUpstream

    @property
    def all(self) -> tuple[ScriptedUpstream, ...]:
        return self.default, self.cloud, self.unlearned, self.private

    def background(self, server: ScriptedUpstream) -> list[Received]:
        """Return the extractions and summaries that a server was asked for; a summary may come late."""
        return [each for each in server.received if is_extraction(each)]

    def extractions(self, server: ScriptedUpstream) -> list[Received]:
        return [each for each in self.background(server) if _wanted(each) == "memories"]

    def asked(self, server: ScriptedUpstream) -> list[str]:
        """Return for which answers a server was asked in the background."""
        return list(dict.fromkeys(map(_wanted, self.background(server))))

    async def say(self, user: User, said: str, model: str, path: bytes = b"/v1", **fields: Any) -> None:
        target = path + b"/chat/completions"
        answer = await self.proxy.fetch(b"POST", target, user.headers(**fields), chat_body(said, model=model))
        assert answer.status == 200, answer.body
        await self.proxy.formed(user)


@pytest.fixture(scope="module")
async def module_servers(own_proxies: OwnProxies) -> AsyncIterator[Servers]:
    async with (
        ScriptedUpstream(_answer) as default,
        ScriptedUpstream(_answer) as cloud,
        ScriptedUpstream(_answer) as unlearned,
        ScriptedUpstream(_answer) as private,
    ):
        entries = [
            {
                "name": "cloud",
                "url": cloud.base_url,
                "models": ["gpt-*"],
                "api_key": "key-of-the-cloud",
                "memories": ["preference"],
                "history": False,
            },
            {"name": "unlearned", "url": unlearned.base_url, "models": ["secret-*"], "learn": False},
            {"name": "private", "url": private.base_url, "path": "/private"},
        ]
        async with own_proxies.serve(
            upstream=default.base_url,
            upstreams=entries,
            extraction_base_url=None,
            extraction_model=None,
            summary_turns=1,
            formation_batch_turns=4,
        ) as proxy:
            yield Servers(proxy, default, cloud, unlearned, private)


@pytest.fixture
def servers(module_servers: Servers) -> Servers:
    for each in module_servers.all:
        each.forget()
        each.otherwise = _answer
    return module_servers


async def test_each_server_extracts_what_was_said_to_it_and_nothing_else(
    servers: Servers, user: User
) -> None:
    said = {
        "llama": ("My cat is called Tom.", b"/v1", servers.default),
        "gpt-6": ("My dog is called Rex.", b"/v1", servers.cloud),
        "any": ("My bird is called Kim.", b"/private", servers.private),
    }
    for number, (model, (words, path, _)) in enumerate(said.items()):
        await servers.say(user, words, model, path, chat=f"chat-{number}")

    for words, _, server in said.values():
        [extraction, *_] = servers.extractions(server)
        assert words in extraction.json["messages"][-1]["content"]
    assert servers.background(servers.unlearned) == []
    await until(lambda: "summary" in servers.asked(servers.private))
    assert "summary" in servers.asked(servers.default)
    assert servers.asked(servers.cloud) == [
        "memories"
    ]  # it may not be told all of a chat, and summarizes none
    assert await servers.proxy.statements(user) == sorted(words for words, _, _ in said.values())


async def test_a_credential_goes_back_to_the_server_it_came_for_alone(servers: Servers, user: User) -> None:
    await servers.say(user, "My cat is called Tom.", "llama", chat="chat-1")
    await servers.say(user, "My dog is called Rex.", "gpt-6", chat="chat-2")
    await servers.say(user, "My bird is called Kim.", "any", b"/private", chat="chat-3")

    keys = [
        {value for each in servers.background(server) for value in each.values(b"authorization")}
        for server in (servers.default, servers.cloud, servers.private)
    ]
    assert keys == [{KEY}, {b"Bearer key-of-the-cloud"}, {KEY}]


async def test_nothing_is_formed_or_summarized_of_what_an_upstream_is_not_learned_from(
    servers: Servers, user: User
) -> None:
    await servers.say(user, "My parrot is called Ada.", "secret-1")

    await servers.proxy.all_formed()
    asked = [each for server in servers.all for each in servers.background(server)]
    assert [
        each for each in asked if b"parrot" in each.body
    ] == []  # a summary of the test before may come late
    assert await servers.proxy.logged(user) == []
    assert await servers.proxy.statements(user) == []


async def test_what_extracts_is_shown_of_memories_and_of_the_chat_what_its_policy_lets_it(
    servers: Servers, user: User
) -> None:
    await servers.say(user, KNOWN, "llama")
    await servers.say(user, "I moved the bees to the roof.", "gpt-6")
    await servers.say(user, "My bees are black.", "llama")

    shown = b"".join(each.body for each in servers.background(servers.cloud))
    assert b"I moved the bees to the roof." in shown
    assert KNOWN.encode() not in shown  # neither as a memory, nor as what was said before
    assert KNOWN.encode() in servers.extractions(servers.default)[-1].body


async def test_turns_said_to_two_servers_are_never_asked_of_one(servers: Servers, user: User) -> None:
    await servers.proxy.say(user, "My cat is called Tom.", model="llama")
    await servers.proxy.say(user, "My dog is called Rex.", model="gpt-6")
    await servers.proxy.formed(user)

    assert len(servers.extractions(servers.cloud)) > 0
    assert all(b"Tom" not in each.body for each in servers.background(servers.cloud))
