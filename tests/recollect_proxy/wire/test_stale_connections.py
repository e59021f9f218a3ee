"""Connections are shared; one that the upstream closes while it is idle costs no answer, and nothing else is asked twice."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.scripted.upstream import JSON, Answer, End, ScriptedUpstream, completion, head

from recollect_proxy.upstream.upstream import Upstream, UpstreamError
from recollect_proxy.web.error_answers import UPSTREAM_BROKE_OFF

ALL_RIGHT = completion("All right.")


@pytest.fixture
async def server() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as server:
        yield server


@pytest.fixture
async def asked(server: ScriptedUpstream) -> AsyncIterator[Upstream]:
    upstream = Upstream(server.base_url, connect_timeout=20, read_timeout=20)
    yield upstream
    await upstream.aclose()


async def ask(
    upstream: Upstream, method: str = "POST", body: bytes | AsyncIterator[bytes] | None = b"{}"
) -> bytes:
    headers = [(b"content-length", b"%d" % len(body))] if isinstance(body, bytes) else []
    async with upstream.forward(method, b"/x", headers, body) as answer:
        return await answer.read_body()


REQUESTS: list[tuple[str, bytes | None]] = [
    ("POST", b"{}"),
    ("POST", b"x" * 4_000_000),
    ("GET", None),
    ("DELETE", None),
    ("PUT", b"x"),
]
ends = pytest.mark.parametrize("end", [End.CLOSE, End.RESET], ids=["FIN", "RST"])


async def fails(upstream: Upstream, method: str, body: bytes | AsyncIterator[bytes] | None) -> None:
    """Ask, and see that there is no answer."""
    with pytest.raises(UpstreamError) as caught:
        await ask(upstream, method, body)
    assert caught.value.failure is UPSTREAM_BROKE_OFF


@ends
@pytest.mark.parametrize(("method", "body"), REQUESTS)
async def test_a_request_on_a_connection_that_was_closed_meanwhile_is_sent_again_once(
    server: ScriptedUpstream, asked: Upstream, method: str, body: bytes | None, end: End
) -> None:
    server.answers += [ALL_RIGHT, (end,), ALL_RIGHT, (end,), (end,)]
    await ask(asked, method, body)

    assert b"All right." in await ask(asked, method, body)
    await fails(asked, method, body)  # not for ever

    _, *sent = server.received
    assert len({(each.head, each.body) for each in sent}) == 1
    assert (len(sent), server.connections) == (4, 3)


@ends
@pytest.mark.parametrize("body", [b"{}", b"x" * 4_000_000], ids=["small", "large"])
async def test_a_request_that_nobody_read_is_sent_again(
    server: ScriptedUpstream, asked: Upstream, body: bytes, end: End
) -> None:
    server.answers.append((*ALL_RIGHT, 0.05, end))
    await ask(asked)

    assert b"All right." in await ask(asked, body=body)

    assert server.last.body == body
    assert len(server.received) == 2


async def streamed_body() -> AsyncIterator[bytes]:
    yield b"{}"


@ends
async def test_any_other_request_is_not_sent_again(
    server: ScriptedUpstream, asked: Upstream, end: End
) -> None:
    for method, body in REQUESTS:
        async with ScriptedUpstream() as new:
            new.answers.append((end,))
            fresh = Upstream(new.base_url, connect_timeout=20, read_timeout=20)
            await fails(fresh, method, body)  # on a connection of its own
            await fresh.aclose()
            assert len(new.received) == 1
    beginnings = (
        b"HTTP/1.1 200 OK\r\nContent-",
        head(200, [*JSON, (b"Content-Length", b"9")])[:-2],
        b"HTTP/1.1 100 Continue\r\n\r\n",
    )
    begun: list[Answer] = [(beginning, 0.1, end) for beginning in beginnings]
    for method, answer in [*(("POST", each) for each in begun), *(("GET", each) for each in begun)]:
        server.answers += [ALL_RIGHT, answer]
        await ask(asked, method, None)
        before = len(server.received)
        await fails(asked, method, None)  # its answer had begun
        assert len(server.received) == before + 1
    for method in ("POST", "PUT"):
        server.answers += [ALL_RIGHT, (end,)]
        await ask(asked)
        before = len(server.received)
        await fails(asked, method, streamed_body())
        assert len(server.received) == before + 1


async def test_what_is_sent_again_goes_out_on_a_connection_of_its_own(
    server: ScriptedUpstream, asked: Upstream
) -> None:
    """Where several idle connections were closed at once, the next of them would be no better."""
    go_on = asyncio.Event()
    server.answers += [(go_on, *ALL_RIGHT)] * 5
    asking = [asyncio.create_task(ask(asked)) for _ in range(5)]
    await server.requests(5)
    go_on.set()
    await asyncio.gather(*asking)
    server.answers += [(End.CLOSE,), ALL_RIGHT]

    assert b"All right." in await ask(asked)

    assert server.connections == 6
