"""Formation yields to the chats of the LLM that it asks: on real sockets, to the connection that closes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import asked_for
from tests.scripted.upstream import Answer, End, Received, ScriptedUpstream, completion
from tests.servers.running_proxy import RunningProxy, User, extract_statements
from tests.support.waiting import until

from recollect.assembly.lifecycle import run_worker

LONG_STORY = "Tell me a long story."
CIDER = "I brew my own cider."
ONE_SERVER: dict[str, Any] = {"extraction_base_url": None, "extraction_model": None, "judge": "off"}


@pytest.fixture
async def one_server(own_proxies: OwnProxies, upstream: ScriptedUpstream) -> AsyncIterator[RunningProxy]:
    """A proxy whose upstream is asked for memories, too, by a worker of its own."""
    async with own_proxies.serve(worker="own", **ONE_SERVER) as proxy:
        assert upstream.base_url == proxy.settings.upstream
        yield proxy


def extractions(upstream: ScriptedUpstream) -> list[Received]:
    return [each for each in upstream.received if asked_for(each) == "memories"]


def first_silent(upstream: ScriptedUpstream, *, story: asyncio.Event | None = None) -> None:
    """Let the first extraction go on for ever, a long story be told with that event, and every other chat as it comes."""
    left = [True]

    def otherwise(request: Received) -> Answer:
        if asked_for(request) == "memories":
            return (End.SILENCE,) if left and left.pop() else extract_statements(request)
        is_long = story is not None and request.json["messages"][-1]["content"] == LONG_STORY
        return (story, *completion("At last.")) if story is not None and is_long else completion("I see.")

    upstream.otherwise = otherwise


async def exchanges(proxy: RunningProxy, user: User) -> list[tuple[str, int, str | None]]:
    rows = await proxy.rows(
        "SELECT state, attempts, waits_for FROM recollect.exchanges WHERE user_id = $1 ORDER BY id", user.id
    )
    return [tuple(row) for row in rows]


async def asked(upstream: ScriptedUpstream, count: int) -> list[Received]:
    await until(lambda: len(extractions(upstream)) >= count, seconds=20)
    return extractions(upstream)


async def test_a_chat_that_comes_ends_an_extraction_which_is_done_later_and_counts_as_no_try_but_its_tokens(
    one_server: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    first_silent(upstream)
    await one_server.say(user, CIDER)
    [given_up] = await asked(upstream, 1)
    assert not given_up.client_left.is_set()
    used = (await one_server.engine.usage(user.known_as)).tokens

    await one_server.say(other_user, "Hello?", chat="chat-2")

    await given_up.client_left.wait()

    async def is_counted() -> bool:
        return (await one_server.engine.usage(user.known_as)).tokens > used

    await until(is_counted)
    assert await one_server.statements(user) == [CIDER]
    assert await exchanges(one_server, user) == [("formed", 0, None)]
    assert (await one_server.engine.model_use()).guarded.failures == 0
    await until(lambda: one_server.engine._worker.guarded.given_up >= 1)


async def test_a_worker_elsewhere_reads_in_the_log_whose_answers_are_under_way(
    own_proxies: OwnProxies, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    over = asyncio.Event()
    first_silent(upstream, story=over)
    async with own_proxies.serve(worker="elsewhere", extraction_api_key="ours", **ONE_SERVER) as proxy:
        working = asyncio.create_task(run_worker(proxy.settings, upstream=proxy.settings.upstream))
        try:
            await proxy.say(user, CIDER)
            [given_up] = await asked(upstream, 1)
            long = asyncio.create_task(proxy.say(other_user, LONG_STORY, chat="chat-2"))

            await given_up.client_left.wait()
            await asyncio.sleep(2)
            assert len(extractions(upstream)) == 1
            over.set()
            await long
            assert await proxy.statements(user) == [CIDER]
        finally:
            working.cancel()
            await asyncio.wait({working})
