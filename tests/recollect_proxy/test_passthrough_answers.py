"""What the upstream answers reaches the client as it is and as it comes."""

import asyncio

import pytest
from tests.raw_client import RawConnection, request_bytes
from tests.running_proxy import KEY, RunningProxy
from tests.scripted_upstream import (
    End,
    ScriptedUpstream,
    compressed,
    failure,
    head,
    streamed,
    until_close,
    whole,
)

ANONYMOUS = [(b"Content-Type", b"application/json"), (b"Authorization", KEY)]


async def test_the_client_gets_the_upstreams_headers_and_none_of_ours(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    headers = [
        (b"date", b"Sat, 21 Nov 2026 10:00:00 GMT"),
        (b"server", b"scripted"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2; HttpOnly"),
        (b"x-long", b"x" * 20_000),
        (b"x-ratelimit-remaining-tokens", b"9"),
    ]
    hop = [(b"Connection", b"keep-alive, X-Hop"), (b"Keep-Alive", b"timeout=5"), (b"X-Hop", b"1")]
    upstream.answers.append(whole(b"\x00\xff", headers=[*headers, *hop]))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.headers == [*headers, (b"content-length", b"2")]
    assert answer.body == b"\x00\xff"


@pytest.mark.parametrize("status", [201, 206, 301, 302, 307, 400, 401, 404, 418, 429, 500, 529])
async def test_any_status_passes_and_no_redirect_is_followed(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.answers.append(failure(status, headers=[(b"location", b"http://127.0.0.1:9/elsewhere")]))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.status == status
    assert answer.header(b"location") == b"http://127.0.0.1:9/elsewhere"
    assert len(upstream.received) == 1


@pytest.mark.parametrize("status", [204, 304])
async def test_an_answer_without_a_body_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int
) -> None:
    length = [(b"content-length", b"1234")] if status == 304 else []
    upstream.answers.append((head(status, [(b"etag", b'"1"'), *length]),))

    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))
        answer = await client.read_response()
        await client.send(request_bytes(b"GET", b"/v1/models"))
        second = await client.read_response()  # the connection is still in step

    assert answer.status == status
    assert answer.header(b"etag") == b'"1"'
    assert second.status == 200


async def test_an_answer_that_ends_with_the_connection_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(until_close(b"x" * 100_000))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.complete
    assert answer.body == b"x" * 100_000


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
async def test_a_compressed_answer_stays_compressed(
    proxy: RunningProxy, upstream: ScriptedUpstream, encoding: str
) -> None:
    packed = compressed(b"[]" * 5000, encoding)
    upstream.answers.append(whole(packed, headers=[(b"content-encoding", encoding.encode())]))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.headers == [
        (b"content-encoding", encoding.encode()),
        (b"content-length", b"%d" % len(packed)),
    ]
    assert answer.body == packed


async def test_each_event_is_relayed_before_the_next_one_is_said(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    go_on = [asyncio.Event() for _ in range(3)]
    events = [b": ping\r\n\r\n", b"data: {}\n\n", b"data: [DONE]\n\n"]
    upstream.answers.append(
        streamed(events[0], go_on[0], events[1], go_on[1], events[2], go_on[2], headers=[])
    )
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/responses", (), b"{}"))
        await client.read_head()
        for event, permission in zip(events, go_on, strict=True):
            await client.read_until(event)
            permission.set()
        await client.read_until(b"0\r\n\r\n")


async def test_an_early_refusal_reaches_a_client_that_is_still_sending(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.refuse_bodies = True
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/files", [(b"Content-Length", b"1000000000")]))
        await client.send(b"x" * 100_000)
        answer = await client.read_response()

    assert answer.status == 413


async def test_a_client_that_leaves_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append((End.SILENCE,))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/embeddings", (), b"{}"))
        await upstream.requests(1)
        client.leave()

    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert upstream.last.interrupted


async def test_many_requests_share_a_connection_each_way(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))
        await client.read_response()
        opened = upstream.connections
        for _ in range(20):
            await client.send(request_bytes(b"GET", b"/v1/models"))
            assert (await client.read_response()).status == 200

    assert upstream.connections == opened
