"""Answers that take their time, or break off: what came of one that broke off is kept apart."""

import asyncio

import pytest
from tests.scripted.upstream import EVENT_STREAM, End, ScriptedUpstream, events, head, streamed
from tests.servers.running_proxy import RunningProxy, User, chat_request
from tests.support.raw_client import RawConnection

CAT = "I have a cat called Minka."


@pytest.mark.parametrize("end", [End.CLOSE, End.RESET])
async def test_what_came_before_the_upstream_broke_off_is_kept_apart(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, end: End
) -> None:
    gone_on = asyncio.Event()
    upstream.answers.append(streamed(*list(events("Min", "ka"))[:3], gone_on, end))
    async with RawConnection(proxy.port) as client:
        await client.send(chat_request(user, CAT, stream=True))
        await client.read_head()
        await client.read_until(b'"ka"')
        gone_on.set()
        await client.read_rest()

    assert await proxy.logged(user) == [("user", CAT)]
    kept = "SELECT failed_at, partial FROM recollect.exchanges WHERE user_id = $1"
    assert [tuple(row) for row in await proxy.rows(kept, user.known_as)] == [("stream", "Minka")]


async def test_a_stream_with_a_pause_within_an_event_is_relayed_as_it_comes(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    first, *rest = events("Minka")
    go_on = asyncio.Event()
    upstream.answers.append(streamed(first[:20], go_on, first[20:], *rest, headers=EVENT_STREAM))
    async with RawConnection(proxy.port) as client:
        await client.send(chat_request(user, CAT, stream=True))
        await client.read_head()
        await client.read_until(first[:20])  # before the upstream says any more
        go_on.set()
        await client.read_until(b"data: [DONE]\n\n")

    assert (await proxy.logged(user))[1] == ("assistant", "Minka")


async def test_an_answer_that_ends_with_its_connection_is_remembered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append((head(200, EVENT_STREAM), *events("Min", "ka"), End.CLOSE))

    answer = await proxy.say(user, CAT, stream=True)

    assert answer.complete
    assert (await proxy.logged(user))[1] == ("assistant", "Minka")
