"""An embedder that fails or is late costs no chat; exchanges are formed when it is back."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import End, ScriptedUpstream, failure
from tests.servers.running_proxy import RunningProxy, User, chat_body
from tests.support.waiting import until

from recollect.indexing import index_run

CAT = "I have a cat called Minka."
WHICH_CAT = "What is my cat called?"


@pytest.fixture(scope="module")
async def module_embedder() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream(embedded) as server:
        yield server


@pytest.fixture
def embedder(module_embedder: ScriptedUpstream) -> ScriptedUpstream:
    module_embedder.forget()
    module_embedder.otherwise = embedded
    return module_embedder


@pytest.fixture(scope="module")
async def module_remote(
    own_proxies: OwnProxies, module_embedder: ScriptedUpstream
) -> AsyncIterator[RunningProxy]:
    own = {
        "embedder_api_key": "sk-embed",
        "embedder_cache_size": 0,  # it knows nothing from another test
        "recall_gate_threshold": 0,  # how sure words alone can be is asked elsewhere
    }
    async with own_proxies.serve(**asking(module_embedder), **own) as proxy:
        yield proxy


@pytest.fixture
def remote(module_remote: RunningProxy, upstream: ScriptedUpstream) -> RunningProxy:
    """A proxy that asks ``embedder``."""
    assert upstream.base_url == module_remote.settings.upstream
    return module_remote


def asking(embedder: ScriptedUpstream) -> dict[str, str]:
    """Return the settings of a proxy that asks it."""
    return {"embedder": "openai:test", "embedder_base_url": embedder.base_url}


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
    assert answer.header(b"x-recollect-skipped") == b"nothing-relevant"
    assert upstream.last.body == chat_body(CAT)
    assert (await remote.logged(user))[0] == ("user", CAT)
    await embedder.requests(1)  # at least one of formation
    embedder.otherwise = embedded
    [memory] = await remote.memories(user)
    assert memory.content == CAT


async def test_what_is_formed_while_the_embedder_is_away_is_found_all_the_same_and_embedded_later(
    remote: RunningProxy,
    embedder: ScriptedUpstream,
    upstream: ScriptedUpstream,
    user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index_run, "_EMBEDDER_DELAY", timedelta(seconds=1))
    embedder.otherwise = lambda _request: failure(400)
    await remote.say(user, CAT, chat="chat-1")
    await remote.formed(user)
    [memory] = await remote.memories(user)

    answer = await remote.say(user, "Tell me about my cat Minka.", chat="chat-2")

    assert memory.embedding_model is None
    assert answer.header(b"x-recollect-skipped") is None
    assert CAT in upstream.last.system
    embedder.otherwise = embedded

    async def is_embedded() -> bool:
        told = [each for each in await remote.memories(user) if each.content == CAT]
        return [each.embedding_model for each in told] == ["openai:test"]

    await until(is_embedded)


async def test_a_chat_does_not_wait_for_an_embedder_that_is_late(
    own_proxies: OwnProxies, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    go_on = asyncio.Event()
    embedder.otherwise = lambda request: (go_on, *embedded(request))
    own = {"recall_deadline_ms": 50, "second_embedder": "off", "formation": "off"}
    async with own_proxies.serve(**asking(embedder), **own) as proxy:
        answer = await proxy.say(user, WHICH_CAT)
        go_on.set()  # only now: the chat was answered before

    assert answer.status == 200
    # The words alone were searched for; where the machine is busy that is late, too, or the chat is.
    late = set((answer.header(b"x-recollect-degraded") or b"").split(b","))
    assert late & {b"embedding", b"search", b"chat"}
    assert answer.header(b"x-recollect-skipped") in {b"nothing-relevant", b"deadline"}
    assert upstream.last.body == chat_body(WHICH_CAT)


async def test_an_embedder_that_never_answers_does_not_keep_the_proxy_from_stopping(
    own_proxies: OwnProxies, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    embedder.otherwise = lambda _request: (End.SILENCE,)
    async with asyncio.timeout(30):
        async with own_proxies.serve(**asking(embedder), recall_deadline_ms=50) as proxy:
            await proxy.say(user, WHICH_CAT)
            await proxy.settle()

    assert upstream.last.body == chat_body(WHICH_CAT)
