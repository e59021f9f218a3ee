"""The embedder fails or is late: chats never notice, and what was said is formed when it is back."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.settings import changed
from tests.running_proxy import RunningProxy, User, chat_body, running_proxy
from tests.scripted_embeddings import embedded
from tests.scripted_upstream import End, ScriptedUpstream, failure

from recollect_proxy.settings import ProxySettings

CAT = "I have a cat called Minka."
WHICH_CAT = "What is my cat called?"


@pytest.fixture
async def embedder() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream(embedded) as server:
        yield server


@pytest.fixture
async def remote(
    fresh_settings: ProxySettings, embedder: ScriptedUpstream, upstream: ScriptedUpstream
) -> AsyncIterator[RunningProxy]:
    """A proxy that asks ``embedder``."""
    own = {"embedder": "openai:test", "embedder_base_url": embedder.base_url, "embedder_api_key": "sk-embed"}
    async with running_proxy(changed(fresh_settings, **own)) as proxy:
        assert upstream.base_url == proxy.settings.upstream
        yield proxy


async def test_an_embedder_of_another_server_works_too(
    remote: RunningProxy, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    await remote.say(user, CAT)
    await remote.memories(user)
    await remote.say(user, WHICH_CAT)

    assert CAT in upstream.last.system
    assert embedder.last.target == b"/v1/embeddings"
    assert embedder.last.values(b"authorization") == [b"Bearer sk-embed"]


async def test_while_the_embedder_is_broken_chats_pass_untouched_and_are_formed_afterwards(
    remote: RunningProxy, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    embedder.otherwise = lambda _request: failure(400)

    answer = await remote.say(user, CAT)

    assert answer.status == 200
    assert answer.header(b"x-recollect-degraded") == b"embedding"  # the words alone were searched for
    assert answer.header(b"x-recollect-skipped") == b"nothing-relevant"
    assert upstream.last.body == chat_body(CAT)
    assert (await remote.logged(user))[0] == ("user", CAT)
    await embedder.requests(2)  # the chat's, and at least one of formation
    embedder.otherwise = embedded
    [memory] = await remote.memories(user)
    assert memory.content == CAT


async def test_while_the_embedder_is_broken_memories_are_found_by_their_words(
    fresh_settings: ProxySettings, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    own = {
        "embedder": "openai:test",
        "embedder_base_url": embedder.base_url,
        "recall_gate_threshold": 0,  # how sure words alone can be is asked elsewhere
    }
    async with running_proxy(changed(fresh_settings, **own)) as proxy:
        await proxy.say(user, CAT, chat="chat-1")
        await proxy.memories(user)
        embedder.otherwise = lambda _request: failure(400)

        answer = await proxy.say(user, "Tell me about my cat Minka.", chat="chat-2")

    assert answer.header(b"x-recollect-degraded") == b"embedding"
    assert answer.header(b"x-recollect-skipped") is None
    assert CAT in upstream.last.system


async def test_without_words_to_search_by_a_broken_embedder_costs_the_memories_alone(
    fresh_settings: ProxySettings, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    embedder.otherwise = lambda _request: failure(400)
    own = {"embedder": "openai:test", "embedder_base_url": embedder.base_url, "hybrid": False}
    async with running_proxy(changed(fresh_settings, **own)) as proxy:
        answer = await proxy.say(user, CAT)

    assert answer.status == 200
    assert answer.header(b"x-recollect-skipped") == b"embedder"
    assert upstream.last.body == chat_body(CAT)


async def test_an_embedder_that_is_late_costs_the_chat_no_more_than_the_deadline(
    fresh_settings: ProxySettings, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    go_on = asyncio.Event()
    embedder.otherwise = lambda request: (go_on, *embedded(request))
    own = {
        "embedder": "openai:test",
        "embedder_base_url": embedder.base_url,
        "recall_deadline_ms": 50,  # and the embedding may take longer
        "formation": "off",
    }
    async with running_proxy(changed(fresh_settings, **own)) as proxy:
        answer = await proxy.say(user, WHICH_CAT)
        go_on.set()

    assert answer.status == 200
    assert answer.header(b"x-recollect-skipped") == b"deadline"
    assert upstream.last.body == chat_body(WHICH_CAT)


async def test_an_embedder_that_never_answers_does_not_keep_the_proxy_from_stopping(
    fresh_settings: ProxySettings, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    embedder.otherwise = lambda _request: (End.SILENCE,)
    own = {"embedder": "openai:test", "embedder_base_url": embedder.base_url, "recall_deadline_ms": 50}
    async with asyncio.timeout(30):
        async with running_proxy(changed(fresh_settings, **own)) as proxy:
            await proxy.say(user, WHICH_CAT)
            await proxy.settle()

    assert upstream.last.body == chat_body(WHICH_CAT)
