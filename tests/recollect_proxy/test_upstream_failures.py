"""An upstream that fails: the client learns it, never gets a forged end, and nothing false is remembered."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs
from tests.raw_client import RawConnection, Response, request_bytes
from tests.recollect_proxy.settings import changed
from tests.running_proxy import CHAT, RunningProxy, User, chat_body, chat_request, running_proxy
from tests.scripted_upstream import (
    JSON,
    Answer,
    End,
    ScriptedUpstream,
    completion,
    completion_body,
    events,
    head,
    streamed,
)

from recollect_proxy.settings import ProxySettings

CAT = "I have a cat called Minka."
ANSWER = completion_body("Nice.")


def said_by(answer: Response) -> str:
    """Return the error's code, after a look at its shape."""
    assert answer.header(b"content-type") == b"application/json"
    assert answer.header(b"x-recollect-error") == b"upstream"
    error = answer.json["error"]
    assert error["type"] == "upstream_error"
    assert error["param"] is None
    assert error["message"].startswith("Recollect could not") or error["message"].startswith("The upstream")
    return str(error["code"])


@pytest.fixture(scope="module")
async def impatient(session_settings: ProxySettings) -> AsyncIterator[RunningProxy]:
    """A proxy that gives its upstream up after a moment's silence."""
    async with running_proxy(changed(session_settings, read_timeout_seconds=0.2)) as proxy:
        yield proxy


@pytest.fixture(scope="module")
async def lonely(session_settings: ProxySettings) -> AsyncIterator[RunningProxy]:
    """A proxy whose upstream nobody serves."""
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        upstream = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with running_proxy(changed(session_settings, upstream=upstream)) as proxy:
            yield proxy


async def test_an_upstream_that_refuses_is_a_502(lonely: RunningProxy, user: User) -> None:
    for answer in (
        await lonely.say(user, CAT),
        await lonely.say(user, CAT, stream=True),
        await lonely.fetch(b"POST", CHAT, (), chat_body(CAT)),
        await lonely.fetch(b"GET", b"/v1/models"),
    ):
        assert answer.status == 502
        assert said_by(answer) == "upstream_unreachable"
    assert await lonely.logged(user) == []


@pytest.mark.parametrize("end", [End.CLOSE, End.RESET])
async def test_an_upstream_that_hangs_up_without_an_answer_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, end: End
) -> None:
    upstream.otherwise = lambda _request: (end,)

    for answer in (await proxy.say(user, CAT), await proxy.fetch(b"POST", b"/v1/embeddings", (), b"{}")):
        assert answer.status == 502
        assert said_by(answer) == "upstream_broke_off"
    assert await proxy.logged(user) == []


@pytest.mark.parametrize(
    "garbage",
    [(b"\x00\xff nonsense\r\n\r\n", End.CLOSE), (b"HTTP/1.1 200 OK\r\nContent-", End.CLOSE)],
    ids=["no HTTP", "cut within the head"],
)
async def test_an_upstream_that_speaks_no_http_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, garbage: Answer
) -> None:
    upstream.answers.append(garbage)

    answer = await proxy.say(user, CAT)

    assert answer.status == 502
    assert said_by(answer) == "upstream_broke_off"


async def test_an_upstream_that_says_nothing_is_a_504(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.otherwise = lambda _request: (End.SILENCE,)

    for answer in (await impatient.say(user, CAT), await impatient.fetch(b"GET", b"/v1/models")):
        assert answer.status == 504
        assert said_by(answer) == "upstream_timeout"
    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert await impatient.logged(user) == []


async def test_an_upstream_that_falls_silent_within_its_answer_is_cut_off(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(streamed(*list(events("Min", "ka"))[:3], End.SILENCE))

    answer = await impatient.say(user, CAT, stream=True)

    assert not answer.complete
    assert answer.body == b"".join(list(events("Min", "ka"))[:3])
    assert await impatient.logged(user) == [("user", CAT), ("assistant", "Minka")]


async def test_a_slow_first_byte_is_waited_for(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append((0.5, *completion("At last.")))

    answer = await proxy.say(user, CAT)

    assert answer.json["choices"][0]["message"]["content"] == "At last."


BROKEN_ANSWERS: dict[str, Answer] = {
    "FIN between chunks": streamed(ANSWER[:40], End.CLOSE),
    "RST between chunks": streamed(ANSWER[:40], 0.2, End.RESET),
    "FIN within a chunk": (
        head(200, [(b"Transfer-Encoding", b"chunked")]),
        b"fff\r\n" + ANSWER[:40],
        End.CLOSE,
    ),
    "no chunk at all": (head(200, [(b"Transfer-Encoding", b"chunked")]), b"zz\r\n" + ANSWER, End.CLOSE),
    "a short body": (head(200, [*JSON, (b"Content-Length", b"4000")]) + ANSWER[:40], End.CLOSE),
    "RST within the body": (head(200, [*JSON, (b"Content-Length", b"4000")]) + ANSWER[:40], 0.2, End.RESET),
}


@pytest.mark.parametrize("broken", BROKEN_ANSWERS.values(), ids=BROKEN_ANSWERS)
@pytest.mark.parametrize("known", [True, False], ids=["with identity", "without"])
async def test_an_answer_that_breaks_off_never_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, broken: Answer, *, known: bool
) -> None:
    upstream.answers.append(broken)

    async with RawConnection(proxy.port) as client:
        request = chat_request(user, CAT) if known else request_bytes(b"POST", b"/v1/responses", (), b"{}")
        await client.send(request)
        answer = await client.read_response()

    if answer.status == 502:  # it broke off before we began to answer
        assert said_by(answer) == "upstream_broke_off"
    else:
        assert not answer.complete
        assert b"[DONE]" not in answer.body
        assert ANSWER.startswith(answer.body)


async def test_what_came_before_the_break_is_delivered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    said = list(events("one ", "two ", "three"))[:4]
    upstream.answers.append(streamed(*said, End.CLOSE))

    answer = await proxy.say(user, CAT, stream=True)

    assert answer.body == b"".join(said)
    assert not answer.complete


async def test_an_answer_to_be_rewritten_that_breaks_off_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append((head(200, [*JSON, (b"Content-Length", b"4000")]) + ANSWER[:40], End.CLOSE))

    answer = await proxy.say(user, CAT, extra=[(b"X-Recollect-Include", b"memories")])

    assert answer.status == 502
    assert said_by(answer) == "upstream_broke_off"


async def test_after_a_failure_the_upstream_is_asked_again(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers += [(End.RESET,), streamed(ANSWER[:9], End.CLOSE), completion("Back.")]

    await proxy.say(user, CAT)
    await proxy.say(user, CAT)
    answer = await proxy.say(user, CAT)

    assert answer.json["choices"][0]["message"]["content"] == "Back."


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
