"""An upstream that fails, or we do: the client learns it, never gets a forged end, and nothing false is remembered."""

import asyncio

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import WITH_MEMORY, Route, on_every_route, said_by
from tests.scripted.upstream import (
    DONE,
    EVENT_STREAM,
    JSON,
    Answer,
    End,
    Fields,
    ScriptedUpstream,
    completion_body,
    events,
    failure,
    head,
    streamed,
    until_close,
)
from tests.servers.running_proxy import RunningProxy, User, chat_request
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.waiting import until

from recollect.engine.turns.prepared import Prepared
from recollect.model import Turn
from recollect_proxy.chat.reply_recorder import ReplyRecorder

CAT = "I have a cat called Minka."
ANSWER = completion_body("Nice.")
SAID = b"".join(list(events("one ", "two ", "three"))[:4])


def broken_answers(content_type: Fields, said: bytes) -> dict[str, Answer]:
    """Return answers that say this much and then break off, each in another way."""
    chunked: Fields = [*content_type, (b"Transfer-Encoding", b"chunked")]
    promised: Fields = [*content_type, (b"Content-Length", b"4000")]
    return {
        "FIN between chunks": streamed(said, End.CLOSE, headers=content_type),
        "RST between chunks": streamed(said, 0.03, End.RESET, headers=content_type),
        "FIN within a chunk": (head(200, chunked), b"fff\r\n" + said, End.CLOSE),
        "FIN before the last chunk ends": (*streamed(said, headers=content_type)[:-1], b"0\r\n", End.CLOSE),
        "a short body": (head(200, promised) + said, End.CLOSE),
        "RST within the body": (head(200, promised) + said, 0.03, End.RESET),
    }


BROKEN = {
    f"{name}, {kind}": answer
    for kind, content_type, said in (("whole", JSON, ANSWER[:40]), ("streamed", EVENT_STREAM, SAID))
    for name, answer in broken_answers(content_type, said).items()
}


@in_turn("broken", BROKEN)
@on_every_route
async def test_an_answer_that_breaks_off_is_delivered_so_far_and_never_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, broken: str, route: Route
) -> None:
    upstream.answers.append(BROKEN[broken])

    with capture_logs() as logs:
        answer = await route.ask(proxy, user)

    [told] = [line for line in logs if line["event"] == "upstream_disconnected"]
    assert told["server"] == upstream.base_url.removesuffix("/v1")
    assert answer.status == 200
    assert not answer.complete
    assert answer.body == (SAID if broken.endswith("streamed") else ANSWER[:40])
    assert DONE not in answer.body
    await proxy.settle()
    await nothing_is_held(proxy)


@in_turn("known", [True, False])
async def test_an_answer_without_any_chunk_never_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, *, known: bool
) -> None:
    upstream.answers.append((head(200, [(b"Transfer-Encoding", b"chunked")]), b"zz\r\n" + ANSWER, End.CLOSE))

    async with RawConnection(proxy.port) as client:
        request = chat_request(user, CAT) if known else request_bytes(b"POST", b"/v1/responses", (), b"{}")
        await client.send(request)
        answer = await client.read_response()

    if answer.status == 502:  # it broke off before we began to answer
        assert said_by(answer) == "upstream_disconnected"
    else:
        assert not answer.complete
        assert answer.body == b""


@in_turn("end", [End.CLOSE, End.RESET])
async def test_an_upstream_that_hangs_up_without_an_answer_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, end: End
) -> None:
    upstream.otherwise = lambda _request: (end,)

    with capture_logs() as logs:
        for answer in (await proxy.say(user, CAT), await proxy.fetch(b"POST", b"/v1/embeddings", (), b"{}")):
            assert answer.status == 502
            assert said_by(answer) == "upstream_disconnected"
    failed = [line["server"] for line in logs if line["event"] == "upstream_failed"]
    assert failed == [upstream.base_url.removesuffix("/v1")] * 2
    assert await proxy.logged(user) == [("user", CAT)]


async def test_an_upstream_that_falls_silent_within_its_answer_is_cut_off(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(streamed(*list(events("Min", "ka"))[:3], End.SILENCE))

    answer = await impatient.say(user, CAT, stream=True)

    assert not answer.complete
    assert answer.body == b"".join(list(events("Min", "ka"))[:3])
    assert await impatient.logged(user) == [("user", CAT)]  # what came is kept apart


async def test_an_answer_to_be_rewritten_that_breaks_off_is_a_502(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append((head(200, [*JSON, (b"Content-Length", b"4000")]) + ANSWER[:40], End.CLOSE))

    answer = await proxy.say(user, CAT, extra=[(b"X-Recollect-Include", b"memories")])

    assert answer.status == 502
    assert said_by(answer) == "upstream_disconnected"


@on_every_route
async def test_an_answer_that_ends_with_its_connection_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route
) -> None:
    upstream.answers += [until_close(ANSWER), until_close(SAID + DONE, headers=EVENT_STREAM)]

    for said in (ANSWER, SAID + DONE):
        answer = await route.ask(proxy, user)
        assert (answer.status, answer.body, answer.complete) == (200, said, True)


@in_turn("status", [400, 401, 404, 413, 429, 500, 503])
async def test_an_error_of_the_upstreams_leaves_its_connection_to_the_next_request(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, status: int
) -> None:
    upstream.otherwise = lambda _request: failure(status)
    await proxy.say(user, CAT)
    before = upstream.connections

    for number in range(10):
        answer = await proxy.say(user, CAT, stream=number % 2 == 0)
        assert (answer.status, answer.json["error"]["code"]) == (status, f"scripted_{status}")

    assert upstream.connections <= before + 1  # the one that idled longest may have been closed
    await nothing_is_held(proxy)


async def test_an_error_that_breaks_off_does_not_keep_its_connection(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    broken: Answer = (head(503, [*JSON, (b"Content-Length", b"4000")]) + ANSWER[:40], End.CLOSE)
    upstream.otherwise = lambda _request: broken

    for _ in range(10):
        answer = await proxy.say(user, CAT)
        assert (answer.status, answer.body, answer.complete) == (503, ANSWER[:40], False)

    await nothing_is_held(proxy)


@pytest.mark.parametrize("route", WITH_MEMORY.values(), ids=WITH_MEMORY)
async def test_a_failure_of_our_own_is_a_500_that_says_so(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    route: Route,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(turn: Turn, *_arguments: object, **_options: object) -> Prepared:
        raise RuntimeError(turn.text)

    monkeypatch.setattr(proxy.app.engine, "prepare", fail)
    with capture_logs() as logs:
        answer = await route.ask(proxy, user)
        await proxy.settle()

    assert answer.status == 500
    assert answer.header(b"x-recollect-error") == b"proxy"
    assert answer.header(b"content-type") == b"application/json"
    assert answer.json["error"] == {
        "message": "Recollect failed. Its log says where.",
        "type": "proxy_error",
        "param": None,
        "code": "internal_error",
    }
    [line] = [line for line in logs if line["event"] == "request_failed"]
    assert (line["error"], line["answer_begun"]) == ("RuntimeError", False)
    assert "test_failures.py:" in line["raised_at"]
    assert "morning" not in repr(logs) + repr(answer)
    assert upstream.begun == []


async def test_a_failure_of_our_own_within_an_answer_cuts_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: ReplyRecorder, chunk: bytes) -> None:
        raise RuntimeError(chunk)

    monkeypatch.setattr(ReplyRecorder, "feed", fail)
    upstream.answers.append(streamed(SAID, End.SILENCE))
    with capture_logs() as logs:
        answer = await proxy.say(user, CAT, stream=True)
        async with asyncio.timeout(20):
            await upstream.last.client_left.wait()

    assert (answer.status, answer.body, answer.complete) == (200, b"", False)
    [line] = [line for line in logs if line["event"] == "request_failed"]
    assert line["answer_begun"]
    assert "one " not in repr(logs)
    await nothing_is_held(proxy)


async def nothing_is_held(proxy: RunningProxy) -> None:
    """Wait until no request holds a connection to the upstream."""
    await until(lambda: not proxy.app.upstream.connections.lent, seconds=20)
