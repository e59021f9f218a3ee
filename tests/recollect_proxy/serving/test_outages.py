"""The database or the embedder goes away and comes back: chats never notice, and nothing said meanwhile is lost."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.recollect_proxy.given import CAT, WHICH_CAT
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.recollect_proxy.settings import changed
from tests.scripted.embeddings import embedded
from tests.scripted.upstream import End, ScriptedUpstream, completion_body, whole
from tests.servers.databases import Database, running_database
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body, extracting_model, running_proxy
from tests.support.waiting import until

from recollect import index_run
from recollect.engine.background import inbox_drain
from recollect.engine.live import live_engine, log_writer
from recollect.store import jobs as runner
from recollect_proxy.settings.proxy_settings import ProxySettings

DOG = "I also have a dog called Rex."


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try the store again at once, where a real proxy leaves it some seconds."""
    monkeypatch.setattr(log_writer, "_AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(live_engine, "_REOPEN_SECONDS", 0.1)
    monkeypatch.setattr(runner, "_LONGEST_BACKOFF", 0.5)
    monkeypatch.setattr(runner, "_RETRY_AFTER_OUTAGE", timedelta(seconds=0.1))
    monkeypatch.setattr(inbox_drain, "STORE_DELAY", timedelta(seconds=0.1))
    monkeypatch.setattr(index_run, "_STORE_DELAY", timedelta(seconds=0.1))


@pytest.fixture(scope="module")
async def database() -> AsyncIterator[Database]:
    async with running_database() as database:
        yield database


@pytest.fixture
async def settings(
    session_settings: ProxySettings, database: Database, upstream: ScriptedUpstream
) -> AsyncIterator[ProxySettings]:
    async with extracting_model() as model:
        own = {"database_url": database.dsn, "extraction_base_url": model.base_url}
        assert upstream.base_url == session_settings.upstream
        yield changed(session_settings, **own)


async def recalled(proxy: RunningProxy, user: User, upstream: ScriptedUpstream, fact: str) -> None:
    """Ask until a fact has been formed and is recalled."""

    async def is_recalled() -> bool:
        await proxy.say(user, WHICH_CAT, chat=f"later-{uuid4()}")  # in one chat the turn would keep its block
        return fact in upstream.last.system

    await until(is_recalled)


async def store_status(proxy: RunningProxy) -> str:
    answer = await proxy.api(b"GET", "/health")
    return str(answer.json["store"])


async def test_while_the_database_is_stopped_chats_pass_untouched_and_are_remembered_afterwards(
    settings: ProxySettings, database: Database, upstream: ScriptedUpstream, user: User
) -> None:
    body = b' {"messages":[{"role":"user","content":"' + CAT.encode() + b'"}],"x":1.0}\n'
    answered = completion_body("Nice.") + b"\n"
    async with running_proxy(settings) as proxy:
        await proxy.say(user, DOG)
        await recalled(proxy, user, upstream, DOG)
        await proxy.settle()
        await database.stop()

        upstream.answers.append(whole(answered))
        answer = await proxy.fetch(b"POST", CHAT, user.headers(chat="meanwhile"), body)

        assert answer.header(b"x-recollect-skipped") == b"store"
        assert answer.header(b"x-recollect-memories") == b"0"
        assert answer.body == answered
        assert upstream.last.body == body
        assert await store_status(proxy) == "unavailable"

        await database.start()
        await proxy.rows("DELETE FROM recollect.leases")  # of what was under way: it would be waited for
        await recalled(proxy, user, upstream, CAT)
        assert await store_status(proxy) == "ok"
        said = [text for _, text in await proxy.logged(user)]
        assert said.count(CAT) == 1
        assert said[said.index(CAT) + 1] == "Nice."


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


async def test_an_embedder_that_never_answers_does_not_keep_the_proxy_from_stopping(
    own_proxies: OwnProxies, embedder: ScriptedUpstream, upstream: ScriptedUpstream, user: User
) -> None:
    embedder.otherwise = lambda _request: (End.SILENCE,)
    async with asyncio.timeout(30):
        async with own_proxies.serve(**asking(embedder), recall_deadline_ms=50) as proxy:
            await proxy.say(user, WHICH_CAT)
            await proxy.settle()

    assert upstream.last.body == chat_body(WHICH_CAT)
