"""Users never meet: of 200 requests in a random order, each sees its own user's memories alone."""

import asyncio
import random
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion, completion_stream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body, extracting_model, running_proxy

USERS = [User(f"user-{name}") for name in ("anna", "anna%20", "ANNA", "..%2Fanna")]
"""Names that are easily taken for each other, too."""

REQUESTS = 200
AT_ONCE = 8
_CANARY = re.compile(r"canary-(\d)-\d+")


@dataclass(frozen=True)
class Request:
    """What one of the users says in one of their chats; all users' chats have the same names."""

    user: int
    said: str
    chat: str
    stream: bool
    include: bool


def fact(user: int, number: int) -> str:
    """Return what this user alone knows."""
    subject = ("boat", "bicycle", "garden shed", "donkey")[number % 4]
    return f"The name of my {subject} number {number} is canary-{user}-{number}."


def planned(chance: random.Random) -> list[Request]:
    """Return the requests: first a fact of each user's, then facts and questions as chance has it."""
    told = [0] * len(USERS)
    requests = []
    for number in range(REQUESTS):
        user = number if number < len(USERS) else chance.randrange(len(USERS))
        said = f"What is the name of my {chance.choice(['boat', 'bicycle', 'donkey'])}?"
        if number < len(USERS) or chance.random() < 0.3:
            said = fact(user, told[user])
            told[user] += 1
        stream, include = chance.random() < 0.5, chance.random() < 0.3
        requests.append(Request(user, said, f"chat-{chance.randrange(5)}", stream, include))
    return requests


def whose(text: bytes) -> set[int]:
    """Return the users whose canaries a text holds."""
    return {int(user) for user in _CANARY.findall(text.decode())}


def echo(request: Received) -> Answer:
    """Say again what was asked, so that answers hold canaries too."""
    words = request.json["messages"][-1]["content"]
    return completion_stream(words[:20], words[20:]) if request.json["stream"] else completion(words)


@pytest.fixture
async def upstream() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream(echo) as upstream:
        yield upstream


@pytest.fixture
async def extraction() -> AsyncIterator[ScriptedUpstream]:
    async with extracting_model() as model:
        yield model


@pytest.fixture
async def proxy(
    upstream: ScriptedUpstream, extraction: ScriptedUpstream, own_dsn: str, data_dir: Path
) -> AsyncIterator[RunningProxy]:
    settings = proxy_settings(
        upstream=upstream.base_url,
        database_url=own_dsn,
        data_dir=data_dir,
        extraction_base_url=extraction.base_url,
        extraction_model="extractor",
        recall_deadline_ms=10_000,
    )
    async with running_proxy(settings) as proxy:
        yield proxy


async def send(proxy: RunningProxy, request: Request) -> None:
    extra = [(b"X-Whose", b"%d" % request.user)]  # goes up, so that the upstream's side knows, too
    if request.include:
        extra.append((b"X-Recollect-Include", b"memories"))
    headers = USERS[request.user].headers(chat=request.chat, extra=extra)

    answer = await proxy.fetch(b"POST", CHAT, headers, chat_body(request.said, stream=request.stream))

    assert answer.status == 200
    assert whose(answer.body) <= {request.user}


async def test_no_canary_crosses_into_another_users_prompt_or_memories(
    proxy: RunningProxy, upstream: ScriptedUpstream, extraction: ScriptedUpstream
) -> None:
    first, *others = planned(random.Random(20261121))
    await send(proxy, first)
    await proxy.memories(USERS[0])  # so that there is something to recall from the beginning
    limit = asyncio.Semaphore(AT_ONCE)

    async def send_in_turn(request: Request) -> None:
        async with limit:
            await send(proxy, request)

    await asyncio.gather(*(send_in_turn(request) for request in others))

    assert len(upstream.received) == REQUESTS
    recalled = 0
    for received in upstream.received:
        [speaker] = received.values(b"x-whose")
        assert whose(received.body) <= {int(speaker)}
        recalled += bool(whose(received.system.encode()))
    assert recalled > REQUESTS / 4
    for received in extraction.received:
        assert len(whose(received.body)) <= 1

    for number, user in enumerate(USERS):
        told = {each.said for each in (first, *others) if each.user == number and "canary" in each.said}
        await proxy.memories(user, at_least=len(told))
        listed = await proxy.api(b"GET", f"/users/{user.id}/memories?limit=200")
        history = await proxy.api(b"GET", f"/users/{user.id}/memories/changes?limit=200")
        assert {memory["content"] for memory in listed.json["memories"]} == told
        assert whose(listed.body) == whose(history.body) == {number}
