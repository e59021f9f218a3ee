"""Users never meet: of 200 requests in a random order, each sees its own user's memories alone."""

import asyncio
import json
import random
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.conftest import new_database
from tests.recollect_proxy.settings import proxy_settings
from tests.running_proxy import RunningProxy, User, extracting_model, running_proxy
from tests.scripted_upstream import Answer, Received, ScriptedUpstream, completion, completion_stream

USERS = [User(f"user-{name}") for name in ("anna", "anna%20", "ANNA", "bob")]
"""Names that are easily taken for each other, too."""

REQUESTS = 200
_SECRET = re.compile(r"canary-\d-\d+")


def canary(user: User, number: int) -> str:
    """Return a word that this user alone knows."""
    return f"canary-{USERS.index(user)}-{number}"


def owner(word: str) -> User:
    """Return who knows a canary."""
    return USERS[int(word.split("-")[1])]


def fact(user: User, number: int) -> str:
    subject = ("garage", "bicycle", "garden shed", "safe")[number % 4]
    return f"The code word of my {subject} number {number} is {canary(user, number)}."


@pytest.fixture
async def upstream() -> AsyncIterator[ScriptedUpstream]:
    def echo(request: Received) -> Answer:
        """Say again what was asked, so that answers hold canaries too."""
        words = request.json["messages"][-1]["content"]
        return completion_stream(words[:20], words[20:]) if request.json.get("stream") else completion(words)

    async with ScriptedUpstream(echo) as upstream:
        yield upstream


@pytest.fixture
async def proxy(
    upstream: ScriptedUpstream,
    database_server: str,
    template_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[RunningProxy]:
    async with new_database(database_server, template_database) as dsn, extracting_model() as model:
        settings = proxy_settings(
            upstream=upstream.base_url,
            database_url=dsn,
            data_dir=tmp_path_factory.getbasetemp() / "data",
            port=0,
            extraction_base_url=model.base_url,
            extraction_model="extractor",
            recall_deadline_ms=10_000,
        )
        async with running_proxy(settings) as proxy:
            yield proxy


async def chat(proxy: RunningProxy, chance: random.Random, told: dict[User, int]) -> None:
    """Tell a new fact, or ask for one, as somebody in some chat: all users share the chats' names."""
    user = chance.choice(USERS)
    extra = [(b"X-Recollect-Include", b"memories")] if chance.random() < 0.3 else []
    said = f"What is the code word of my {chance.choice(['garage', 'bicycle', 'safe'])}?"
    if chance.random() < 0.4:
        said = fact(user, told[user])
        told[user] += 1
    answer = await proxy.say(
        user, said, chat=f"chat-{chance.randrange(5)}", stream=chance.random() < 0.5, extra=extra
    )
    assert answer.status == 200
    assert {owner(word) for word in _SECRET.findall(answer.body.decode())} <= {user}


def speaker(request: Received, keys: dict[bytes, User]) -> User:
    """Return whose request this is, by the key it carries."""
    [key] = request.values(b"x-whose")
    return keys[key]


async def test_no_canary_crosses_into_another_users_prompt_or_memories(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    chance = random.Random(20261121)
    told: dict[User, int] = defaultdict(int)
    for user in USERS:
        await proxy.say(user, fact(user, 0))
        told[user] = 1
        await proxy.memories(user)
    upstream.received.clear()

    waiting = [asyncio.create_task(asyncio.sleep(0))]
    limit = asyncio.Semaphore(8)

    async def one() -> None:
        async with limit:
            await chat(proxy, chance, told)

    waiting += [asyncio.create_task(one()) for _ in range(REQUESTS)]
    await asyncio.gather(*waiting)
    await proxy.settle()

    assert len(upstream.received) == REQUESTS
    assert json
    assert Path
