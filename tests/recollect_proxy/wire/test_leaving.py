"""A client that leaves frees the model at once, whenever that is, and what was said is remembered."""

import asyncio

from structlog.testing import capture_logs
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import Route, on_every_route
from tests.scripted.upstream import EVENT_STREAM, JSON, Answer, End, ScriptedUpstream, events, head, streamed
from tests.servers.running_proxy import RunningProxy, User, chat_request
from tests.support.cancelling import cancel_at_random, nothing_is_left, say_all_right, tasks_of_the_proxy
from tests.support.raw_client import RawConnection, request_bytes

CAT = "I have a cat called Minka."

MOMENTS: dict[str, Answer] = {
    "before the first byte": (End.SILENCE,),
    "behind the head": (head(200, [*EVENT_STREAM, (b"Transfer-Encoding", b"chunked")]), End.SILENCE),
    "within a stream": streamed(*list(events("Min", "ka"))[:3], End.SILENCE),
    "within a whole answer": (head(200, [*JSON, (b"Content-Length", b"4000")]) + b"{" * 40, End.SILENCE),
}


@in_turn("moment", MOMENTS)
@in_turn("politely", [True, False])
@on_every_route
async def test_a_client_that_leaves_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, moment: str, route: Route, *, politely: bool
) -> None:
    upstream.answers.append(MOMENTS[moment])
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", route.path, route.headers(user), route.body))
        [request] = await upstream.requests(1)
        if moment != "before the first byte":
            assert await client.read_head() == 200
        if not politely:
            client.leave()

    async with asyncio.timeout(5):
        await request.client_left.wait()


async def test_an_upload_that_breaks_off_is_not_the_upstreams_failure(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    with capture_logs() as logs:
        async with RawConnection(proxy.port) as client:
            await client.send(request_bytes(b"POST", b"/v1/files", [(b"Content-Length", b"100000")]))
            await client.send(b"x" * 50_000)
            [request] = await upstream.requests(1, begun=True)
            client.leave()
            async with asyncio.timeout(20):
                await request.client_left.wait()
            await proxy.settle()

    said = {line["event"] for line in logs}
    assert "client_left" in said
    assert "upstream_failed" not in said
    assert upstream.received == []


async def test_a_chat_that_breaks_off_is_not_sent_on(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(chat_request(user, CAT)[:-5])
        await proxy.busy()
        client.leave()
    await proxy.settle()

    assert upstream.begun == []
    assert await proxy.logged(user) == []


async def test_of_300_requests_cancelled_at_random_nothing_is_left(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await proxy.say(user, CAT)
    await proxy.settle()
    before = tasks_of_the_proxy()

    cancelled = await cancel_at_random(proxy, upstream, user, count=300)

    assert cancelled > 30
    await nothing_is_left(proxy, upstream, before=before)
    upstream.otherwise = say_all_right
    answers = await asyncio.gather(*(proxy.say(user, CAT, chat="afterwards") for _ in range(20)))
    assert [answer.status for answer in answers] == [200] * 20
