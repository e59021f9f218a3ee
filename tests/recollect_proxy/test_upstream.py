"""How headers pass and how errors are told, without a server; what needs one stands beside this file."""

import asyncio

import aiohttp
import pytest
from tests.scripted_upstream import End, ScriptedUpstream, streamed, whole

from recollect_proxy.errors import BAD_REQUEST, UPSTREAM_UNREACHABLE
from recollect_proxy.upstream import (
    Answer,
    Upstream,
    UpstreamError,
    forwardable,
    is_json,
    relayable,
    rewritable,
)


def nothing(_name: bytes) -> bool:
    return False


@pytest.mark.parametrize(
    "name",
    [
        b"Connection",
        b"keep-alive",
        b"Proxy-Connection",
        b"Proxy-Authorization",
        b"proxy-authenticate",
        b"TE",
        b"trailer",
        b"Transfer-Encoding",
        b"upgrade",
    ],
)
def test_headers_of_the_hop_pass_neither_way(name: bytes) -> None:
    headers = [(b"x-a", b"1"), (name, b"x"), (b"x-a", b"2")]

    assert forwardable(headers, without=nothing) == [(b"x-a", b"1"), (b"x-a", b"2")]
    assert relayable(headers, status=200) == [(b"x-a", b"1"), (b"x-a", b"2")]


def test_what_connection_names_passes_neither_way() -> None:
    headers = [
        (b"connection", b"close, X-Own"),
        (b"Connection", b"x-other"),
        (b"x-own", b"1"),
        (b"X-OTHER", b"2"),
    ]

    assert forwardable(headers, without=nothing) == []
    assert relayable(headers, status=200) == []


def test_host_and_expect_are_ours_to_say() -> None:
    assert forwardable([(b"Host", b"h"), (b"expect", b"100-continue")], without=nothing) == []
    assert relayable([(b"expect", b"x")], status=200) == [(b"expect", b"x")]


def test_what_is_not_wanted_is_left_out_whatever_its_case() -> None:
    assert forwardable([(b"X-Own", b"1")], without=lambda name: name == b"x-own") == []


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_promises_none(status: int) -> None:
    headers = [(b"Content-Length", b"5"), (b"etag", b"e")]

    assert relayable(headers, status=status) == [(b"etag", b"e")]
    assert relayable(headers, status=200) == headers


def test_what_holds_for_a_body_goes_with_it() -> None:
    bound = [
        (b"Content-Length", b"1"),
        (b"Digest", b"x"),
        (b"Content-Digest", b"x"),
        (b"Signature-Input", b"x"),
    ]
    headers = [*bound, (b"Accept-Encoding", b"gzip"), (b"x-a", b"1")]

    assert rewritable(headers, body=False, answer=False) == headers
    assert rewritable(headers, body=True, answer=False) == headers[-2:]
    assert rewritable(headers, body=False, answer=True) == [*bound, (b"x-a", b"1")]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([(b"content-type", b"application/json")], True),
        ([(b"Content-Type", b"Application/JSON; charset=utf-8")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"identity")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"gzip")], False),
        ([(b"content-type", b"text/event-stream")], False),
        ([(b"content-type", b"application/jsonl")], False),
        ([], False),
    ],
)
def test_json_is_what_says_so_and_is_not_compressed(
    headers: list[tuple[bytes, bytes]], *, expected: bool
) -> None:
    assert is_json(Answer(200, headers, object.__new__(aiohttp.ClientResponse))) is expected


async def failure_of(upstream: Upstream, target: bytes = b"/x", *headers: tuple[bytes, bytes]) -> object:
    with pytest.raises(UpstreamError) as caught:
        async with upstream.forward("GET", target, headers, None):
            pass
    await upstream.aclose()
    return caught.value.failure


async def test_a_name_that_can_not_be_resolved_is_unreachable() -> None:
    upstream = Upstream("http://upstream.invalid/v1", connect_timeout=5, read_timeout=5)

    assert await failure_of(upstream) is UPSTREAM_UNREACHABLE


async def test_what_can_not_be_sent_is_the_requests_own_fault() -> None:
    async with ScriptedUpstream() as server:
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)

        assert await failure_of(upstream, b"/x", (b"x-a", b"1\r\nx-b: 2")) is BAD_REQUEST


async def test_closing_without_a_request_is_nothing() -> None:
    await Upstream("http://127.0.0.1:9/v1", connect_timeout=5, read_timeout=5).aclose()


async def test_cookies_of_one_answer_are_not_sent_with_another_request() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append(whole(b"{}", headers=[(b"Set-Cookie", b"session=anna; Path=/")]))
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)
        for _ in range(2):
            async with upstream.forward("GET", b"/x", [], None) as answer:
                await answer.read()
        await upstream.aclose()

    assert server.last.values(b"cookie") == []


async def test_an_answer_that_is_not_read_closes_its_connection() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"x", End.SILENCE))
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert answer.status == 200
        async with asyncio.timeout(20):
            await server.last.client_left.wait()
        await upstream.aclose()
